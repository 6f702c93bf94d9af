"""nginx configuration: the arguments of directives, as nginx's own lexer (`ngx_conf_read_token`) tells words apart."""

from __future__ import annotations

import re
from typing import Final

from outlast.configs.readers.texts import BOM
from outlast.configs.setting import Content, Index, Key, Literal, Opaque, Segment, Setting, Step
from outlast.constraints.errors import OutlastError, Place, printable
from outlast.constraints.files import decode, place_of_byte

__all__ = ["encode", "read"]

#: Blanks and comments, then one of: a bracket or semicolon, a quoted word, another word, the end, something else.
_TOKEN: Final = re.compile(
    rb"""(?:[ \t\r\n]++|\#[^\n]*+)*+(?:
      ([{};])
    | ("(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')(?=[ \t\r\n;{)]|\Z)
    | ((?:\$\{?|\\.|[^ \t\r\n;{}"'\\$])(?:\$\{|\\.|[^ \t\r\n;{\\])*+)
    | (\Z)
    | (.)
    )""",
    re.X | re.S,
)
_PUNCTUATION: Final = 1
_QUOTED: Final = 2
_WORD: Final = 3
_END: Final = 4

#: In Lua: a bracket that may open a long text or comment, a short comment, short texts, braces.
_LUA: Final = re.compile(rb"""(?:--)?\[(=*+)\[|--[^\n]*+|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|([{}])""", re.S)

#: What nginx makes of a backslash; before anything else it stands for itself.
_ESCAPE: Final = re.compile(r"""\\(["'\\trn])""")
_CONTROLS: Final = {"t": "\t", "r": "\r", "n": "\n"}
_WRITTEN: Final = {"\t": "\\t", "\r": "\\r", "\n": "\\n", "\\": "\\\\"}

_VARIABLE: Final = re.compile(r"\$(?:\{\w+\}|\w+|\{)", re.A)
_PARAMETER: Final = re.compile(r"[A-Za-z_][\w.-]*=", re.A)
#: What may stand without quotes, escapes made.
_BARE: Final = re.compile(r"""(?:\\.|[^ \t\r\n;{}"'\\#])(?:\\.|[^ \t\r\n;{\\])*""", re.S)
_DEEPEST: Final = 100
#: Directives whose first argument names what the second sets.
_NAMING: Final = frozenset(
    (
        "set",
        "add_header",
        "add_trailer",
        "proxy_set_header",
        "grpc_set_header",
        "fastcgi_param",
        "scgi_param",
        "uwsgi_param",
    )
)

#: Directives whose argument is a time in whole seconds (`ngx_conf_set_sec_slot`, `ngx_parse_time(…, 1)` in nginx's sources), by its position;
#: -1 is the last one: `proxy_cache_valid 200 302 10m`, `expires modified 24h`.
_SECONDS: Final = {
    "auth_jwt_key_cache": 0,
    "expires": -1,
    "fastcgi_cache_valid": -1,
    "keepalive_timeout": 1,
    "open_file_cache_valid": 0,
    "proxy_cache_valid": -1,
    "scgi_cache_valid": -1,
    "ssl_session_timeout": 0,
    "userid_expires": 0,
    "uwsgi_cache_valid": -1,
}
#: The same of parameters: those of the directives whose names end so.
_SECONDS_OF_PARAMETERS: Final = {
    "expires": ("sticky",),
    "fail_timeout": ("server",),
    "inactive": ("_cache", "_cache_path"),
    "valid": ("_cache", "resolver"),
}
_TIME: Final = re.compile(r"[0-9][0-9a-zA-Z ]*")

#: The bytes of a word and whether they are quoted.
_Span = tuple[int, int, bool]


