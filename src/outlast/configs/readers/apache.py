"""Apache httpd configuration: the arguments of directives, split as httpd's `ap_getword_conf` splits them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from outlast.configs.readers.texts import BOM
from outlast.configs.setting import Content, Index, Key, Literal, Opaque, Segment, Setting, Step
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import decode, place_of_byte

__all__ = ["encode", "read"]

#: A line with those that a backslash at its end joins to it.
_LINE: Final = re.compile(rb"(?:[^\\\n]++|\\(?:\r?\n)?)*+")
_BLANKS: Final = re.compile(rb"(?:[ \t\r\f\v]++|\\\r?\n)*+")
#: A word in quotes (or all that is behind an open one), or another one; lines may be joined inside.
_ARGUMENT: Final = re.compile(
    rb"""("(?:[^"\\]|\\.)*+["\\]?+|'(?:[^'\\]|\\.)*+['\\]?+)|(?:[^\s\\]|\\(?!\r?\n)|(?:\\\r?\n)++(?=\S))++""", re.S
)
_HEADER: Final = re.compile(r"<\s*([^\s>]+)\s*(.*?)\s*>", re.S)
_JOINED: Final = re.compile(r"\\\r?\n")
_ESCAPES: Final = {"": re.compile(r"\\(\\)"), '"': re.compile(r'\\([\\"])'), "'": re.compile(r"\\([\\'])")}

_REFERENCE: Final = re.compile(r"\$\{[^}]*\}?")
_PARAMETER: Final = re.compile(r"[A-Za-z][\w.-]*=", re.A)
_BARE: Final = re.compile(r"""[^\s"'\\][^\s\\]*""")
_DEEPEST: Final = 100
#: Directives whose first argument names what the second sets; in lower case.
_NAMING: Final = frozenset(("define", "setenv", "php_value", "php_admin_value", "php_flag", "php_admin_flag"))
#: Directives that read whole seconds and drop what follows: `TimeOut 500ms` is 500 s (server/core.c, mod_proxy.c, mpm_common.c of 2.4).
_SECONDS: Final = frozenset(("timeout", "proxytimeout", "gracefulshutdowntimeout"))
#: Directives with parameters of a worker.
_WORKERS: Final = frozenset(("proxypass", "proxypassmatch", "balancermember", "proxyset"))
#: Of these, the ones that take no unit; `acquire` is in milliseconds, unlike the others (mod_proxy.c).
_WORKER_DIALECTS: Final = {"acquire": "millis", "timeout": "seconds", "ttl": "seconds", "retry": "seconds"}

#: A directive whose parameters hold up to three values, and these: the first seconds, the most of them, the bytes a second that add one
#: (mod_reqtimeout.c).
_READ_TIMEOUT: Final = "requestreadtimeout"
_STAGE: Final = re.compile(r"([0-9]+)(?:-([0-9]+))?(?:,MinRate=([0-9]+))?", re.A | re.I)
_OF_STAGE: Final = (((), "seconds"), ((Key("max"),), "seconds"), ((Key("MinRate"),), None))

#: The bytes of an argument and whether they are quoted.
_Span = tuple[int, int, bool]


class _Section:
    """A section: where it is opened, and how often each header or directive has stood in it."""

    def __init__(self, parent: _Section | None, start: int, name: str, header: str) -> None:
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.start = start
        self.name = name
        self.header = header
        #: What `ServerName` says.
        self.server = ""
        self.counts: dict[str, int] = {}
        self._number = parent.count(f"<{header}") if parent is not None else 0
        self._scope: tuple[Segment, ...] | None = None

    def count(self, name: str) -> int:
        """How many have had this name before."""
        number = self.counts.get(name, 0)
        self.counts[name] = number + 1
        return number

    @property
    def scope(self) -> tuple[Segment, ...]:
        """Names of the sections around a directive; wanted only when all is read, as `ServerName` may stand at the end."""
        if self.parent is None:
            return ()
        if self._scope is None:
            names = [f"{self.header}#{self._number}"] if self._number else []
            names += [self.header, *([f"{self.name} {self.server}"] if self.server else []), self.name]
            if self.header != self.name:
                names.append(self.header[len(self.name) + 1 :])
            self._scope = (*self.parent.scope, tuple(dict.fromkeys(names)))
        return self._scope


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """Every argument of every directive; of `key=value` the value.

    The route is the directive: `KeepAliveTimeout`, `Listen[1]` the second argument, `ProxyPass[/app].timeout` a parameter,
    `RequestReadTimeout.header.max` a part of one, `Define[X]` a definition; the scope are the sections. Raises `OutlastError` where sections are not closed in turn.
    """
    decode(data, file)
    directives: list[tuple[_Section, int, str, list[_Span]]] = []
    section = _Section(None, 0, "", "")
    at = len(BOM) if data.startswith(BOM) else 0
    while at < len(data):
        start = _BLANKS.match(data, at).end()  # type: ignore[union-attr]  # it matches nothing, too
        end = _LINE.match(data, start).end()  # type: ignore[union-attr]  # so does this
        at = end + 1
        mark = data[start : start + 1]
        if mark == b"<":
            section = _turned(section, data, start, end, file)
        elif mark not in (b"#", b"\n", b""):
            words = _words(data, start, end)
            name = _plain(data, words[0])
            directives.append((section, section.count(name.lower()), name, words[1:]))
            if name.lower() == "servername" and words[1:]:
                section.server = _plain(data, words[1])
    if section.parent is not None:
        raise OutlastError(f"expected </{section.name}>, found the end", place_of_byte(data, section.start, file))
    found: list[Setting] = []
    for around, number, name, words in directives:
        _arguments(data, around.scope, number, name, words, found)
    return tuple(found)


