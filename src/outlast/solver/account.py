"""Why requirements cannot hold together, and every way out, as data: conflicts with their proofs, and repairs with amounts.

Values are as written in the spec unless said otherwise; numbers in base units.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Final

from outlast.constraints.errors import Place
from outlast.constraints.model import Spec
from outlast.constraints.quantities import Value
from outlast.constraints.record import record
from outlast.solver.logic import TRUE, Below, Logic

__all__ = [
    "OF_RULES",
    "Account",
    "Case",
    "Cases",
    "Certificate",
    "Change",
    "Clash",
    "Conflict",
    "Dropped",
    "Group",
    "Item",
    "ItemKind",
    "Moved",
    "Proof",
    "Repair",
    "Step",
    "Weakened",
    "kind_of",
    "name_of",
    "rule_of",
]


#: What an item may be that a rule brings with it.
OF_RULES: Final = ("rule", "margin", "divisor")


def kind_of(item: str) -> str:
    """`rule` of `rule:deadline`."""
    return item.split(":", 1)[0]


def name_of(item: str) -> str:
    """`deadline` of `rule:deadline`, `ping` of `domain:ping.min`."""
    kind, name = item.split(":", 1)
    return name.removesuffix(".min").removesuffix(".max") if kind == "domain" else name


def rule_of(item: str) -> str | None:
    """The rule that an item belongs to; None: it belongs to none."""
    return name_of(item) if kind_of(item) in OF_RULES else None


class ItemKind(Enum):
    """What may take part in a conflict."""

    RULE = "rule"
    MARGIN = "margin"
    DIVISOR = "divisor"
    FACT = "fact"
    FIXED = "fixed"
    #: A free parameter held at its value in use.
    CURRENT = "current"
    #: A parameter held at a value that was asked about.
    ASKED = "asked"
    MEASUREMENT = "measurement"
    DOMAIN = "domain"
    STEP = "step"


@record(kw_only=True)
class Item:
    """One member of a conflict: `rule:deadline`, `fact:pods`, `domain:ping.min`, ….

    `says` is its inequality or value in the rule language, numbers filled in where that helps.
    """

    kind: ItemKind
    name: str
    says: str
    place: Place | None
    why: str | None = None

    @property
    def id(self) -> str:
        """How reports call it."""
        return f"{self.kind.value}:{self.name}"

    @property
    def subject(self) -> str:
        """The parameter, measurement or rule that it is about."""
        return name_of(self.id)

    @property
    def is_of_rule(self) -> bool:
        """Whether a rule brings it with it."""
        return self.kind.value in OF_RULES


@record
class Step:
    """One line of a certificate: an inequality of the conflict, times its multiplier."""

    #: The id of an item; `natural` for a quantity that is never negative, `rounding` for what ceil and floor mean, `case` for what a case assumes.
    item: str
    multiplier: Fraction
    #: The multiplier as text, with a unit where the inequality has another dimension than the sum.
    times: str
    #: The inequality: "2 * send_ping <= 7s".
    says: str
    #: The same as poly < 0 or poly ≤ 0. Its atoms are free parameters and those constants that are items of their own; a product of two is an unknown of its own.
    row: Below


@record
class Certificate:
    """Multipliers (Farkas) with which inequalities add up to one that is false, checked exactly."""

    steps: tuple[Step, ...]
    #: What they add up to: "0 < -0.3s".
    total: str


@record
class Clash:
    """Two statements that exclude each other without any arithmetic: `ping is off`, `ping is a number`."""

    #: Ids as in `Step.item`.
    items: tuple[str, ...]
    says: tuple[str, ...]


@record
class Case:
    """One of the cases of a proof: what it assumes, and why it is impossible."""

    says: str
    proof: Proof
    #: What it assumes as a formula; inequalities of it are steps called `case`.
    assumes: Logic = TRUE


@record
class Cases:
    """A proof by cases, of which at least one would have to hold."""

    #: The item that says so (as in `Step.item`): a rule with alternatives, a step that leaves nothing between two multiples, a list of values.
    item: str
    cases: tuple[Case, ...]
    #: Further items that it takes for that: the steps of the other parameters of a sum.
    also: tuple[str, ...] = ()


Proof = Certificate | Clash | Cases


@record(kw_only=True)
class Conflict:
    """Items that cannot hold together, while any of them left out makes it possible."""

    #: Sorted by kind, then name.
    items: tuple[Item, ...]
    #: Checked exactly, without z3; None: z3 alone says that it is a conflict.
    proof: Proof | None
    #: It needs the steps: with values between them there would be no conflict.
    by_steps: bool
    #: Whether leaving out each single item was shown to end the conflict.
    minimal: bool
    #: Ids of the `should` rules among its rules; without one the spec cannot be solved.
    shoulds: tuple[str, ...] = ()

    @property
    def certificate(self) -> Certificate | None:
        """The proof where it needs no cases."""
        return self.proof if isinstance(self.proof, Certificate) else None


@record(kw_only=True)
class Moved:
    """A fixed value, or one in use, gets another value."""

    parameter: str
    #: `FIXED` or `CURRENT`.
    kind: ItemKind
    before: Value
    after: Value


@record(kw_only=True)
class Weakened:
    """A rule L < R becomes L < (1 + share)·R."""

    rule: str
    share: Fraction
    #: By how much that moves the right side of its only inequality, and the power of time of that; None where it is no constant.
    by: Fraction | None
    time_exponent: int
    #: The new requirement in the rule language.
    to: str


@record(kw_only=True)
class Dropped:
    """A margin given up (`kind` MARGIN), or a whole rule: a `should` rule, or one that no factor can weaken enough."""

    rule: str
    kind: ItemKind


Change = Moved | Weakened | Dropped


@record(kw_only=True)
class Repair:
    """Changes after which everything in a group holds; none of them can be left out, and the amounts work together."""

    #: Sorted by what they change.
    changes: tuple[Change, ...]
    cost: Fraction
    #: The largest relative move; 0 where nothing is moved.
    move: Fraction
    #: Whether smaller amounts were shown not to do.
    smallest: bool
    #: Values of the group's free parameters (as written) with which all holds.
    values: Mapping[str, Value]
    #: Headroom of the group's rules with them, tightest first; rules that do not score are left out.
    headroom: tuple[tuple[str, Fraction], ...]


@record(kw_only=True)
class Group:
    """Rules that share parameters which may move, and cannot all hold: its conflicts and repairs never mix with another group's."""

    #: From 1, in the order of the reports.
    number: int
    #: Free parameters and fixed values that a repair may move, by name.
    parameters: tuple[str, ...]
    rules: tuple[str, ...]
    #: The smallest first, then by the names of their items.
    conflicts: tuple[Conflict, ...]
    #: The cheapest first.
    repairs: tuple[Repair, ...]
    #: Whether the rules that must hold conflict, whatever is told; None: the conflicts show it.
    is_demanded: bool | None = None
    #: Why conflicts may be missing, in words; empty where these are all.
    missing: tuple[str, ...] = ()
    #: Why repairs may be missing, or are not as small as they could be.
    missing_repairs: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether these are all conflicts and all repairs."""
        return not (self.missing or self.missing_repairs)

    @property
    def is_must(self) -> bool:
        """Whether it keeps the spec from being solved, rather than only costing a `should` rule."""
        if self.is_demanded is not None:
            return self.is_demanded
        return not self.conflicts or any(not c.shoulds for c in self.conflicts)


@record(kw_only=True)
class Account:
    """All conflicts of a spec and all ways out."""

    spec: Spec
    #: Free parameters were held at their values in use.
    current: bool
    groups: tuple[Group, ...]
    #: What struck before it was known whether there is a conflict.
    undecided: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether nothing was left out."""
        return self.undecided is None and all(g.is_complete for g in self.groups)

    @property
    def has_all_conflicts(self) -> bool:
        """Whether no conflict was left out, though ways out may be."""
        return self.undecided is None and not any(g.missing for g in self.groups)

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Every conflict, group by group."""
        return tuple(c for g in self.groups for c in g.conflicts)

    @property
    def cheapest(self) -> tuple[Repair, ...]:
        """The cheapest repair of each group: together they mend everything."""
        return tuple(g.repairs[0] for g in self.groups if g.repairs)
