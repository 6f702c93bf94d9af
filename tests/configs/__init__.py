"""Checks of what reads and writes users' files."""
