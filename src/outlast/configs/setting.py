"""What a reader finds in a user's file: settings, each with its route, the bytes of its value and what these say.

A reader is a module in `configs/readers/` with two functions:

- `read(data: bytes, file: str) -> tuple[Setting, ...]`: every value of the file in the order of the bytes, also those that are no
  durations. Spans never overlap, but for a flag inside a command line, which lies inside its word. It raises `OutlastError` with a place in
  `file` (lines and columns in characters, without a byte order mark: `place_of_byte`) if the file cannot be read as what it is, and
  nothing else, whatever the bytes are; time grows no faster than a small power of their number.
- `encode(setting: Setting, text: str) -> str`: how `text` is written in place of a `Literal` of that file, quotes kept and escapes made,
  so that the program sees the same type as before; raises `OutlastError` without a place if it cannot be.

For programming languages there is a third, mostly in a module beside it (go_unread.py):

- `unread(data: bytes, file: str) -> tuple[Setting, ...]`: places where a key gets a value that `read` does not list, since it is neither
  constant nor a name: all of them opaque, one maybe inside another, and cut short. A key that stands there is not missing. What may bring
  in keys that are not seen, such as a spread, has the route `HIDDEN` in the scope of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from typing import Final

from outlast.constraints.record import record

__all__ = [
    "HIDDEN",
    "Coefficient",
    "Computed",
    "Content",
    "Flag",
    "Index",
    "Key",
    "Literal",
    "Opaque",
    "Segment",
    "Setting",
    "Step",
]


@record(many=True)
class Key:
    """A step of a route: a key, a constant, a field, a directive, an argument's name."""

    name: str


@record(many=True)
class Index:
    """A step of a route: an element of a list, from 0 on; `name` is another word to choose it by (`containers[web]`, `env[TIMEOUT]`)."""

    position: int
    name: str | None = None


@record(many=True)
class Flag:
    """A step of a route: the value of an option in a command line or an array of arguments: `args[--timeout]`."""

    name: str


Step = Key | Index | Flag

#: The route of what may bring in any keys.
HIDDEN: Final = Key("…")

#: One enclosing thing (document, block, section, function, type) with the names that it answers to; the first is the one shown, and the
#: most telling: ("Deployment/web", "Deployment", "web"), ("resource.aws_lb.main",), ("server#2", "server"), ("mysqld",).
Segment = tuple[str, ...]


@record(many=True)
class Literal:
    """A value that stands there as a text or a bare number.

    `text` is what the program sees, without quotes and escapes; `quote` what encloses it (`"`, `'` or nothing). `is_text`: the program sees
    a string and must go on seeing one (`"75"` in YAML or JSON); False where there are no types (.env, nginx) or where it is a number.
    """

    text: str
    quote: str = ""
    is_text: bool = False


@record(many=True)
class Coefficient:
    """The number inside an expression that is changed when its value is: the 65 of `65 * 1000`."""

    start: int
    end: int
    value: Fraction


@record(kw_only=True, many=True)
class Computed:
    """A number of a programming language, or constant arithmetic, worked out exactly.

    `amount` counts `unit`s of so many nanoseconds; a unit of None: the code does not say (a bare number, `65 * 1000`).
    """

    amount: Fraction
    unit: int | None = None
    #: With it, `amount` is its value times a constant; None: no single literal decides.
    coefficient: Coefficient | None = None
    #: Whether only whole numbers may stand for the coefficient or in a spelling: the literal has no fraction now, or the language has none there.
    is_whole: bool = True
    #: What may stand in place of the whole expression, `{}` being a number: by the nanoseconds that 1 then means, in the order of
    #: preference (Go: {10**9: "{} * time.Second", …}); where `unit` is None by what 1 then amounts to (JavaScript: {1: "{}"}).
    spellings: Mapping[int, str] = field(default_factory=dict)


@record(many=True)
class Opaque:
    """What is not read: a template, a reference, an alias, a call. `reason` says what it is: "a template, {{ … }}", "an alias, *x"."""

    reason: str


Content = Literal | Computed | Opaque


@record(kw_only=True, many=True)
class Setting:
    """One value of a file."""

    #: The last step is the value's own name; what encloses it may be further steps or segments of the scope, by what its format calls a route.
    route: tuple[Step, ...]
    #: Outermost first.
    scope: tuple[Segment, ...] = ()
    #: The bytes of the value as it stands there, quotes included, tags and anchors not.
    start: int
    end: int
    raw: str
    content: Content
    #: The name of the dialect (dialects.py) in which a duration is written here, if the place tells; None: the key or the format may.
    dialect: str | None = None
    #: Why the value must not be changed although it can be read, as "a constant: change it where it is defined, client.go:12"; None: it may be.
    locked: str | None = None
