"""Reading a spec: files and what they extend, the meaning of every key, and all that is wrong, in one go."""

from __future__ import annotations

from outlast.constraints.loading.load import load_spec

__all__ = ["load_spec"]
