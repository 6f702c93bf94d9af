"""JSON with its numbers left as text, so that no float comes between a file and its exact value."""

from __future__ import annotations

import json
from typing import Final

from outlast.constraints.measurements.decimals import Number, parse_number

__all__ = ["JsonError", "NumberText", "number_in", "parse"]


class NumberText(str):
    """A number of a JSON text, as written there; a string of the text is a plain `str`."""

    __slots__ = ()


class JsonError(Exception):
    """Text that is no JSON: the message and where, lines and columns from 1."""

    def __init__(self, message: str, line: int = 1, col: int = 1) -> None:
        super().__init__(message)
        self.message, self.line, self.col = message, line, col


def _refuse(constant: str) -> object:
    raise JsonError(f"expected JSON, found {constant}, which is no number there")


_DECODER: Final = json.JSONDecoder(parse_float=NumberText, parse_int=NumberText, parse_constant=_refuse)


def parse(text: str) -> object:
    """The value of a JSON text; its numbers are `NumberText`.

    Raises:
        JsonError: the text is malformed or nested too deeply.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise JsonError(f"expected JSON, found it malformed: {error.msg.lower()}", error.lineno, error.colno) from None
    except RecursionError:
        raise JsonError("expected JSON, found it nested too deeply") from None


def number_in(value: object) -> Number | None:
    """The value as a number, if it is one that is not negative and not of an absurd size."""
    return parse_number(value) if isinstance(value, NumberText) else None
