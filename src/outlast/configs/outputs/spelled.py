"""Values as the software of a kind reads them in its own files: exactly, or not at all."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from outlast.configs.dialects import DIALECTS, step_hint, write_duration
from outlast.constraints.catalogue import KnownParameter
from outlast.constraints.errors import OutlastError
from outlast.constraints.quantities import (
    DURATION_UNITS,
    Kind,
    QuantityError,
    Sentinel,
    Value,
    format_number,
    parse_quantity,
    value_text,
)
from outlast.constraints.record import replace

__all__ = ["absent_value", "go", "number", "shown", "text"]


def shown(known: KnownParameter, value: Value) -> str:
    """A value as a spec writes it."""
    return value_text(value, known.quantity)


def _meaning(text_: str | None) -> Value | None:
    try:
        return None if text_ is None else parse_quantity(text_).value
    except QuantityError:
        return None


def absent_value(known: KnownParameter) -> Value:
    """What a 0 means, as an absent field of a literal does."""
    meaning = _meaning(known.zero)
    return Fraction(0) if meaning is None else meaning


def _plain(known: KnownParameter, value: Value) -> Fraction:
    """The number that stands for a value, in nanoseconds where it is a duration: -1 for what a negative one means."""
    if isinstance(value, Sentinel):
        if _meaning(known.zero) is value:
            return Fraction(0)
        if _meaning(known.negative) is value:
            return Fraction(-1)
        raise OutlastError(f"{value.value} has no number there")
    if value < 0:
        raise OutlastError("nothing can be set to less than 0")
    return value


def _count(known: KnownParameter, value: Fraction) -> str:
    if known.quantity is Kind.RATE:
        raise OutlastError("a rate has no place there")
    if known.quantity is Kind.COUNT and value.denominator != 1:
        raise OutlastError("it is no whole number")
    written = format_number(value)
    if "/" in written:
        raise OutlastError("no number means it exactly")
    return written


def _in_unit(known: KnownParameter, value: Fraction, unit: str) -> str:
    length = DURATION_UNITS[unit]
    if value % length:
        raise OutlastError(f"it takes whole numbers of {unit} only{step_hint(value, Fraction(length))}")
    return str(value // length)


def text(known: KnownParameter, value: Value) -> str:
    """In files of settings: in the dialect of the parameter, else a number of its unit.

    Raises:
        OutlastError: without a place; the value cannot be written.
    """
    dialect = DIALECTS[known.syntax] if known.syntax is not None else None
    if isinstance(value, Sentinel) and dialect is not None and _meaning(known.zero) is not value:
        word = next((word for word, meaning in dialect.words.items() if meaning is value), None)
        if word is not None:
            return word
    number_ = _plain(known, value)
    if known.quantity is not Kind.DURATION:
        return _count(known, number_)
    if number_ < 0:
        return "-1"
    if dialect is None:
        return _in_unit(known, number_, known.unit) if known.unit else write_duration(number_, DIALECTS["go"], "")
    if known.unit is not None and not dialect.needs_unit:
        dialect = replace(dialect, bare=DURATION_UNITS[known.unit])
    if not number_ and dialect.bare is not None:
        return "0"
    if dialect.keeps_bare and known.unit is not None and number_ % DURATION_UNITS[known.unit] == 0:
        return _in_unit(known, number_, known.unit)
    if dialect.keeps_bare and known.step is not None and known.unit is not None:
        step = _meaning(known.step)
        if isinstance(step, Fraction) and step % DURATION_UNITS[known.unit] == 0:
            return _in_unit(known, number_, known.unit)
    return write_duration(number_, dialect, "")


def number(known: KnownParameter, value: Value) -> str:
    """In code without a type for durations: a whole number of the parameter's unit.

    Raises:
        OutlastError: without a place; the value cannot be written.
    """
    number_ = _plain(known, value)
    if known.quantity is not Kind.DURATION:
        return _count(known, number_)
    return "-1" if number_ < 0 else _in_unit(known, number_, known.unit or "ms")


_GO: Final = {"s": "Second", "ms": "Millisecond", "us": "Microsecond", "ns": "Nanosecond"}


def go(known: KnownParameter, value: Value) -> str:
    """In Go, a duration as a `time.Duration`.

    Raises:
        OutlastError: without a place; the value cannot be written.
    """
    number_ = _plain(known, value)
    if known.quantity is not Kind.DURATION:
        return _count(known, number_)
    if number_ <= 0:
        return "-1" if number_ else "0"
    for unit, name in _GO.items():
        if number_ % DURATION_UNITS[unit] == 0:
            return f"{number_ // DURATION_UNITS[unit]} * time.{name}"
    raise OutlastError("it is finer than 1 ns")
