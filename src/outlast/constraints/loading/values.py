"""Single values of a spec: quantities, numbers, percentages, dates, words and texts, each with its place."""

from __future__ import annotations

import re
from collections.abc import Sequence as SequenceOf
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Final

from outlast.constraints.document import Entry, Scalar, Sequence
from outlast.constraints.errors import Place
from outlast.constraints.loading.layers import Item
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.model import Margin, Origin
from outlast.constraints.quantities import (
    DURATION_UNITS,
    LARGEST,
    Kind,
    Quantity,
    QuantityError,
    Sentinel,
    parse_quantity,
)
from outlast.constraints.record import record

__all__ = [
    "Found",
    "read_cost",
    "read_date",
    "read_margin",
    "read_number",
    "read_origin",
    "read_percent",
    "read_quantity",
    "read_text",
    "read_unit",
    "read_word",
    "scalar_of",
]

_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@record(kw_only=True)
class Found:
    """A quantity where it was found. `fits_any`: a bare 0, which needs no unit to be understood."""

    quantity: Quantity
    text: str
    place: Place
    fits_any: bool = False

    @property
    def kind(self) -> Kind | None:
        """The kind that this value tells; None for a sentinel and a bare 0."""
        return None if self.fits_any else self.quantity.kind


def scalar_of(entry: Entry | None, what: str, problems: Problems) -> Scalar | None:
    """The scalar of a key; anything else is a problem. `what` was expected."""
    if entry is None:
        return None
    value = entry.value
    if not isinstance(value, Scalar):
        found = "a list" if isinstance(value, Sequence) else "a mapping"
        problems.add(f"expected {what}, found {found}", value.place)
        return None
    if value.text == "":
        cut = f", since ' {quoted(value.cut)[1:-1]}' is a comment" if value.cut else ""
        problems.add(f"expected {what}, found nothing{cut}", value.place if value.style else entry.key.place)
        return None
    return value


def read_unit(item: Item, problems: Problems) -> str | None:
    """The `unit` of bare numbers: one of a duration, `/s` and the like, or `%`."""
    scalar = scalar_of(item.keys.get("unit"), "a unit, such as ms", problems)
    if scalar is None:
        return None
    text = scalar.text
    if text == "%" or text.removeprefix("/") in DURATION_UNITS:
        return text
    problems.add(f"expected a unit (ns, us, ms, s, min, m, h, d, /s, %), found {quoted(text)}", scalar.place)
    return None


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Quantity:
    """A quantity; specs repeat theirs often."""
    return parse_quantity(text)


def read_quantity(
    scalar: Scalar, unit: str | None, problems: Problems, *, text: str | None = None, offset: int = 0
) -> Found | None:
    """The quantity in a scalar, or in the part of it that begins at `offset`; `unit` is that of a bare number."""
    written = scalar.text if text is None else text
    is_bare = _NUMBER.fullmatch(written) is not None
    try:
        quantity = _parsed(written + unit if is_bare and unit is not None else written)
    except QuantityError as error:
        problems.add(error.message, scalar.at(offset + min(error.offset, len(written))))
        return None
    place = scalar.at(offset)
    return Found(quantity=quantity, text=written, place=place, fits_any=written == "0" and unit is None)


def read_number(entry: Entry | None, problems: Problems) -> Fraction | None:
    """A plain number greater than 0."""
    scalar = scalar_of(entry, "a number greater than 0", problems)
    if scalar is None:
        return None
    return _number(scalar, "a number greater than 0", problems)


def _number(scalar: Scalar, expected: str, problems: Problems) -> Fraction | None:
    text = scalar.text
    if _NUMBER.fullmatch(text) and len(text) <= 40:
        number = Fraction(text if text[0] != "." else "0" + text)
        if 0 < number <= LARGEST:
            return number
    problems.add(f"expected {expected}, found {quoted(text)}", scalar.place)
    return None


def read_cost(item: Item, default: int, problems: Problems) -> Fraction | None:
    """How hard something is to change; None is `never`."""
    expected = "a number greater than 0 or never"
    scalar = scalar_of(item.keys.get("cost"), expected, problems)
    if scalar is None:
        return Fraction(default)
    if scalar.text == "never":
        return None
    return _number(scalar, expected, problems) or Fraction(default)


def read_percent(entry: Entry | None, problems: Problems) -> tuple[Fraction, Place] | None:
    """A percentage as a fraction of 1, and where it stands."""
    scalar = scalar_of(entry, "a percentage, such as 95%", problems)
    if scalar is None:
        return None
    if not scalar.text.endswith("%"):
        hint = f"; did you mean '{scalar.text}%'?" if _NUMBER.fullmatch(scalar.text[:20]) else ""
        problems.add(f"expected a percentage, such as 95%, found {quoted(scalar.text)}{hint}", scalar.place)
        return None
    found = read_quantity(scalar, None, problems)
    if found is None or isinstance(found.quantity.value, Sentinel):
        return None
    return found.quantity.value, found.place


def read_margin(item: Item, key: str, problems: Problems) -> Margin | None:
    """A `margin` or an `aim`: a percentage, or an amount whose dimension is still to be compared with the rule's."""
    expected = "a percentage, such as 20%, or an amount, such as 1s"
    scalar = scalar_of(item.keys.get(key), expected, problems)
    if scalar is None:
        return None
    found = read_quantity(scalar, None, problems)
    if found is None:
        return None
    value, kind = found.quantity.value, found.quantity.kind
    if isinstance(value, Sentinel) or kind is None:
        problems.add(f"expected {expected}, found {quoted(scalar.text)}", scalar.place)
        return None
    return Margin(value, None if scalar.text.endswith("%") else kind.time_exponent)


def read_word(entry: Entry | None, words: SequenceOf[str], problems: Problems) -> str | None:
    """One of a few words."""
    expected = " or ".join(words)
    scalar = scalar_of(entry, expected, problems)
    if scalar is None or scalar.text in words:
        return None if scalar is None else scalar.text
    hint = problems.nearest(scalar.text, words)
    problems.add(f"expected {expected}, found {quoted(scalar.text)}{hint}", scalar.place)
    return None


def read_text(item: Item, key: str, problems: Problems) -> str | None:
    """A text for people, without the blanks around it."""
    scalar = scalar_of(item.keys.get(key), "a text", problems)
    return None if scalar is None else scalar.text.strip()


def read_date(item: Item, key: str, problems: Problems) -> date | None:
    """A calendar day, as in 2026-10-20."""
    scalar = scalar_of(item.keys.get(key), "a date, such as 2026-10-20", problems)
    if scalar is None:
        return None
    if _DATE.fullmatch(scalar.text):
        try:
            return date.fromisoformat(scalar.text)
        except ValueError:
            problems.add(f"found {quoted(scalar.text)}, a day that no calendar has", scalar.place)
            return None
    problems.add(f"expected a date, such as 2026-10-20, found {quoted(scalar.text)}", scalar.place)
    return None


def read_origin(item: Item, problems: Problems) -> Origin:
    """Why, source, owner, reviewed and review_by."""
    if not any(key in item.keys for key in ("why", "source", "owner", "reviewed", "review_by")):
        return _NO_ORIGIN
    return Origin(
        why=read_text(item, "why", problems),
        source=read_text(item, "source", problems),
        owner=read_text(item, "owner", problems),
        reviewed=read_date(item, "reviewed", problems),
        review_by=read_date(item, "review_by", problems),
    )


_NO_ORIGIN: Final = Origin()
