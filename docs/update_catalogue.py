"""Keeps what is made of the catalogue's files true: a page for each relation and kind, and one file that is quick to load.

`python docs/update_catalogue.py` rewrites docs/rules/ and src/outlast/constraints/catalogue/catalogue.json; `--check` only tells which
files would change (exit code 1).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from outlast.constraints.catalogue.lookup import contents, page
from outlast.constraints.catalogue.sources import compiled
from outlast.reports.markdown import markdown
from outlast.reports.rules import page_document

__all__ = ["loaded", "pages", "stale"]

ROOT = Path(__file__).resolve().parent.parent
_PAGES = Path("docs/rules")
_COMPILED = Path("src/outlast/constraints/catalogue/catalogue.json")


def loaded() -> dict[Path, str]:
    """The file that is quick to load, made of those that people write."""
    return {_COMPILED: compiled()}


def pages() -> dict[Path, str]:
    """Every page that is made of what is loaded, by its path from the root."""
    found: dict[Path, str] = {}
    everything = contents()
    for each in everything.relations:
        found[_PAGES / f"{each.id}.md"] = _page(each.id)
    for kind in everything.kinds:
        found[_PAGES / "kinds" / f"{kind.name}.md"] = _page(kind.name)
    lines = [
        "# The catalogue",
        "",
        f"{len(everything.relations)} relations and {len(everything.kinds)} kinds of software. `outlast rules` shows the same; "
        "[how they are written](../catalogue.md).",
    ]
    for family, relations in groupby(everything.relations, key=lambda r: r.id.partition("/")[0]):
        lines += ["", f"## {family}", "", "| relation | severity | what must hold |", "|---|---|---|"]
        lines += [f"| [{r.id}]({r.id}.md) | {r.severity.value} | {r.title} |" for r in relations]
    lines += ["", "## kinds", "", "| kind | what it is | parameters |", "|---|---|---|"]
    lines += [f"| [{k.name}](kinds/{k.name}.md) | {k.title} | {len(k.parameters)} |" for k in everything.kinds]
    found[_PAGES / "README.md"] = "\n".join(lines) + "\n"
    return found


def _page(name: str) -> str:
    return f"# {name}\n\n{markdown(page_document(page(name)))}"


def stale(wanted: Mapping[Path, str]) -> list[Path]:
    """The files that are not as they should be, and pages that should not be there."""
    differing = [path for path, text in wanted.items() if not _is(ROOT / path, text)]
    there = {path.relative_to(ROOT) for path in (ROOT / _PAGES).rglob("*.md")} if _COMPILED not in wanted else set()
    return sorted([*differing, *(there - set(wanted))])


def _is(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


def main(arguments: list[str]) -> int:
    """Rewrite or check; the exit code."""
    is_changed = False
    for make in (loaded, pages):  # pages are made of what was written before
        wanted = make()
        for path in stale(wanted):
            is_changed = True
            print(path)
            if arguments == ["--check"]:
                continue
            if path in wanted:
                (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
                (ROOT / path).write_text(wanted[path], encoding="utf-8")
            else:
                (ROOT / path).unlink()
    return 1 if is_changed and arguments == ["--check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
