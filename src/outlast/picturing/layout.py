"""From a drawing and values to a timeline: formulas evaluated exactly, conditions judged, the axis chosen.

reports/page/layout.js does the same in the page; tests hold the two against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Extended, Side, Special, Truth, Verdict, World, evaluate, holds
from outlast.constraints.normal import Inequality
from outlast.constraints.polynomial import Quant, Var
from outlast.constraints.quantities import format_value
from outlast.constraints.record import replace
from outlast.picturing.drawing import Amount, Bar, Drawing, End, Fact, Lane, Mark, Need, Tone, Words
from outlast.picturing.timeline import Gap, Moment, Row, Sentence, Stretch, Tick, Timeline

__all__ = ["last_place", "lay_out", "up_to"]

#: How many ticks an axis has at most, the one at 0 included.
_MOST_TICKS = 6


def lay_out(drawing: Drawing, world: World, verdicts: Mapping[str, Verdict]) -> Timeline:
    """The picture at these values; `verdicts` are those of its rules, as far as they were judged.

    Bounded quantities are taken at the ends that it names. Each rule makes a sentence, with the numbers that its verdict compares.
    Where a need is not met these sentences are all, and which one it is.
    """
    world = _at_ends(world, drawing.ends)
    unmet = [words for need in drawing.needs if (words := _unmet(need, world))]
    if unmet:
        drawing = replace(drawing, lanes=(), facts=(Fact(words=(f"Not drawn: {'; '.join(unmet)}.",)),))
    drawing = _as_it_is(drawing, world)
    rows = tuple(_row(lane, world, is_sum=drawing.shape is None) for lane in drawing.lanes)
    shown = [(rule, verdicts[rule]) for rule in drawing.rules if rule in verdicts]
    gaps = [gap for rule, verdict in shown if (gap := _gap(rule, verdict, drawing.time_exponent)) is not None]
    facts = [Sentence(words=_text(fact.words, world), tone=fact.tone) for fact in drawing.facts]
    facts += [_sentence(rule, verdict) for rule, verdict in shown]
    timeline = Timeline(
        id=drawing.id,
        title=drawing.title,
        shape=drawing.shape,
        time_exponent=drawing.time_exponent,
        until=Fraction(1),
        ticks=(),
        rows=rows,
        gaps=tuple(gaps) if drawing.lanes else (),
        facts=tuple(facts),
    )
    return up_to(last_place(timeline), timeline)


def _unmet(need: Need, world: World) -> str:
    """What is wrong with it; empty: nothing."""
    value = evaluate(need.poly, world, Side.UPPER)
    shown = f"{need.label} is {_shown(value, need.time_exponent)}"
    if need.is_whole and isinstance(value, Fraction):
        is_counted = value.denominator == 1 and value >= 1
        return "" if is_counted else f"{shown}, not a whole number from 1 on"
    return shown if value is Special.MINUS or (isinstance(value, Fraction) and value < 0) else ""


def up_to(last: Fraction, timeline: Timeline) -> Timeline:
    """The same picture with an axis that shows everything up to `last`, and a twentieth more."""
    until = last * 21 / 20 if last > 0 else Fraction(10**9) ** timeline.time_exponent
    return replace(timeline, until=until, ticks=_ticks(until, timeline.time_exponent))


def last_place(timeline: Timeline) -> Fraction:
    """The last place at which anything is drawn."""
    return max(_places(timeline), default=Fraction(0))


def _ticks(until: Fraction, time_exponent: int) -> tuple[Tick, ...]:
    """From 0 in steps of 1, 2 or 5 times a power of ten, the smallest that leave at most six.

    >>> [tick.words for tick in _ticks(Fraction(10_500_000_000), 1)]
    ['0s', '2s', '4s', '6s', '8s', '10s']
    """
    step = Fraction(1)
    while step * 10 > until:
        step /= 10
    while step * 10 <= until:
        step *= 10
    # step is the greatest power of ten up to `until`; a tenth of it is surely too small, five times it surely enough.
    step = next(s for s in (step / 10, step / 5, step / 2, step, step * 2, step * 5) if until // s < _MOST_TICKS)
    return tuple(Tick(at=step * n, words=format_value(step * n, time_exponent)) for n in range(int(until // step) + 1))


def _at_ends(world: World, ends: Iterable[End]) -> World:
    """The same world with one value for each name, so that of two conditions that exclude each other never none holds.

    A quantile whose sample is too small for the bound that is wanted, since a rule needs the other one only, stands at that.
    """
    lower = {end.of for end in ends if not end.is_upper}
    low_names = {atom.name for atom in lower if isinstance(atom, Var)}

    def bound(quantile: Quant, _: bool) -> Fraction:
        is_upper = quantile not in lower
        try:
            return world.bound(quantile, is_upper)
        except OutlastError:
            return world.bound(quantile, not is_upper)

    values = {
        name: value[0 if name in low_names else 1] if isinstance(value, tuple) else value
        for name, value in world.values.items()
    }
    return World(values=values, bound=bound)


def _as_it_is(drawing: Drawing, world: World) -> Drawing:
    """The drawing with those bars, marks and facts alone whose conditions hold; what conditions share is judged once."""
    known: dict[int, tuple[Truth, Fraction]] = {}

    def is_so(item: Bar | Mark | Fact) -> bool:
        return item.when is None or holds(item.when, world, known)

    lanes = [
        replace(lane, bars=tuple(filter(is_so, lane.bars)), marks=tuple(filter(is_so, lane.marks)))
        for lane in drawing.lanes
    ]
    return replace(drawing, lanes=tuple(lanes), facts=tuple(filter(is_so, drawing.facts)))


def _row(lane: Lane, world: World, *, is_sum: bool) -> Row:
    drawn = [each for bar in lane.bars if (each := _drawn(bar, world, is_sum=is_sum)) is not None]
    moments = [each for each in drawn if isinstance(each, Moment)]
    for mark in lane.marks:
        at = evaluate(mark.at, world, Side.UPPER)
        if isinstance(at, Fraction) and at >= 0:
            moments.append(Moment(at=at, words=_text(mark.words, world), tone=mark.tone, told=mark.told))
    return Row(
        label=lane.label,
        stretches=tuple(sorted((e for e in drawn if isinstance(e, Stretch)), key=lambda each: each.start)),
        moments=tuple(sorted(moments, key=lambda each: each.at)),
    )


def _drawn(bar: Bar, world: World, *, is_sum: bool) -> Stretch | Moment | None:
    start = evaluate(bar.start, world, Side.UPPER)
    end = Special.PLUS if bar.end is None else evaluate(bar.end, world, Side.UPPER)
    if not isinstance(start, Fraction):
        return None
    start = max(start, Fraction(0))
    if end is Special.PLUS or (isinstance(end, Fraction) and start < end):
        last = end if isinstance(end, Fraction) else None
        return Stretch(start=start, end=last, words=_text(bar.words, world), tone=bar.tone, told=bar.told)
    if is_sum and start == end:
        return Moment(at=start, words=_text(bar.words, world), tone=Tone.PLAIN, told=bar.told)
    return None


def _gap(rule: str, verdict: Verdict, time_exponent: int) -> Gap | None:
    """The room of a rule whose sides are places of the axis."""
    judged = verdict.decisive
    if (
        judged is None
        or verdict.truth is Truth.NOT_APPLICABLE
        or not isinstance(judged.comparison, Inequality)
        or judged.comparison.time_exponent != time_exponent
    ):
        return None
    words, tone = _told(verdict)
    left, right = _place(judged.left), _place(judged.right)
    if left is not None and judged.right is Special.PLUS:
        return Gap(rule=rule, start=left, end=None, words=words, tone=tone, wrong_at=None)
    if right is not None and judged.left is Special.PLUS:
        return Gap(rule=rule, start=right, end=None, words=words, tone=tone, wrong_at=right)
    if left is None or right is None:
        return None
    return Gap(
        rule=rule,
        start=min(left, right),
        end=max(left, right),
        words=words,
        tone=tone,
        wrong_at=right if verdict.truth is Truth.BROKEN else None,
    )


def _place(value: Extended) -> Fraction | None:
    """A place of the axis; None: it is none."""
    return value if isinstance(value, Fraction) and value >= 0 else None


def _sentence(rule: str, verdict: Verdict) -> Sentence:
    """A margin that is missed counts as a rule that is broken: `check` and `timeline` end with 1 for both."""
    words, tone = _told(verdict)
    if verdict.missing is None and verdict.truth is not Truth.NOT_APPLICABLE and not verdict.margin_kept:
        tone = Tone.BAD
    judged = verdict.decisive
    if judged is not None and verdict.missing is None:
        exponent = judged.comparison.time_exponent
        words = f"{_shown(judged.left, exponent)} {judged.comparison.sign} {_shown(judged.right, exponent)}, {words}"
    return Sentence(words=f"{rule}: {words}.", tone=tone)


def _told(verdict: Verdict) -> tuple[str, Tone]:
    """What a verdict says of the room, without a full stop."""
    if verdict.missing is not None:
        return f"broken, {verdict.missing} is off", Tone.BAD
    if verdict.truth is Truth.NOT_APPLICABLE:
        return "not applicable", Tone.PLAIN
    judged = verdict.decisive
    slack = None if judged is None or not isinstance(judged.comparison, Inequality) else judged.slack
    tone = Tone.BAD if verdict.truth is Truth.BROKEN else Tone.GOOD if verdict.margin_kept else Tone.PLAIN
    if judged is None or slack is None:
        is_endless = judged is not None and isinstance(judged.comparison, Inequality) and judged.left is Special.PLUS
        broken = "broken, the smaller side has no end" if is_endless else "broken"
        return broken if verdict.truth is Truth.BROKEN else "holds", tone
    if not isinstance(slack, Fraction):
        return "no limit", tone
    amount = format_value(abs(slack), judged.comparison.time_exponent)
    if verdict.truth is Truth.BROKEN:
        return (f"{amount} too little" if slack else "both sides are equal, which is not enough"), tone
    return (f"{amount} left" if verdict.margin_kept else f"{amount} left, less than the margin"), tone


def _text(words: Words, world: World) -> str:
    return "".join(w if isinstance(w, str) else _amount(w, world) for w in words)


def _amount(amount: Amount, world: World) -> str:
    return _shown(evaluate(amount.poly, world, Side.UPPER), amount.time_exponent)


def _shown(value: Extended, time_exponent: int) -> str:
    return format_value(value, time_exponent) if isinstance(value, Fraction) else value.value


def _places(timeline: Timeline) -> Iterator[Fraction]:
    for row in timeline.rows:
        for stretch in row.stretches:
            yield from _known((stretch.start, stretch.end))
        yield from (moment.at for moment in row.moments)
    for gap in timeline.gaps:
        yield from _known((gap.start, gap.end))


def _known(places: Iterable[Fraction | None]) -> Iterator[Fraction]:
    return (place for place in places if place is not None)