class _Block:
    """A block: which it is among its siblings, and how often each directive has stood in it."""

    def __init__(self, parent: _Block | None, names: list[str]) -> None:
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.names = names
        #: What `server_name` says.
        self.servers: tuple[str, ...] = ()
        self.counts: dict[str, int] = {}
        self._scope: tuple[Segment, ...] | None = None

    def count(self, name: str) -> int:
        """How many have had this name before."""
        number = self.counts.get(name, 0)
        self.counts[name] = number + 1
        return number

    @property
    def scope(self) -> tuple[Segment, ...]:
        """Names of the blocks around a directive; wanted only when all is read, as a server's name may stand at its end."""
        if self._scope is None:
            outer = self.parent.scope if self.parent is not None else ()
            self._scope = (*outer, tuple(dict.fromkeys(self._told()))) if self.parent is not None else ()
        return self._scope

    def _told(self) -> list[str]:
        if self.parent is None or self.names[0].partition("#")[0] != "server" or not self.servers:
            return self.names
        first = f"server {self.servers[0]}"
        number = self.parent.count(f"\0{first}")
        more = [f"server {name}" for name in self.servers]
        return [*([f"{first}#{number}"] if number else []), *more, *self.names]


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """Every argument of every directive; of `key=value` the value.

    The route is the directive: `keepalive_timeout`, `keepalive_timeout[1]` the second argument, `server[10.0.0.1].fail_timeout` a parameter;
    the scope are the blocks. Lua is passed over. Raises `OutlastError` where nginx would not know how to go on.
    """
    decode(data, file)
    return _Reader(data, file).settings()


class _Reader:
    """One pass over the words of a file."""

    def __init__(self, data: bytes, file: str) -> None:
        self._data = data
        self._file = file
        #: Directives, each with its block.
        self._directives: list[tuple[_Block, int, list[_Span]]] = []

    def settings(self) -> tuple[Setting, ...]:
        """What the file holds, in its order."""
        self._split()
        found: list[Setting] = []
        for block, number, words in self._directives:
            self._arguments(block, number, words, found)
        return tuple(found)

    def _split(self) -> None:
        data, match_token = self._data, _TOKEN.match
        at = len(BOM) if data.startswith(BOM) else 0
        block, words = _Block(None, []), list[_Span]()
        while True:
            match = match_token(data, at)
            kind = match.lastindex if match is not None else None
            if match is None or kind is None:  # cannot be: the last alternative takes any byte
                raise self._error("a directive", at)
            at = match.end()
            if kind in (_WORD, _QUOTED):
                words.append((match.start(kind), at, kind == _QUOTED))
            elif kind == _PUNCTUATION:
                block, at = self._punctuated(block, words, match.start(kind), at)
                words = []
            elif kind == _END and not words and block.parent is None:
                return
            elif kind == _END:
                raise self._error("';'" if words else "'}'", at)
            else:
                raise self._broken(match.start(kind))

    def _punctuated(self, block: _Block, words: list[_Span], start: int, end: int) -> tuple[_Block, int]:
        """What a `;`, `{` or `}` makes of the words before it: the block that is then open and where to go on."""
        mark = self._data[start]
        if mark == 0x7D:  # }
            if words:
                raise self._error("';' or '{'", start)
            if block.parent is None:
                raise self._error("a directive", start)
            return block.parent, end
        if not words:
            raise self._error("a directive", start)
        name = self._text(words[0])
        if mark == 0x3B:  # ;
            self._directives.append((block, block.count(name), words))
            if name == "server_name":
                block.servers = tuple(text for word in words[1:] if (text := self._text(word)))
            return block, end
        if name.endswith("_by_lua_block"):
            return block, self._behind_lua(end)
        if block.depth == _DEEPEST:
            raise OutlastError(f"expected at most {_DEEPEST} blocks inside each other, found more", self._place(start))
        return _Block(block, self._names(block, name, words)), end

    def _names(self, parent: _Block, name: str, words: list[_Span]) -> list[str]:
        """The words a block answers to, the whole header first; with a number if it has stood there before."""
        header = " ".join([name, *(self._text(word) for word in words[1:])])
        number = parent.count(f"\0{header}")
        return [
            *([f"{header}#{number}"] if number else []),
            header,
            *([name, self._text(words[-1])] if words[1:] else []),
        ]

    def _behind_lua(self, at: int) -> int:
        """The byte behind the brace that closes the block of Lua."""
        data, depth, opened = self._data, 1, at
        while (match := _LUA.search(data, at)) is not None:
            at = match.end()
            if match[1] is not None:
                closing = b"]" + match[1] + b"]"
                at = data.find(closing, at)
                if at < 0:
                    break
                at += len(closing)
            elif match[2] is not None:
                depth += 1 if match[2] == b"{" else -1
                if not depth:
                    return at
        raise OutlastError("expected '}' behind a block of Lua, found the end", self._place(opened))

    def _arguments(self, block: _Block, number: int, words: list[_Span], found: list[Setting]) -> None:
        data, scope = self._data, block.scope
        name = self._text(words[0])
        first: str | None = None
        for position, (start, end, is_quoted) in enumerate(words[1:]):
            raw = data[start:end].decode()
            route: tuple[Step, ...]
            if not is_quoted and (parameter := _PARAMETER.match(raw)) is not None:
                key = Key(parameter[0][:-1])
                start += parameter.end()
                raw = raw[parameter.end() :]
                route = (Key(name), key) if first is None and not number else (Key(name), Index(number, first), key)
            elif not position:
                first = _plain(raw, is_quoted)
                route = (Key(name),)
            else:
                route = (Key(name), Index(position, first if position == 1 and name in _NAMING else None))
            content = _content(raw, is_quoted)
            dialect = _dialect(name, route[-1], position - (len(words) - 1), content)
            found.append(
                Setting(route=route, scope=scope, start=start, end=end, raw=raw, content=content, dialect=dialect)
            )

    def _text(self, word: _Span) -> str:
        start, end, is_quoted = word
        return _plain(self._data[start:end].decode(), is_quoted)

    def _broken(self, at: int) -> OutlastError:
        """The error for what is no token: a quote that is not closed, or with something right behind it, or a lone backslash."""
        mark = chr(self._data[at])
        if mark not in "\"'":
            return self._error("a word", at)
        closed = re.compile(rb"%b(?:[^%b\\]|\\.)*+%b" % ((mark.encode(),) * 3), re.S).match(self._data, at)
        if closed is not None:
            return self._error("a blank, ';' or '{' behind a quoted word", closed.end())
        return OutlastError(f"expected {mark} to be closed, found the end", self._place(at))

    def _error(self, expected: str, at: int) -> OutlastError:
        rest = printable(self._data[at : at + 40].decode(errors="ignore"))
        found = f"'{rest.split(' ')[0][:20]}'" if rest else "the end"
        return OutlastError(f"expected {expected}, found {found}", self._place(at))

    def _place(self, at: int) -> Place:
        return place_of_byte(self._data, at, self._file)


