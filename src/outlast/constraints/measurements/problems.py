"""What is wrong with one measured file, collected while it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from outlast.constraints.errors import InputErrors, OutlastError, Place, printable

__all__ = ["MOST_REPORTED", "OptionError", "Problems", "one_of", "shown"]

#: A file that is wrong from top to bottom is told in so many errors.
MOST_REPORTED: Final = 20


class OptionError(OutlastError):
    """A wrong or missing option of a measurement; whoever knows where the option stands adds the place."""

    def __init__(self, message: str, option: str, place: Place | None = None) -> None:
        super().__init__(message, place)
        self.option = option


class Problems:
    """The errors of one file, in the order in which they are found; the first `MOST_REPORTED` are kept."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._errors: list[OutlastError] = []
        self._more = 0
        self._next: Place | None = None

    def __bool__(self) -> bool:
        return bool(self._errors)

    def add(self, message: str, line: int = 1, col: int | Callable[[], int] = 1) -> None:
        """Note one error. A column that takes time to find is given as a function, called only if it will be told."""
        self._more += len(self._errors) == MOST_REPORTED
        if self._more > 1:
            return
        place = Place(self.file, line, col if isinstance(col, int) else col())
        if self._more:
            self._next = place
        else:
            self._errors.append(OutlastError(message, place))

    def raise_if_any(self) -> None:
        """Raise what was noted, as `InputErrors`."""
        if self._errors:
            raise self._all()

    def fail(self, message: str, line: int = 1, col: int = 1) -> InputErrors:
        """What to raise where reading cannot go on: this error after those noted before."""
        self.add(message, line, col)
        return self._all()

    def _all(self) -> InputErrors:
        last = [OutlastError(f"and {self._more} more", self._next)] if self._more else []
        return InputErrors(f"{self.file} cannot be used as a measurement", [*self._errors, *last])


def one_of(names: list[str], most: int = 10) -> str:
    """The names, in quotes, cut after some.

    >>> one_of(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def shown(text: str) -> str:
    """Text from a file as a message quotes it: on one line, without control characters, cut in the middle.

    >>> shown("2.3\\tms"), len(shown("x" * 999))
    ("'2.3 ms'", 35)
    """
    text = printable(text if len(text) <= 40 else text[:24] + "…" + text[-8:])
    return f"'{text}'"
