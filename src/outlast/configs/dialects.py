"""How durations are written in a place: units, what a bare number means, and how a new value is spelled.

docs/durations.md has the table, with its sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from outlast.constraints.errors import OutlastError, printable
from outlast.constraints.quantities import LARGEST, QuantityError, Sentinel, Value, format_number, format_value
from outlast.constraints.record import record

__all__ = ["BARE_DIALECTS", "DIALECTS", "Dialect", "has_few_decimals", "read_duration", "step_hint", "write_duration"]

_NS, _US, _MS, _S, _MIN, _H, _D, _W = 1, 10**3, 10**6, 10**9, 60 * 10**9, 3600 * 10**9, 86400 * 10**9, 604800 * 10**9


@record(kw_only=True)
class Dialect:
    """What a duration looks like where a program reads it."""

    name: str
    #: What is expected, in words: "an nginx time such as 65s, 1m30s".
    expected: str
    #: Nanoseconds by suffix; of several suffixes of one length the first is the one that is written.
    units: Mapping[str, int] = field(default_factory=dict)
    #: Nanoseconds that 1 of a number without a unit means; None: the dialect does not say, or refuses such a number.
    bare: int | None = None
    #: Whether programs refuse a number without a unit.
    needs_unit: bool = False
    #: Whether 0 needs none even so.
    has_bare_zero: bool = False
    has_fractions: bool = False
    #: Several units: 1m30s.
    has_several: bool = False
    #: Whether of several units the larger must come first, each once.
    is_ordered: bool = False
    #: Blanks around the text and between its parts: 1m 30s.
    has_gaps: bool = False
    #: Blanks between a number and its unit, too: 30 s.
    has_blanks: bool = False
    has_plus: bool = False
    #: ISO 8601: PT1M30S.
    has_iso: bool = False
    #: Hours, minutes and seconds as .NET writes them: 00:01:30, 1.00:00:00.
    has_clock: bool = False
    #: Whether a bare number must stay bare, since some places of the format ignore the unit: `TimeOut 500ms` of Apache are 500 s.
    keeps_bare: bool = False
    ignores_case: bool = False
    #: Whether 010 is 10; else it is refused, since some programs take it for 8.
    has_leading_zeros: bool = False
    words: Mapping[str, Sentinel] = field(default_factory=dict)
    #: The nanoseconds of which every value is a multiple; what is finer is refused, since programs drop it.
    finest: int = 1
    #: The longest duration, in nanoseconds.
    largest: int = LARGEST
    #: Whether the format defines what a bare number means. If not, it is a convention that the spec may overrule.
    is_firm: bool = True


def _units(names: str) -> dict[str, int]:
    lengths = {"us": _US, "ms": _MS, "s": _S, "m": _MIN, "h": _H, "d": _D, "w": _W, "ns": _NS, "µs": _US, "μs": _US}
    return {name: lengths[name] for name in names.split()}


def _synonyms(**names: str) -> dict[str, int]:
    lengths = {"ns": _NS, "us": _US, "ms": _MS, "s": _S, "m": _MIN, "h": _H, "d": _D, "w": _W}
    return {name: lengths[unit] for unit, text in names.items() for name in text.split()}


def _bare(name: str, unit: int, noun: str, *, has_fractions: bool = False, is_firm: bool = True) -> Dialect:
    return Dialect(
        name=name, expected=f"a number of {noun}", bare=unit, has_fractions=has_fractions, is_firm=is_firm
    )  # fmt: skip


#: By name.
DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType({
    d.name: d
    for d in (
        # time.ParseDuration.
        Dialect(
            name="go",
            expected="a Go duration such as 30s, 1m30s, 250ms",
            units=_units("h m s ms us µs μs ns"),
            needs_unit=True,
            has_bare_zero=True,
            has_fractions=True,
            has_several=True,
            has_plus=True,
            has_leading_zeros=True,
        ),
        # google.protobuf.Duration in JSON.
        Dialect(
            name="proto",
            expected="a protobuf duration such as 15s, 0.25s",
            units=_units("s"),
            needs_unit=True,
            has_fractions=True,
            has_leading_zeros=True,
        ),
        # ngx_parse_time: directives that count milliseconds, which refuse months and years,
        Dialect(
            name="nginx",
            expected="an nginx time such as 65s, 1m30s",
            units=_units("w d h m s ms"),
            bare=_S,
            has_several=True,
            is_ordered=True,
            has_gaps=True,
            has_leading_zeros=True,
        ),
        # and those that count seconds, which refuse ms; a month has 30 days, a year 365.
        Dialect(
            name="nginx-seconds",
            expected="an nginx time in whole seconds such as 65s, 1m30s",
            units=_units("w d h m s") | {"M": 30 * _D, "y": 365 * _D},
            bare=_S,
            has_several=True,
            is_ordered=True,
            has_gaps=True,
            has_leading_zeros=True,
        ),
        # parse_time_err: a timer is at most 2^31 - 1 ms; less than 1 ms is rounded up to it.
        Dialect(
            name="haproxy",
            expected="a HAProxy time such as 30s, 500ms, one whole number with at most one unit",
            units=_units("d h m s ms us"),
            bare=_MS,
            has_leading_zeros=True,
            finest=_MS,
            largest=(2**31 - 1) * _MS,
        ),
        # systemd.time(7): a month has 30.44 days, a year 365.25.
        Dialect(
            name="systemd",
            expected="a systemd time span such as 90s, 5min 20s",
            units=_synonyms(
                w="w week weeks",
                d="d day days",
                h="h hr hour hours",
                m="min m minute minutes",
                s="s sec second seconds",
                ms="ms msec",
                us="us usec µs μs",
            )
            | dict.fromkeys(("M", "month", "months"), 2629800 * _S)
            | dict.fromkeys(("y", "year", "years"), 31557600 * _S),
            bare=_S,
            has_fractions=True,
            has_several=True,
            has_gaps=True,
            has_blanks=True,
            has_leading_zeros=True,
            words={"infinity": Sentinel.INFINITE},
            finest=_US,
        ),
        # DurationStyle, SIMPLE and ISO8601; @DurationUnit gives a bare number another meaning.
        Dialect(
            name="spring",
            expected="a Spring duration such as 30s, 500ms, PT20S",
            units=_units("d h m s ms us ns"),
            bare=_MS,
            has_plus=True,
            has_iso=True,
            ignores_case=True,
            has_leading_zeros=True,
            is_firm=False,
        ),
        # ap_timeout_parameter_parse; TimeOut, ProxyTimeout and others read whole seconds and drop what follows.
        Dialect(
            name="apache",
            expected="an Apache time such as 60, 30s, 500ms, 5mi",
            units=_synonyms(h="h", m="mi min", s="s", ms="ms"),
            bare=_S,
            keeps_bare=True,
            ignores_case=True,
            has_leading_zeros=True,
        ),
        # Numbers with unit (Setting Parameters); what a bare one means depends on the parameter. A leading 0 makes it octal.
        # What is finer than a parameter's own unit is rounded; most count milliseconds.
        Dialect(
            name="postgres",
            expected="a PostgreSQL time such as 30s, 500ms, 5min",
            units=_synonyms(d="d", h="h", m="min", s="s", ms="ms", us="us"),
            has_fractions=True,
            has_gaps=True,
            has_blanks=True,
            has_plus=True,
            finest=_MS,
        ),
        # Texts that tell their unit, in files of which no program is known; M may be minutes or months.
        Dialect(
            name="generic",
            expected="a duration with its unit such as 30s, 1m30s, 500ms, PT20S",
            units=_synonyms(
                w="w week weeks",
                d="d day days",
                h="h hr hour hours",
                m="m min mins minute minutes",
                s="s sec secs second seconds",
                ms="ms msec msecs millis millisecond milliseconds",
                us="us µs μs usec usecs micros microsecond microseconds",
                ns="ns nsec nsecs nanos nanosecond nanoseconds",
            ),
            has_fractions=True,
            has_several=True,
            has_gaps=True,
            has_blanks=True,
            has_iso=True,
            has_clock=True,
            is_firm=False,
        ),
        _bare("node", _MS, "milliseconds", is_firm=False),
        _bare("seconds", _S, "seconds", has_fractions=True),
        _bare("millis", _MS, "milliseconds"),
        _bare("micros", _US, "microseconds"),
        _bare("nanos", _NS, "nanoseconds"),
        _bare("minutes", _MIN, "minutes"),
        _bare("hours", _H, "hours"),
        _bare("days", _D, "days"),
    )
})  # fmt: skip

#: The dialects of bare numbers, by the nanoseconds that 1 means.
BARE_DIALECTS: Final[Mapping[int, Dialect]] = MappingProxyType({
    d.bare: d for d in DIALECTS.values() if d.bare is not None and not d.units and d.is_firm
})  # fmt: skip

#: How many characters a number may have, and a text.
_LONGEST: Final = 40
_LONGEST_TEXT: Final = 200
#: Digits after the point up to which a fraction stays in its unit; more are for where there is no smaller one.
_MOST_DECIMALS: Final = 3
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_BLANKS: Final = re.compile(r"[ \t]+")
_ISO: Final = re.compile(
    r"P(?:([0-9]+)W)?(?:([0-9]+)D)?(?:T(?=[0-9])(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:[.,][0-9]{1,9})?)S)?)?", re.I
)
_CLOCK: Final = re.compile(r"(?:([0-9]{1,8})\.)?([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]{1,7})?)")
_ISO_UNITS: Final = {"W": _W, "D": _D, "H": _H, "M": _MIN, "S": _S}


@record
class _Part:
    """A number with its unit, as it stands there; `gap` are the blanks between them, `before` those in front."""

    number: str
    unit: str
    gap: str
    before: str


def read_duration(text: str, dialect: Dialect) -> Value:
    """The nanoseconds that a text means in a dialect, or what its word stands for.

    Raises:
        QuantityError: the text is malformed there, negative, finer than the dialect's finest or too long.

    >>> read_duration("1m30s", DIALECTS["nginx"]), read_duration("30", DIALECTS["haproxy"])
    (Fraction(90000000000, 1), Fraction(30000000, 1))
    """
    trimmed = text.strip(" \t") if dialect.has_gaps else text
    if (word := dialect.words.get(trimmed.lower() if dialect.ignores_case else trimmed)) is not None:
        return word
    if not trimmed:
        raise QuantityError(f"found nothing, expected {dialect.expected}")
    if _is_signed(trimmed, "-"):
        raise QuantityError(f"found {_short(text)}, but a duration is never negative")
    unsigned = trimmed[1:] if dialect.has_plus and _is_signed(trimmed, "+") else trimmed
    if dialect.has_iso and unsigned[0] in "Pp":
        total = _iso(unsigned, dialect)
    elif dialect.has_clock and ":" in unsigned:
        total = _clock(unsigned, dialect)
    elif dialect.has_bare_zero and unsigned == "0":
        total = Fraction(0)
    else:
        total = _sum(list(_parts(unsigned, dialect)), unsigned, dialect)
    if total % dialect.finest:
        raise QuantityError(f"found {_short(text)}, which is finer than {format_value(Fraction(dialect.finest), 1)}")
    if total > dialect.largest:
        raise QuantityError(
            f"found {_short(text)}, but the longest here is {format_value(Fraction(dialect.largest), 1)}"
        )
    return total


def _is_signed(text: str, sign: str) -> bool:
    return text[0] == sign and (text[1:2].isdecimal() or text[1:2] in tuple(".Pp"))


def _parts(text: str, dialect: Dialect) -> Iterator[_Part]:
    """The parts of a text; raises `QuantityError` at what is none."""
    if len(text) > _LONGEST_TEXT:
        raise QuantityError(f"found {_short(text)}, a text of {len(text)} characters, expected {dialect.expected}")
    position, before = 0, ""
    while position < len(text):
        number = _NUMBER.match(text, position)
        if number is None:
            raise _unexpected(text, dialect)
        if len(number[0]) > _LONGEST:
            raise QuantityError(f"found {_short(text)}, a number of {len(number[0])} characters")
        position = number.end()
        gap = blanks[0] if dialect.has_blanks and (blanks := _BLANKS.match(text, position)) else ""
        letters = _LETTERS.match(text, position + len(gap))
        if letters is None:
            gap = ""
        else:
            position = letters.end()
        yield _Part(number[0], letters[0] if letters else "", gap, before)
        before = blanks[0] if dialect.has_gaps and (blanks := _BLANKS.match(text, position)) else ""
        position += len(before)


def _sum(parts: list[_Part], text: str, dialect: Dialect) -> Fraction:
    if parts[0].unit in ("e", "E"):
        raise QuantityError(f"found {_short(text)}, but exponents are not read; write the number out")
    if len(parts) > 1 and not dialect.has_several:
        raise QuantityError(f"found {_short(text)}, expected {dialect.expected}, not several numbers")
    total, last = Fraction(0), None
    for i, part in enumerate(parts):
        if "." in part.number and not dialect.has_fractions:
            raise QuantityError(f"found {_short(text)}, expected {dialect.expected}, without a fraction")
        if len(part.number) > 1 and part.number[0] == "0" and part.number[1] != "." and not dialect.has_leading_zeros:
            raise QuantityError(
                f"found {_short(text)}, which some programs take for octal; write it without the leading 0"
            )
        length = _length(part.unit, text, dialect, is_last=i == len(parts) - 1)
        if dialect.is_ordered and last is not None and length >= last:
            raise QuantityError(f"found {_short(text)}, expected larger units first and each once")
        last = length
        total += Fraction(part.number.rstrip(".") if part.number[0] != "." else "0" + part.number) * length
    return total


def _length(unit: str, text: str, dialect: Dialect, *, is_last: bool) -> int:
    """Nanoseconds of a unit; a number without one may only come last."""
    if not unit:
        if dialect.bare is None or not is_last:
            raise QuantityError(f"found {_short(text)} without a unit, expected {dialect.expected}")
        return dialect.bare
    length = dialect.units.get(unit.lower() if dialect.ignores_case else unit)
    if length is None:
        if not dialect.units:
            raise QuantityError(f"found {_short(text)}, expected {dialect.expected}, without a unit")
        raise QuantityError(f"found {_short(text)}, with the unknown unit {_short(unit)}, expected {dialect.expected}")
    return length


def _unexpected(text: str, dialect: Dialect) -> QuantityError:
    hint = "; digits are not grouped" if re.fullmatch(r"[0-9]+(?:_[0-9]+)+\D*", text) else ""
    return QuantityError(f"found {_short(text)}, expected {dialect.expected}{hint}")


def _iso(text: str, dialect: Dialect) -> Fraction:
    match = _ISO.fullmatch(text) if len(text) <= 4 * _LONGEST else None
    if match is None or not any(match.groups()):
        raise QuantityError(f"found {_short(text)}, expected {dialect.expected}")
    numbers = (Fraction((number or "0").replace(",", ".")) for number in match.groups())
    return sum((n * u for n, u in zip(numbers, _ISO_UNITS.values(), strict=True)), Fraction(0))


def _clock(text: str, dialect: Dialect) -> Fraction:
    """A TimeSpan of .NET, with days in front; parts that are only two could be hours or minutes and are refused."""
    match = _CLOCK.fullmatch(text)
    if match is None or int(match[2]) > 23 or int(match[3]) > 59 or Fraction(match[4]) >= 60:
        raise QuantityError(f"found {_short(text)}, expected {dialect.expected}, or hh:mm:ss")
    numbers = (Fraction(number or "0") for number in match.groups())
    return sum((n * u for n, u in zip(numbers, (_D, _H, _MIN, _S), strict=True)), Fraction(0))


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 40 else text[:24] + "…" + text[-8:]


def write_duration(ns: Fraction, dialect: Dialect, like: str) -> str:
    """The text of a duration in a dialect, in the manner of the text that it replaces.

    The unit stays if the number is whole in it, or has a fraction as the old one had; else it is the largest smaller unit of the
    dialect in which it is whole. Several units stay several. What is returned reads as `ns` again.

    Raises:
        OutlastError: without a place, if it cannot be written exactly.

    >>> write_duration(Fraction(5_500_000_000), DIALECTS["nginx"], "65"), write_duration(Fraction(95 * 10**9), DIALECTS["go"], "1m30s")
    ('5500ms', '1m35s')
    """
    if ns < 0:
        raise OutlastError(f"{format_value(ns, 1)} cannot be written, since a duration is never negative")
    if ns > dialect.largest:
        raise OutlastError(
            f"{format_value(ns, 1)} cannot be written as {dialect.expected}: the longest is {format_value(Fraction(dialect.largest), 1)}"
        )
    for text in _spellings(ns, dialect, like):
        try:
            if read_duration(text, dialect) == ns:
                return text
        except QuantityError:
            continue
    is_kept = dialect.keeps_bare and like.strip().isdecimal()
    why = ": a number without a unit stays one, since some directives drop the unit" if is_kept else ""
    hint = step_hint(ns, Fraction(dialect.bare if is_kept and dialect.bare else _step(dialect)))
    raise OutlastError(f"{format_value(ns, 1)} cannot be written as {_noun(dialect)}{why}{hint}")


def _step(dialect: Dialect) -> int:
    """The nanoseconds of which what a dialect writes in whole numbers is a multiple."""
    shortest = min([*dialect.units.values(), *([dialect.bare] if dialect.bare is not None else [])])
    return max(shortest, dialect.finest)


def step_hint(ns: Fraction, step: Fraction) -> str:
    """What to write in a spec so that a parameter's values can be written; nothing where its values are multiples of `step` as it is."""
    return f"; step: {format_value(step, 1)} in the spec asks for a value that can" if ns % step else ""


