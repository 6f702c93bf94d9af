"""The new text of a setting whose value is changed, in the manner of the old one; nothing is written that is not exact."""

from __future__ import annotations

from fractions import Fraction

from outlast.configs.dialects import write_duration
from outlast.configs.formats import Format
from outlast.configs.interpret import dialect_for, plain_number, rate_text, read_value
from outlast.configs.setting import Computed, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError
from outlast.constraints.quantities import DURATION_UNITS, LARGEST, Kind, Sentinel, Value, format_number, format_value

__all__ = ["new_text"]


def new_text(setting: Setting, format_: Format, value: Value, kind: Kind, unit: str | None) -> str:
    """What stands in place of a setting's bytes, start to end, when it has a value; `unit` is the spec's, as in `read_value`.

    A setting that has the value already keeps its text.

    Raises:
        OutlastError: without a place, if it must not be changed or the value cannot be written exactly.
    """
    content = setting.content
    if isinstance(content, Opaque):
        raise OutlastError(f"cannot be changed: it is {content.reason}")
    if _has_value(setting, format_, value, kind, unit):
        return setting.raw
    if setting.locked is not None:
        raise OutlastError(f"cannot be changed: it is {setting.locked}")
    if isinstance(content, Literal):
        return format_.encode(setting, _literal(setting, content, format_, value, kind, unit))
    if isinstance(value, Sentinel):
        raise OutlastError(f"'{value.value}' cannot be written as a number")
    return _computed(setting, content, format_, value, kind, unit)


def _has_value(setting: Setting, format_: Format, value: Value, kind: Kind, unit: str | None) -> bool:
    try:
        return read_value(setting, format_, kind, unit)[0] == value
    except OutlastError:
        return False


def _literal(setting: Setting, content: Literal, format_: Format, value: Value, kind: Kind, unit: str | None) -> str:
    like = plain_number(content, format_)
    if kind is Kind.DURATION:
        dialect = dialect_for(setting, format_, unit)
        if isinstance(value, Sentinel):
            for word, meaning in dialect.words.items() if dialect else ():
                if meaning is value:
                    return word
            raise OutlastError(f"'{value.value}' cannot be written there: no word or number is known that means it")
        if dialect is None:
            raise _without_unit(value)
        return write_duration(value, dialect, like)
    if isinstance(value, Sentinel):
        raise OutlastError(f"'{value.value}' cannot be written there: no word or number is known that means it")
    _in_bounds(value, kind)
    if kind is Kind.COUNT:
        return _whole(value, value, kind)
    if kind is Kind.RATIO:
        return _decimal(value * 100, value, kind) + "%" if like.strip().endswith("%") else _decimal(value, value, kind)
    if (rate := rate_text(like.strip())) is not None:
        return _rate(value, rate.number, rate.between, rate.unit, rate.length)
    number = value * _per(unit)
    return _decimal(number, value, kind) if "." in like else _whole(number, value, kind)


def _rate(value: Fraction, like: str, between: str, unit: str, length: int) -> str:
    """In the old unit, else of seconds and minutes the other one."""
    other = ("m", DURATION_UNITS["m"]) if unit == "s" else ("s", DURATION_UNITS["s"])
    for name, per in ((unit, length), other):
        number = value * per
        if number.denominator == 1 or ("." in like and "/" not in format_number(number)):
            return f"{format_number(number)}{between}{name}"
    raise OutlastError(f"{format_value(value, -1)} cannot be written as a whole number per {unit}")


def _per(unit: str | None) -> int:
    length = DURATION_UNITS.get(unit.removeprefix("/")) if unit is not None else None
    if length is None:
        raise OutlastError("a rate cannot be written without its unit; say it in the spec with unit: /s")
    return length


def _without_unit(value: Fraction) -> OutlastError:
    return OutlastError(
        f"{format_value(value, 1)} cannot be written, since neither the file nor its key tells the unit of a number there;"
        " say it in the spec with unit: s"
    )


def _in_bounds(value: Fraction, kind: Kind) -> None:
    if value < 0:
        raise OutlastError(f"{format_value(value, kind.time_exponent)} cannot be written: it is negative")
    if value > LARGEST:
        raise OutlastError(f"the number cannot be written: the largest is {LARGEST}")


def _whole(number: Fraction, value: Fraction, kind: Kind) -> str:
    if number.denominator != 1:
        raise OutlastError(f"{format_value(value, kind.time_exponent)} cannot be written as a whole number")
    return str(number.numerator)


def _decimal(number: Fraction, value: Fraction, kind: Kind) -> str:
    text = format_number(number)
    if "/" in text:
        raise OutlastError(f"{format_value(value, kind.time_exponent)} cannot be written as a decimal number")
    return text


def _computed(
    setting: Setting, content: Computed, format_: Format, value: Fraction, kind: Kind, unit: str | None
) -> str:
    """The expression with another coefficient, else the best spelling of the whole."""
    _in_bounds(value, kind)
    one = _one(setting, content, format_, value, kind, unit)
    amount = value / one
    coefficient = content.coefficient
    if coefficient is not None and content.amount != 0 and coefficient.value != 0:
        number = _spelled(amount / (content.amount / coefficient.value), content, allow_fraction=True)
        if number is not None:
            raw = setting.raw.encode()
            start, end = coefficient.start - setting.start, coefficient.end - setting.start
            return (raw[:start] + number.encode() + raw[end:]).decode()
    for allow_fraction in (False, True):
        for key, spelling in content.spellings.items():
            number = _spelled(
                (value if content.unit is not None else amount) / key, content, allow_fraction=allow_fraction
            )
            if number is not None:
                return spelling.replace("{}", number)
    shown = format_value(value, kind.time_exponent)
    raise OutlastError(f"{shown} cannot be written in place of {setting.raw}: no number there means it exactly")


def _one(
    setting: Setting, content: Computed, format_: Format, value: Fraction, kind: Kind, unit: str | None
) -> Fraction:
    """What an amount of 1 is, in the base unit of the kind."""
    if kind is Kind.RATE:
        return Fraction(1, _per(unit))
    if kind is not Kind.DURATION:
        return Fraction(1)
    if content.unit is not None:
        return Fraction(content.unit)
    dialect = dialect_for(setting, format_, unit)
    if dialect is None or dialect.bare is None:
        raise _without_unit(value)
    return Fraction(dialect.bare)


def _spelled(number: Fraction, content: Computed, *, allow_fraction: bool) -> str | None:
    """The digits of a number; None where it must be whole and is not, or does not terminate. A fraction stays one: 3.0."""
    if content.is_whole or not allow_fraction:
        return str(number.numerator) if number.denominator == 1 and content.is_whole else None
    text = format_number(number)
    if "/" in text:
        return None
    return text if "." in text else text + ".0"
