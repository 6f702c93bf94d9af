"""A picture before any value is known: lanes of bars and marks whose places are formulas, shown under conditions.

The page that `outlast report` writes draws the same data again for other values, in JavaScript; so nothing here is code.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from outlast.constraints.normal import All, Either, Formula, Given
from outlast.constraints.pictures import Shape
from outlast.constraints.polynomial import Atom, Poly, Quant, Var
from outlast.constraints.record import record

__all__ = ["Amount", "Bar", "Drawing", "End", "Fact", "Lane", "Mark", "Need", "Tone", "Words", "atoms_of", "names_of"]


class Tone(Enum):
    """How a bar, a mark or a sentence is meant."""

    #: Alive: a connection that is open, a server that serves.
    OPEN = "open"
    #: A clock that runs towards something.
    WAIT = "wait"
    #: Over: forgotten, closed, stopped.
    GONE = "gone"
    GOOD = "good"
    #: What should not happen.
    BAD = "bad"
    PLAIN = "plain"


@record
class Amount:
    """The value of a formula inside of words."""

    poly: Poly
    time_exponent: int


#: A text with values in it.
Words = tuple[str | Amount, ...]


@record(kw_only=True)
class Bar:
    """Something that lasts. Not drawn where an end is off or has no value, or where it does not end after it starts.

    In sums what does not last at all is a mark.
    """

    start: Poly
    #: None, or infinite: it goes on beyond the picture.
    end: Poly | None
    #: Empty: the drawing has no words for it.
    words: Words
    tone: Tone = Tone.WAIT
    #: Drawn only where it holds; None: always.
    when: Formula | None = None
    #: What sentences call it where `words` are empty.
    told: str = ""


@record(kw_only=True)
class Mark:
    """Something that happens at a moment. Not drawn where that is no number."""

    at: Poly
    words: Words
    tone: Tone = Tone.PLAIN
    when: Formula | None = None
    #: As a bar's.
    told: str = ""


@record(kw_only=True)
class Lane:
    """One clock or component."""

    #: At most some twenty characters read well.
    label: str
    bars: tuple[Bar, ...] = ()
    marks: tuple[Mark, ...] = ()


@record(kw_only=True)
class Fact:
    """What the picture shows, as a sentence, with its full stop."""

    words: Words
    tone: Tone = Tone.PLAIN
    when: Formula | None = None


@record(kw_only=True)
class End:
    """Which end of an interval, or which bound of a quantile, is drawn."""

    of: Var | Quant
    is_upper: bool


@record(kw_only=True)
class Need:
    """Something without which the shape does not tell what happens: that it is not below zero, nor a part of a time."""

    #: The part of the picture, or whose it is.
    label: str
    poly: Poly
    time_exponent: int
    #: It counts something: it has to be a whole number from 1 on.
    is_whole: bool


@record(kw_only=True)
class Drawing:
    """A picture of some rules at any values."""

    #: The picture's, or the rule's that is drawn as bars; unique in a spec.
    id: str
    title: str
    #: None: sums of bars, the smaller side above the larger one.
    shape: Shape | None
    #: The power of time of its axis: 1 for durations.
    time_exponent: int
    lanes: tuple[Lane, ...]
    facts: tuple[Fact, ...]
    #: The rules whose room is shown below the lanes, sorted.
    rules: tuple[str, ...]
    #: Of each interval and each quantile in it, by key; of others the upper end is drawn.
    ends: tuple[End, ...] = ()
    #: Where one of them is not so nothing is drawn, and the rules' sentences alone are told.
    needs: tuple[Need, ...] = ()


def names_of(drawing: Drawing) -> frozenset[str]:
    """The parameters whose values the drawing needs, whatever it then shows."""
    return frozenset(atom.name for atom in atoms_of(drawing) if isinstance(atom, Var))


def atoms_of(drawing: Drawing) -> Iterator[Atom]:
    """Whatever its formulas are made of."""
    polys = {id(poly): poly for poly in _polys(drawing)}  # most of them stand there many times
    return (atom for poly in polys.values() for atom in poly.all_atoms())


def _polys(drawing: Drawing) -> Iterator[Poly]:
    yield from (need.poly for need in drawing.needs)
    items: list[Bar | Mark | Fact] = [*drawing.facts]
    for lane in drawing.lanes:
        items += (*lane.bars, *lane.marks)
    seen: set[int] = set()
    for item in items:
        if item.when is not None:
            yield from _polys_in(item.when, seen)
        yield from (word.poly for word in item.words if isinstance(word, Amount))
        if isinstance(item, Bar):
            yield from (item.start,) if item.end is None else (item.start, item.end)
        elif isinstance(item, Mark):
            yield item.at


def _polys_in(condition: Formula, seen: set[int]) -> Iterator[Poly]:
    """The polynomials in it, but for those of parts that were seen: conditions share most of theirs."""
    if id(condition) in seen:
        return
    seen.add(id(condition))
    match condition:
        case All(parts) | Either(parts):
            for part in parts:
                yield from _polys_in(part, seen)
        case Given(when, then):
            yield from _polys_in(when, seen)
            yield from _polys_in(then, seen)
        case _:
            yield from condition.polys()