def _noun(dialect: Dialect) -> str:
    return dialect.expected if dialect.units else dialect.expected.replace("a number", "a whole number")


def _spellings(ns: Fraction, dialect: Dialect, like: str) -> Iterator[str]:
    """What may stand for a duration, the best first; not all of it means it."""
    old = like.strip(" \t").removeprefix("+")
    if dialect.has_iso and old[:1] in ("P", "p"):
        yield _iso_like(ns, old)
        return
    if dialect.has_clock and _CLOCK.fullmatch(old):
        yield _clock_text(ns)
        return
    parts = _old_parts(old, dialect)
    if parts and not (dialect.needs_unit and not parts[-1].unit):
        if len(parts) > 1:
            yield _several(ns, parts, dialect)
        yield from _in_unit(ns, parts[0], dialect)
        if dialect.keeps_bare and not parts[0].unit:
            return
    else:
        start = Fraction(_S)
        yield from _smaller(ns, start, _Part("0", "", "", ""), dialect, inclusive=True)
        if dialect.bare is not None:
            yield format_number(ns / dialect.bare)
    # Where nothing is whole and the dialect always takes fractions: 5.5s of protobuf.
    if dialect.has_fractions and dialect.units:
        unit = parts[0].unit if parts else ""
        gap = parts[0].gap if parts else ""
        unit = unit or next(u for u, length in dialect.units.items() if length <= _S)
        yield format_number(ns / _unit_length(unit, dialect)) + gap + unit


def _old_parts(text: str, dialect: Dialect) -> list[_Part]:
    """The parts of the old text, even where its value is too long or too fine; none if it is no duration: -1, infinity."""
    try:
        parts = list(_parts(text, dialect))
        for i, part in enumerate(parts):
            _length(part.unit, text, dialect, is_last=i == len(parts) - 1)
    except QuantityError:
        return []
    return parts


def _unit_length(unit: str, dialect: Dialect) -> int:
    return dialect.units[unit.lower() if dialect.ignores_case else unit] if unit else dialect.bare or _S


def _in_unit(ns: Fraction, part: _Part, dialect: Dialect) -> Iterator[str]:
    length = _unit_length(part.unit, dialect)
    number = ns / length
    text = format_number(number) + part.gap + _numbered(part.unit, number, dialect)
    is_fraction = dialect.has_fractions and "." in part.number
    if number.denominator == 1 or (is_fraction and has_few_decimals(number, part.number)):
        yield text
    if part.unit or not dialect.keeps_bare:
        yield from _smaller(ns, Fraction(length), part, dialect, inclusive=False)
    if is_fraction:
        yield text


def has_few_decimals(number: Fraction, like: str) -> bool:
    """Whether a number is readable with a point: at most three digits behind it, or as many as there were."""
    digits = max(_MOST_DECIMALS, len(like.partition(".")[2]))
    return (number * Fraction(10) ** digits).denominator == 1


def _smaller(ns: Fraction, length: Fraction, part: _Part, dialect: Dialect, *, inclusive: bool) -> Iterator[str]:
    """In each unit under a length, the largest first, where the number is whole in it."""
    named: dict[int, str] = {}
    for unit, unit_length in dialect.units.items():
        named.setdefault(unit_length, unit)
    for unit_length in sorted(named, reverse=True):
        is_under = unit_length < length or (inclusive and unit_length == length)
        if is_under and ns % unit_length == 0:
            unit = named[unit_length]
            if dialect.ignores_case and part.unit.isupper():
                unit = unit.upper()
            yield f"{ns // unit_length}{part.gap}{unit}"


def _numbered(unit: str, number: Fraction, dialect: Dialect) -> str:
    """The unit in the singular or the plural, where the dialect has both and the old text was a word."""
    if number != 1 and unit + "s" in dialect.units and (len(unit) > 3 or unit == "day"):
        return unit + "s"
    if number == 1 and unit[:-1] in dialect.units and unit.endswith("s") and (len(unit) > 4 or unit == "days"):
        return unit[:-1]
    return unit


def _several(ns: Fraction, parts: list[_Part], dialect: Dialect) -> str:
    """In the units of the old text, larger ones first; the last takes what is left."""
    by_length: dict[int, _Part] = {}
    for part in parts:
        by_length.setdefault(_unit_length(part.unit, dialect), part)
    lengths = sorted(by_length, reverse=True)
    between = parts[1].before
    rest, written = ns, []
    for length in lengths:
        part = by_length[length]
        is_last = length == lengths[-1]
        number = rest / length if is_last and "." in part.number else Fraction(rest // length)
        rest -= number * length
        unit = part.unit or next(u for u, value in dialect.units.items() if value == length)
        if number:
            written.append(f"{format_number(number)}{part.gap}{_numbered(unit, number, dialect)}")
    if not written:
        last = by_length[lengths[-1]]
        written.append(f"0{last.gap}{_numbered(last.unit, Fraction(0), dialect)}")
    return between.join(written)


def _iso_like(ns: Fraction, old: str) -> str:
    """In the fields of the old text; seconds take what is left, with a fraction if need be."""
    match = _ISO.fullmatch(old)
    groups = match.groups() if match else ()
    fields = [unit for unit, text in zip(_ISO_UNITS, groups, strict=False) if text is not None]
    rest, date, time = ns, "", ""
    for unit, length in _ISO_UNITS.items():
        if unit not in fields and unit != "S":
            continue
        number = rest / length if unit == "S" else Fraction(rest // length)
        rest -= number * length
        if number:
            text = f"{format_number(number)}{unit}"
            date, time = (date + text, time) if unit in "WD" else (date, time + text)
    if not date and not time:
        time = "0S"
    written = "P" + date + (f"T{time}" if time else "")
    return written.lower() if old.islower() else written


def _clock_text(ns: Fraction) -> str:
    days, rest = divmod(ns, _D)
    hours, rest = divmod(rest, _H)
    minutes, rest = divmod(rest, _MIN)
    whole, rest = divmod(rest, _S)
    # Digits after the point stand for whole numbers of 100 ns; what is finer does not read back.
    fraction = f".{int(rest) // 100:07d}".rstrip("0") if rest else ""
    return (f"{days}." if days else "") + f"{hours:02d}:{minutes:02d}:{whole:02d}{fraction}"
