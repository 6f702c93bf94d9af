"""Specs of tests as a page is told about them: audited, but not solved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from outlast.constraints.loading import load_spec
from outlast.constraints.normal import normalise
from outlast.picturing.drawing import Drawing
from outlast.picturing.shapes import drawings_of
from outlast.reporting import Reported
from outlast.solver.audit import audit
from outlast.solver.outcome import SolveOutcome, Status

__all__ = ["reported"]


def reported(path: Path, pictures: Sequence[Drawing] = ()) -> Reported:
    """What check finds about a spec, and its pictures after these; of what solve and the others would find, nothing."""
    spec = load_spec(path)
    rules, errors = normalise(spec)
    assert errors == []
    return Reported(
        spec=spec,
        rules=rules,
        checked=audit(spec, rules, known_only=True, may_know_nothing=True, with_remedies=False),
        solved=SolveOutcome(spec=spec, status=Status.UNDECIDED, objective="margin", parameters={}, rules={}),
        account=None,
        mutated=None,
        untold="nobody asked",
        drawings=(*pictures, *drawings_of(spec, rules)),
        today=date(2026, 11, 30),
    )
