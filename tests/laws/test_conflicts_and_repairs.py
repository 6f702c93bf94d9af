"""explain finds all conflicts and all ways out, no more and no fewer; what it says of a conflict is enough, and proved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from laws.accounts import account_of, broken, changes_of, ids, random_account
from naive.conflicts import CONSTANTS, Conflicts, Question
from naive.language import All, AnyOf, Bool, Cmp, Expr, Fn, Implies, Par, Parameter, Prod, Rule, Spec, Sum
from naive.linear import row
from naive.rules import names_in
from naive.unsatisfiable import generate
from outlast.constraints.polynomial import Var
from outlast.solver.account import Account, Cases, Certificate, Clash, Conflict, Group, Proof, Step

SEEDS, CHUNK = 48, 16
#: All laws look at the same accounts; one process has them once.
pytestmark = pytest.mark.xdist_group("accounts")


@pytest.mark.parametrize("start", range(0, SEEDS, CHUNK))
def test_all_conflicts_and_all_repairs_are_found(start: int) -> None:
    wrong: list[str] = []
    for seed in range(start, start + CHUNK):
        spec, account = random_account(seed)
        wrong += [f"seed {seed}: {w}" for w in differences(Conflicts(spec), account)]
    assert not wrong, "\n".join(wrong)


def differences(found: Conflicts, account: Account) -> Iterator[str]:
    """What enumeration says otherwise."""
    told = {frozenset(g.rules): g for g in account.groups}
    if set(told) != set(broken(found)) or len(told) != len(account.groups):
        yield f"{sorted(map(sorted, broken(found)))} are the groups, found {sorted(map(sorted, told))}"
        return
    if not account.is_complete:
        yield f"not complete: {account.undecided}, {[g.missing for g in account.groups]}"
    if [g.number for g in account.groups] != list(range(1, len(told) + 1)):
        yield "the groups are not numbered"
    for rules, group in told.items():
        yield from differing("conflict", found.conflicts(rules), [ids(c) for c in group.conflicts])
        yield from differing("repair", found.repairs(rules), [changes_of(r) for r in group.repairs])
        yield from wrongly_described(found, group)


def differing(what: str, expected: set[frozenset[str]], told: list[frozenset[str]]) -> Iterator[str]:
    for some, count in Counter(told).items():
        if some not in expected:
            yield f"{what} {sorted(some)} is none"
        if count > 1:
            yield f"{what} {sorted(some)} is told {count} times"
    yield from (f"{what} {sorted(some)} is not told" for some in expected - set(told))


def wrongly_described(found: Conflicts, group: Group) -> Iterator[str]:
    shown = {n for r in group.rules for n in found.names(r) if found.may_move(n)}
    if set(group.parameters) != shown:
        yield f"{shown} may move, found {group.parameters}"
    sizes = [(len(c.items), sorted(ids(c))) for c in group.conflicts]
    if sizes != sorted(sizes):
        yield "the smallest conflict is not the first"
    shoulds = {r for r in group.rules if found.rules[r].should}
    for conflict in group.conflicts:
        named = ids(conflict)
        if not conflict.minimal:
            yield f"{sorted(named)} is not said to be minimal"
        if conflict.by_steps != any(i.startswith("step:") for i in named):
            yield f"{sorted(named)} needs the steps: {conflict.by_steps}"
        if set(conflict.shoulds) != {i.partition(":")[2] for i in named if i.startswith("rule:")} & shoulds:
            yield f"{conflict.shoulds} are told as should rules"
    needs_shoulds = all(c.shoulds for c in group.conflicts)
    if group.is_must == needs_shoulds:
        yield f"must: {group.is_must}"


def test_a_conflict_too_many_and_one_too_few_are_noticed() -> None:
    spec, account = next(
        (s, a) for s, a in map(random_account, range(SEEDS)) if any(len(g.conflicts) > 1 for g in a.groups)
    )
    other = generate(SEEDS + 1)
    assert list(differences(Conflicts(spec), account)) == []
    assert list(differences(Conflicts(other), account)) != []
    rules = frozenset(next(g for g in account.groups if len(g.conflicts) > 1).rules)
    told = [ids(c) for g in account.groups if frozenset(g.rules) == rules for c in g.conflicts]
    assert len(list(differing("conflict", Conflicts(spec).conflicts(rules), told[1:]))) == 1
    assert len(list(differing("conflict", Conflicts(spec).conflicts(rules), [*told, told[0] | {"rule:none"}]))) == 1


# Proofs.


@pytest.mark.parametrize("start", range(0, SEEDS, CHUNK))
def test_proofs_add_up_and_each_line_follows_from_its_item(start: int) -> None:
    wrong: list[str] = []
    seen: Counter[str] = Counter()
    for seed in range(start, start + CHUNK):
        spec, account = random_account(seed)
        for conflict in account.conflicts:
            seen[type(conflict.proof).__name__] += 1
            wrong += [f"seed {seed}: {w} of {sorted(ids(conflict))}" for w in unproved(Conflicts(spec), conflict)]
    assert not wrong, "\n".join(wrong)
    assert seen["Certificate"] > 10
    assert seen["Cases"] > 2
    assert seen["NoneType"] < 0.1 * seen.total()


def unproved(found: Conflicts, conflict: Conflict) -> Iterator[str]:
    if conflict.proof is None:
        return
    used = set(items_of(conflict.proof)) - {"natural", "rounding", "case"}
    if not used <= ids(conflict):
        yield f"{used - ids(conflict)} are used beyond the items"
    for certificate in certificates(conflict.proof):
        yield from badly_added(certificate)
    if isinstance(conflict.proof, Certificate):
        # Constants whose value stands in a row, not as a line of its own: intervals and factors.
        folded = {i for i in ids(conflict) if i.partition(":")[0] in CONSTANTS} - used
        if used | folded != ids(conflict):
            yield f"{ids(conflict) - used} take no part in the proof"
        for step in conflict.proof.steps:
            if not follows(found, step, folded):
                yield f"{step.item} does not imply {step.says}"


def items_of(proof: Proof) -> Iterator[str]:
    match proof:
        case Certificate(steps=steps):
            yield from (s.item for s in steps)
        case Clash(items=items):
            yield from items
        case Cases(cases=cases):
            yield from (proof.item, *proof.also)
            for case in cases:
                yield from items_of(case.proof)


def certificates(proof: Proof) -> Iterator[Certificate]:
    if isinstance(proof, Certificate):
        yield proof
    elif isinstance(proof, Cases):
        for case in proof.cases:
            yield from certificates(case.proof)


def badly_added(certificate: Certificate) -> Iterator[str]:
    total: dict[object, Fraction] = {}
    for step in certificate.steps:
        if step.multiplier <= 0:
            yield f"{step.says} is multiplied by {step.multiplier}"
        for monomial, coefficient in step.row.poly.terms.items():
            total[monomial] = total.get(monomial, Fraction(0)) + step.multiplier * coefficient
    number = total.pop((), Fraction(0))
    if any(total.values()):
        yield f"{total} is left over"
    if number < 0 or (number == 0 and not any(s.row.strict for s in certificate.steps)):
        yield f"{number} below 0 is no contradiction"


def follows(found: Conflicts, step: Step, folded: set[str]) -> bool:
    """Whether nothing satisfies the item and not its line; lines with products and functions are taken as they are."""
    form: dict[str, Fraction] = {}
    for monomial, coefficient in step.row.poly.terms.items():
        if len(monomial) > 1 or any(not isinstance(atom, Var) or power != 1 for atom, power in monomial):
            return True
        form["".join(atom.name for atom, _ in monomial if isinstance(atom, Var))] = coefficient
    names = set(form) - {""}
    if not names <= set(found.parameters):
        return True
    kind, _, name = step.item.partition(":")
    if kind in CONSTANTS:
        p = found.parameters[name]
        assert p.value is not None
        assert not isinstance(p.value, str)
        assert names <= {name}
        left = sum((c * (p.value if n else 1) for n, c in form.items()), Fraction(0))
        return left < 0 if step.row.strict else left <= 0
    opposite = row({n: -c for n, c in form.items()}, strict=not step.row.strict)
    kept = frozenset({step.item} if step.item != "natural" else set()) | folded
    return not found.holds(Question(kept), [opposite])


def test_a_proof_with_a_wrong_multiplier_or_line_is_noticed() -> None:
    spec, account = next(
        (s, a) for s, a in map(random_account, range(SEEDS)) if isinstance(a.conflicts[0].proof, Certificate)
    )
    proof = account.conflicts[0].proof
    assert isinstance(proof, Certificate)
    first, *others = proof.steps
    doubled = Step(first.item, first.multiplier * 2, first.times, first.says, first.row)
    assert list(badly_added(proof)) == []
    assert list(badly_added(Certificate((doubled, *others), proof.total))) != []
    assert list(badly_added(Certificate(tuple(others), proof.total))) != []
    lines = [s for s in proof.steps if s.item.startswith("rule:")]
    assert not all(follows(Conflicts(spec), replace_item(s, "natural"), set()) for s in lines)


def replace_item(step: Step, item: str) -> Step:
    return Step(item, step.multiplier, step.times, step.says, step.row)


# A report is enough.


@pytest.mark.parametrize("start", range(0, SEEDS, CHUNK))
def test_a_spec_of_what_a_conflict_names_has_that_conflict_alone(start: int) -> None:
    wrong: list[str] = []
    alone = 0
    for seed in range(start, start + CHUNK):
        spec, account = random_account(seed)
        for conflict in account.conflicts[:3]:
            rest = named_only(spec, ids(conflict))
            if rest is None:
                continue
            alone += 1
            told = [ids(c) for c in account_of(rest).conflicts]
            if told != [ids(conflict)]:
                wrong.append(f"seed {seed}: {sorted(ids(conflict))} became {list(map(sorted, told))}")
    assert not wrong, "\n".join(wrong)
    assert alone > CHUNK / 2


def named_only(spec: Spec, items: frozenset[str]) -> Spec | None:
    """A spec that says no more than these items; None: no spec says so little."""
    rules = []
    for rule in spec.rules:
        if f"rule:{rule.id}" in items:
            rules.append(replace(rule, margin=rule.margin if f"margin:{rule.id}" in items else None))
        elif f"margin:{rule.id}" in items or f"divisor:{rule.id}" in items:
            return None
    used = {n for r in rules if r.require is not None for n in names_in(r.require)}
    freed = {p.name for p in spec.parameters if p.role in CONSTANTS and f"{p.role}:{p.name}" not in items}
    if freed & set().union(*(factors(r) for r in rules)):
        return None
    parameters = [
        (replace(p, role="free", value=None, cost=None, interval=(Fraction(0), None), step=fine(p)) if p.name in freed else bare(p, items))
        for p in spec.parameters
        if p.name in used
    ]  # fmt: skip
    return Spec(tuple(parameters), tuple(replace(r, require=unmeasured(r.require, freed)) for r in rules))


def bare(p: Parameter, items: frozenset[str]) -> Parameter:
    """A parameter without the ends and the step that are not named."""
    if p.role in CONSTANTS:
        return p
    assert p.interval is not None
    low, high = p.interval
    ends = (
        low if f"domain:{p.name}.min" in items else Fraction(0),
        high if f"domain:{p.name}.max" in items else None,
    )
    return replace(p, interval=ends, step=p.step if f"step:{p.name}" in items else fine(p))


def fine(p: Parameter) -> Fraction | None:
    """A step so small that no conflict needs it."""
    return Fraction(1) if p.kind != "rate" else Fraction(1, 3600 * 10**9)


def factors(rule: Rule) -> set[str]:
    """The names in products and quotients."""

    def of(node: Expr | Bool) -> set[str]:
        match node:
            case Prod(factors=parts):
                return {n for _, f in parts for n in names_in(f)}
            case Sum(terms=parts):
                return set().union(*(of(t) for _, t in parts))
            case Fn(args=args):
                return set().union(*map(of, args))
            case Cmp():
                return of(node.left) | of(node.right)
            case All(parts=tests) | AnyOf(parts=tests):
                return set().union(*map(of, tests))
            case Implies():
                return of(node.condition) | of(node.conclusion)
            case _:
                return set()

    assert rule.require is not None
    return of(rule.require)


def unmeasured(node: Any, freed: set[str]) -> Any:
    """The formula with quantiles of what is no measurement any more as plain names."""
    if isinstance(node, Par):
        return Par(node.name) if node.name in freed else node
    if isinstance(node, tuple):
        return tuple(unmeasured(n, freed) for n in node)
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{f.name: unmeasured(getattr(node, f.name), freed) for f in fields(node)})
    return node


# Order and names.


def told(account: Account) -> list[object]:
    """Everything but where it stands, and which of the values that would do a repair shows."""
    return [
        (
            g.number, g.parameters, g.rules, g.missing,
            [(r.changes, r.cost, r.move, r.smallest) for r in g.repairs],
            [([(i.id, i.says, i.why) for i in c.items], c.proof, c.by_steps, c.minimal, c.shoulds) for c in g.conflicts],
        )
        for g in account.groups
    ]  # fmt: skip


@pytest.mark.parametrize("start", range(0, 16, 8))
def test_the_order_of_the_spec_changes_nothing(start: int) -> None:
    for seed in range(start, start + 8):
        spec, account = random_account(seed)
        assert told(account_of(spec, Random(seed))) == told(account), f"seed {seed}"


@pytest.mark.parametrize("start", range(0, 16, 8))
def test_names_decide_nothing_but_the_order(start: int) -> None:
    for seed in range(start, start + 8):
        spec, account = random_account(seed)
        names = sorted((p.name for p in spec.parameters), reverse=True)
        parameters = {name: f"p{n}" for n, name in enumerate(names)}
        rules = {name: f"q{n}" for n, name in enumerate(sorted((r.id for r in spec.rules), reverse=True))}
        assert anonymous(account_of(renamed(spec, parameters, rules)), {}) == anonymous(account, parameters | rules)


def anonymous(account: Account, names: Mapping[str, str]) -> Counter[object]:
    """Conflicts and repairs under other names; of amounts the sizes, as equal ones may be spread otherwise."""

    def other(item: str) -> str:
        kind, _, name = item.partition(":")
        end = name[-4:] if kind == "domain" else ""
        own = name.removesuffix(end)
        return f"{kind}:{names.get(own, own)}{end}"

    found: Counter[object] = Counter()
    for group in account.groups:
        found.update((frozenset(map(other, ids(c))), c.by_steps) for c in group.conflicts)
        found.update((frozenset(map(other, changes_of(r))), r.cost) for r in group.repairs)
    return found


def renamed(spec: Spec, parameters: Mapping[str, str], rules: Mapping[str, str]) -> Spec:
    def in_formula(node: Any) -> Any:
        if isinstance(node, Par):
            name = parameters[node.name]
            return Par(name, None if node.text is None else f"p90({name})")
        if isinstance(node, tuple):
            return tuple(map(in_formula, node))
        if is_dataclass(node) and not isinstance(node, type):
            return replace(node, **{f.name: in_formula(getattr(node, f.name)) for f in fields(node)})
        return node

    return Spec(
        tuple(replace(p, name=parameters[p.name]) for p in spec.parameters),
        tuple(replace(r, id=rules[r.id], require=in_formula(r.require)) for r in spec.rules),
    )
