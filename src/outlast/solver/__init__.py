"""Values that satisfy a spec, how far they could move, and proofs that there are none."""
