"""Reads INI files, my.cnf, pgbouncer.ini and postgresql.conf as settings: a section is the scope, a key the route.

What a line says depends on the program, so each kind has a function of its own:

- `read` (as `configparser`, and near enough to PHP, uWSGI and supervisord): `=` or `:`; comments at the beginning of a line (`#`, `;`) and behind a
  blank later in it; quotes around a value are not part of it; a line that is indented further than its key goes on with the value.
- `read_mysql`: `=` alone; `#` begins a comment anywhere outside quotes, `;` only at the beginning of a line; no line goes on.
- `read_pgbouncer`: comments at the beginning of a line only; quotes are part of the value; what databases, users and peers are given is read
  inside their values, too (`shop[connect_timeout]`).
- `read_postgres`: no sections; `key = value` or `key value`; quotes are single ones; `#` begins a comment.

Keys without a value (`skip-name-resolve`) and includes are no settings, but for those of postgresql.conf, which have values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NoReturn

from outlast.configs.readers.texts import literal, numbered, reference_in, refuse_unwritable, start_of_text
from outlast.configs.setting import Content, Flag, Key, Literal, Opaque, Segment, Setting
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import place_of_byte
from outlast.constraints.record import record

__all__ = ["encode", "read", "read_mysql", "read_pgbouncer", "read_postgres"]


@record(kw_only=True)
class _Dialect:
    #: A key with what separates it from the value.
    key: re.Pattern[bytes]
    #: From the value's first byte: the value in quotes, or bare, up to a comment or the end of the line.
    value: re.Pattern[bytes]
    #: Whether deeper lines go on with the value.
    goes_on: bool = False
    #: Whether a backslash is an escape in bare values, too.
    has_escapes: bool = False


_QUOTED: Final = rb"\"(?:[^\"\\\r\n]|\\[^\r\n])*+\"|'(?:[^'\\\r\n]|\\[^\r\n])*+'"
_INI: Final = _Dialect(
    key=re.compile(rb"[ \t]*+([^=:\r\n]*+)[=:][ \t]*+"),
    value=re.compile(rb"((?:" + _QUOTED + rb")(?=[ \t]++[#;]|[ \t]*+(?:[\r\n]|\Z))|(?:(?<=[ \t])(?![#;])|(?<![ \t]))(?:[^ \t\r\n]++|[ \t]++(?![#;\r\n]|\Z))*+|)"),
    goes_on=True,
)  # fmt: skip
_MYSQL: Final = _Dialect(
    key=re.compile(rb"[ \t]*+([^=#\r\n]*+)=[ \t]*+"),
    value=re.compile(rb"((?:" + _QUOTED + rb")(?=[ \t]*+(?:[#\r\n]|\Z))|(?:[^ \t\r\n#]++|[ \t]++(?![#\r\n]|\Z))*+)"),
    has_escapes=True,
)
_PGBOUNCER: Final = _Dialect(
    key=re.compile(rb"[ \t]*+([^=\r\n]*+)=[ \t]*+"),
    value=re.compile(rb"((?:[^ \t\r\n]++|[ \t]++(?![\r\n]|\Z))*+)"),
)


#: Sections of a pgbouncer.ini in which a value is a list of `key=value`.
_CONNECTIONS: Final = frozenset(("databases", "users", "peers"))
_PAIR: Final = re.compile(rb"[ \t]*+([A-Za-z_][\w-]*+)[ \t]*+=[ \t]*+('(?:[^']|'')*+'|(?!')[^ \t]++)(?=[ \t]|\Z)")


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of an INI file of no particular program.

    Raises:
        OutlastError: with a place; it is not UTF-8, or a section's name is not closed. Other lines that say nothing are skipped.
    """
    return _settings(data, file, _INI)


