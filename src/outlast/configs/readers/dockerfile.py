"""Dockerfiles: variables, the options of HEALTHCHECK and of commands in shell form or as an array, stage by stage."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from outlast.configs.readers.flags import SCRIPT_FLAG, SHELLS, Word, content_of, encode_word, options, split_commands
from outlast.configs.readers.texts import BOM
from outlast.configs.setting import Content, Flag, Index, Key, Literal, Opaque, Segment, Setting, Step
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.files import decode, place_of_byte

__all__ = ["encode", "read"]

_DIRECTIVE: Final = re.compile(rb"[ \t]*#[ \t]*([A-Za-z]\w*)[ \t]*=[ \t]*(\S+)[ \t\r]*")
_INSTRUCTION: Final = re.compile(rb"([A-Za-z]+)(?=\s|\\\r?\n|\Z)")
_BLANKS: Final = re.compile(rb"(?:\s++|\\\r?\n)*+")
_HEREDOC: Final = re.compile(rb"""(?<=\s)[0-9]*<<(-?)(["']?)([A-Za-z_]\w*)\2(?=[\s>|;&)]|\Z)""")

_PAIR: Final = re.compile(
    rb"""("(?:[^"\\]|\\.)*+"|[^\s="'\\]++)=((?:[^\s"'\\]++|"(?:[^"\\]|\\.)*+"|'[^']*+'|\\(?:\r\n|.))*+)""", re.S
)
_NAME: Final = re.compile(rb"[^\s=]++")
_OPTION: Final = re.compile(rb"(--[\w-]+)(?:=([^\s\\]*+))?(?=\s|\\\r?\n|\Z)")
_PLAIN: Final = re.compile(rb"[^\s\\]++")
_STRING: Final = re.compile(rb'"((?:[^"\\]|\\.)*+)"', re.S)

_QUOTED: Final = re.compile(r"""("(?:[^"\\]|\\.)*+"|'[^']*+')\Z""", re.S)
_PART: Final = re.compile(r"""'([^']*+)'|"((?:[^"\\]|\\.)*+)"|\\\r?\n|\\(.)""", re.S)
_IN_DOUBLE_QUOTES: Final = re.compile(r"""\\\r?\n|\\(["$\\])""")
_VARIABLE: Final = re.compile(r"(?:[^\\$]|\\.|\$(?![\w{]))*+(\$(?:\{[^}]*\}?|\w+))", re.S)
_BARE: Final = re.compile(r"""[^\s"'\\`$]+""")

_ASSIGNING: Final = frozenset(("ENV", "ARG", "LABEL"))
_COMMANDS: Final = frozenset(("CMD", "ENTRYPOINT", "RUN"))
_WORDS: Final = frozenset(("FROM", "EXPOSE", "USER", "WORKDIR", "STOPSIGNAL"))
_OTHERS: Final = frozenset(("COPY", "ADD", "VOLUME", "SHELL", "MAINTAINER", "HEALTHCHECK", "ONBUILD"))
_INSTRUCTIONS: Final = _ASSIGNING | _COMMANDS | _WORDS | _OTHERS
_WITH_HEREDOC: Final = frozenset(("RUN", "COPY", "ADD"))
_DURATIONS: Final = frozenset(("--interval", "--timeout", "--start-period", "--start-interval"))


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """Variables (`ENV.TIMEOUT`, `ARG.TIMEOUT`), options (`HEALTHCHECK[--interval]`, `CMD[--timeout]`), and the words of `FROM` and the like.

    The scope is the stage, by its name and its number. Here-documents are passed over. Raises `OutlastError` at a line that begins with no
    instruction.
    """
    decode(data, file)
    return _Reader(data, file).settings()


class _Reader:
    """One pass over the instructions of a file."""

    def __init__(self, data: bytes, file: str) -> None:
        self._data = data
        self._file = file
        #: The same with what is no part of an instruction blanked, and `\\` at the end of lines that go on.
        self._text = bytearray(data)
        self._found: list[Setting] = []
        self._scope: tuple[Segment, ...] = ()
        self._stages = 0
        #: Here-documents that nothing closes further on.
        self._open: set[tuple[bytes, bytes]] = set()

    def settings(self) -> tuple[Setting, ...]:
        """What the file holds, in its order."""
        bounds = list(self._instructions(*self._head()))
        text = bytes(self._text)
        for start, end in bounds:
            self._instruction(text, start, end, ())
        return tuple(self._found)

    def _head(self) -> tuple[int, bytes]:
        """Where instructions begin and what joins lines: a backslash unless the first comments say `escape`."""
        at = len(BOM) if self._data.startswith(BOM) else 0
        while (match := _DIRECTIVE.fullmatch(self._data, at, end := self._line_end(at))) is not None:
            at = min(end + 1, len(self._data))
            if match[1].lower() == b"escape":
                return at, match[2][:1]
            if at == len(self._data):
                break
        return at, b"\\"

    def _line_end(self, at: int) -> int:
        end = self._data.find(b"\n", at)
        return len(self._data) if end < 0 else end

    def _instructions(self, at: int, escape: bytes) -> Iterator[tuple[int, int]]:
        """Start and end of each instruction."""
        data, start = self._data, -1
        while at < len(data):
            end = self._line_end(at)
            line = data[at:end]
            stripped = line.strip(b" \t\r\f\v")
            if not stripped or stripped[:1] == b"#":
                if start >= 0:
                    self._blank(at, min(end + 1, len(data)))
            else:
                if start < 0:
                    start = at + line.index(stripped[:1])
                goes_on = stripped[-1:] == escape
                if escape != b"\\":
                    self._text[at:end] = line.replace(b"\\", b"_").replace(b"`", b"_")
                if goes_on and end < len(data):
                    self._blank(at + line.rindex(escape), end)
                    self._text[end - 1] = 0x5C
                else:
                    yield start, at + len(line.rstrip())
                    end = self._behind_heredocs(start, end)
                    start = -1
            at = end + 1
        if start >= 0:
            yield start, len(data)

    def _blank(self, start: int, end: int) -> None:
        self._text[start:end] = b" " * (end - start)

    def _behind_heredocs(self, start: int, end: int) -> int:
        """The end of the last line that belongs to the instruction."""
        name = _INSTRUCTION.match(self._data, start)
        if name is None or name[1].decode().upper() not in _WITH_HEREDOC:
            return end
        for match in _HEREDOC.finditer(self._data, start, end):
            if (match[1], match[3]) in self._open:
                continue
            tabs = rb"\t*" if match[1] else b""
            closing = re.compile(rb"\n%b%b\r?(?=\n|\Z)" % (tabs, match[3])).search(self._data, end)
            if closing is not None:
                end = closing.end()
            else:
                self._open.add((match[1], match[3]))
        return end

    def _instruction(self, text: bytes, start: int, end: int, outer: tuple[Step, ...]) -> None:
        match = _INSTRUCTION.match(text, start, end)
        name = match[1].decode().upper() if match is not None else ""
        if match is None or name not in _INSTRUCTIONS:
            word = printable(self._data[start : min(end, start + 20)].decode(errors="ignore")).split(" ")[0]
            place = place_of_byte(self._data, start, self._file)
            raise OutlastError(f"expected an instruction, found '{word}'", place)
        route = (*outer, Key(name))
        at = self._behind_blanks(text, match.end(), end)
        if name == "FROM":
            self._stage(text, at, end)
        if name == "ONBUILD":
            if not outer and at < end:
                self._instruction(text, at, end, route)
        elif name in _ASSIGNING:
            self._assignments(text, at, end, route)
        else:
            at = self._options(text, at, end, route)
            if name in _WORDS:
                self._words(text, at, end, route)
            elif name in _COMMANDS:
                self._command(text, at, end, route)
            elif name == "HEALTHCHECK" and text[at : at + 3].upper() == b"CMD":
                self._command(text, self._behind_blanks(text, at + 3, end), end, (*route, Key("CMD")))

    def _behind_blanks(self, text: bytes, at: int, end: int) -> int:
        return _BLANKS.match(text, at, end).end()  # type: ignore[union-attr]  # it matches nothing, too

    def _stage(self, text: bytes, at: int, end: int) -> None:
        words = [word for word in text[at:end].split() if word[:2] != b"--"]
        number = f"stage {self._stages}"
        self._stages += 1
        is_named = len(words) > 2 and words[1].upper() == b"AS"
        self._scope = ((words[2].decode(errors="replace"), number) if is_named else (number,),)

    def _options(self, text: bytes, at: int, end: int, route: tuple[Step, ...]) -> int:
        """The options of the instruction itself; where they end."""
        while (match := _OPTION.match(text, at, end)) is not None:
            if match[2] is not None:
                name = match[1].decode()
                content = self._unmasked(content_of(Word(match[2].decode(), *match.span(2))), *match.span(2))
                dialect = "go" if route == (Key("HEALTHCHECK"),) and name in _DURATIONS else None
                self._add((*route, Flag(name)), *match.span(2), content, dialect)
            at = self._behind_blanks(text, match.end(), end)
        return at

    def _words(self, text: bytes, at: int, end: int, route: tuple[Step, ...]) -> None:
        """Words that are no more than that; of FROM the image only."""
        position = 0
        while (match := _PLAIN.match(text, at, end)) is not None:
            content = self._unmasked(content_of(Word(match[0].decode(), *match.span())), *match.span())
            self._add((*route, Index(position)) if position else route, *match.span(), content)
            if route[-1] == Key("FROM"):
                return
            position += 1
            at = self._behind_blanks(text, match.end(), end)

    def _assignments(self, text: bytes, at: int, end: int, route: tuple[Step, ...]) -> None:
        """`A=60 B="5"`, or for ENV and LABEL `A 60`: one name and the rest of the line."""
        match = _PAIR.match(text, at, end)
        alone = _NAME.match(text, at, end)
        if match is None and alone is not None and route[-1] != Key("ARG"):
            start = self._behind_blanks(text, alone.end(), end)
            if start < end:
                self._add((*route, Key(alone[0].decode())), start, end, self._value(text, start, end))
            return
        while match is not None or alone is not None:
            if match is not None:
                name = match[1].decode().strip('"')
                self._add((*route, Key(name)), *match.span(2), self._value(text, *match.span(2)))
            ended = match or alone
            at = self._behind_blanks(text, ended.end() if ended is not None else end, end)
            match, alone = _PAIR.match(text, at, end), _NAME.match(text, at, end)

    def _value(self, text: bytes, start: int, end: int) -> Content:
        raw = text[start:end].decode()
        quoted = _QUOTED.match(raw) is not None
        if "$" in raw and not (quoted and raw[0] == "'") and (variable := _VARIABLE.match(raw)) is not None:
            return Opaque(f"a variable, {variable[1]}")
        return self._unmasked(Literal(_PART.sub(_kept, raw), raw[0] if quoted else ""), start, end)

    def _command(self, text: bytes, at: int, end: int, route: tuple[Step, ...]) -> None:
        """The options of a command, which stands there as an array of JSON or as a shell reads it."""
        array = _array(text, at, end) if text[at : at + 1] == b"[" else None
        for words in [array] if array is not None else split_commands(text, at, end):
            self._command_words(text, words, route)

    def _command_words(self, text: bytes, words: list[Word], route: tuple[Step, ...]) -> None:
        is_shell = bool(words) and words[0].text.rpartition("/")[2] in SHELLS
        for name, word in options(words):
            self._add(
                (*route, Flag(name)), word.start, word.end, self._unmasked(content_of(word), word.start, word.end)
            )
            if is_shell and word.raw is None and SCRIPT_FLAG.fullmatch(name):
                for inner in split_commands(text, word.start, word.end):
                    for option, value in options(inner):
                        content = self._unmasked(content_of(value), value.start, value.end)
                        self._add((*route, Flag(option)), value.start, value.end, content)

    def _unmasked(self, content: Content, start: int, end: int) -> Content:
        """The content where the file has something else than the text that was read: what stands there."""
        if (
            isinstance(content, Literal)
            and b"_" in (masked := self._text[start:end])
            and masked != self._data[start:end]
        ):
            return Opaque("a text with backslashes that escape nothing")
        return content

    def _add(self, route: tuple[Step, ...], start: int, end: int, content: Content, dialect: str | None = None) -> None:
        raw = self._data[start:end].decode()
        self._found.append(
            Setting(route=route, scope=self._scope, start=start, end=end, raw=raw, content=content, dialect=dialect)
        )


def _array(text: bytes, start: int, end: int) -> list[Word] | None:
    """The elements of an array of texts; None if it is none, and then a shell reads it."""
    body = text[start:end].replace(b"\\\r\n", b"   ").replace(b"\\\n", b"  ")
    try:
        elements = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(elements, list) or not all(isinstance(element, str) for element in elements):
        return None
    words: list[Word] = []
    for element, match in zip(elements, _STRING.finditer(body), strict=True):
        raw = match[1].decode()
        element = element.encode(errors="replace").decode()  # half of a pair of surrogates
        words.append(Word(element, start + match.start(1), start + match.end(1), None if raw == element else raw))
    return words


def _kept(match: re.Match[str]) -> str:
    """What quotes and escapes leave."""
    if match[2] is not None:
        return _IN_DOUBLE_QUOTES.sub(lambda m: m[1] or "", match[2])
    return match[1] or match[3] or ""


def encode(setting: Setting, text: str) -> str:
    """The text as it stands in an instruction; only values of variables and labels can have quotes."""
    keys = [step.name for step in setting.route if isinstance(step, Key)]
    if len(keys) < 2 or keys[-2] not in _ASSIGNING:
        return encode_word(text)
    quote = setting.content.quote if isinstance(setting.content, Literal) else ""
    if not quote and _BARE.fullmatch(text):
        return text
    quote = quote or '"'
    if not text.isprintable() or any(mark in text for mark in (quote, "\\", "`", "$")):
        raise OutlastError(f"expected a text that needs no escapes in quotes, found '{text}'")
    return quote + text + quote
