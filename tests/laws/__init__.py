"""Laws that hold for every spec."""
