"""Outcomes as text for people and data for machines."""
