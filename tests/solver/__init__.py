"""Conflicts, certificates, smallest sets, limits and remedies against brute force."""
