"""Reads .env files, and the plain assignments of shell scripts, as settings.

A .env file is read as python-dotenv and Compose do; `#` begins a comment behind a blank. In a script only
lines that are nothing but assignments, `export`, `readonly` or `local` before them or not, are settings; everything else is skipped.
"""

from __future__ import annotations

import re
from typing import Final

from outlast.configs.readers.texts import literal, reference_in, refuse_unwritable, start_of_text
from outlast.configs.setting import Content, Key, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import place_of_byte

__all__ = ["encode", "read", "read_shell"]

_VARIABLE: Final = re.compile(r"\$(?:[A-Za-z_]\w*|[@*#?!$0-9-])|`")
_SEVERAL_LINES: Final = "a block of text"


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    """The settings of a .env file, or of a shell script if the first line tells one.

    Raises:
        OutlastError: with a place; it is not UTF-8, or a quote is not closed in a .env file. Other lines that say nothing are skipped.
    """
    begin = start_of_text(data, file)
    if data.startswith(b"#!", begin):
        return _script(data, begin)
    return _dotenv(data, begin, file)


def read_shell(data: bytes, file: str) -> tuple[Setting, ...]:
    """The plain assignments of a shell script, whatever its name; raises as `read`."""
    return _script(data, start_of_text(data, file))


_ENTRY: Final = re.compile(
    rb"\s*+(?:export[ \t\f\v]++)?+(?:'([^'\r\n]++)'|([^=#\s'][^=#\s]*+))[ \t\f\v]*+(?:=[ \t\f\v]*+"
    rb"(?:('(?:\\[\s\S]|[^'\\])*+')|(\"(?:\\[\s\S]|[^\"\\])*+\")|(?!['\"])([^\r\n]*+)|(['\"]))|(?=[#\r\n]|\Z))"
)
_LINE_END: Final = re.compile(rb"[ \t\f\v]*+(?:#[^\r\n]*+)?(?:\r\n?|\n|\Z)")
_REST: Final = re.compile(rb"\s*+[^\r\n]*+(?:\r\n?|\n|\Z)")
_COMMENT: Final = re.compile(rb"[ \t\f\v]#")
_ESCAPE: Final = re.compile(r"\\([\\'\"abfnrtv])")
_ESCAPES: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def _dotenv(data: bytes, pos: int, file: str) -> tuple[Setting, ...]:
    found: list[Setting] = []
    while pos < len(data):
        match = _ENTRY.match(data, pos)
        follows = _LINE_END.match(data, match.end()) if match else None
        if match is not None and match[6]:
            place = place_of_byte(data, match.start(6), file)
            raise OutlastError(f"expected a closing {match[6].decode()}, found the end of the file", place)
        if match is None or follows is None:
            pos = _REST.match(data, match.end() if match else pos).end()  # type: ignore[union-attr]  # matches everywhere
            continue
        pos = follows.end()
        if match.lastindex == 1 or match.lastindex == 2:
            continue  # a name alone
        start, end = match.span(match.lastindex)  # type: ignore[arg-type]  # one of the values
        if match.lastindex == 5 and (comment := _COMMENT.search(data, start, end)):
            end = comment.start()
        raw = data[start:end].decode()
        if match.lastindex == 5:
            raw = raw.rstrip(" \t\f\v")
            end = start + len(raw.encode())
        name = (match[1] or match[2]).decode()
        found.append(Setting(route=(Key(name),), start=start, end=end, raw=raw, content=_said(raw)))
    return tuple(found)


def _said(raw: str) -> Content:
    """What a value of a .env file says."""
    quote = raw[0] if raw and raw[0] in "'\"" else ""
    if not quote:
        if raw.startswith("#"):
            return Opaque("a text that begins with #, which some programs take as a comment")
        return _unless_variable(raw, raw, "")
    if "\n" in raw or "\r" in raw:
        return Opaque(_SEVERAL_LINES)
    inner = raw[1:-1]
    if quote == "'":
        return literal(inner.replace("\\'", "'").replace("\\\\", "\\") if "\\" in inner else inner, quote)
    text = _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[1]), inner) if "\\" in inner else inner
    return _unless_variable(inner, text, quote)


def _unless_variable(raw: str, text: str, quote: str) -> Content:
    if "$" in raw or "`" in raw:
        if (reason := reference_in(raw)) is not None:
            return Opaque(reason)
        if (match := _VARIABLE.search(raw)) is not None:
            return Opaque("the output of a command, `…`" if match[0] == "`" else f"a variable, {match[0]}")
    return literal(text, quote)


