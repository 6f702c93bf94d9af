"""Whether real software refuses what the catalogue calls refused, and accepts what it accepts."""
