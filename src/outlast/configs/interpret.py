"""What a setting's value means: its dialect is told by the place, the key, the format or the spec, in this order.

docs/durations.md says how a bare number is understood.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from outlast.configs.dialects import BARE_DIALECTS, DIALECTS, Dialect, read_duration
from outlast.configs.formats import Format
from outlast.configs.keys import dialect_of_key, is_duration_like, is_size_like, name_of
from outlast.configs.setting import Computed, Flag, Key, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.quantities import (
    DURATION_UNITS,
    LARGEST,
    UNIT_SLIPS,
    Kind,
    QuantityError,
    Sentinel,
    Value,
    format_number,
    format_value,
)
from outlast.constraints.record import record, replace

__all__ = ["RateText", "dialect_for", "plain_number", "rate_text", "read_value"]


@record
class _Told:
    """A dialect and what told it; `is_firm`: the spec's `unit` may not contradict it."""

    dialect: Dialect
    whence: str
    is_firm: bool


def dialect_for(
    setting: Setting, format_: Format, unit: str | None, *, is_only: bool = True, syntax: str | None = None
) -> Dialect | None:
    """The dialect in which a duration is written in a setting; None: the code tells its unit, or nothing does.

    It is told by the place, else by the last word of the key, else by the format, else by the spec's `unit`, which also overrules what is
    a mere convention. A text with a unit needs none of these. Where the setting is not the only one of its parameter (`is_only`), `unit` is
    for those that tell nothing: it overrules and contradicts none that does. `syntax` is the dialect that the kind of software tells: only
    the place goes before it, and `unit` then says what a bare number means in it.

    Raises:
        OutlastError: without a place, if the spec's `unit` contradicts what a bare number means there.
    """
    content = setting.content
    if isinstance(content, Computed) and content.unit is not None:
        return None
    if syntax is not None and setting.dialect is None:
        known = DIALECTS[syntax]
        return known if unit is None or known.needs_unit else replace(known, bare=DURATION_UNITS[unit])
    has_unit = isinstance(content, Literal) and _tells_unit(plain_number(content, format_))
    told = _told(setting, format_, has_unit=has_unit)
    given = DURATION_UNITS.get(unit) if unit is not None else None
    if given is None:
        return told.dialect if told else DIALECTS["generic"] if has_unit else None
    if told is None:
        return DIALECTS["generic"] if has_unit else BARE_DIALECTS[given]
    bare = told.dialect.bare
    if bare == given or (bare is not None and not is_only):
        return told.dialect
    if bare is not None and told.is_firm:
        expected = BARE_DIALECTS[bare].expected.removeprefix("a number of ")
        raise OutlastError(f"the spec says unit: {unit}, but {told.whence} tells that a bare number means {expected}")
    if bare is None and told.dialect.is_firm and not told.dialect.needs_unit:
        # PostgreSQL rounds to what a bare number counts.
        return replace(told.dialect, bare=given, finest=max(given, told.dialect.finest))
    if has_unit or (told.dialect.needs_unit and told.is_firm):
        return told.dialect
    return BARE_DIALECTS[given]


def _told(setting: Setting, format_: Format, *, has_unit: bool) -> _Told | None:
    generic = DIALECTS["generic"]
    if setting.dialect is not None:
        dialect = DIALECTS[setting.dialect]
        if has_unit and not dialect.units and not dialect.is_firm:
            dialect = generic
        return _Told(dialect, "the place", dialect.is_firm)
    name = name_of(setting)
    key = dialect_of_key(name)
    of_format = None if _is_foreign(setting) else DIALECTS.get(format_.dialect or "")
    if key is not None:
        dialect = DIALECTS[key]
        if of_format and of_format.units and (has_unit or of_format.bare == dialect.bare):
            return _Told(of_format, "the format", of_format.is_firm)
        return _Told(generic if has_unit else dialect, f"its key {printable(name)}", is_firm=True)
    if of_format is None:
        return None
    if not of_format.units:
        # A convention of code or of most keys of a file.
        return _Told(generic if has_unit else of_format, "the format", is_firm=False)
    return _Told(of_format, "the format", of_format.is_firm and not of_format.needs_unit)


def _is_foreign(setting: Setting) -> bool:
    """Whether a value is for another program than the one that reads the file: an option of a command line, a variable of the environment."""
    return any(
        isinstance(step, Flag) or step == Key("environment") or step == Key("Environment") for step in setting.route
    )


def _tells_unit(text: str) -> bool:
    """Whether a text is no mere number: 30s, 00:00:30."""
    return ":" in text or any(c.isalpha() for c in text)


_TOML_WHOLE: Final = re.compile(r"0x[0-9A-Fa-f]+(?:_[0-9A-Fa-f]+)*|0o[0-7]+(?:_[0-7]+)*|0b[01]+(?:_[01]+)*")
_TOML_GROUPED: Final = re.compile(r"\+?[0-9]+(?:_[0-9]+)*(?:\.[0-9]+(?:_[0-9]+)*)?")


def plain_number(content: Literal, format_: Format) -> str:
    """The text of a literal; numbers of TOML, and hexadecimal ones of JSON5, in plain digits, without the blanks that end a property."""
    text = content.text.strip(" \t") if format_.module == "properties" else content.text
    if content.is_text or len(text) > 80:
        return text
    if format_.name in ("toml", "json") and _TOML_WHOLE.fullmatch(text):
        return str(int(text, 0))
    if format_.name == "toml" and _TOML_GROUPED.fullmatch(text):
        return text.replace("_", "").removeprefix("+")
    return text


def read_value(
    setting: Setting,
    format_: Format,
    kind: Kind | None,
    unit: str | None,
    *,
    is_only: bool = True,
    syntax: str | None = None,
    negative: Value | None = None,
) -> tuple[Value, Kind | None]:
    """The value of a setting and its kind; `unit` is the spec's: what a bare number means (`s`, or `/s` of a rate), as in `dialect_for`.

    Where the spec does not tell the kind (None), a value that tells its unit is a duration, a rate or a ratio accordingly. A bare number
    is a duration if the place, the key's last word or `unit` says so, or if the key is likely to be one; else a count, or with a fraction
    a ratio. A sentinel has no kind of its own. 0 is a duration of 0 in whatever unit. `syntax` is the dialect of durations that the kind of
    software tells, as in `dialect_for`; `negative` what any negative number means to it (None: it is refused).

    Raises:
        OutlastError: without a place, if the value cannot be read as that.
    """
    content = setting.content
    if isinstance(content, Opaque):
        raise OutlastError(f"found {content.reason}, which is not read")
    if negative is not None and _is_negative(content, format_):
        return negative, None if isinstance(negative, Sentinel) else kind
    kind = kind or _kind_of(setting, format_, unit)
    try:
        if kind is Kind.DURATION:
            value = _duration(setting, format_, unit, is_only=is_only, syntax=syntax)
            return value, None if isinstance(value, Sentinel) else kind
        if isinstance(content, Computed):
            return _computed(content, kind, unit), kind
        return _number_of_kind(plain_number(content, format_), kind, unit), kind
    except QuantityError as error:
        raise OutlastError(error.message) from None


def _kind_of(setting: Setting, format_: Format, unit: str | None) -> Kind:
    content, name = setting.content, name_of(setting)
    if isinstance(content, Computed) and content.unit is not None:
        return Kind.DURATION
    if unit is not None:
        return Kind.RATE if unit.startswith("/") else Kind.DURATION
    is_whole = True
    if isinstance(content, Literal):
        text = plain_number(content, format_)
        if rate_text(text) is not None:
            return Kind.RATE
        if text.endswith("%"):
            return Kind.RATIO
        if _tells_unit(text):
            if is_size_like(name) and setting.dialect is None:
                raise OutlastError(
                    f"found {_short(text)}, which under {printable(name)} is hardly a duration; say in the spec what it is"
                )
            return Kind.DURATION
        is_whole = "." not in text
    elif isinstance(content, Computed):
        is_whole = content.amount.denominator == 1
    if setting.dialect is not None or dialect_of_key(name) is not None or is_duration_like(name):
        return Kind.DURATION
    return Kind.COUNT if is_whole else Kind.RATIO


#: A number below 0, maybe with units; all of it counts as one, -1s as -1.
_NEGATIVE: Final = re.compile(r"-(?=[0-9.a-zµμ]*[1-9])[0-9]{0,40}(?:\.[0-9]{1,40})?(?:[0-9.]|[^\W\d_]){0,20}")


def _is_negative(content: Literal | Computed, format_: Format) -> bool:
    if isinstance(content, Computed):
        return content.amount < 0
    return _NEGATIVE.fullmatch(plain_number(content, format_).strip()) is not None


def _duration(setting: Setting, format_: Format, unit: str | None, *, is_only: bool, syntax: str | None) -> Value:
    content, dialect = setting.content, dialect_for(setting, format_, unit, is_only=is_only, syntax=syntax)
    if isinstance(content, Computed):
        bare = dialect.bare if dialect else None
        if content.unit is None and content.amount < 0:
            raise QuantityError(f"found {_short(format_number(content.amount))}, but a duration is never negative")
        if content.unit is None and bare is None and content.amount > 0:
            raise _without_unit(format_number(content.amount))
        return _checked(content.amount * (content.unit or bare or 1))
    if not isinstance(content, Literal):
        raise OutlastError("found no value")
    text = plain_number(content, format_)
    is_open = dialect is None or (dialect.bare is None and not (dialect.needs_unit and setting.dialect is not None))
    if is_open and _PLAIN.fullmatch(text):
        if not Fraction(text):
            return Fraction(0)
        raise _without_unit(text)
    if not content.is_text and "yaml" in format_.name:
        _refuse_typed(text)
    dialect = dialect or DIALECTS["generic"]
    return read_duration(text, dialect)


