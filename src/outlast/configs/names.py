"""Names of parameters as constants and keys of other languages."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["ascii_upper", "pascal", "quoted_key", "snake", "upper_snake"]

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
#: Plain words that YAML or its dialects take for something else than a text.
_YAML_WORDS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


def _words(name: str) -> list[str]:
    """`client.send_ping` as client, send, ping; compatibility forms of letters as the letters, as Python does with names."""
    normal = unicodedata.normalize("NFKC", name)
    return [word for word in re.split(r"[._]+", normal) if word] or ["_"]


def pascal(name: str, suffix: str = "") -> str:
    """An exported name of Go; letters that have no upper case follow an X.

    >>> pascal("client.send_ping")
    'ClientSendPing'
    """
    text = "".join(word[:1].upper() + word[1:] for word in _words(name))
    return f"{text if text[0].isupper() else 'X' + text}{suffix}"


def upper_snake(name: str, suffix: str = "") -> str:
    """A constant of TypeScript, Python and Java.

    >>> upper_snake("client.send_ping", "_MS")
    'CLIENT_SEND_PING_MS'
    """
    text = "_".join(_words(name)).upper()
    # Upper case may leave what is no identifier, or is one in another form: ŉ becomes ʼN.
    text = "".join(c if f"a{c}".isidentifier() else "_" for c in unicodedata.normalize("NFKC", text))
    return f"{text if text[:1].isidentifier() else '_' + text}{suffix}"


def snake(name: str, suffix: str = "") -> str:
    """A variable of Terraform.

    >>> snake("client.send_ping", "_ms")
    'client_send_ping_ms'
    """
    text = "_".join(_words(name))
    return f"{text if text[:1].isidentifier() and text[0] != '_' else 'x' + text}{suffix}"


def ascii_upper(name: str, suffix: str = "") -> str:
    """A variable of the environment; other letters than ASCII's become their numbers.

    >>> ascii_upper("größe.x")
    'GRU00F6U00DFE_X'
    """
    letters = "".join(c if c.isascii() else f"U{ord(c):04X}" for c in "_".join(_words(name)))
    return f"{letters.upper()}{suffix}"


def quoted_key(name: str) -> str:
    """A key of YAML, TOML or JSON, in quotes where it needs some."""
    import json

    is_plain = _PLAIN.fullmatch(name) and name.lower() not in _YAML_WORDS
    return name if is_plain else json.dumps(name, ensure_ascii=False)