_SINGLE: Final = rb"'[^']*+'"
_DOUBLE: Final = rb'"(?:[^"\\]|\\[\s\S])*+"'
_PIECES: Final = (
    rb"(?:[^\s;&|<>()'\"`$\\]++|" + _SINGLE + rb"|" + _DOUBLE + rb"|\$'(?:[^'\\]|\\[\s\S])*+'|\\[^\r\n]|`[^`]*+`"
    rb"|\$\((?:[^()'\"]|" + _SINGLE + rb"|" + _DOUBLE + rb"|\((?:[^()'\"]|" + _SINGLE + rb"|" + _DOUBLE + rb")*+\))*+\)"
    rb"|\$\{[^}\r\n]*+\}|\$)*+"
)  # fmt: skip
_BEGIN: Final = re.compile(rb"(?:[ \t\r\n;]++|(?<![^\s;])#[^\n]*+)*+(?:(?:export|readonly|local)[ \t]++)?+")
_ASSIGNMENT: Final = re.compile(rb"([A-Za-z_]\w*+)=(" + _PIECES + rb")(?=[\s;]|\Z)[ \t]*+")
_COMPLETE: Final = re.compile(rb"\r?\n|\Z|;++|(?<=[ \t])#[^\n]*+")
#: What is skipped at a time: to the end of the line, quotes and joined lines as a whole.
_SKIPPED: Final = re.compile(
    rb"(?:[^\n'\"\\#<`]++|(?<=\$)'(?:[^'\\]|\\.)*+'|" + _SINGLE + rb"|" + _DOUBLE + rb"|\\[\s\S]|(?<!\s)#|['\"\\`]|<(?!<)|<<<)*+"
    rb"(?:(\n|\Z)|#[^\n]*+|<<(-?)[ \t]*+(['\"\\]?)([A-Za-z_]\w*+)|<<)"
)  # fmt: skip
_SHELL_ESCAPE: Final = re.compile(r'\\([\\"$`])')


def _script(data: bytes, pos: int) -> tuple[Setting, ...]:
    found: list[Setting] = []
    missing: set[bytes] = set()
    while pos < len(data):
        pos = _BEGIN.match(data, pos).end()  # type: ignore[union-attr]  # matches everywhere
        line: list[Setting] = []
        begun = pos
        while match := _ASSIGNMENT.match(data, pos):
            start, end = match.span(2)
            raw = match[2].decode()
            line.append(
                Setting(route=(Key(match[1].decode()),), start=start, end=end, raw=raw, content=_shell_said(raw)),
            )
            pos = match.end()
        complete = _COMPLETE.match(data, pos)
        if complete is not None and line:
            found += line
            pos = complete.end()
        else:
            pos = _after_statement(data, begun, missing)
    return tuple(found)


def _after_statement(data: bytes, pos: int, missing: set[bytes]) -> int:
    """Where the next line begins, behind here-documents that begin on this one. `missing`: ends that no longer occur."""
    ends: list[tuple[bytes, bool]] = []
    while pos < len(data):
        match = _SKIPPED.match(data, pos)
        if match is None:
            pos += 1
            continue
        pos = match.end()
        if match[4]:
            ends.append((match[4], match[2] == b"-"))
            if match[3] in (b"'", b'"') and data.startswith(match[3], pos):
                pos += 1
        elif match[1] is not None:
            break
    for word, may_be_indented in ends:
        if word in missing:
            continue
        indent = rb"\t*+" if may_be_indented else b""
        end = re.compile(rb"^" + indent + re.escape(word) + rb"\r?(?:\n|\Z)", re.M).search(data, pos)
        if end is None:
            missing.add(word)
        else:
            pos = end.end()
    return pos


def _shell_said(raw: str) -> Content:
    """What a word of a script says."""
    quote = raw[0] if raw and raw[0] in "'\"" else ""
    inner = raw
    if quote:
        inner = raw[1:-1]
        if raw.find(quote, 1) != len(raw) - 1 and (quote == "'" or re.search(r'(?<!\\)(?:\\\\)*"', inner)):
            return Opaque("a text in several pieces")
    elif "$'" in raw or '"' in raw or "'" in raw:
        return Opaque("a text in several pieces")
    if "\n" in raw:
        return Opaque(_SEVERAL_LINES)
    if quote == "'":
        return literal(inner, quote) if "{{" in inner or "{%" in inner else Literal(inner, quote)
    if not quote and "\\" in raw:
        return Opaque("a text with escapes")
    text = _SHELL_ESCAPE.sub(r"\1", inner) if "\\" in inner else inner
    return _unless_variable(inner, text, quote)


_BARE: Final = re.compile(r"[\w%+,./:@^=-]*")


def encode(setting: Setting, text: str) -> str:
    """The quotes stay; what would need quotes and has none gets double ones."""
    if not isinstance(setting.content, Literal):
        raise OutlastError("expected a value on one line to replace, found another")
    refuse_unwritable(text, "\t`\\$!")
    quote = setting.content.quote
    if not quote and _BARE.fullmatch(text) and (text or not setting.raw):
        return text
    quote = quote or '"'
    refuse_unwritable(text, quote)
    return f"{quote}{text}{quote}"
