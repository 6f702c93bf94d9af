"""HAProxy configuration: the words behind keywords, quoted and escaped as HAProxy's `parse_line` has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from outlast.configs.readers.texts import BOM
from outlast.configs.setting import Content, Index, Key, Literal, Opaque, Segment, Setting, Step
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import decode, place_of_byte

__all__ = ["encode", "read"]

_SECTIONS: Final = frozenset(
    ("global", "defaults", "frontend", "backend", "listen", "peers", "resolvers", "mailers", "program", "userlist", "cache", "ring", "http-errors",
     "log-forward", "log-profile", "fcgi-app", "crt-store", "traces", "acme", "dynamic-update")
)  # fmt: skip
#: Keywords that say only with the word behind them what is set: `timeout server`, `option httpchk`.
_PAIRED: Final = frozenset(("timeout", "option", "stats", "hold", "rate-limit", "email-alert", "compression"))  # fmt: skip
#: What may stand before a keyword.
_NEGATING: Final = frozenset(("no", "default"))
#: Keywords whose arguments are parameters: how many words come before these.
_WITH_PARAMETERS: Final = {"server": 2, "default-server": 0, "server-template": 3, "stick-table": 0, "cookie": 1}
#: Parameters that have no value.
_ALONE: Final = frozenset(
    ("agent-check", "allow-0rtt", "backup", "check", "check-reuse-pool", "check-send-proxy", "check-ssl", "check-via-socks4", "disabled", "enabled",
     "force-sslv3", "force-tlsv10", "force-tlsv11", "force-tlsv12", "force-tlsv13", "non-stick", "renegotiate", "send-proxy", "send-proxy-v2",
     "send-proxy-v2-ssl", "send-proxy-v2-ssl-cn", "ssl", "ssl-reuse", "stick", "tfo", "tls-tickets", "strict-maxconn", "nopurge", "write-to",
     "recv-only", "rewrite", "insert", "prefix", "indirect", "nocache", "postonly", "preserve", "httponly", "secure", "dynamic")
)  # fmt: skip
#: Parameters that are times, which their names alone do not say.
_TIMES: Final = frozenset(
    ("agent-inter", "downinter", "expire", "fastinter", "inter", "pool-purge-delay", "slowstart", "tcp-ut")
)

#: One line up to a comment, in words; a backslash before its end is one.
_WORD: Final = re.compile(rb"""(?:[^\s"'\\#]++|"(?:[^"\\\n]|\\[^\n])*+"|'[^'\n]*+'|\\[^\r\n]|\\)++""")
_BLANKS: Final = re.compile(rb"[ \t\r\f\v]*+")
_QUOTED: Final = re.compile(r"""("(?:[^"\\]|\\.)*+"|'[^']*+')\Z""")
#: Quoted parts, escapes.
_PART: Final = re.compile(r"""'([^']*+)'|"((?:[^"\\]|\\.)*+)"|((?:\\.|[^"'])++)""", re.S)
_ESCAPE: Final = re.compile(r"""\\(?:x([0-9A-Fa-f]{2})|([rnt])|([ \\#"'$]))""")
_CONTROLS: Final = {"t": "\t", "r": "\r", "n": "\n"}
_WRITTEN: Final = {"\t": "\\t", "\r": "\\r", "\n": "\\n", "\\": "\\\\", '"': '\\"', "$": "\\$"}
#: In double quotes only.
_VARIABLE: Final = re.compile(r"(?:[^\\$]|\\.|\$(?![\w{]))*+(\$(?:\{[^}]*\}?|\w+))", re.S)
#: Outside of quotes, where HAProxy takes it as it is: another program must have put something there before.
_REFERENCE: Final = re.compile(r"(?:[^\\$]|\\.|\$(?!\{\w))*+(\$\{\w[^}]*\}?)", re.S)
_BARE: Final = re.compile(r"""[^\s"'\\#]+""")

#: The bytes of a word.
_Span = tuple[int, int]


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """Every word behind a keyword.

    The route is the keyword (`timeout server`, `maxconn`, `balance`; `log[1]` its second word), or for servers and the like a parameter
    (`server[web1].inter`, `default-server.fall`); the scope is the section. Raises `OutlastError` at a quote that is not closed on its line.
    """
    decode(data, file)
    found: list[Setting] = []
    scope: tuple[Segment, ...] = ()
    sections: dict[str, int] = {}
    servers: dict[str, int] = {}
    for spans in _lines(data, file):
        words = [_plain(data[start:end].decode()) for start, end in spans]
        if words[0] in _SECTIONS:
            scope, servers = (_names(words, sections),), {}
        elif (skipped := _WITH_PARAMETERS.get(words[0])) is not None:
            number = servers[words[0]] = servers.get(words[0], -1) + 1
            _parameters(data, scope, words, spans, skipped, number, found)
        else:
            _arguments(data, scope, words, spans, found)
    return tuple(found)


def _lines(data: bytes, file: str) -> Iterator[list[_Span]]:
    """The words of each line that has some."""
    at = len(BOM) if data.startswith(BOM) else 0
    match_word, match_blanks = _WORD.match, _BLANKS.match
    spans: list[_Span] = []
    while True:
        at = match_blanks(data, at).end()  # type: ignore[union-attr]  # it matches nothing, too
        match = match_word(data, at)
        if match is not None:
            spans.append((at, match.end()))
            at = match.end()
            continue
        mark = data[at : at + 1]
        if mark in (b'"', b"'"):
            place = place_of_byte(data, at, file)
            raise OutlastError(f"expected {mark.decode()} to be closed on its line, found the end of the line", place)
        if spans:
            yield spans
            spans = []
        at = data.find(b"\n", at) + 1
        if not at:
            return


def _names(words: list[str], sections: dict[str, int]) -> Segment:
    """The names of a section: `backend be`, `backend`, `be`; with a number first if it has stood there before."""
    header = " ".join(words[:2])
    number = sections[header] = sections.get(header, -1) + 1
    return tuple(dict.fromkeys([*([f"{header}#{number}"] if number else []), header, *words[:2]]))


def _parameters(
    data: bytes,
    scope: tuple[Segment, ...],
    words: list[str],
    spans: list[_Span],
    skipped: int,
    number: int,
    found: list[Setting],
) -> None:
    """A server's address and the values of its parameters, by their names."""
    route: tuple[Step, ...] = (Key(words[0]),)
    if words[0].startswith("server"):
        route = (*route, Index(number, words[1] if len(words) > 1 else None))
        if len(words) > skipped:
            found.append(_setting(data, (*route, Key("address")), scope, spans[skipped]))
    elif skipped and len(words) > 1:
        found.append(_setting(data, route, scope, spans[1]))
    position = skipped + 1
    while position < len(words) - 1:
        name = words[position]
        position += 1
        if name not in _ALONE and not name.startswith("no-"):
            dialect = "haproxy" if name in _TIMES else None
            found.append(_setting(data, (*route, Key(name)), scope, spans[position], dialect))
            position += 1


def _arguments(
    data: bytes, scope: tuple[Segment, ...], words: list[str], spans: list[_Span], found: list[Setting]
) -> None:
    """The words behind a keyword, which may be of two or, with `no`, three words."""
    before = 1 if words[0] in _NEGATING else 0
    size = before + (2 if words[before : before + 1] and words[before] in _PAIRED else 1)
    key = Key(" ".join(words[:size]))
    for position, span in enumerate(spans[size:]):
        found.append(_setting(data, (key, Index(position)) if position else (key,), scope, span))


def _setting(
    data: bytes, route: tuple[Step, ...], scope: tuple[Segment, ...], span: _Span, dialect: str | None = None
) -> Setting:
    start, end = span
    raw = data[start:end].decode()
    return Setting(route=route, scope=scope, start=start, end=end, raw=raw, content=_content(raw), dialect=dialect)


def _content(raw: str) -> Content:
    if "$" in raw:
        for part in _PART.finditer(raw):
            if part[2] is not None and (variable := _VARIABLE.match(part[2])) is not None:
                return Opaque(f"a variable, {variable[1]}")
            if part[3] is not None and (reference := _REFERENCE.match(part[3])) is not None:
                return Opaque(f"a reference, {reference[1]}")
    return Literal(_plain(raw), raw[0] if _QUOTED.match(raw) else "")


def _plain(raw: str) -> str:
    """What the program sees."""
    if _BARE.fullmatch(raw):
        return raw
    return _PART.sub(
        lambda m: m[1] if m[1] is not None else _ESCAPE.sub(_escaped, m[2] if m[2] is not None else m[3]), raw
    )


def _escaped(match: re.Match[str]) -> str:
    if match[1] is not None:
        return chr(int(match[1], 16))
    return _CONTROLS[match[2]] if match[2] is not None else match[3]


def encode(setting: Setting, text: str) -> str:
    """The text with the quotes of the old value, or with quotes if it needs them."""
    quote = setting.content.quote if isinstance(setting.content, Literal) else ""
    if not quote and _BARE.fullmatch(text) and not _REFERENCE.match(text):
        return text
    if quote == "'" and "'" not in text and text.isprintable():
        return f"'{text}'"
    escaped = "".join(_WRITTEN.get(c, c) for c in text)
    if not escaped.isprintable():
        raise OutlastError(f"expected a text without control characters, found '{text}'")
    return f'"{escaped}"'
