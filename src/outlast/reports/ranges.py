"""Ranges of free parameters in words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from outlast.constraints.model import Parameter
from outlast.reports.document import Span, Text, code, text, whole
from outlast.reports.wording import value_of
from outlast.solver.outcome import Range

__all__ = ["interval_text", "limit_text", "steps_text"]


def interval_text(parameter: Parameter, found: Range) -> Text:
    """A range as an interval, a list or words: `[4s, 9s)`, `only 4s`, `2, 3 or 5`, `[4s, ∞) or infinite`."""
    sentinels = [(code(s.value),) for s in found.sentinels]
    if found.listed is not None:
        numbers = [(_value(parameter, v),) for v in found.listed]
        return _joined([*numbers, *sentinels], "or") or text("no value")
    if found.low is None and found.high is None:
        return _joined(sentinels, "or") or text("no value")
    low, high = found.low, found.high
    start = "(0" if low is None or low.at is None else ("(" if low.is_open else "[") + value_of(parameter, low.at)
    end = "∞)" if high is None or high.at is None else value_of(parameter, high.at) + (")" if high.is_open else "]")
    interval = text(whole(code(f"{start}, {end}")))
    if low is not None and high is not None and low.at is not None and low.at == high.at:
        interval = text("only ", _value(parameter, low.at))
    if found.gaps:
        gaps = [text(_value(parameter, a), " to ", _value(parameter, b)) for a, b in found.gaps]
        interval = text(interval, " without ", _joined(gaps, "and"))
    return _joined([interval, *sentinels], "or")


def _value(parameter: Parameter, value: Fraction) -> Span:
    return whole(code(value_of(parameter, value)))


def _joined(parts: Sequence[Text], last: str) -> Text:
    """`a, b and c`."""
    words: list[str | Text] = []
    for number, part in enumerate(parts):
        words += ["" if number == 0 else f" {last} " if number == len(parts) - 1 else ", ", part]
    return text(*words)


def limit_text(ids: tuple[str, ...], own: str) -> Text:
    """What limits an end of the parameter `own`: rules by their ids, domains and the rest by what they are."""
    names = {
        id_: id_.removeprefix("domain:").rpartition(".")[0]
        for id_ in ids
        if id_.startswith("domain:") and id_.endswith((".min", ".max"))
    }
    parts: list[Text] = [(code(id_),) for id_ in ids if id_ not in names]
    parts += [
        text("its domain") if name == own else text("the domain of ", code(name))
        for name in sorted(set(names.values()))
    ]
    return _joined(parts, "and")


def steps_text(parameter: Parameter, found: Range) -> Text:
    """The last values on the parameter's own step: `smallest 4.1s, largest 8.9s`; nothing where the range ends with them anyway."""
    if found.listed is not None:
        return ()
    ends = [
        (word, end) for word, end in (("smallest", found.low), ("largest", found.high)) if end and end.at is not None
    ]
    if all(end.on_step == end.at and not end.is_open for _, end in ends):
        return ()
    told = [text(f"{word} ", _value(parameter, end.on_step)) for word, end in ends if end.on_step is not None]
    return text(told[0], ", ", told[1]) if len(told) > 1 else text(*told)
