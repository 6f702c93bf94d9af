"""From what a spec says to its drawings: each picture in its shape, and as sums of bars each rule that none shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from outlast.constraints.normal import NormalRule, polys_of
from outlast.constraints.pictures import Picture, Shape
from outlast.constraints.polynomial import Poly, TooManyTermsError
from outlast.picturing.bars import bars
from outlast.picturing.deploy import deploy
from outlast.picturing.drawing import Drawing
from outlast.picturing.idle import idle
from outlast.picturing.request import request
from outlast.picturing.retries import retries
from outlast.picturing.told import Scene, Told, told_by

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


def drawings_of(spec: Spec, rules: Mapping[str, NormalRule]) -> tuple[Drawing, ...]:
    """The pictures of a spec, then the rules that none of them shows; both by id.

    A picture whose formulas come to nothing (they divide by 0) is left out, and so is a rule that compares nothing.
    """
    poly_of = polys_of(spec)
    pictures: list[Drawing] = []
    for _, picture in sorted(spec.pictures.items()):
        try:
            pictures.append(drawing_of(picture, poly_of, rules))
        except (ZeroDivisionError, TooManyTermsError):
            continue
    shown = {rule for drawing in pictures for rule in drawing.rules}
    others = (bars(rule) for id_, rule in sorted(rules.items()) if id_ not in shown)
    return (*pictures, *(drawing for drawing in others if drawing is not None))


def drawing_of(picture: Picture, poly_of: Callable[[Expr], Poly], rules: Mapping[str, NormalRule]) -> Drawing:
    """One picture; of its rules those that are in normal form.

    Raises:
        ZeroDivisionError: a formula of it divides by 0.
        TooManyTermsError: a formula of it has too many terms when multiplied out.
    """
    scene = _SCENES[picture.shape](told_by(picture, poly_of))
    return Drawing(
        id=picture.id,
        title=picture.title or scene.title,
        shape=picture.shape,
        time_exponent=1,
        lanes=scene.lanes,
        facts=scene.facts,
        rules=tuple(rule for rule in picture.rules if rule in rules),
    )