def _turned(section: _Section, data: bytes, start: int, end: int, file: str) -> _Section:
    """The section that is open behind a line that opens or closes one."""
    line = _JOINED.sub("", data[start:end].decode()).strip()
    match = _HEADER.fullmatch(line)
    if match is None:
        raise OutlastError(
            f"expected '>' at the end of the line, found '{line[:40]}'", place_of_byte(data, start, file)
        )
    name, rest = match[1], match[2]
    if not name.startswith("/"):
        if section.depth == _DEEPEST:
            place = place_of_byte(data, start, file)
            raise OutlastError(f"expected at most {_DEEPEST} sections inside each other, found more", place)
        words = " ".join(rest.replace('"', " ").split()) if rest.count('"') == 2 else " ".join(rest.split())
        return _Section(section, start, name, f"{name} {words}" if words else name)
    if section.parent is None or section.name.lower() != name[1:].lower():
        wanted = f"</{section.name}>" if section.parent is not None else "a directive"
        raise OutlastError(f"expected {wanted}, found '{line[:40]}'", place_of_byte(data, start, file))
    return section.parent


def _words(data: bytes, at: int, end: int) -> list[_Span]:
    """The words of a line; there is at least one."""
    words: list[_Span] = []
    while (match := _ARGUMENT.match(data, at, end)) is not None:
        words.append((at, match.end(), match[1] is not None))
        at = _BLANKS.match(data, match.end(), end).end()  # type: ignore[union-attr]  # it matches nothing, too
    return words


def _arguments(
    data: bytes,
    scope: tuple[Segment, ...],
    number: int,
    name: str,
    words: list[_Span],
    found: list[Setting],
) -> None:
    first: str | None = None
    for position, word in enumerate(words):
        start, end, is_quoted = word
        raw = data[start:end].decode()
        route: tuple[Step, ...] = (Key(name),)
        dialect = "seconds" if name.lower() in _SECONDS else None
        if not is_quoted and (parameter := _PARAMETER.match(raw)) is not None:
            key = parameter[0][:-1]
            start += parameter.end()
            raw = raw[parameter.end() :]
            route = (
                (Key(name), Key(key)) if first is None and not number else (Key(name), Index(number, first), Key(key))
            )
            if name.lower() in _WORKERS:
                dialect = _WORKER_DIALECTS.get(key.lower())
            if name.lower() == _READ_TIMEOUT and (stage := _STAGE.fullmatch(raw)) is not None:
                found += _of_stage(stage, start, route, scope)
                continue
        elif not position:
            first = _plain(data, word)
        elif position == 1 and name.lower() in _NAMING:
            route = (Key(name), Index(number, first))
        else:
            route = (Key(name), Index(position))
        content = _content(raw, is_quoted)
        found.append(Setting(route=route, scope=scope, start=start, end=end, raw=raw, content=content, dialect=dialect))


def _of_stage(
    match: re.Match[str], start: int, route: tuple[Step, ...], scope: tuple[Segment, ...]
) -> Iterator[Setting]:
    """The numbers of `20-40,MinRate=500`, which begins at a byte."""
    for raw, offset, (steps, dialect) in zip(match.groups(), map(match.start, (1, 2, 3)), _OF_STAGE, strict=True):
        if raw is not None:
            begin = start + offset
            yield Setting(
                route=(*route, *steps),
                scope=scope,
                start=begin,
                end=begin + len(raw),
                raw=raw,
                content=Literal(raw),
                dialect=dialect,
            )


def _plain(data: bytes, word: _Span) -> str:
    start, end, is_quoted = word
    return _text(data[start:end].decode(), is_quoted)


def _text(raw: str, is_quoted: bool) -> str:
    """What the program sees."""
    quote = raw[0] if is_quoted else ""
    if quote:
        raw = raw[1:-1]
    return _ESCAPES[quote].sub(r"\1", _JOINED.sub("", raw)) if "\\" in raw else raw


def _content(raw: str, is_quoted: bool) -> Content:
    if "${" in raw and (reference := _REFERENCE.search(raw)) is not None:
        return Opaque(f"a reference, {reference[0]}")
    if is_quoted and not _is_closed(raw):
        return Opaque("a text in quotes that are not closed")
    return Literal(_text(raw, is_quoted), raw[0] if is_quoted else "")


def _is_closed(raw: str) -> bool:
    inner = raw[1:-1]
    return len(raw) > 1 and raw[-1] == raw[0] and (len(inner) - len(inner.rstrip("\\"))) % 2 == 0


def encode(setting: Setting, text: str) -> str:
    """The text with the quotes of the old value, or with quotes if it needs them and can have them."""
    if "${" in text:
        raise OutlastError(f"expected a text without a reference, found '{text}'")
    if not text.isprintable():
        raise OutlastError(f"expected a text on one line without control characters, found '{text}'")
    quote = setting.content.quote if isinstance(setting.content, Literal) else ""
    if len(setting.route) > 1 and isinstance(setting.route[-1], Key):
        directive = setting.route[0]
        is_stage = isinstance(directive, Key) and directive.name.lower() == _READ_TIMEOUT
        if is_stage and not (text.isascii() and text.isdigit()):
            raise OutlastError(f"expected a whole number, found '{text}'")
        if text and not _BARE.fullmatch(f"={text}"):
            raise OutlastError(f"expected the value of a parameter, which cannot have quotes, found '{text}'")
        return text
    if not quote and _BARE.fullmatch(text) and not _PARAMETER.match(text):
        return text
    quote = quote or '"'
    return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote
