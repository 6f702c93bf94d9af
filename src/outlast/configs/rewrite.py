"""The new text of a setting whose value is changed, in the manner of the old one; nothing is written that is not exact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Final

from outlast.configs.dialects import Dialect, has_few_decimals, step_hint, write_duration
from outlast.configs.formats import Format
from outlast.configs.interpret import dialect_for, plain_number, rate_text, read_value
from outlast.configs.setting import Computed, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError
from outlast.constraints.quantities import DURATION_UNITS, LARGEST, Kind, Sentinel, Value, format_number, format_value

__all__ = ["new_text"]


def new_text(
    setting: Setting,
    format_: Format,
    value: Value,
    kind: Kind,
    unit: str | None,
    *,
    is_only: bool = True,
    syntax: str | None = None,
    negative: Value | None = None,
) -> str:
    """What stands in place of a setting's bytes, start to end, when it has a value; the rest is as in `read_value`.

    A setting that has the value already keeps its text.

    Raises:
        OutlastError: without a place, if it must not be changed or the value cannot be written exactly.
    """
    content = setting.content
    if isinstance(content, Opaque):
        raise OutlastError(f"cannot be changed: it is {content.reason}")
    with suppress(OutlastError):
        found, _ = read_value(setting, format_, kind, unit, is_only=is_only, syntax=syntax, negative=negative)
        if found == value:
            return setting.raw
    if setting.locked is not None:
        raise OutlastError(f"cannot be changed: it is {setting.locked}")
    dialect = None
    if kind is Kind.DURATION:
        dialect = dialect_for(setting, format_, unit, is_only=is_only, syntax=syntax)
    if isinstance(content, Literal):
        return format_.encode(setting, _literal(plain_number(content, format_), dialect, value, kind, unit))
    if isinstance(value, Sentinel):
        raise OutlastError(f"'{value.value}' cannot be written as a number")
    return _computed(setting, content, dialect, value, kind, unit)


def _literal(like: str, dialect: Dialect | None, value: Value, kind: Kind, unit: str | None) -> str:
    if kind is Kind.DURATION:
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
    setting: Setting, content: Computed, dialect: Dialect | None, value: Fraction, kind: Kind, unit: str | None
) -> str:
    """The expression with another factor, else the best spelling of the whole."""
    _in_bounds(value, kind)
    one = _one(content, dialect, value, kind, unit)
    texts = _Texts(setting, content, one)
    for text in texts.of(value):
        return text
    shown = format_value(value, kind.time_exponent)
    if texts.step is None:
        raise OutlastError(f"{shown} cannot be written in place of {setting.raw}: no single number there decides")
    hint = step_hint(value, texts.step) if kind is Kind.DURATION else ""
    raise OutlastError(f"{shown} cannot be written in place of {setting.raw}: no number there means it exactly{hint}")


def _one(content: Computed, dialect: Dialect | None, value: Fraction, kind: Kind, unit: str | None) -> Fraction:
    """What an amount of 1 is, in the base unit of the kind."""
    if kind is Kind.RATE:
        return Fraction(1, _per(unit))
    if kind is not Kind.DURATION:
        return Fraction(1)
    if content.unit is not None:
        return Fraction(content.unit)
    if dialect is None or dialect.bare is None:
        raise _without_unit(value)
    return Fraction(dialect.bare)


_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
#: What makes a factor no factor of the whole.
_SUM: Final = re.compile(r"[\w)\].]\s*[+-]\s*[\w(.+-]")
_EXPONENT: Final = re.compile(r"(?<![\w.])[0-9][0-9_]*\.?[0-9_]*[eE][+-]?[0-9]+")
_DECIMAL: Final = re.compile(r"(?<![\w.])(?:[0-9][0-9_]*\.|\.[0-9])")
#: Whole numbers that are multiplied, alone or as an argument.
_PRODUCT: Final = re.compile(
    r"(?:\A|(?<=[(,=]))\s*[1-9][0-9_]*(?:\s*\*\s*[1-9][0-9_]*)+(?=[lL]?\s*(?:[),]|\*(?!\*)|\Z))", re.A
)
_WORD: Final = re.compile(r"\w+")
#: Factors that turn one unit into another.
_SCALES: Final = (1000, 10**6, 10**9)
_STEPS: Final = (24, 60, 3600)


class _Texts:
    """What may stand for a value in place of an expression, the best first."""

    def __init__(self, setting: Setting, content: Computed, one: Fraction) -> None:
        self._content = content
        #: The text before and behind the factor, what 1 of it is worth, and the factor.
        self._factor = _factor(setting, content, one)
        #: A fraction stands there, or a value that has one.
        self._has_fraction = not content.is_whole and (
            _DECIMAL.search(_COMMENT.sub("", setting.raw)) is not None or content.amount.denominator != 1
        )
        scale = Fraction(1) if content.unit is not None else one
        lengths = {key * scale: text for key, text in content.spellings.items()}
        words = set(_WORD.findall(setting.raw))
        in_use = {key: text for key, text in lengths.items() if words.issuperset(_WORD.findall(text))}
        self._in_use = in_use if len(lengths) > 1 else {}
        self._spellings = {**self._in_use, **lengths}

    @property
    def step(self) -> Fraction | None:
        """The finest value that a whole number there makes; None: there is nothing to write it in."""
        sizes = list(self._spellings)
        if self._factor is not None:
            sizes.append(self._factor[2])
        return min(sizes, default=None)

    def of(self, value: Fraction) -> Iterator[str]:
        """Texts that are worth the value."""
        if self._factor is not None:
            yield from self._with_factor(value, *self._factor, has_many=False)
        if self._has_fraction:
            yield from self._spelled(value, self._in_use, has_many=False)
        yield from self._whole(value)
        if self._has_fraction:
            yield from self._spelled(value, self._spellings, has_many=False)
            yield from self._spelled(value, dict(sorted(self._spellings.items())), has_many=True)
            if self._factor is not None:
                yield from self._with_factor(value, *self._factor, has_many=True)

    def _with_factor(
        self, value: Fraction, before: str, behind: str, size: Fraction, like: str, *, has_many: bool
    ) -> Iterator[str]:
        number = value / size
        if number.denominator == 1:
            yield before + str(number) + (".0" if "." in like else "") + behind
        elif not self._content.is_whole and self._has_fraction and (has_many or has_few_decimals(number, like)):
            text = format_number(number)
            if "/" not in text:
                yield before + text + behind

    def _whole(self, value: Fraction) -> Iterator[str]:
        # A bare 90.0 stays a number of its type.
        end = ".0" if self._has_fraction and self._content.unit is None else ""
        sizes = self._spellings
        if not value and not self._in_use:
            sizes = {**{size: text for size, text in sizes.items() if size == DURATION_UNITS["s"]}, **sizes}
        for size, spelling in sizes.items():
            number = value / size
            if number.denominator == 1:
                yield spelling.replace("{}", str(number) + end)

    def _spelled(self, value: Fraction, spellings: Mapping[Fraction, str], *, has_many: bool) -> Iterator[str]:
        for size, spelling in spellings.items():
            number = value / size
            text = format_number(number)
            if number.denominator != 1 and "/" not in text and (has_many or has_few_decimals(number, "")):
                yield spelling.replace("{}", text)


def _factor(setting: Setting, content: Computed, one: Fraction) -> tuple[str, str, Fraction, str] | None:
    """What stands before and behind the number that decides, what 1 of it is worth, and how it is written; None: no factor of the whole is one."""
    coefficient = content.coefficient
    if coefficient is None or not content.amount or not coefficient.value:
        return None
    raw = setting.raw.encode()
    start, end, value = coefficient.start - setting.start, coefficient.end - setting.start, coefficient.value
    if content.is_whole and raw.isascii():
        start, end, value = _deciding(setting.raw, start, end, value)
    before, like, behind = (part.decode() for part in (raw[:start], raw[start:end], raw[end:]))
    others = _EXPONENT.sub("1", _COMMENT.sub(" ", f"{before}1{behind}"))
    return None if _SUM.search(others) else (before, behind, content.amount * one / value, like)


def _deciding(raw: str, start: int, end: int, value: Fraction) -> tuple[int, int, Fraction]:
    """Of the factors of a product the first that says how many, not in what: the 5 of `1000 * 60 * 5`."""
    product = next((m for m in _PRODUCT.finditer(raw) if m.start() <= start < m.end()), None)
    if product is None:
        return start, end, value
    spans = [
        (m.start(), m.end(), Fraction(m[0].replace("_", "")))
        for m in re.compile("[0-9][0-9_]*").finditer(raw, product.start(), product.end())
    ]
    return min(spans, key=lambda span: (span[2] in _SCALES, span[2] in _STEPS, span[0]))
