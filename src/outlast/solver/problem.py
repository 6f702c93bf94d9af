"""A spec as independent problems: connected components of rules over free parameters, each with the engines that can answer for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.evaluate import World
from outlast.constraints.model import Level, Role, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.polynomial import Var, constant, variable
from outlast.constraints.quantities import Sentinel, Value
from outlast.constraints.record import record
from outlast.solver.constants import Constants, constants_of
from outlast.solver.encode import Demand, Encoder
from outlast.solver.engine import Z3Engine
from outlast.solver.grid import Grid, grid_of
from outlast.solver.limits import Limits
from outlast.solver.logic import Logic, Mode, below, both
from outlast.solver.monotone import Bound, Monotone, Stalled, Standing, Step
from outlast.solver.roundings import Roundings

__all__ = ["Bound", "Component", "Is", "Point", "Problem", "Restriction", "build"]


@record
class Is:
    """The parameter has exactly this sentinel."""

    name: str
    sentinel: Sentinel


Restriction = Bound | Is


@record(kw_only=True)
class Point:
    """Effective values. A continuous parameter in `above` only comes arbitrarily close to its value, from above."""

    values: dict[str, Value]
    above: frozenset[str] = frozenset()


class Component:
    """Rules that share free parameters, directly or through others."""

    def __init__(
        self,
        names: list[str],
        rules: dict[str, NormalRule],
        grids: dict[str, Grid],
        constants: Constants,
        limits: Limits,
    ) -> None:
        self.names = names
        self.rules = rules
        self.grids = grids
        self.constants = constants
        self.limits = limits
        self.encoder = Encoder(grids, constants)
        self.monotone = Monotone.of(names, grids, rules.values(), self.encoder, constants, limits)
        self._engines: dict[tuple[frozenset[str], bool], tuple[Z3Engine, Encoder]] = {}
        self._roundings: Roundings | None = None
        self._has_rounded = False

    @property
    def musts(self) -> list[str]:
        """The ids of the rules that must hold, sorted."""
        return sorted(r.id for r in self.rules.values() if r.rule.level is Level.MUST)

    @property
    def shoulds(self) -> list[str]:
        """The ids of the rules that may be given up, sorted."""
        return sorted(r.id for r in self.rules.values() if r.rule.level is Level.SHOULD)

    def find(
        self,
        rules: Collection[str],
        levels: Mapping[str, int] | None = None,
        restrictions: Sequence[Restriction] = (),
        *,
        continuous: str | None = None,
        relaxed: bool = False,
    ) -> Point | None:
        """A point at which the rules hold with their margins and reach their levels; None: there is none.

        Of a monotone component it is the least one. `continuous` takes one parameter off its step, `relaxed` all durations, rates and ratios.

        Raises:
            Undecided: the limits struck.
            OutlastError: a product of free parameters cannot be taken apart.
        """
        levels = levels or {}
        if self.monotone is not None and not relaxed and all(isinstance(r, Bound) for r in restrictions):
            bounds = [r for r in restrictions if isinstance(r, Bound)]
            try:
                least = self.monotone.least(rules, levels, bounds, continuous)
            except Stalled:
                pass
            else:
                if least is None:
                    return None
                values: dict[str, Value] = dict(least.values)
                return Point(values=values, above=least.above)
        engine, assumptions = self.question(rules, levels, restrictions, continuous=continuous, relaxed=relaxed)
        return Point(values=engine.point()) if engine.satisfiable(assumptions) else None

    def possible(
        self,
        rules: Collection[str],
        levels: Mapping[str, int] | None = None,
        restrictions: Sequence[Restriction] = (),
        *,
        relaxed: bool = False,
    ) -> bool:
        """Whether `find` would find a point."""
        if self.monotone is not None and not relaxed and all(isinstance(r, Bound) for r in restrictions):
            try:
                return self.monotone.possible(rules, levels or {}, [r for r in restrictions if isinstance(r, Bound)])
            except Stalled:
                pass
        if relaxed and not restrictions and (roundings := self._rounded()) is not None:
            told = roundings.possible(rules, levels or {})
            if told is not None:
                return told
        engine, assumptions = self.question(rules, levels or {}, restrictions, relaxed=relaxed)
        return engine.satisfiable(assumptions)

    def excluding(self, rules: Collection[str], levels: Mapping[str, int]) -> list[str] | None:
        """Rules of those that cannot hold at their levels even with steps ignored, mostly enough of them for that; None: they can.

        Raises:
            Undecided: the limits struck.
        """
        if (roundings := self._rounded()) is not None:
            told = roundings.possible(rules, levels)
            if told is not None:
                return None if told else sorted(roundings.blamed(rules, levels))
        engine, assumptions = self.question(rules, levels, relaxed=True)
        if engine.satisfiable(assumptions):
            return None
        return [key[1] for key in engine.core() if isinstance(key, tuple) and key[0] == "rule"]

    def derivation(self, rules: Collection[str], levels: Mapping[str, int], *, relaxed: bool) -> list[Step]:
        """Why the rules cannot reach their levels, step by step; empty: no step by step reason is known.

        Raises:
            Undecided: the time is up.
        """
        if relaxed:
            roundings = self._rounded()
            return [] if roundings is None else roundings.derivation(rules, levels)
        try:
            return [] if self.monotone is None else self.monotone.derivation(rules, levels)
        except Stalled:
            return []

    def _rounded(self) -> Roundings | None:
        """The engine for questions in which steps are ignored, made when first needed; None: the component is not monotone."""
        if self.monotone is not None and not self._has_rounded:
            self._has_rounded = True
            self._roundings = Roundings.of(
                self.names, self.grids, self.rules.values(), self.encoder, self.constants, self.limits, self.relaxable()
            )
        return self._roundings

    def standing(
        self, rules: Collection[str], levels: Mapping[str, int], restrictions: Sequence[Restriction] = ()
    ) -> Standing | None:
        """The least point, from which more can be asked at once; None: there is none, or another engine has to answer."""
        bounds = [r for r in restrictions if isinstance(r, Bound)]
        if self.monotone is None or len(bounds) < len(restrictions):
            return None
        try:
            return self.monotone.standing(rules, levels, bounds)
        except Stalled:
            return None

    def question(
        self,
        rules: Iterable[str],
        levels: Mapping[str, int],
        restrictions: Sequence[Restriction] = (),
        *,
        continuous: str | None = None,
        relaxed: bool = False,
    ) -> tuple[Z3Engine, list[object]]:
        """The z3 engine and the assumptions that ask `find`'s question."""
        free = frozenset([continuous] if continuous is not None else ())
        if relaxed:
            free |= self.relaxable()
        engine, encoder = self._engine(free, continuous)
        assumptions: list[object] = []
        for rule in sorted(rules):
            level = levels.get(rule, 0)
            key = ("rule", rule, level)
            if not engine.knows(key):
                engine.define(key, encoder.rule(self.rules[rule], Demand(level=level or None)))
            assumptions.append(key)
        for restriction in restrictions:
            engine.define(restriction, self.logic(restriction))
            assumptions.append(restriction)
        return engine, assumptions

    def relaxable(self) -> frozenset[str]:
        """The parameters whose steps may be ignored: no counts, no lists, no factors that products are taken apart by."""
        return frozenset(
            n for n, g in self.grids.items() if not g.whole and g.listed is None and n not in self.encoder.picked
        )

    def _engine(self, free: frozenset[str], continuous: str | None) -> tuple[Z3Engine, Encoder]:
        key = (free, continuous is not None)
        if key not in self._engines:
            encoder = self.encoder
            if continuous is not None:
                encoder = Encoder(self.grids, self.constants, unpicked=continuous)
            self._engines[key] = Z3Engine(self.grids, self.limits, continuous=free), encoder
        return self._engines[key]

    def logic(self, restriction: Restriction) -> Logic:
        """A restriction as a formula."""
        if isinstance(restriction, Is):
            return Mode(restriction.name, restriction.sentinel)
        unknown = variable(Var(restriction.name, self.grids[restriction.name].time_exponent))
        parts: list[Logic] = [Mode(restriction.name, None)]
        if restriction.low is not None:
            parts.append(below(constant(restriction.low) - unknown, strict=restriction.low_open))
        if restriction.high is not None:
            parts.append(below(unknown - constant(restriction.high), strict=restriction.high_open))
        return both(parts)

    def exactly(self, name: str, value: Value) -> Restriction:
        """The restriction to one value."""
        return Is(name, value) if isinstance(value, Sentinel) else Bound(name=name, low=value, high=value)


