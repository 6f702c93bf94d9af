"""Ranges of free parameters in words."""

from __future__ import annotations

from outlast.constraints.model import Parameter
from outlast.reports.document import Text, code, text
from outlast.reports.wording import joined, value_of
from outlast.solver.outcome import Range

__all__ = ["interval_text", "limit_text", "steps_words"]


def interval_text(parameter: Parameter, found: Range) -> str:
    """A range as an interval, a list or words: `[4s, 9s)`, `2, 3 or 5`, `[4s, ∞) or infinite`."""
    sentinels = [s.value for s in found.sentinels]
    if found.listed is not None:
        numbers = [value_of(parameter, v) for v in found.listed]
        return joined([*numbers, *sentinels], "or") or "no value"
    if found.low is None and found.high is None:
        return joined(sentinels, "or") or "no value"
    low, high = found.low, found.high
    start = "(0" if low is None or low.at is None else ("(" if low.is_open else "[") + value_of(parameter, low.at)
    end = "∞)" if high is None or high.at is None else value_of(parameter, high.at) + (")" if high.is_open else "]")
    interval = f"{start}, {end}"
    if found.gaps:
        gaps = [f"{value_of(parameter, a)} to {value_of(parameter, b)}" for a, b in found.gaps]
        interval += f" without {joined(gaps)}"
    return joined([interval, *sentinels], "or")


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
    words: list[str | Text] = []
    for number, part in enumerate(parts):
        words += ["" if number == 0 else " and " if number == len(parts) - 1 else ", ", part]
    return text(*words)


def steps_words(parameter: Parameter, found: Range) -> str:
    """The last values on the parameter's own step: `smallest 4.1s, largest 8.9s`; empty for a list."""
    if found.listed is not None:
        return ""
    ends = (("smallest", found.low), ("largest", found.high))
    told = [f"{word} {value_of(parameter, end.on_step)}" for word, end in ends if end and end.on_step is not None]
    return ", ".join(told)
