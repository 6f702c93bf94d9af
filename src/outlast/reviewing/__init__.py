"""What a change breaks, mends and moves: two revisions of specs, or of files alone, judged and compared."""
