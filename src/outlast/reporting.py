"""Pictures and pages of a spec: its rules at the values in use and at those recommended, and everything that is found about both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Final

from outlast.constraints.check import CheckOutcome
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.evaluate import Truth, Verdict, World, judge
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.model import Role, Severity, Spec
from outlast.constraints.normal import NormalRule
from outlast.constraints.quantities import Value
from outlast.constraints.record import record
from outlast.picturing.drawing import Drawing, names_of
from outlast.picturing.layout import lay_out
from outlast.picturing.timeline import Timeline
from outlast.solver.audit import audit, severity_of, value_in_use
from outlast.solver.constants import constants_of
from outlast.solver.outcome import Status

if TYPE_CHECKING:
    from outlast.solver.account import Account
    from outlast.solver.limits import Limits
    from outlast.solver.mutants import MutateOutcome
    from outlast.solver.outcome import SolveOutcome

__all__ = [
    "IN_USE",
    "RECOMMENDED",
    "Panel",
    "Pictured",
    "Reported",
    "is_short",
    "picture_spec",
    "report_spec",
    "unknown_in",
]

#: Whose values a panel shows.
IN_USE: Final = "in use"
RECOMMENDED: Final = "recommended"

#: How a search ends that has none to recommend.
_WITHOUT_VALUES: Final = ("conflict", "undecided")


@record(kw_only=True)
class Panel:
    """Pictures at one set of values."""

    #: `IN_USE` or `RECOMMENDED`.
    name: str
    #: Of free and fixed parameters and of facts with one value, as written.
    values: Mapping[str, Value]
    #: Of the rules in the pictures, as far as the values tell.
    verdicts: Mapping[str, Verdict]
    #: Of the drawings all of whose values are known, in their order.
    timelines: tuple[Timeline, ...]


@record(kw_only=True)
class Pictured:
    """Pictures of a spec or of one of its rules."""

    spec: Spec
    #: Those in use first; each has at least one picture.
    panels: tuple[Panel, ...]
    #: The search that recommends; None: nobody asked for what it recommends.
    solved: SolveOutcome | None
    #: What cannot be drawn and why, as sentences without a full stop.
    untold: tuple[str, ...]
    #: Whether `solve` recommends the very values in use, so that one panel shows both.
    is_recommended: bool = False
    #: Pictures none of whose rules applies at any of these values, by id; they are not drawn unless they are named.
    idle: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """`conflict` or `undecided` where values were to be recommended and are not, else `findings` or `holds` of what is shown."""
        if self.solved is not None and self.solved.status.value in _WITHOUT_VALUES:
            return str(self.solved.status.value)
        short = {rule for panel in self.panels for rule, verdict in panel.verdicts.items() if is_short(verdict)}
        return "findings" if any(_counts(severity_of(self.spec.rules[rule])) for rule in short) else "holds"


@record(kw_only=True)
class Reported:
    """A spec, its rules at the values in use and at those recommended, and all that can be said about both."""

    spec: Spec
    rules: Mapping[str, NormalRule]
    #: At the values in use, as far as they are known: rules that speak of others stand there with what is missing.
    checked: CheckOutcome
    solved: SolveOutcome
    #: Why what is broken is so, and every way out: of the spec where it has no solution, else of the values in use; None: nothing is broken.
    account: Account | None
    #: Which slips no rule notices; None: that cannot be told, `untold` says why.
    mutated: MutateOutcome | None
    untold: str | None
    #: All pictures, those that the catalogue or the spec names first, each group by id.
    drawings: tuple[Drawing, ...]
    today: date

    def world(self, written: Mapping[str, Value]) -> World:
        """What names stand for at these values of free and fixed parameters, as written; all others as the spec says."""
        return _world(self.spec, written)

    @property
    def status(self) -> str:
        """`conflict` or `undecided` where there are no values to recommend, else `findings` or `holds` of those in use."""
        if self.solved.status.value in _WITHOUT_VALUES:
            return str(self.solved.status.value)
        return "findings" if any(_counts(finding.severity) for finding in self.checked.findings) else "holds"

    @property
    def recommended(self) -> dict[str, Value]:
        """What `solve` recommends for free parameters; empty where it has no answer."""
        return _recommended(self.solved)


def picture_spec(
    spec: Spec,
    rules: Mapping[str, NormalRule],
    *,
    rule: str | None,
    panels: Sequence[str],
    exact: bool = False,
    limits: Limits,
) -> Pictured:
    """Draw all rules, or those that `rule` names: a rule, a chain, a relation or a picture.

    Where none is named, pictures none of whose rules applies are left out, and bounds of the catalogue that hold.

    `panels` are of `IN_USE` and `RECOMMENDED`; none: both, as far as they are known and not the same.

    Raises:
        InputErrors: nothing is called so or can be drawn, or values in use were asked for and are not known.
    """
    from outlast.picturing.shapes import drawings_of

    drawings = _chosen(spec, rules, drawings_of(spec, rules), rule)
    asked = tuple(panels) or (IN_USE, RECOMMENDED)
    in_use = {p.name: v for p in spec.parameters.values() if (v := value_in_use(p)) is not None}
    found: list[Panel] = []
    silent: dict[str, None] = {}
    untold: list[str] = []
    solved: SolveOutcome | None = None
    is_same = False
    if IN_USE in asked:
        panel, missing = _panel(IN_USE, spec, rules, drawings, in_use, is_named=rule is not None)
        silent |= dict.fromkeys(_silent(panel, drawings))
        if panel.timelines:
            found.append(panel)
        elif missing and panels:
            raise _unknown(spec, missing)
        if panel.timelines or RECOMMENDED not in asked:
            untold += (f"{IN_USE}: {id_} needs a value of {' and '.join(names)}" for id_, names in missing.items())
    if RECOMMENDED in asked:
        from outlast.solver.solve import solve_spec

        solved = solve_spec(spec, rules, objective="margin", exact=exact, limits=limits)
        chosen = _recommended(solved)
        if solved.status is Status.CONFLICT:
            untold.append("no values can be recommended: the rules conflict, as outlast explain tells")
        elif solved.status is Status.UNDECIDED:
            untold.append(f"no values can be recommended: {solved.undecided or 'the limits struck'}")
        elif found and not panels and all(in_use.get(name) == value for name, value in chosen.items()):
            is_same = True
        else:
            panel, _ = _panel(RECOMMENDED, spec, rules, drawings, {**in_use, **chosen}, is_named=rule is not None)
            silent |= dict.fromkeys(_silent(panel, drawings))
            found += (panel,) if panel.timelines else ()
    drawn = {timeline.id for panel in found for timeline in panel.timelines}
    return Pictured(
        spec=spec,
        panels=tuple(found),
        solved=solved,
        untold=tuple(untold),
        is_recommended=is_same,
        idle=tuple(sorted(silent.keys() - drawn)),
    )


def report_spec(spec: Spec, rules: Mapping[str, NormalRule], *, today: date, limits: Limits) -> Reported:
    """Find everything that a page tells.

    Raises:
        InputErrors: the spec cannot be solved, or a rule cannot be judged.
    """
    from outlast.picturing.shapes import drawings_of
    from outlast.solver.explain import explain_spec
    from outlast.solver.mutants import mutate_spec
    from outlast.solver.solve import solve_spec

    checked = audit(spec, rules, known_only=True, may_know_nothing=True)
    if spec.ignores or spec.marked:
        from outlast.configs.ignoring import without_ignored

        checked = without_ignored(checked, today)
    solved = solve_spec(spec, rules, objective="margin", exact=False, limits=limits)
    account = solved.account
    broken = sum(1 for c in checked.rules.values() if is_short(c.verdict))
    if account is None and broken:
        most = _MOST_WAYS if broken <= _FEW_BROKEN else 1
        account = explain_spec(spec, rules, current=True, limit=most, limits=limits)
    mutated, untold = None, None
    try:
        mutated = mutate_spec(spec, rules, facts=False, limits=limits, answer=solved)
    except InputErrors as group:
        untold = "; ".join(str(error) for error in group.exceptions)
    return Reported(
        spec=spec,
        rules=rules,
        checked=checked,
        solved=solved,
        account=account,
        mutated=mutated,
        untold=untold,
        drawings=drawings_of(spec, rules),
        today=today,
    )


#: Conflicts and ways out of a group that a page tells; where more rules are broken than a few, there are very many, and it tells one.
_MOST_WAYS: Final = 10
_FEW_BROKEN: Final = 4


def _counts(severity: Severity) -> bool:
    """Whether what is so loud makes check fail where nobody says otherwise."""
    return severity is not Severity.ADVICE


def is_short(verdict: Verdict | None) -> bool:
    """Whether a rule is broken or misses its margin."""
    return verdict is not None and (verdict.truth is Truth.BROKEN or not verdict.margin_kept)


def unknown_in(drawing: Drawing, rules: Mapping[str, NormalRule], world: World) -> list[str]:
    """The names without a value that a drawing, or a rule of it, needs; sorted."""
    needed = names_of(drawing) | {name for rule in drawing.rules for name in rules[rule].names()}
    return sorted(name for name in needed if name not in world.values)


def _world(spec: Spec, written: Mapping[str, Value]) -> World:
    constants = constants_of(spec)
    effective = {name: spec.parameters[name].effective(value) for name, value in written.items()}
    return World(values={**constants.values, **effective}, bound=constants.bound)


def _recommended(solved: SolveOutcome) -> dict[str, Value]:
    return {
        name: result.value
        for name, result in solved.parameters.items()
        if result.parameter.role is Role.FREE and result.value is not None
    }


def _panel(
    name: str,
    spec: Spec,
    rules: Mapping[str, NormalRule],
    drawings: Iterable[Drawing],
    written: Mapping[str, Value],
    *,
    is_named: bool,
) -> tuple[Panel, dict[str, list[str]]]:
    """The pictures at these values; by drawing, the names whose values are missing."""
    world = _world(spec, written)
    verdicts: dict[str, Verdict] = {}
    timelines: list[Timeline] = []
    missing: dict[str, list[str]] = {}
    for drawing in drawings:
        if unknown := unknown_in(drawing, rules, world):
            missing[drawing.id] = unknown
            continue
        own = {rule: judge(rules[rule], world) for rule in drawing.rules}
        verdicts |= own
        if not is_named and all(_is_idle(rules[rule], verdict) for rule, verdict in own.items()):
            continue
        timelines.append(lay_out(drawing, world, own))
    return Panel(
        name=name, values=dict(sorted(written.items())), verdicts=verdicts, timelines=tuple(timelines)
    ), missing


def _silent(panel: Panel, drawings: Iterable[Drawing]) -> Iterator[str]:
    """The drawings of which some rule does not apply at the panel's values; those that are drawn nevertheless are among them."""
    for drawing in drawings:
        found = [panel.verdicts[rule] for rule in drawing.rules if rule in panel.verdicts]
        if any(verdict.truth is Truth.NOT_APPLICABLE for verdict in found):
            yield drawing.id


