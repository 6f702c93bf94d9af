"""What aliases and merge keys of YAML stand for: the values of the anchor's mapping or list once more, under the routes that they have there.

None of them is read: it is changed where it stands. Each is told with no bytes of its own, behind the alias.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from outlast.configs.readers.yaml_nodes import Documents, Leaf, Node
from outlast.configs.setting import Key, Opaque, Segment, Setting, Step
from outlast.constraints.errors import printable
from outlast.constraints.record import record

__all__ = ["MERGE", "Aliases"]

#: The key that takes the keys of other mappings.
MERGE: Final = Key("<<")

#: How many values of anchors are told once more in a file: aliases within aliases would multiply them.
_MOST: Final = 1_000
_LINE_END: Final = re.compile(rb"\r\n?|\n")


@record
class _Anchored:
    """The values below a node: how many steps lead to it, and which settings they are."""

    steps: int
    first: int
    last: int


class Aliases:
    """The aliases of one file, while its values are read in order."""

    def __init__(self, documents: Documents, data: bytes) -> None:
        self._documents = documents
        self._data = data
        self._anchored: dict[int, _Anchored] = {}
        self._left = _MOST
        self._lines: list[int] = []

    def keep(self, node: Node, steps: int, first: int, last: int) -> None:
        """Remember which settings the values of a node are that an alias stands for."""
        self._anchored[id(node)] = _Anchored(steps, first, last)

    def target(self, alias: Leaf) -> int | None:
        """The first character of what an alias stands for."""
        found = self._documents.targets.get(alias[0])
        return None if found is None else found[1]

    def told(
        self,
        alias: Leaf,
        settings: Sequence[Setting],
        route: tuple[Step, ...],
        scope: tuple[Segment, ...],
        end: int,
        taken: set[str] | None = None,
    ) -> Iterator[Setting]:
        """What an alias stands for, below a route and behind the byte at which the alias ends; nothing if that is too much.

        `taken`: of a merge key, the keys that are there already, and then those of this mapping, too.
        """
        node, _ = self._documents.targets.get(alias[0], (None, 0))
        anchored = self._anchored.get(id(node))
        if anchored is None or anchored.last - anchored.first > self._left:
            return
        self._left -= anchored.last - anchored.first
        name = printable(alias[5] or "")
        kind = f"an alias, *{name}" if taken is None else f"a merged value, <<: *{name}"
        names = set()
        for setting in settings[anchored.first : anchored.last]:
            inner = setting.route[anchored.steps :]
            if MERGE in inner:
                continue
            if taken is not None:
                if not isinstance(inner[0], Key) or inner[0].name in taken:
                    continue
                names.add(inner[0].name)
            content = Opaque(f"{kind} (line {self._line(setting.start)})")
            yield Setting(route=(*route, *inner), scope=scope, start=end, end=end, raw="", content=content)
        if taken is not None:
            taken |= names

    def _line(self, byte: int) -> int:
        if not self._lines:
            self._lines = [0, *(match.end() for match in _LINE_END.finditer(self._data))]
        return bisect_right(self._lines, byte)
