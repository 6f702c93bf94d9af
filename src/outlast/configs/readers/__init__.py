"""One reader a format: bytes to settings, each with its route, its bytes and what stands there (the contract is in setting.py)."""
