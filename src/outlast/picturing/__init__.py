"""Pictures: from rules and what the catalogue knows of them to lanes of time, and from values to what is drawn."""
