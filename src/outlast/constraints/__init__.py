"""What must hold: quantities, the rule language, the spec and its measurements."""
