"""Arguments: in arrays of JSON and TOML, which elements are values of options (`["--timeout", "65", "--keep-alive=75"]`)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from outlast.configs.readers.flags import NEGATIVE, Word, content_of, encode_word, options
from outlast.configs.readers.texts import refuse_unwritable
from outlast.configs.setting import Flag, Literal, Setting, Step
from outlast.constraints.errors import OutlastError

__all__ = [
    "ASSIGNED_OPTION",
    "COMMANDS",
    "behind_option",
    "encode_argument",
    "encode_text",
    "refuse_option",
    "values_of_options",
]

#: Keys whose arrays are command lines.
COMMANDS: Final = frozenset(("command", "args", "entrypoint", "entryPoint", "Command", "EntryPoint"))

#: An option with its value behind it.
ASSIGNED_OPTION: Final = re.compile(r"(--?[^\s={}-][^\s={}]*)=")


def values_of_options(texts: Sequence[str | None]) -> dict[int, str]:
    """The positions of texts that are the value of the option before them, with its name; None stands for what is no readable text.

    >>> values_of_options(["serve", "--timeout", "65", "--keep-alive=75", "x"])
    {2: '--timeout'}
    """
    # A word's place is its number here; what stands behind a `=` has none.
    words = [Word("*" if text is None else text, i, i) for i, text in enumerate(texts)]
    return {word.start: name for name, word in options(words) if texts[word.start] is not None}


def behind_option(setting: Setting, route: tuple[Step, ...]) -> Setting | None:
    """What stands behind `--name=` within the quotes of an element, as a setting below the array's route; None if its bytes are not its text."""
    inner = setting.raw[1:-1]
    match = ASSIGNED_OPTION.match(inner)
    if match is None or "\\" in inner:
        return None
    start = setting.start + 1 + len(match[0].encode())
    raw = inner[match.end() :]
    end = setting.end - 1
    return Setting(
        route=(*route, Flag(match[1])), start=start, end=end, raw=raw, content=content_of(Word(raw, start, end))
    )


def refuse_option(text: str) -> None:
    """Raise `OutlastError`, without a place, for a text that would be read as an option, not as the value of one."""
    if text.startswith("-") and not NEGATIVE.fullmatch(text):
        raise OutlastError(f"expected the value of an option, found '{text}', which looks like an option")


def encode_argument(text: str) -> str:
    """The text as the value of an option, without quotes; raises `OutlastError` if it needs some, or would be read as another option."""
    refuse_option(text)
    return encode_word(text)


def encode_text(route: Sequence[Step], content: Literal, text: str, unless: str) -> str | None:
    """A text of JSON or TOML in its quotes, or as the value of an option; None: it is no text. `unless`: what single quotes cannot hold.

    Raises:
        OutlastError: without a place; it cannot be written so.
    """
    if isinstance(route[-1], Flag):
        if not content.is_text:  # behind the name and `=`
            return encode_argument(text)
        refuse_option(text)
    if not content.is_text:
        return None
    if content.quote == "'":
        refuse_unwritable(text, unless)
        return f"'{text}'"
    refuse_unwritable(text)
    return json.dumps(text, ensure_ascii=False)