def _dialect(name: str, step: Step, from_end: int, content: Content) -> str | None:
    """`nginx-seconds` for a time that nginx counts in whole seconds."""
    if not isinstance(content, Literal):
        return None
    if isinstance(step, Key) and step.name in _SECONDS_OF_PARAMETERS and step.name != name:
        is_told = name.endswith(_SECONDS_OF_PARAMETERS[step.name])
    elif (position := _SECONDS.get(name)) is not None:
        is_told = position in (from_end, step.position if isinstance(step, Index) else 0)
    else:
        return None
    return "nginx-seconds" if is_told and _TIME.fullmatch(content.text) else None


def _plain(raw: str, is_quoted: bool) -> str:
    """What the program sees."""
    if is_quoted:
        raw = raw[1:-1]
    return _ESCAPE.sub(lambda m: _CONTROLS.get(m[1], m[1]), raw) if "\\" in raw else raw


def _content(raw: str, is_quoted: bool) -> Content:
    if "$" in raw and (variable := _VARIABLE.search(raw)) is not None:
        return Opaque(f"a variable, {variable[0]}")
    return Literal(_plain(raw, is_quoted), raw[0] if is_quoted else "")


def encode(setting: Setting, text: str) -> str:
    """The text with the quotes of the old value, or with quotes if it needs them and can have them."""
    if _VARIABLE.search(text):
        raise OutlastError(f"expected a text that nginx does not take for a variable, found '{text}'")
    escaped = "".join(_WRITTEN.get(c, c) for c in text)
    if not escaped.isprintable():
        raise OutlastError(f"expected a text without control characters, found '{text}'")
    quote = setting.content.quote if isinstance(setting.content, Literal) else ""
    is_parameter = len(setting.route) > 1 and isinstance(setting.route[-1], Key)
    if is_parameter:
        if not _BARE.fullmatch(f"={escaped}"):
            raise OutlastError(f"expected the value of a parameter, which cannot have quotes, found '{text}'")
        return escaped
    if not quote and _BARE.fullmatch(escaped) and not _PARAMETER.match(text):
        return escaped
    quote = quote or '"'
    return quote + escaped.replace(quote, "\\" + quote) + quote
