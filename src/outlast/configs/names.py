"""Names of parameters as constants and keys of other languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final

__all__ = [
    "ascii_upper",
    "dotted",
    "is_go_name",
    "is_java_name",
    "pascal",
    "quoted_key",
    "snake",
    "upper_snake",
    "why_no_environment",
    "why_no_terraform",
]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: Compilers know letters of some version of Unicode, and this one all of them know.
_OLD: Final = unicodedata.ucd_3_2_0
#: Plain words that YAML or its dialects take for something else than a text.
_YAML_WORDS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))

_GO_WORDS: Final = _set(
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select"
    " struct switch type var"
)
_JAVA_WORDS: Final = _set(
    "abstract assert boolean break byte case catch char class const continue default do double else enum exports extends false final"
    " finally float for goto if implements import instanceof int interface long module native new null open opens package permits private"
    " protected provides public record requires return sealed short static strictfp super switch synchronized this throw throws to"
    " transient transitive true try uses var void volatile when while with yield _"
)
#: What POSIX, bash, zsh, the login and the loader know; a file with settings that is sourced would change how everything works.
_SHELL: Final = _set(
    "CDPATH COLUMNS COPROC DIRSTACK DISPLAY EDITOR ENV EPOCHREALTIME EPOCHSECONDS EUID FCEDIT FPATH FUNCNAME GID GLOBIGNORE GROUPS HISTCMD"
    " HISTCONTROL HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT HOME HOSTFILE HOSTNAME HOSTTYPE IFS IGNOREEOF INPUTRC LANG"
    " LANGUAGE LINENO LINES LOGNAME MACHTYPE MAIL MAILCHECK MAILPATH MAPFILE NLSPATH OLDPWD OPTARG OPTERR OPTIND OSTYPE PAGER PATH PATHEXT"
    " PIPESTATUS POSIXLY_CORRECT PPID PROMPT_COMMAND PROMPT_DIRTRIM PS0 PS1 PS2 PS3 PS4 PWD RANDOM REPLY SAVEHIST SECONDS SHELL SHELLOPTS"
    " SHLVL SRANDOM SYSTEMROOT TEMP TERM TIMEFORMAT TMOUT TMP TMPDIR TZ UID USER USERNAME VISUAL WINDIR"
)
_SHELL_BEGINNINGS: Final = ("BASH", "COMP_", "DYLD_", "LC_", "LD_", "READLINE_")
#: What Terraform keeps for itself: no variable may be called so.
_TERRAFORM: Final = _set("count depends_on for_each lifecycle locals providers source version")


def _words(name: str) -> list[str]:
    """`client.send_ping` as client, send, ping; compatibility forms of letters as the letters, as Python does with names."""
    return [word for word in re.split(r"[._]+", unicodedata.normalize("NFKC", name)) if word]


def _escaped(text: str, is_known: Callable[[str], bool]) -> str:
    """Characters that a language does not know in names as their numbers."""
    return "".join(c if is_known(c) else f"U{ord(c):04X}" for c in text)


def _is_go(character: str) -> bool:
    category = _OLD.category(character)
    return character == "_" or category[0] == "L" or category == "Nd"


def _is_common(character: str) -> bool:
    """Whether Python, JavaScript, Java and HCL all know a character in names."""
    category = _OLD.category(character)
    known = category[0] == "L" or category in ("Nl", "Nd", "Mn", "Mc") or character == "_"
    return known and f"a{character}".isidentifier()


def _beginning_with_letter(text: str, letter: str) -> str:
    is_begun = text[:1].isidentifier() and text[0] != "_"
    return text if is_begun else letter + text


def pascal(name: str, more: Sequence[str] = ()) -> str:
    """An exported name of Go; letters that have no upper case follow an X.

    >>> pascal("client.send_ping"), pascal("calls", ("per", "second"))
    ('ClientSendPing', 'CallsPerSecond')
    """
    text = _escaped("".join(word[:1].upper() + word[1:] for word in (*_words(name), *more)), _is_go)
    return text if text and unicodedata.category(text[0]) == "Lu" else "X" + text


def upper_snake(name: str, more: Sequence[str] = ()) -> str:
    """A constant of TypeScript, Python and Java.

    >>> upper_snake("client.sendPing", ("ms",)), upper_snake("_")
    ('CLIENT_SEND_PING_MS', 'X')
    """
    # Upper case may leave what is no identifier, or is one in another form: ŉ becomes ʼN.
    text = unicodedata.normalize("NFKC", _CAMEL.sub("_", "_".join(_words(name))).upper())
    text = unicodedata.normalize("NFKC", _beginning_with_letter(_escaped(text, _is_common), "X"))
    return "_".join((text, *(word.upper() for word in more)))


def snake(name: str, more: Sequence[str] = ()) -> str:
    """A variable of Terraform.

    >>> snake("client.send_ping", ("ms",)), snake("_1")
    ('client_send_ping_ms', 'x1')
    """
    return "_".join((_beginning_with_letter(_escaped("_".join(_words(name)), _is_common), "x"), *more))


def ascii_upper(name: str, more: Sequence[str] = ()) -> str:
    """A variable of the environment; other letters than ASCII's become their numbers.

    >>> ascii_upper("größe.x")
    'GRU00F6U00DFE_X'
    """
    letters = _escaped(_CAMEL.sub("_", "_".join(_words(name))), str.isascii)
    return "_".join((_beginning_with_letter(letters, "X"), *more)).upper()


def dotted(name: str, _: Sequence[str] = ()) -> str:
    """A key of a file of settings: the name as it is."""
    return name


def quoted_key(name: str) -> str:
    """A key of YAML, TOML or JSON, in quotes where it needs some."""
    import json

    is_plain = _PLAIN.fullmatch(name) and name.lower() not in _YAML_WORDS
    return name if is_plain else json.dumps(name, ensure_ascii=False)


def is_go_name(text: str) -> bool:
    """Whether a package of Go may be called so."""
    return text.isidentifier() and all(map(_is_go, text)) and text not in _GO_WORDS and text != "_"


def is_java_name(text: str) -> bool:
    """Whether a class of Java, or a part of a package's name, may be called so."""
    return text.isidentifier() and all(map(_is_common, text)) and text not in _JAVA_WORDS


def why_no_environment(key: str) -> str | None:
    """Why a variable of the environment must not be called so; None: it may."""
    is_known = key in _SHELL or key.startswith(_SHELL_BEGINNINGS)
    return "shells and programs already know" if is_known else None


def why_no_terraform(key: str) -> str | None:
    """Why a variable of Terraform must not be called so; None: it may."""
    return "Terraform keeps for itself" if key in _TERRAFORM else None
