"""The catalogue's files as people write them, and all of them in one file that is quick to load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

__all__ = ["FOLDER", "compiled", "documents"]

FOLDER: Final = Path(__file__).parent


def documents() -> dict[str, dict[str, Any]]:
    """Every kind by name and every relation by id, as nested mappings, lists and texts."""
    kinds = {path.name.removesuffix(".yaml"): _read(path) for path in sorted((FOLDER / "kinds").glob("*.yaml"))}
    relations = {
        f"{path.parent.name}/{path.name.removesuffix('.yaml')}": _read(path)
        for path in sorted((FOLDER / "relations").glob("*/*.yaml"))
    }
    return {"kinds": kinds, "relations": relations}


def compiled() -> str:
    """All documents as JSON: YAML takes a second to read."""
    sections = (f"{json.dumps(section)}:{{\n{_lines(entries)}\n}}" for section, entries in documents().items())
    return "{" + ",\n".join(sections) + "}\n"


def _lines(entries: dict[str, Any]) -> str:
    """One line an entry, so that a change shows where it is."""
    whole = ((name, json.dumps(entry, ensure_ascii=False, separators=(",", ":"))) for name, entry in entries.items())
    return ",\n".join(f"{json.dumps(name)}:{text}" for name, text in whole)


def _read(path: Path) -> Any:
    import yaml

    loader = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # texts only, of our own files
