"""Command lines: the words of a POSIX-like shell with the bytes they stand in, and the values of the options among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from outlast.configs.setting import Content, Literal, Opaque
from outlast.constraints.errors import OutlastError
from outlast.constraints.record import record

__all__ = [
    "NEGATIVE",
    "SCRIPT_FLAG",
    "SHELLS",
    "Word",
    "content_of",
    "encode_word",
    "options",
    "split_commands",
    "split_words",
]


#: Programs that run what stands behind their `-c`, and that option.
SHELLS: Final = frozenset(("sh", "bash", "ash", "dash", "zsh", "ksh"))
SCRIPT_FLAG: Final = re.compile(r"-[a-z]*c")


@record
class Word:
    """One word: `text` is what the program sees, `start` and `end` are the bytes inside the quotes, if these enclose all of it.

    `raw` is what stands in these bytes where it differs from `text` (escapes, quotes around a part); None: the same.
    """

    text: str
    start: int
    end: int
    raw: str | None = None


#: A word, piece by piece: each piece is possessive, so that nothing is looked at twice.
_WORD: Final = re.compile(
    rb"""(?:
      [^\s"'\\|;&<>()$`{]++
    | "(?:[^"\\]|\\.)*+"
    | '[^']*+'
    | \\(?:\r\n|.)
    | \$\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*+\))*+\))*+\)
    | \$\{[^{}\n]*+\}
    | `[^`\n]*+`
    | \{\{(?:[^}\n]|\}(?!\})){0,500}+\}\}
    | \([^()\s]*+\)
    | \$ | \{++
    )++""",
    re.X | re.S,
)
_BLANKS: Final = re.compile(rb"(?:[ \t\r\f\v]|\\\r?\n)*+")
#: Where a stream goes to or comes from; the word behind it is no argument.
_REDIRECTION: Final = re.compile(rb"&?>>?[&|]?|[0-9]*+(?:<<?[<&-]?|>>?[&|]?)")
_SEPARATOR: Final = re.compile(rb"[|;&()\n]++")
_WHOLLY_QUOTED: Final = re.compile(rb"""(?:"(?:[^"\\]|\\.)*+"|'[^']*+')\Z""", re.S)
#: What quotes and backslashes leave.
_QUOTING: Final = re.compile(rb"""\\\r?\n|\\(.)|'([^']*+)'|"((?:[^"\\]|\\.)*+)\"""", re.S)
_IN_DOUBLE_QUOTES: Final = re.compile(rb"""\\\r?\n|\\([$`"\\])""")
_SPECIAL: Final = re.compile(rb"""["'\\]""")

#: What begins with `-` and yet is the value of an option: a number, maybe with units.
NEGATIVE: Final = re.compile(r"-[0-9.][0-9.a-zµμ]*", re.I)
_OPTION: Final = re.compile(r"--?[^\s=-][^\s=]*")
_SAFE: Final = re.compile(r"[\w%+,./:=@^~-]+")

_VARIABLE: Final = re.compile(r"\$(?:\(|\{[^{}]*\}?|\w+|[@*#?!$-])|`|\{\{")


def split_words(data: bytes, start: int, end: int, *, is_shell: bool = True) -> list[Word]:
    """The words of the command that stands between two bytes, as far as it reaches: to an unquoted `|`, `;`, `&`, a bracket or line feed.

    A backslash before a line feed joins lines; a comment ends the command; redirections are left out. What follows an open quote is not
    read. If it is not `is_shell`, only blanks, quotes and backslashes are special (systemd).

    >>> [w.text for w in split_words(b"serve --name='a b' -t 30 | tee log", 0, 34)]
    ['serve', '--name=a b', '-t', '30']
    """
    return next(_commands(data, start, end, is_shell), [])


def split_commands(data: bytes, start: int, end: int) -> list[list[Word]]:
    """The words of each of the commands that are joined by `|`, `;`, `&` or line feeds; none is empty."""
    return [words for words in _commands(data, start, end, True) if words]


