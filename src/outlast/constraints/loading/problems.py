"""Everything wrong with a spec, collected while it is read, and the words for it."""

from __future__ import annotations

from collections.abc import Iterable

from outlast.constraints.errors import InputErrors, OutlastError, Place, printable

__all__ = ["Problems", "quoted"]

#: Looking for near names is worth this many comparisons in one spec.
_MOST_COMPARISONS = 200_000


def quoted(text: str) -> str:
    """What a user wrote, on one line, shortened and in quotation marks."""
    shown = printable(text)
    return f"'{shown}'" if len(shown) <= 60 else f"'{shown[:45]}…{shown[-12:]}'"


class Problems:
    """The errors found so far."""

    def __init__(self) -> None:
        self._errors: list[OutlastError] = []
        self._count = 0
        self._comparisons = 0
        #: Lines with a slip of syntax: what else is wrong there follows from it.
        self._spoilt: set[tuple[str, int]] = set()

    def __len__(self) -> int:
        """How often something was found to be wrong, what is dropped included."""
        return self._count

    def add(self, message: str, place: Place) -> None:
        """Note one error; a second one on a line whose syntax is wrong is dropped."""
        self._count += 1
        if (place.file, place.line) not in self._spoilt:
            self._errors.append(OutlastError(message, place))

    def add_syntax(self, errors: Iterable[OutlastError]) -> None:
        """Note what is wrong with a file's YAML."""
        for error in errors:
            self._count += 1
            self._errors.append(error)
            if error.place is not None:
                self._spoilt.add((error.place.file, error.place.line))

    def add_foreign(self, error: OutlastError | ExceptionGroup[OutlastError], place: Place) -> None:
        """Note errors from elsewhere; those without a place of their own get this one."""
        if isinstance(error, OutlastError):
            self._count += 1
            self._errors.append(error if error.place is not None else OutlastError(error.message, place))
            return
        for part in error.exceptions:
            self.add_foreign(part, place)

    def nearest(self, name: str, known: Iterable[str]) -> str:
        """`; did you mean 'x'?` for the nearest known name, or nothing."""
        names = list(known)
        self._comparisons += len(names)
        if self._comparisons > _MOST_COMPARISONS or len(name) > 100:
            return ""
        from difflib import get_close_matches  # only wanted where something is wrong

        near = get_close_matches(name, names, n=1, cutoff=0.6)
        if not near:
            ends = sorted(other for other in names if other.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1])
            near = ends[:1]
        return f"; did you mean {quoted(near[0])}?" if near else ""

    def raise_if_any(self, title: str) -> None:
        """Raise all errors, each once, in the order of files and places.

        Raises:
            InputErrors: there is at least one.
        """
        if not self._errors:
            return
        nowhere = Place("", 0, 0)
        unique = {(error.place or nowhere, error.message): error for error in self._errors}
        raise InputErrors(title, [unique[key] for key in sorted(unique)])
