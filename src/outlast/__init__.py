"""Timeouts that hold together, and why."""

__version__ = "0.1.0"
