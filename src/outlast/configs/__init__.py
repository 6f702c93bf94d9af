"""Users' files: find settings, read them where they stand, write them back."""
