"""Whether a rule guards less than it did: whether there are values that the old one forbids and the new one, or several, allow.

Every parameter, fact, fixed value and measurement is unknown here, since another value is not another rule; z3 decides, and values
that show a rule to be weaker are judged again by exact evaluation before they are told.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from outlast.constraints import expression as ex
from outlast.constraints.errors import OutlastError
from outlast.constraints.evaluate import Truth, judge
from outlast.constraints.model import Level, Spec
from outlast.constraints.normal import Inequality, NormalRule, normalise
from outlast.constraints.polynomial import Poly
from outlast.constraints.record import record, replace
from outlast.solver.encode import Demand
from outlast.solver.limits import Limits, Undecided
from outlast.solver.logic import FALSE, TRUE, Logic, both, either, implies, negated
from outlast.solver.unknowns import Unknowns, kinds_differ
from outlast.solver.witness import Witness, found, tried

__all__ = ["Guard", "Loosening", "Way", "Weakening", "Witness", "compare", "unguarded_by"]

#: z3's effort for one question.
_EFFORT: Final = 2_000_000
#: How often an example is looked for in which calls come to what they do.
_MOST_ROUNDS: Final = 8


class Guard(Enum):
    """How much a rule guards, beside what it guarded."""

    SAME = "guards the same"
    STRONGER_OR_SAME = "guards no less"
    WEAKER = "guards less"
    UNDECIDED = "undecided"


class Way(Enum):
    """In what a rule guards less."""

    #: What is required.
    REQUIREMENT = "requirement"
    #: It applies to fewer cases (`when`), and would forbid these if it did.
    CONDITION = "condition"
    MARGIN = "margin"
    #: A parameter may now be off that had not to be.
    NEEDS_ON = "needs_on"
    #: It must no longer hold, but should.
    LEVEL = "level"


@record
class Loosening:
    """One way in which a rule guards less, and values that the old one forbids and the new one allows (of a level: that both forbid)."""

    way: Way
    #: None: a level fell, and no values were found that show it.
    witness: Witness | None


@record(kw_only=True)
class Weakening:
    """A rule beside what it was."""

    verdict: Guard
    #: Every way that was found, in the order of `Way`; empty unless it guards less.
    loosenings: tuple[Loosening, ...] = ()
    #: Whether it forbids something that was allowed, or must hold and only should; None: that could not be told.
    guards_more: bool | None = False
    #: Why it is undecided, without a full stop.
    reason: str | None = None

    @property
    def is_weaker(self) -> bool:
        """Whether it guards less."""
        return self.verdict is Guard.WEAKER

    @property
    def is_undecided(self) -> bool:
        """Whether it could not be told."""
        return self.verdict is Guard.UNDECIDED

    @property
    def ways(self) -> tuple[Way, ...]:
        """In what it guards less."""
        return tuple(each.way for each in self.loosenings)

    @property
    def witness(self) -> Witness | None:
        """Values that show it to guard less."""
        return next((each.witness for each in self.loosenings if each.witness is not None), None)


def compare(
    before: NormalRule,
    before_spec: Spec,
    after: NormalRule,
    after_spec: Spec,
    limits: Limits,
    *,
    renamed: Mapping[str, str] | None = None,
) -> Weakening:
    """Decide whether the new rule guards less than the old one, and whether it guards more.

    Both are in the normal form of their own spec, derived parameters replaced. `renamed` gives the new name of parameters and
    measurements that only have another one now; witnesses use new names. A rule that should hold forbids what breaks it, too.
    """
    return unguarded_by(before, before_spec, (after,), after_spec, limits, renamed=renamed)


def unguarded_by(
    before: NormalRule,
    before_spec: Spec,
    after: Sequence[NormalRule],
    after_spec: Spec,
    limits: Limits,
    *,
    renamed: Mapping[str, str] | None = None,
) -> Weakening:
    """Decide whether there are values that the old rule forbids and none of the new ones does.

    Of rules and names as `compare`, which is the case of one new rule. What should hold does not guard for what must. Of several new rules it is not
    asked whether they guard more (`guards_more` is None), and that they should where the old one must counts only where values show it.
    Rules that have nothing to do with the old one change nothing but make witnesses longer.
    """
    if renamed:
        before, before_spec = _renamed(before, before_spec, renamed)
    alone = after[0] if len(after) == 1 else None
    drops, rises = alone is not None and _drops(before, alone), alone is not None and _drops(alone, before)
    alike = [rule for rule in after if _is_same(before, rule)]
    if not all(_drops(before, rule) for rule in alike):
        return _kept(None if alone is None else rises)
    differing = [(r, None if r in alike else kinds_differ([(before, before_spec), (r, after_spec)])) for r in after]
    comparable = [rule for rule, why in differing if why is None]
    # A rule that says nothing of values as they were may guard, and may not.
    doubt = next((why for rule, why in differing if why is not None and not _drops(before, rule)), None)
    if after and not comparable:
        if doubt is None:
            return Weakening(verdict=Guard.WEAKER, loosenings=(Loosening(Way.LEVEL, None),), guards_more=None)
        return Weakening(verdict=Guard.UNDECIDED, guards_more=None, reason=doubt)
    question = _Question(before, before_spec, comparable, after_spec, limits)
    by_way: dict[Way, Loosening] = {}
    reasons: list[str] = []
    for way in (Way.LEVEL,) if alike else Way:
        try:
            loosening = question.loosening(way)
        except Undecided as error:
            reasons.append(str(error))
        else:
            if loosening is not None:
                by_way.setdefault(loosening.way, loosening)
    if drops:
        by_way.setdefault(Way.LEVEL, Loosening(Way.LEVEL, None))
    guards_more = False if not after else None if alone is None else rises or (not alike and question.guards_more())
    if by_way and doubt is None:
        loosenings = tuple(by_way[way] for way in Way if way in by_way)
        return Weakening(verdict=Guard.WEAKER, loosenings=loosenings, guards_more=guards_more)
    if by_way or reasons:
        return Weakening(verdict=Guard.UNDECIDED, guards_more=guards_more, reason=doubt or reasons[0])
    return _kept(guards_more)


def _kept(guards_more: bool | None) -> Weakening:
    verdict = Guard.SAME if guards_more is False else Guard.STRONGER_OR_SAME
    return Weakening(verdict=verdict, guards_more=guards_more)


def _drops(before: NormalRule, after: NormalRule) -> bool:
    """Whether one must hold, and the other only should."""
    return before.rule.level is Level.MUST and after.rule.level is not Level.MUST


def _is_same(before: NormalRule, after: NormalRule) -> bool:
    """Whether both say the same in the same words, levels aside."""
    return (
        before.formula == after.formula
        and before.when == after.when
        and before.rule.margin == after.rule.margin
        and set(before.muted_by) == set(after.muted_by)
        and {poly for _, poly in before.needs_on} == {poly for _, poly in after.needs_on}
    )


#: In the place of what a rule requires.
_ALWAYS: Final = Inequality(left=Poly({}), right=Poly({}), strict=False, optimistic=False)
_NEVER: Final = replace(_ALWAYS, strict=True)


class _Question:
    """A rule, those that may guard in its stead, and the questions about them.

    A new rule that cannot be written as a formula is left out of it, so that more is allowed: if nothing is lost even so, nothing is.
    What is found is judged by all rules.
    """

    def __init__(
        self,
        before: NormalRule,
        before_spec: Spec,
        after: Sequence[NormalRule],
        after_spec: Spec,
        limits: Limits,
    ) -> None:
        self._before, self._after = before, after
        self._limits = Limits(limits.deadline, min(limits.effort or _EFFORT, _EFFORT))
        self._unknowns = Unknowns([(before, before_spec), *((rule, after_spec) for rule in after)])
        self._known: dict[tuple[int, str], Logic] = {}
        #: Why a rule is left out.
        self._left_out: str | None = None

    def loosening(self, way: Way) -> Loosening | None:
        """Values that the old rule forbids and the new ones allow in this way; None: there are none.

        Raises:
            Undecided: it could not be told.
        """

        def shows(witness: Witness) -> bool:
            shown = self._way(witness)
            return shown is way or (shown is not None and self._left_out is not None)

        witness = self._ask(lambda: self._logic(way), shows)
        shown = None if witness is None else self._way(witness)
        return None if shown is None else Loosening(shown, witness)

    def guards_more(self) -> bool | None:
        """Whether the only new rule forbids what the old one allows; None where that could not be told."""
        (after,) = self._after

        def shows(witness: Witness) -> bool:
            return _forbids(after, witness) and not _forbids(self._before, witness)

        try:
            self._limits.check()
            logic = self._holds(self._before), negated(self._holds(after))
            return self._ask(lambda: both(logic), shows, is_shown=False) is not None
        except (Undecided, OutlastError):
            return None

    def _ask(
        self, formula: Callable[[], Logic], shows: Callable[[Witness], bool], *, is_shown: bool = True
    ) -> Witness | None:
        try:
            logic = formula()
            if logic is FALSE:
                return None
            engine = self._unknowns.engine(self._limits)
            question: list[Hashable] = ["question"]
            engine.define("question", logic)
            for number in range(_MOST_ROUNDS):
                if not engine.satisfiable(question):
                    return None
                witness = found(self._unknowns, engine, question, self._limits, is_readable=is_shown)
                if witness is not None and _is_so(shows, witness):
                    return witness
                # What a call comes to was free. Here it is not: either that will do, or these values are no example.
                called = None if witness is None else self._unknowns.called_at(witness.point())
                if called is None:
                    break
                arguments, results = called
                here: list[Hashable] = [*question, number]
                engine.define(number, both((arguments, results)))
                if engine.satisfiable(here):
                    witness = found(self._unknowns, engine, here, self._limits, is_readable=is_shown)
                    if witness is not None and _is_so(shows, witness):
                        return witness
                engine.require(implies(arguments, results))
            reason = self._left_out or "no values were found that show a difference, and none that exclude it"
        except (Undecided, OutlastError) as error:
            self._limits.check()
            reason = error.message if isinstance(error, OutlastError) else str(error)
        tries = tried(self._unknowns, (self._before, *self._after), self._limits)
        fitting = next((w for w in tries if _is_so(shows, w)), None)
        if fitting is None:
            raise Undecided(reason)
        return fitting

    # The ways exclude each other at given values, and together are all of them; also as formulas, if rules are left out.

    def _logic(self, way: Way) -> Logic:
        before, after = self._before, self._after
        may_say_it = {
            Way.CONDITION: any(rule.when is not None for rule in after),
            Way.NEEDS_ON: bool(before.needs_on),
            Way.MARGIN: before.rule.margin is not None,
            Way.LEVEL: any(_drops(before, rule) for rule in after),
        }
        if not may_say_it.get(way, True):
            return FALSE
        self._limits.check()  # of thousands of rules, formulas alone take long
        kept = self._holds(before)
        guards = both(self._allows(n, "rule") for n, rule in enumerate(after) if not _drops(before, rule))
        others = both(self._allows(n, "rule") for n, rule in enumerate(after) if _drops(before, rule))
        if way is Way.LEVEL:
            return both((negated(kept), guards, negated(others)))
        unlimited = both(self._allows(n, "limits") for n, rule in enumerate(after) if rule.when is not None)
        if way is Way.CONDITION:
            return both((negated(kept), guards, others, negated(unlimited)))
        allowed = both((guards, others, unlimited))
        plain = self._holds(before, margin=False)
        if way is Way.MARGIN:
            return both((plain, negated(kept), allowed))
        needs = self._holds(replace(before, formula=_ALWAYS, muted_by=()), margin=False) if before.needs_on else TRUE
        return both((negated(needs), allowed)) if way is Way.NEEDS_ON else both((negated(plain), needs, allowed))

    def _way(self, witness: Witness) -> Way | None:
        """In what the new rules guard less at these values; None: they do not."""
        if not _forbids(self._before, witness):
            return None
        forbidding = [rule for rule in self._after if _forbids(rule, witness)]
        if forbidding:
            return Way.LEVEL if all(_drops(self._before, rule) for rule in forbidding) else None
        if any(_is_out_of_reach(rule, witness) for rule in self._after):
            return Way.CONDITION
        verdict = judge(self._before, witness.world())
        if verdict.missing is not None:
            return Way.NEEDS_ON
        return Way.REQUIREMENT if verdict.truth is Truth.BROKEN else Way.MARGIN

    def _holds(self, rule: NormalRule, *, margin: bool = True) -> Logic:
        return self._unknowns.logic(rule, Demand(margin=margin))

    def _allows(self, number: int, what: str) -> Logic:
        """That a new rule forbids nothing, or that its condition is not why; nothing where that cannot be written as a formula."""
        key = (number, what)
        if key not in self._known:
            rule = self._after[number]
            try:
                if what == "rule":
                    self._known[key] = self._holds(rule)
                else:
                    applies = negated(self._holds(_only_condition(rule)))
                    self._known[key] = either((applies, self._holds(_without_condition(rule))))
            except OutlastError as error:
                self._left_out = error.message
                self._known[key] = TRUE
        return self._known[key]


def _only_condition(rule: NormalRule) -> NormalRule:
    """A rule that is broken wherever this one applies."""
    return replace(rule, formula=_NEVER, muted_by=(), needs_on=())


def _without_condition(rule: NormalRule) -> NormalRule:
    """What a rule would be that applied in all cases."""
    return replace(rule, when=None, muted_by=())


def _is_out_of_reach(rule: NormalRule, witness: Witness) -> bool:
    """Whether the rule does not apply at these values, and would forbid them if it did."""
    applies = rule.when is None or judge(_only_condition(rule), witness.world()).truth is Truth.BROKEN
    return not applies and _forbids(_without_condition(rule), witness)


def _forbids(rule: NormalRule, witness: Witness) -> bool:
    return not judge(rule, witness.world()).margin_kept


def _is_so(shows: Callable[[Witness], bool], witness: Witness) -> bool:
    try:
        return shows(witness)
    except OutlastError:  # too long to be computed
        return False


# Other names.


def _renamed(rule: NormalRule, spec: Spec, names: Mapping[str, str]) -> tuple[NormalRule, Spec]:
    """The rule and its spec with parameters and measurements called as they are now."""
    parameters = {
        names.get(n, n): replace(
            p, name=names.get(n, n), formula=None if p.formula is None else _in_other_names(p.formula, names)
        )
        for n, p in spec.parameters.items()
    }
    changed = replace(
        rule.rule,
        require=_in_other_names(rule.rule.require, names),
        when=None if rule.rule.when is None else _in_other_names(rule.rule.when, names),
        needs_on=tuple(names.get(n, n) for n in rule.rule.needs_on),
    )
    other = replace(spec, parameters=parameters, rules={rule.id: changed})
    return normalise(other)[0][rule.id], other


def _in_other_names(node: Any, names: Mapping[str, str]) -> Any:
    """The tree, of the same type, with other names in it."""

    def renamed(part: Any) -> Any:
        return _in_other_names(part, names)

    match node:
        case ex.Name() | ex.Is():
            return replace(node, name=names.get(node.name, node.name))
        case ex.Quantile():
            return replace(node, measurement=names.get(node.measurement, node.measurement))
        case ex.Sum():
            return replace(node, terms=tuple((sign, renamed(t)) for sign, t in node.terms))
        case ex.Product():
            return replace(node, factors=tuple((exponent, renamed(f)) for exponent, f in node.factors))
        case ex.Call():
            return replace(node, arguments=tuple(map(renamed, node.arguments)))
        case ex.If():
            parts = map(renamed, (node.condition, node.then, node.otherwise))
            return replace(node, **dict(zip(("condition", "then", "otherwise"), parts, strict=True)))
        case ex.Compare():
            return replace(node, left=renamed(node.left), right=renamed(node.right))
        case ex.And() | ex.Or():
            return replace(node, parts=tuple(map(renamed, node.parts)))
        case ex.Not():
            return replace(node, part=renamed(node.part))
        case ex.Implies():
            return replace(node, condition=renamed(node.condition), conclusion=renamed(node.conclusion))
        case _:
            return node
