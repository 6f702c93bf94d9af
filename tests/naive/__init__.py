"""A second opinion on small specs: shares no code with outlast, decides everything by enumeration."""
