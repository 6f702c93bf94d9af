"""What shells are offered while somebody types: words of options, names of a spec, names of the catalogue.

Typer does the rest. Nothing here runs unless a shell asks, which it does with an environment variable, so that no other command takes longer for it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

__all__ = ["VARIABLE", "known_kinds", "known_names", "names_of_spec", "offering", "set_up"]

#: How a shell asks: `_OUTLAST_COMPLETE=complete_bash`.
VARIABLE: Final = "_OUTLAST_COMPLETE"
#: Shells evaluate what they are offered; a spec may be a stranger's.
_HARMLESS: Final = re.compile(r"[\w./@:-]+")


def set_up() -> None:
    """Let typer answer if a shell asks."""
    if VARIABLE in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]  # there in every release, for its own use

        completion_init()


def offering(words: Sequence[str] | Callable[[Sequence[str]], Iterable[str]]) -> dict[str, Any]:
    """Options of `typer.Option` and `typer.Argument` that offer words, or what a function makes of the words before."""
    if VARIABLE not in os.environ:
        return {}

    def offered(ctx: Any, incomplete: str) -> list[str]:
        found = words(_before(ctx)) if callable(words) else words
        return [word for word in found if word.startswith(incomplete) and _HARMLESS.fullmatch(word)]

    # Typer looks at the types to know what to hand over.
    import typer

    offered.__annotations__.update(ctx=typer.Context, incomplete=str)
    return {"autocompletion": offered}


def _before(ctx: Any) -> Sequence[str]:
    """The words of the argument that were typed before."""
    return next((value for value in ctx.params.values() if isinstance(value, list | tuple) and value), ())


def names_of_spec(before: Sequence[str]) -> Iterable[str]:
    """Parameters, measurements and rules that the spec itself names; of one that cannot be read, none."""
    from outlast.constraints.document import LARGEST_FILE, Mapping, parse_document
    from outlast.constraints.files import open_regular

    path = before[0] if before else "outlast.yaml"
    path = os.path.join(path, "outlast.yaml") if os.path.isdir(path) else path
    try:
        node, _ = parse_document(open_regular(path, LARGEST_FILE), path)
    except Exception:  # nobody waits for an error while typing
        return
    for section in node.entries if isinstance(node, Mapping) else ():
        if section.key.text in ("parameters", "measurements", "rules") and isinstance(section.value, Mapping):
            yield from (entry.key.text for entry in section.value.entries)


def known_kinds(before: Sequence[str] = ()) -> Iterable[str]:
    """The kinds of the catalogue."""
    from outlast.constraints.catalogue import kind_names

    return kind_names()


def known_names(before: Sequence[str] = ()) -> Iterable[str]:
    """The relations and kinds of the catalogue."""
    from outlast.constraints.catalogue import relations

    return [*(each.id for each in relations()), *known_kinds()]