def options(words: Sequence[Word]) -> list[tuple[str, Word]]:
    """Options with their values: `--name=value`, `--name value`, `-t 30`, `-timeout=5s`; names with their dashes, in the order given.

    A word behind an option is taken as its value unless it begins with `-` and is no number; `--` ends the options.

    >>> [(name, w.text) for name, w in options([Word("--retries=3", 0, 11), Word("-t", 12, 14), Word("-1", 15, 17)])]
    [('--retries', '3'), ('-t', '-1')]
    """
    found: list[tuple[str, Word]] = []
    pending: str | None = None
    for word in words:
        text = word.text
        if text[:1] != "-" or NEGATIVE.fullmatch(text):
            if pending is not None:
                found.append((pending, word))
            pending = None
            continue
        if text == "--":
            break
        name, equals, value = text.partition("=")
        is_option = _OPTION.fullmatch(name) is not None
        pending = name if is_option and not equals else None
        if is_option and equals and (inner := _behind(word, name, value)) is not None:
            found.append((name, inner))
    return found


def content_of(word: Word) -> Content:
    """What a word says: nothing that can be read if the shell or a template puts something in its place.

    >>> content_of(Word("${LIMIT}s", 0, 9))
    Opaque(reason='a variable, ${LIMIT}')
    """
    match = _VARIABLE.search(word.text)
    if match is None:
        return Literal(word.text)
    found = match[0]
    if found == "{{":
        return Opaque("a template, {{ … }}")
    if found in ("$(", "`"):
        return Opaque("the output of a command, $(…)")
    return Opaque(f"a variable, {found}")


def encode_word(text: str) -> str:
    """The text as (a part of) a word, whatever quotes stand around it.

    Raises `OutlastError` if it would need quotes of its own or looks like an option.
    """
    if not _SAFE.fullmatch(text) or (text[0] == "-" and not NEGATIVE.fullmatch(text)):
        raise OutlastError(f"expected a value that needs no quotes in a command line, found '{text}'")
    return text


def _commands(data: bytes, start: int, end: int, is_shell: bool) -> Iterator[list[Word]]:
    words: list[Word] = []
    is_target = False
    at = start
    while True:
        at = _BLANKS.match(data, at, end).end()  # type: ignore[union-attr]  # it matches nothing, too
        if is_shell:
            if at < end and data[at] == 0x23:  # a comment
                line_end = data.find(b"\n", at, end)
                at = end if line_end < 0 else line_end
            elif (redirection := _REDIRECTION.match(data, at, end)) is not None:
                at, is_target = redirection.end(), True
                continue
            if (separator := _SEPARATOR.match(data, at, end)) is not None:
                yield words
                words, is_target, at = [], False, separator.end()
                continue
        match = (_WORD if is_shell else _PLAIN_WORD).match(data, at, end)
        if match is None:
            yield words
            return
        at = match.end()
        if not is_target:
            words.append(_word(data, match.start(), at))
        is_target = False


#: The same where there is no shell.
_PLAIN_WORD: Final = re.compile(rb"""(?:[^\s"'\\]++|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\\(?:\r\n|.))++""", re.S)


def _word(data: bytes, start: int, end: int) -> Word:
    raw = data[start:end]
    if _SPECIAL.search(raw) is None:
        return Word(raw.decode(errors="replace"), start, end)
    text = _unquoted(raw)
    if _WHOLLY_QUOTED.match(raw):
        raw, start, end = raw[1:-1], start + 1, end - 1
    return Word(text, start, end, raw.decode(errors="replace"))


def _unquoted(raw: bytes) -> str:
    def kept(match: re.Match[bytes]) -> bytes:
        if match[3] is not None:
            return _IN_DOUBLE_QUOTES.sub(lambda m: m[1] or b"", match[3])
        return match[1] or match[2] or b""

    return _QUOTING.sub(kept, raw).decode(errors="replace")


def _behind(word: Word, name: str, value: str) -> Word | None:
    """The value of `--name=value` as a word of its own; None where the quotes do not let it be told apart."""
    skipped = len(f"{name}=".encode())
    if word.raw is None:
        is_as_it_stands = len(word.text.encode()) == word.end - word.start
        return Word(value, word.start + skipped, word.end) if is_as_it_stands else None
    if not word.raw.startswith(f"{name}="):
        return None
    raw = word.raw[len(name) + 1 :]
    start, end = word.start + skipped, word.end
    if _WHOLLY_QUOTED.match(raw.encode()):
        return Word(value, start + 1, end - 1, raw[1:-1])
    return Word(value, start, end, raw)