@record(kw_only=True)
class Problem:
    """A spec ready to be solved."""

    spec: Spec
    rules: dict[str, NormalRule]
    constants: Constants
    grids: dict[str, Grid]
    #: In the order of their first parameter's name.
    components: list[Component]
    #: Rules without free parameters.
    settled: list[NormalRule]

    def world(self, values: Mapping[str, Value]) -> World:
        """What the rules are judged in, the free parameters at these (effective) values."""
        return World(values={**self.constants.values, **values}, bound=self.constants.bound)


def build(spec: Spec, rules: Mapping[str, NormalRule], limits: Limits) -> Problem:
    """Split a spec into components.

    Raises:
        InputErrors: rules that multiply free parameters of too many values.
    """
    grids = {p.name: grid_of(p) for p in spec.parameters.values() if p.role is Role.FREE}
    constants = constants_of(spec)
    encoder = Encoder(grids, constants)
    mentions = {rule.id: encoder.names(rule) for rule in rules.values()}
    owner = {name: name for name in grids}

    def root(name: str) -> str:
        while owner[name] != name:
            owner[name] = owner[owner[name]]
            name = owner[name]
        return name

    for names in mentions.values():
        for other in names[1:]:
            first, second = sorted((root(names[0]), root(other)))
            owner[second] = first
    members: dict[str, list[str]] = {}
    for name in sorted(grids):
        members.setdefault(root(name), []).append(name)
    inside: dict[str, dict[str, NormalRule]] = {}
    for rule_id in sorted(rules):
        if mentions[rule_id]:
            inside.setdefault(root(mentions[rule_id][0]), {})[rule_id] = rules[rule_id]
    components = [
        Component(names, inside.get(key, {}), {n: grids[n] for n in names}, constants, limits)
        for key, names in sorted(members.items())
    ]
    _refuse_products(components)
    settled = [rules[r] for r in sorted(rules) if not mentions[r]]
    return Problem(
        spec=spec, rules=dict(rules), constants=constants, grids=grids, components=components, settled=settled
    )


def _refuse_products(components: Iterable[Component]) -> None:
    errors: list[OutlastError] = []
    for component in components:
        for rule in component.rules.values():
            try:
                component.encoder.rule(rule, Demand())
            except OutlastError as error:
                errors.append(error)
    if errors:
        raise InputErrors("rules that cannot be solved", errors)
