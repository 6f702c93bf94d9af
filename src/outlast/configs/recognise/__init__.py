"""Which kinds of software users' files configure, without a spec: instances, their values, and what clearly belongs together."""