def _is_idle(rule: NormalRule, verdict: Verdict) -> bool:
    """Whether a picture of it would tell nobody anything: it does not apply, or says what the software takes at all, which is kept."""
    return verdict.truth is Truth.NOT_APPLICABLE or (rule.rule.is_bound and verdict.truth is Truth.HOLDS)


def _chosen(
    spec: Spec, rules: Mapping[str, NormalRule], drawings: Sequence[Drawing], name: str | None
) -> Sequence[Drawing]:
    """The drawings that a word of the command line means."""
    if name is None:
        if not drawings:
            raise _nothing(f"there is nothing to draw: '{spec.path.name}' has no rule that compares quantities")
        return drawings
    meant = {id_ for id_, rule in rules.items() if name in (id_, rule.rule.chain, *_relation(rule))}
    found = [d for d in drawings if d.id == name or meant & set(d.rules)]
    if found:
        return found
    if meant:
        raise _nothing(f"rule {quoted(name)} compares no quantities, so there is nothing to draw")
    near = Problems().nearest(name, [*rules, *(d.id for d in drawings)])
    raise _nothing(f"expected a rule or a picture, found {quoted(name)}{near}")


def _relation(rule: NormalRule) -> tuple[str, ...]:
    return () if rule.rule.relation is None else (rule.rule.relation.id,)


def _nothing(message: str) -> InputErrors:
    return InputErrors("nothing to draw", [OutlastError(message)])


def _unknown(spec: Spec, missing: Mapping[str, Sequence[str]]) -> InputErrors:
    """What keeps all pictures from being drawn at the values in use."""
    names = dict.fromkeys(name for each in missing.values() for name in each)
    return InputErrors(
        "values are missing",
        [
            OutlastError(
                f"parameter '{name}' has no value in use: write current:, say --set {name}=VALUE, or draw what is --recommended",
                spec.parameters[name].place,
            )
            for name in sorted(names)
        ],
    )
