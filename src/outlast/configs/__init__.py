"""Users' own configuration files."""
