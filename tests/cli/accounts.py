"""Accounts of conflicts written by hand, for what a report makes of each shape; whether they are true is tested elsewhere."""

from __future__ import annotations

from fractions import Fraction

from cli.running import SPECS
from outlast.constraints.loading import load_spec
from outlast.constraints.model import Spec
from outlast.constraints.polynomial import Poly
from outlast.solver.account import (
    Account,
    Case,
    Cases,
    Certificate,
    Clash,
    Conflict,
    Dropped,
    Group,
    Item,
    ItemKind,
    Moved,
    Proof,
    Repair,
    Step,
    Weakened,
)
from outlast.solver.logic import Below

__all__ = ["account", "cases", "certificate", "conflict", "group", "item", "repair", "spec", "system"]

SECOND = 10**9


def spec(name: str = "system") -> Spec:
    return load_spec(SPECS / f"{name}.yaml")


def item(id_: str, says: str, of: Spec | None = None) -> Item:
    kind, name = id_.split(":", 1)
    place = why = None
    if of is not None and name in of.rules:
        place, why = of.rules[name].place, of.rules[name].origin.why
    elif of is not None and name in of.parameters:
        place, why = of.parameters[name].place, of.parameters[name].origin.why
    return Item(kind=ItemKind(kind), name=name, says=says, place=place, why=why)


def certificate(*rows: tuple[str, str, str], total: str = "0s < -1s") -> Certificate:
    """Rows of item, multiplier as text, inequality."""
    told = [Step(id_, Fraction(1), times, says, Below(Poly({}), False)) for id_, times, says in rows]
    return Certificate(tuple(told), total)


def cases(by: str, **proofs: Proof) -> Cases:
    return Cases(by, tuple(Case(says.replace("_", " "), proof) for says, proof in proofs.items()))


def conflict(
    *items: Item,
    proof: Proof | None = None,
    by_steps: bool = False,
    minimal: bool = True,
    shoulds: tuple[str, ...] = (),
) -> Conflict:
    return Conflict(items=items, proof=proof, by_steps=by_steps, minimal=minimal, shoulds=shoulds)


def repair(
    *changes: Moved | Weakened | Dropped,
    cost: int = 1,
    move: Fraction = Fraction(1, 25),
    smallest: bool = True,
    headroom: tuple[tuple[str, Fraction], ...] = (),
    **seconds: Fraction | int,
) -> Repair:
    values = {name: Fraction(value) * SECOND for name, value in seconds.items()}
    return Repair(
        changes=changes, cost=Fraction(cost), move=move, smallest=smallest, values=values, headroom=headroom
    )  # fmt: skip


def group(
    number: int,
    conflicts: tuple[Conflict, ...] = (),
    repairs: tuple[Repair, ...] = (),
    *,
    rules: tuple[str, ...] = (),
    parameters: tuple[str, ...] = (),
    missing: tuple[str, ...] = (),
    missing_repairs: tuple[str, ...] = (),
) -> Group:
    return Group(
        number=number, parameters=parameters, rules=rules, conflicts=conflicts, repairs=repairs, missing=missing,
        missing_repairs=missing_repairs,
    )  # fmt: skip


def account(of: Spec, *groups: Group, current: bool = False, undecided: str | None = None) -> Account:
    return Account(spec=of, current=current, groups=groups, undecided=undecided)


def system() -> Account:
    """The whole account of system.yaml."""
    of = spec()
    reuse, order = item("rule:client_reuse", "idle >= 75s", of), item("rule:idle_order", "idle < 60s", of)
    detect = item("rule:detect", "2 * send_ping <= 7s", of)
    pods = item("fact:pods", "pods = 400", of)
    proof = certificate(
        ("rule:client_reuse", "1", "75s <= idle"),
        ("rule:idle_order", "1", "idle < lb_idle"),
        ("fact:lb_idle", "1", "lb_idle <= 60s"),
        total="0s < -15s",
    )
    first = group(
        1,
        (conflict(reuse, order, item("fact:lb_idle", "lb_idle = 60s", of), proof=proof),),
        (
            repair(
                Weakened(
                    rule="client_reuse",
                    share=Fraction(251, 1000),
                    by=-Fraction(15) * SECOND,
                    time_exponent=1,
                    to="1.251 * idle >= 75s",
                ),
                cost=10,
                move=Fraction(251, 1000),
                idle=Fraction(59999, 1000),
                headroom=(("idle_order", Fraction(1, 59999)), ("client_reuse", Fraction(1, 5))),
            ),
            repair(
                Weakened(
                    rule="idle_order",
                    share=Fraction(1, 3),
                    by=Fraction(20) * SECOND,
                    time_exponent=1,
                    to="idle < 1.34 * lb_idle",
                ),
                cost=10,
                move=Fraction(1, 3),
                idle=75,
            ),
        ),
        rules=("client_reuse", "idle_order"),
        parameters=("idle",),
    )
    budget, rate = (
        item("rule:nat_budget", "pods / send_ping <= 50/s", of),
        item("rule:rate", "pods / send_ping < 100/s", of),
    )
    deadline = item("rule:deadline", "send_ping + ping < ctx", of)
    second = group(
        2,
        (
            conflict(detect, budget, pods),
            conflict(detect, rate, pods),
            conflict(
                deadline,
                budget,
                item("fact:ctx", "ctx = 10s", of),
                pods,
                item("domain:ping.min", "ping >= 2300ms", of),
            ),
        ),
        (
            repair(
                Weakened(
                    rule="detect",
                    share=Fraction(512, 1000),
                    by=Fraction(3584, 1000) * SECOND,
                    time_exponent=1,
                    to="2 * send_ping <= 10.584s",
                ),
                Weakened(
                    rule="nat_budget",
                    share=Fraction(512, 1000),
                    by=Fraction(256, 10) / SECOND,
                    time_exponent=-1,
                    to="pods / send_ping <= 75.6/s",
                ),
                cost=20,
                send_ping=Fraction(5292, 1000),
                ping=Fraction(23, 10),
                headroom=(("detect", Fraction(0)), ("rate", Fraction(1, 3))),
            ),
        ),
        rules=("deadline", "detect", "nat_budget", "rate"),
        parameters=("ping", "send_ping"),
    )
    return account(of, first, second)


def clash(*pairs: tuple[str, str]) -> Clash:
    return Clash(tuple(i for i, _ in pairs), tuple(says for _, says in pairs))
