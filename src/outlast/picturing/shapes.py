"""From what a spec says to its drawings: each picture in its shape, and as sums of bars each rule that none shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from outlast.constraints.normal import NormalRule, polys_of
from outlast.constraints.pictures import Picture, Shape
from outlast.constraints.polynomial import Poly, TooManyTermsError
from outlast.constraints.record import replace
from outlast.picturing.bars import bars
from outlast.picturing.deploy import deploy
from outlast.picturing.drawing import Drawing, names_of
from outlast.picturing.ends import sides_of, with_ends
from outlast.picturing.equal import compared_by
from outlast.picturing.idle import idle
from outlast.picturing.request import request
from outlast.picturing.retries import retries
from outlast.picturing.told import Scene, Told, needs_of, told_by

if TYPE_CHECKING:
    from outlast.constraints.expression import Expr
    from outlast.constraints.model import Spec

__all__ = ["drawing_of", "drawings_of"]

_SCENES: Final[dict[Shape, Callable[[Told], Scene]]] = {
    Shape.REQUEST: request,
    Shape.IDLE: idle,
    Shape.DEPLOY: deploy,
    Shape.RETRIES: retries,
}
#: Names that a title tells, where they are all that tells one picture from another.
_MOST_NAMES: Final = 2


def drawings_of(spec: Spec, rules: Mapping[str, NormalRule]) -> tuple[Drawing, ...]:
    """The pictures of a spec, then the rules that none of them shows; both by id. No two have the same title.

    A picture whose formulas come to nothing (they divide by 0) is left out, and so is a rule that compares nothing.
    """
    poly_of = polys_of(spec)
    pictures: list[Drawing] = []
    for _, picture in sorted(spec.pictures.items()):
        try:
            pictures.append(drawing_of(picture, poly_of, spec, rules))
        except (ZeroDivisionError, TooManyTermsError):
            continue
    shown = {rule for drawing in pictures for rule in drawing.rules}
    others = (bars(rule) for id_, rule in sorted(rules.items()) if id_ not in shown)
    sums = (with_ends(drawing, spec, rules) for drawing in others if drawing is not None)
    return tuple(_titled_apart((*pictures, *sums), rules))


def drawing_of(
    picture: Picture, poly_of: Callable[[Expr], Poly], spec: Spec, rules: Mapping[str, NormalRule]
) -> Drawing:
    """One picture; of its rules those that are in normal form.

    Raises:
        ZeroDivisionError: a formula of it divides by 0.
        TooManyTermsError: a formula of it has too many terms when multiplied out.
    """
    told = told_by(picture, poly_of, compared_by(rules[rule] for rule in picture.rules if rule in rules))
    scene = _SCENES[picture.shape](told)
    drawing = Drawing(
        id=picture.id,
        title=picture.title or scene.title,
        shape=picture.shape,
        time_exponent=1,
        lanes=scene.lanes,
        facts=scene.facts,
        rules=tuple(rule for rule in picture.rules if rule in rules),
        needs=needs_of(picture.shape, told),
    )
    return with_ends(drawing, spec, rules, sides_of(picture.shape, told))


def _titled_apart(drawings: Iterable[Drawing], rules: Mapping[str, NormalRule]) -> Iterator[Drawing]:
    """The drawings, those whose title another before them has called after the names that this one lacks, its relation or, beside the title, its id."""
    taken: dict[str, Drawing] = {}
    for drawing in drawings:
        title = next(title for title in _titles(drawing, rules, taken) if title not in taken)
        taken[title] = drawing
        yield drawing if title == drawing.title else replace(drawing, title=title)


def _titles(drawing: Drawing, rules: Mapping[str, NormalRule], taken: Mapping[str, Drawing]) -> Iterator[str]:
    yield drawing.title
    if drawing.shape is not None:
        own = sorted(names_of(drawing) - names_of(taken[drawing.title]))
        if 0 < len(own) <= _MOST_NAMES:
            yield f"{drawing.title} ({', '.join(own)})"
        relations = (rules[rule].rule.relation for rule in drawing.rules)
        yield from (relation.title for relation in relations if relation is not None)
        yield f"{drawing.title} ({drawing.id})"
    title = drawing.title
    while True:
        title = f"{drawing.id}: {title}"
        yield title