def read_mysql(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a my.cnf; names as written, be it with `-` or with `_`. Raises as `read`."""
    return _settings(data, file, _MYSQL)


def read_pgbouncer(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a pgbouncer.ini. Raises as `read`."""
    return _settings(data, file, _PGBOUNCER)


def _settings(data: bytes, file: str, dialect: _Dialect) -> tuple[Setting, ...]:
    pos = start_of_text(data, file)
    scope: tuple[Segment, ...] = ()
    seen: dict[str, int] = {}
    found: list[Setting] = []
    level = 0  # how far the last key is indented
    is_open = False  # whether a deeper line would go on with the last value
    for line in data[pos:].splitlines(keepends=True):
        begin, pos = pos, pos + len(line)
        text = line.strip()
        if not text or text[0] in b"#;":
            continue
        indent = len(line) - len(line.lstrip())
        if is_open and indent > level:
            if found:
                found[-1] = _longer(data, found[-1], begin + len(line.rstrip()))
            continue
        level, is_open = indent, False
        if text[0] == 0x5B:
            scope = (_segment(data, begin + indent, text, seen, file),)
        elif text[0] not in b"!%" and (key := dialect.key.match(data, begin, pos)) and key[1].strip():
            value = dialect.value.match(data, key.end(), pos)
            assert value is not None  # it matches everywhere
            raw = value[1].decode()
            start, end = value.span(1)
            if start == end and data[start : start + 1] in (
                b"#",
                b";",
            ):  # a value would need a blank before the comment
                start = end = key.start() + len(key[0].rstrip())
            setting = Setting(
                route=(Key(key[1].strip().decode()),),
                scope=scope,
                start=start,
                end=end,
                raw=raw,
                content=_said(raw, dialect),
            )
            found.append(setting)
            is_open = dialect.goes_on
            if dialect is _PGBOUNCER and scope and scope[0][-1].lower() in _CONNECTIONS:
                found += _pairs(data, setting)
    return tuple(found)


def _pairs(data: bytes, whole: Setting) -> Iterator[Setting]:
    """The values of a list of `key=value`, up to what is none."""
    at, text = 0, data[whole.start : whole.end]
    while at < len(text) and (pair := _PAIR.match(text, at)) is not None:
        at = pair.end()
        raw = pair[2].decode()
        quote = "'" if raw[:1] == "'" else ""
        yield Setting(
            route=(*whole.route, Flag(pair[1].decode())),
            scope=whole.scope,
            start=whole.start + pair.start(2),
            end=whole.start + pair.end(2),
            raw=raw,
            content=literal(raw[1:-1].replace("''", "'") if quote else raw, quote),
        )


def _segment(data: bytes, start: int, text: bytes, seen: dict[str, int], file: str) -> Segment:
    """A section by its name, and by what follows a `:` in it (`[program:web]`)."""
    comment = re.search(rb"\][ \t]*[ \t][#;]", text)
    close = comment.start() if comment else text.rfind(b"]")
    if close < 0:
        raise OutlastError(
            "expected ] behind the name of a section, found the end of the line",
            place_of_byte(data, start + len(text), file),
        )
    name = text[1:close].strip().decode()
    _, colon, last = name.partition(":")
    return numbered(seen, name, *([last.strip()] if colon and last.strip() else []))


def _longer(data: bytes, setting: Setting, end: int) -> Setting:
    start = setting.start
    if start == setting.end:  # nothing stands on the key's own line
        start += len(data[start:end]) - len(data[start:end].lstrip())
    return Setting(
        route=setting.route,
        scope=setting.scope,
        start=start,
        end=end,
        raw=data[start:end].decode(),
        content=Opaque("a value of several lines"),
    )


def _said(raw: str, dialect: _Dialect) -> Content:
    quote = raw[0] if len(raw) > 1 and raw[0] in "\"'" and raw[0] == raw[-1] and dialect is not _PGBOUNCER else ""
    if quote and dialect is _INI and quote in raw[1:-1] and "\\" not in raw:
        quote = ""
    if "\\" in raw and (quote or dialect.has_escapes):
        return Opaque("a text with escapes")
    return literal(raw[1:-1] if quote else raw, quote)


_POSTGRES_BARE: Final = (
    r"[-+]?(?:0x[0-9a-fA-F]+|[0-9]+)[A-Za-z]*|[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[A-Za-z_][\w.:/-]*"
)
_NAME: Final = rb"[A-Za-z_\x80-\xff][\w$\x80-\xff]*+"
_POSTGRES_KEY: Final = re.compile(rb"(" + _NAME + rb"(?:\." + _NAME + rb")*+)(?:[ \t]*+=[ \t]*+|[ \t]++|(?='))")
_POSTGRES_VALUE: Final = re.compile(
    rb"('(?:[^'\\\r\n]|''|\\[^\r\n])*+'|(?:" + _POSTGRES_BARE.replace(r"\w", r"\w\x80-\xff").encode() + rb"))[ \t]*+(?:#|[\r\n]|\Z)",
)  # fmt: skip


def read_postgres(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a postgresql.conf, which has no sections; of two equal keys the program takes the last.

    Raises:
        OutlastError: with a place; it is not UTF-8, or a line is none that the program takes.
    """
    pos = start_of_text(data, file)
    found: list[Setting] = []
    for line in data[pos:].splitlines(keepends=True):
        begin, pos = pos, pos + len(line)
        text = line.strip()
        if not text or text[0] == 0x23:
            continue
        begin += len(line) - len(line.lstrip())
        key = _POSTGRES_KEY.match(data, begin, pos)
        if key is None:
            _fail(data, begin, "a name with a value", file)
        value = _POSTGRES_VALUE.match(data, key.end(), pos)
        if value is not None:
            start, end = value.span(1)
        else:
            start, end = key.end(), begin + len(text)
        raw = data[start:end].decode()
        if value is None and reference_in(raw) is None:
            _fail(data, start, "a value, in quotes if it is more than a word or a number with a unit", file)
        found.append(Setting(route=(Key(key[1].decode()),), start=start, end=end, raw=raw, content=_postgres_said(raw)))
    return tuple(found)


def _postgres_said(raw: str) -> Content:
    if not (raw.startswith("'") and raw.endswith("'")):
        return literal(raw)
    if "\\" in raw:
        return Opaque("a text with escapes")
    return literal(raw[1:-1].replace("''", "'"), "'")


def _fail(data: bytes, pos: int, expected: str, file: str) -> NoReturn:
    rest = data[pos : pos + 200].decode(errors="ignore").split("\n")[0].split()
    found = f"'{rest[0][:20]}'" if rest else "the end of the line"
    raise OutlastError(f"expected {expected}, found {found}", place_of_byte(data, pos, file))


_BARE: Final = re.compile(_POSTGRES_BARE)


def encode(setting: Setting, text: str) -> str:
    """The quotes stay; a bare value becomes one that all kinds of these files take without quotes, or is refused."""
    content = setting.content
    if not isinstance(content, Literal):
        raise OutlastError("expected a value on one line to replace, found another")
    if content.quote:
        refuse_unwritable(text, "\\" + content.quote)
        return f"{content.quote}{text}{content.quote}"
    refuse_unwritable(text)
    if not _BARE.fullmatch(text):
        raise OutlastError(f"expected a number with or without a unit, or a word, found '{text}'")
    return text