_PLAIN: Final = re.compile(r"[0-9]{1,40}(?:\.[0-9]{1,40})?")


def _refuse_typed(text: str) -> None:
    """Plain scalars of YAML that one version of it takes for another number."""
    if text[:1] == "0" and text[1:2].isdigit() and ":" not in text:
        raise QuantityError(f"found {_short(text)}, which some programs take for octal; write it without the leading 0")
    if ":" in text:
        raise QuantityError(
            f"found {_short(text)}, which some programs take for a number to the base 60; put it in quotes"
        )


def _without_unit(number: str) -> OutlastError:
    return OutlastError(
        f"found {_short(number)} without a unit, and neither the file nor its key tells one; say it in the spec with unit: s"
    )


def _checked(ns: Fraction) -> Fraction:
    if ns < 0:
        raise QuantityError(f"found {format_value(ns, 1)}, but a duration is never negative")
    if ns.denominator != 1:
        raise QuantityError(f"found {format_value(ns, 1)}, which is finer than 1 ns")
    if ns > LARGEST:
        raise QuantityError(f"found a duration longer than {LARGEST} ns, about 292 years")
    return ns


def _computed(content: Computed, kind: Kind, unit: str | None) -> Fraction:
    amount = content.amount
    shown = _short(format_number(amount))
    if content.unit is not None:
        raise QuantityError(f"found a duration, {format_value(amount * content.unit, 1)}, expected {_WANTED[kind]}")
    if amount < 0:
        raise QuantityError(f"found {shown}, expected {_WANTED[kind]}, which is never negative")
    if kind is Kind.COUNT and amount.denominator != 1:
        raise QuantityError(f"found {shown}, expected {_WANTED[kind]}")
    if amount > LARGEST:
        raise QuantityError(f"found {shown}, but the largest number is {LARGEST}")
    return amount / _per(unit, shown) if kind is Kind.RATE else amount


_WANTED: Final = {
    Kind.DURATION: "a duration",
    Kind.COUNT: "a count, a whole number",
    Kind.RATIO: "a ratio such as 0.2, 20%",
    Kind.RATE: "a rate such as 100/s",
}
_DIGITS: Final = re.compile(r"[0-9]{1,40}(?:\.[0-9]{1,40})?")
_RATE: Final = re.compile(r"([0-9]{1,40}(?:\.[0-9]{1,40})?)( ?(?:r|req|reqs|request|requests)?/)([A-Za-z]+)")


@record(kw_only=True)
class RateText:
    """A rate as it stands there: `10r/s` is 10, `r/`, `s` and a second."""

    number: str
    between: str
    unit: str
    #: Nanoseconds.
    length: int


def rate_text(text: str) -> RateText | None:
    """The parts of a rate that tells its unit; `m` is a minute. None: it is none.

    >>> rate_text("100r/m").length
    60000000000
    """
    match = _RATE.fullmatch(text)
    length = DURATION_UNITS.get(UNIT_SLIPS.get(match[3], match[3])) if match else None
    if match is None or length is None:
        return None
    return RateText(number=match[1], between=match[2], unit=match[3], length=length)


def _per(unit: str | None, shown: str) -> int:
    """The nanoseconds of the spec's unit of a rate, such as `/s`."""
    length = DURATION_UNITS.get(unit.removeprefix("/")) if unit is not None else None
    if length is None:
        raise QuantityError(
            f"found {shown} without a unit, expected a rate such as 100/s; say it in the spec with unit: /s"
        )
    return length


def _number_of_kind(text: str, kind: Kind, unit: str | None) -> Fraction:
    trimmed = text.strip()
    if kind is Kind.RATE and (rate := rate_text(trimmed)) is not None:
        return _bounded(rate.number, text) / rate.length
    digits = trimmed.removesuffix("%") if kind is Kind.RATIO else trimmed
    if not _DIGITS.fullmatch(digits):
        hint = ", which is never negative" if trimmed[:1] == "-" and _DIGITS.fullmatch(trimmed[1:]) else ""
        raise QuantityError(f"found {_short(text) or 'nothing'}, expected {_WANTED[kind]}{hint}")
    if len(digits) > 1 and digits[0] == "0" and digits[1] != ".":
        raise QuantityError(f"found {_short(text)}, which some programs take for octal; write it without the leading 0")
    number = _bounded(digits, text)
    if kind is Kind.COUNT and "." in digits:
        raise QuantityError(f"found {_short(text)}, expected {_WANTED[kind]}")
    if kind is Kind.RATE:
        return number / _per(unit, _short(text))
    return number / 100 if digits != trimmed else number


def _bounded(digits: str, text: str) -> Fraction:
    number = Fraction(digits)
    if number > LARGEST:
        raise QuantityError(f"found {_short(text)}, but the largest number is {LARGEST}")
    return number


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 40 else text[:24] + "…" + text[-8:]
