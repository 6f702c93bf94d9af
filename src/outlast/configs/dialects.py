"""How durations are written in a place: units, what a bare number means, and how a new value is spelled."""
