"""Which rules notice other values: against the reference evaluator and trying every step, and by hand for what is no number."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from textwrap import dedent

import pytest

from naive.generator import generate
from naive.language import OFF, Parameter, Spec, Value
from naive.rules import Judged, effective, grid
from outlast.api import mutate
from outlast.constraints.errors import InputErrors
from outlast.constraints.quantities import Kind, Sentinel, format_value
from outlast.reports.mutate import mutate_document
from outlast.reports.text import plain as plain_text_of
from outlast.solver.mutants import Fate, Mutated, MutateOutcome, Side, State

#: Steps that are tried one by one on each side, and at random beyond.
NEAR, FAR = 12, 8
#: Points at which the rules of a spec may all hold.
TRIES = 80


def plain(value: object) -> Value:
    if isinstance(value, Sentinel):
        return value.value
    assert isinstance(value, Fraction)
    return value.numerator if value.denominator == 1 else value


class Reference:
    """A spec at values in use that keep every rule; every number may be another one."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.parameters = {
            p.name: replace(p, role="free") if p.role in ("fixed", "fact") and p.value is not None else p
            for p in spec.parameters
        }
        self.values: dict[str, Value] = {}
        for p in spec.parameters:
            value = p.current if p.role == "free" else p.value
            if value is not None:
                self.values[p.name] = effective(p, value)
        links = [link for whole in spec.rules for link in whole.links()]
        self.rules = [Judged(r, self.parameters) for r in sorted(links, key=lambda r: r.id)]

    def noticed_by(self, name: str, value: Value) -> list[str]:
        values = {**self.values, name: effective(self.parameters[name], value)}
        return [r.id for r in self.rules if name in r.free and r.verdict(values).holds is False]

    def silenced(self, name: str, value: Value) -> list[str]:
        values = {**self.values, name: effective(self.parameters[name], value)}
        pairs = [(r, r.verdict(self.values).holds, r.verdict(values).holds) for r in self.rules if name in r.free]
        return [r.id for r, before, now in pairs if before is True and now is None]


def reference(seed: int) -> Reference | None:
    """The spec of a seed with values in use that keep every rule; None: none were found."""
    random, whole = Random(seed), generate(seed).spec
    free = [p for p in whole.parameters if p.role == "free"]
    now: dict[str, Value] = {p.name: grid(p)[0] for p in free}
    found = Reference(Spec(tuple(replace(p, current=now.get(p.name)) for p in whole.parameters), whole.rules))
    for _ in range(TRIES):
        found.values |= {p.name: effective(p, now[p.name]) for p in free}
        if all(r.verdict(found.values).holds is not False for r in found.rules):
            found.spec = Spec(tuple(replace(p, current=now.get(p.name)) for p in whole.parameters), whole.rules)
            return found
        now = {p.name: random.choice(grid(p)) for p in free}
    return None


@pytest.mark.parametrize("start", range(0, 60, 30))
def test_mutants_and_ends_are_those_of_trying_every_step(tmp_path: Path, start: int) -> None:
    wrong: list[str] = []
    seen = dict.fromkeys(Fate, 0)
    ends = 0
    for seed in range(start, start + 30):
        naive = reference(seed)
        if naive is None:
            continue
        path = tmp_path / "outlast.yaml"
        path.write_text(naive.spec.to_text())
        outcome = mutate(path, facts=True)
        if outcome.solved is not None:
            wrong.append(f"seed {seed}: values in use were not taken")
        for mutated in outcome.parameters:
            ends += sum(side.past is not None for side in (mutated.low, mutated.high))
            for mutant in mutated.mutants:
                seen[mutant.fate] += 1
            wrong += [f"seed {seed}: {each}" for each in differences(naive, mutated, Random(seed))]
    assert wrong == []
    assert min(seen.values()) > 1
    assert ends > 30


def differences(naive: Reference, mutated: Mutated, random: Random) -> list[str]:
    name, parameter = mutated.parameter.name, naive.parameters[mutated.parameter.name]
    told: list[str] = []
    for mutant in mutated.mutants:
        value = plain(mutant.value)
        noticed, silenced = naive.noticed_by(name, value), naive.silenced(name, value)
        if list(mutant.noticed_by) != noticed or list(mutant.silenced) != silenced:
            told.append(f"{name}={value}: {noticed} and {silenced} expected, found {mutant}")
        if (mutant.fate is Fate.NOTICED) != bool(noticed):
            told.append(f"{name}={value}: found {mutant.fate} although noticed by {noticed}")
    now = plain(mutated.parameter.effective(mutated.value))
    if isinstance(now, str):
        return told
    for upward, side in ((False, mutated.low), (True, mutated.high)):
        told += [f"{name}: {each}" for each in side_differences(naive, parameter, now, side, random, upward=upward)]
        for mutant in mutated.mutants:
            value = plain(mutant.means)
            if isinstance(value, str) or (value > now) != upward or mutant.fate is Fate.NOTICED:
                continue
            inside = side.past is not None and (value < side.past if upward else value > side.past)
            if (mutant.fate is Fate.ALLOWED) != inside:
                told.append(f"{name}={value}: found {mutant.fate} with {side}")
    return told


def side_differences(
    naive: Reference, p: Parameter, now: Fraction | int, side: Side, random: Random, *, upward: bool
) -> list[str]:
    """What trying says otherwise: the first steps all, then some at random."""
    step, sign = p.granularity, 1 if upward else -1
    first = now // step + 1 if upward else -(-now // step) - 1
    least = 1 if p.zero is not None else 0
    most = 1 / step if p.kind == "ratio" and now < 1 else None
    last = abs(side.past / step - first) if side.past is not None else 4000
    tried = [*range(NEAR), *sorted(random.randrange(int(last) + 1) for _ in range(FAR))]
    for k in tried:
        index = first + sign * k
        value = index * step
        if index < least or (most is not None and index > most):
            break
        if side.past is not None and sign * (value - side.past) >= 0:
            break
        if naive.noticed_by(p.name, value):
            return [f"noticed at {value} already, found {side}"]
    if side.past is None:
        return []
    if not naive.noticed_by(p.name, plain(side.past)):
        return [f"not noticed at the end, {side}"]
    inner = side.past - sign * step
    expected = inner if sign * (inner - now) >= 0 else now
    return [] if side.last == expected and side.past % step == 0 else [f"last value {expected} expected, found {side}"]


# What is no number, and what number may be meant.


def found(folder: Path, parameters: str, rules: str, *, facts: bool = False) -> MutateOutcome:
    path = folder / "outlast.yaml"
    lines = ["outlast: 1", "parameters:", *dedent(parameters).strip().splitlines()]
    lines = [*lines[:2], *(f"  {line}" for line in lines[2:]), "rules:"]
    lines += [f"  r{n}: {{ {rule} }}" for n, rule in enumerate(dedent(rules).strip().splitlines(), 1)]
    path.write_text("\n".join(lines) + "\n")
    return mutate(path, facts=facts)


def told_of(outcome: MutateOutcome, name: str) -> dict[str, str]:
    """By origin (each by itself), the value, the direction and what becomes of it."""
    mutated = next(m for m in outcome.parameters if m.parameter.name == name)
    kind = mutated.parameter.kind
    return {
        origin: f"{format_value(m.value, kind.time_exponent, percent=kind is Kind.RATIO)} {m.direction.value} {m.fate.value}"
        for m in mutated.mutants
        for origin in m.origins
    }


PAST = "one step past the range"


@pytest.mark.parametrize(
    ("parameters", "rules", "expected"),
    [
        (  # a 0 that means infinite is beyond all numbers; the rule notices
            "a: { fixed: 10s, step: 1s, zero: infinite }",
            "require: a < 60s",
            {PAST: "60s high noticed", "× 10": "100s high noticed", "× 1000": "10000s high noticed", "0": "0s high noticed",
             "infinite": "0s high noticed", "÷ 10": "1s low survives", "÷ 1000": "10ms low survives"},
        ),
        (  # a 0 that means off silences the rule
            "a: { fixed: 10s, step: 1s, zero: off }",
            "require: a < 60s",
            {PAST: "60s high noticed", "× 10": "100s high noticed", "× 1000": "10000s high noticed", "0": "0s off survives",
             "off": "0s off survives", "÷ 10": "1s low survives", "÷ 1000": "10ms low survives"},
        ),
        (  # unless it needs to be on
            "a: { fixed: 10s, step: 1s }",
            "require: 5s < a, needs_on: [a]",
            {PAST: "5s low noticed", "× 10": "100s high survives", "× 1000": "10000s high survives", "0": "0s low noticed",
             "off": "off off noticed", "÷ 10": "1s low noticed", "÷ 1000": "10ms low noticed"},
        ),
        (  # off is allowed where the rules judge what is used instead
            "a: { fixed: 10s, step: 1s, zero: off }",
            "require: '5s < first_set(a, 7s)'",
            {PAST: "5s low noticed", "× 10": "100s high survives", "× 1000": "10000s high survives", "0": "0s off allowed",
             "off": "0s off allowed", "÷ 10": "1s low noticed", "÷ 1000": "10ms low noticed"},
        ),
        (  # a default inside the range is no survivor, one outside is noticed
            "a: { fixed: 10s, step: 1s, unset: 50s }",
            "require: a < 60s",
            {PAST: "60s high noticed", "× 10": "100s high noticed", "× 1000": "10000s high noticed", "0": "0s low survives",
             "when unset": "50s high allowed", "÷ 10": "1s low survives", "÷ 1000": "10ms low survives"},
        ),
        (  # a rule that holds again farther out lets that survive
            "a: { fixed: 10s, step: 1s }",
            "require: a < 60s or a > 1h",
            {PAST: "60s high noticed", "× 10": "100s high noticed", "× 1000": "10000s high survives", "0": "0s low survives",
             "÷ 10": "1s low survives", "÷ 1000": "10ms low survives"},
        ),
        (  # a condition that no longer holds switches a rule off
            "a: { fixed: 10s, step: 1s }",
            "require: a > 5s, when: a >= 2s",
            {PAST: "5s low noticed", "× 10": "100s high survives", "× 1000": "10000s high survives", "0": "0s low survives",
             "÷ 10": "1s low survives", "÷ 1000": "10ms low survives"},
        ),
        (  # a margin that is no longer kept is noticed, and moves the end
            "a: { fixed: 10s, step: 1s }",
            "require: a < 60s, margin: 20%",
            {PAST: "51s high noticed", "× 10": "100s high noticed", "× 1000": "10000s high noticed", "0": "0s low survives",
             "÷ 10": "1s low survives", "÷ 1000": "10ms low survives"},
        ),
        (  # counts are whole and have no units; equal mutants are one
            "n: { fixed: 5 }",
            "require: n * 2s < 20s\nrequire: 2 <= n",
            {PAST: "10 high noticed", "× 10": "50 high noticed", "0": "0 low noticed", "÷ 10": "0 low noticed"},
        ),
        (  # a share of a whole is at most all of it; a factor is not
            "n: { fixed: 20% }\nk: { fixed: 1.5 }",
            "require: n + 10% <= 100% * k",
            {"× 10": "100% high survives", "÷ 10": "2% low survives", "0": "0% low survives"},
        ),
        (  # off the step, the end is still on it
            "a: { fixed: 10500ms, step: 1s }",
            "require: a < 12s\nrequire: a > 10s",
            {PAST: "10s low noticed", "× 10": "105s high noticed", "× 1000": "10500s high noticed", "0": "0s low noticed",
             "÷ 10": "1.05s low noticed", "÷ 1000": "10.5ms low noticed"},
        ),
        (  # from infinite there is a way down
            "a: { fixed: infinite, step: 1s, unset: 75s }",
            "require: a > 60s",
            {PAST: "60s low noticed", "one step": "1s low noticed", "0": "0s low noticed", "when unset": "75s low allowed"},
        ),
        (
            "a: { fixed: infinite, step: 1s, zero: off }",
            "require: a > 60s or a < 10s",
            {PAST: "60s low noticed", "one step": "1s low survives", "0": "0s off survives", "off": "0s off survives"},
        ),
        (  # what is off has no size: whatever it becomes is more, and allowed where a rule judges it
            "a: { fixed: off, unset: 75s }\nb: { fact: 90s }",
            "require: a < b",
            {"0": "0s high allowed", "when unset": "75s high allowed"},
        ),
        (  # dividing by it is undefined at 0, which no threshold of the rule tells
            "a: { fixed: 10s, step: 1s, zero: infinite }\nb: { fact: 3s }",
            "require: b / a < 2",
            {PAST: "1s low noticed", "× 10": "100s high survives", "× 1000": "10000s high survives", "0": "0s high survives",
             "infinite": "0s high survives", "÷ 10": "1s low noticed", "÷ 1000": "10ms low noticed"},
        ),
        (  # where it only fails at 0, that is the end
            "a: { fixed: 10s, step: 1s }",
            "require: 0 < 3s / a",
            {f"{PAST}": "0s low noticed", "0": "0s low noticed", "× 10": "100s high survives", "× 1000": "10000s high survives",
             "÷ 10": "1s low allowed", "÷ 1000": "10ms low allowed"},
        ),
        (  # infinite is beyond every end
            "a: { fixed: 10s, step: 1s }",
            "require: a < 60s or a is infinite",
            {PAST: "60s high noticed", "× 10": "100s high noticed", "× 1000": "10000s high noticed", "infinite": "infinite high survives",
             "0": "0s low survives", "÷ 10": "1s low survives", "÷ 1000": "10ms low survives"},
        ),
        (  # no number beside it, but some farther below
            "a: { fixed: infinite, step: 1s, unset: 75s }",
            "require: a is infinite or a < 60s",
            {PAST: "60s low noticed", "one step": "1s low survives", "0": "0s low survives", "when unset": "75s low noticed"},
        ),
        (  # what means the same is no mutant
            "a: { fixed: infinite, step: 1s, zero: infinite }",
            "require: a > 60s",
            {PAST: "60s low noticed", "one step": "1s low noticed"},
        ),
        (  # one rule that falls silent is enough
            "a: { fixed: 10s, step: 1s, zero: off }",
            "require: '5s < first_set(a, 7s)'\nrequire: a < 60s",
            {PAST: "5s low noticed", "× 10": "100s high noticed", "× 1000": "10000s high noticed", "0": "0s off survives",
             "off": "0s off survives", "÷ 10": "1s low noticed", "÷ 1000": "10ms low noticed"},
        ),
    ],
)  # fmt: skip
def test_what_becomes_of_each_mutant(tmp_path: Path, parameters: str, rules: str, expected: dict[str, str]) -> None:
    outcome = found(tmp_path, parameters, rules)
    assert outcome.solved is None
    name = outcome.parameters[-1].parameter.name
    told = told_of(outcome, name)
    if PAST in told and sum(PAST in m.origins for m in outcome.parameters[-1].mutants) > 1:
        expected = expected | {PAST: told[PAST]}  # both ends have one
    assert told == expected


def test_a_value_between_the_steps_may_be_the_last_one_itself(tmp_path: Path) -> None:
    outcome = found(tmp_path, "a: { fixed: 10500ms, step: 1s }", "require: a < 10600ms\nrequire: 10400ms < a")
    value = Fraction(10_500 * 10**6)
    assert outcome.parameters[0].low == Side(last=value, past=Fraction(10 * 10**9))
    assert outcome.parameters[0].high == Side(last=value, past=Fraction(11 * 10**9))


SECOND = 10**9


@pytest.mark.parametrize(
    ("parameter", "rules", "last", "past", "range_"),
    [
        ("fixed: infinite, zero: infinite", "require: a is infinite", "infinite", 1, "no number is allowed"),
        ("fixed: infinite", "require: a is infinite or a < 100s", "infinite", 100, "no number from 100s on"),
        ("fixed: infinite", "require: a is infinite or a < 60s\nrequire: a is infinite or a < 50s", "infinite", 50, "no number from 50s on"),
        ("fixed: infinite", "require: n * a <= a", "infinite", 1, "no number from 1s on"),
        ("fixed: infinite", "require: a > 60s\nrequire: a is infinite or a < 100s", "infinite", 100, "no number from 100s on"),
        ("fixed: infinite", "require: ceil(a / 1s) > 60", 61, 60, "from 61s on"),
        ("fixed: infinite", "require: a > 60s or a < 10s\nrequire: a > 20s", 61, 60, "from 61s on"),
        ("fixed: infinite", "require: a > 0s or a < 3s", None, None, "no limits"),
        ("fixed: off", "require: a is off", None, None, "no range"),
    ],
)  # fmt: skip
def test_below_infinite_the_range_ends_where_the_numbers_do(
    tmp_path: Path, parameter: str, rules: str, last: int | str | None, past: int | None, range_: str
) -> None:
    outcome = found(tmp_path, f"a: {{ {parameter}, step: 1s }}\nn: {{ fact: 2 }}", rules)
    low = outcome.parameters[0].low
    assert (low.last if last is None else plain(low.last)) == (last * SECOND if isinstance(last, int) else last)
    assert low.past == (None if past is None else past * SECOND)
    assert f" {range_}" in plain_text_of(mutate_document(outcome), 200)


def test_roundings_too_many_to_be_followed_have_an_end_nevertheless(tmp_path: Path) -> None:
    outcome = found(tmp_path, "a: { fixed: 3s, step: 1s }", "require: ceil(a / 1s) < 20000")
    assert outcome.parameters[0].high == Side(last=Fraction(19_999 * SECOND), past=Fraction(20_000 * SECOND))


def test_what_the_catalogue_asks_of_any_software_says_nothing_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "outlast.yaml"
    path.write_text(
        "outlast: 1\ncomponents: { web: { kind: gunicorn, worker_class: gthread }, lb: aws.alb }\nlinks: [lb -> web]\n"
        "parameters: { web.keepalive: { fixed: 75s } }\n"
    )
    outcome = mutate(path)
    assert "not web.keepalive is infinite" in str(outcome.spec.rules["http/pool-closes-first@lb:web"].when_text)
    assert "infinite" not in told_of(outcome, "web.keepalive")


def states(outcome: MutateOutcome) -> dict[str, str]:
    return {f"{m.parameter.name} {w.direction.value}": w.state.value for m in outcome.parameters for w in m.watches}


def test_directions_are_accepted_told_in_vain_or_fail(tmp_path: Path) -> None:
    outcome = found(
        tmp_path,
        """
        a: { fixed: 10s, unguarded: [low, high], why: a reason }
        b: { fixed: 5s, zero: off, unguarded: off, why: a reason }
        c: { fixed: 5s, unguarded: [low, off], why: a reason }
        """,
        "require: a < 60s\nrequire: b < 50s\nrequire: c < 50s",
    )
    assert outcome.status == "unguarded"
    assert states(outcome) == {
        "a high": "accepted in vain",
        "a low": "accepted",
        "b high": "guarded",
        "b low": "unguarded",
        "b off": "accepted",
        "c high": "guarded",
        "c low": "accepted",
        "c off": "accepted in vain",
    }
    failing = [(m.parameter.name, w.state) for m, w in outcome.findings]
    assert failing == [("a", State.IN_VAIN), ("b", State.UNGUARDED), ("c", State.IN_VAIN)]


def test_only_what_somebody_decided_is_changed(tmp_path: Path) -> None:
    parameters = "a: { fixed: 10s }\nb: { fact: 30s }\nc: { fact: 20s..30s }\nd0: { derived: a + 1s }"
    rules = "require: d0 < b\nrequire: a < c"
    assert [m.parameter.name for m in found(tmp_path, parameters, rules).parameters] == ["a"]
    assert [m.parameter.name for m in found(tmp_path, parameters, rules, facts=True).parameters] == ["a", "b"]
    with pytest.raises(InputErrors) as told:
        found(tmp_path, "b: { fact: 30s }", "require: b < 40s")
    assert [str(e.message) for e in told.value.exceptions] == [
        "there is nothing to change: 'outlast.yaml' decides no number; --facts changes what is given, too"
    ]


def test_a_derived_parameter_carries_what_it_is_computed_from(tmp_path: Path) -> None:
    outcome = found(tmp_path, "a: { fixed: 10s, step: 1s }\nd0: { derived: 2 * a }", "require: d0 < 30s")
    assert told_of(outcome, "a")[PAST] == "15s high noticed"


def test_the_domain_of_a_free_parameter_guards_nothing(tmp_path: Path) -> None:
    outcome = found(tmp_path, "a: { free: 1s..1min, step: 1s, current: 10s }", "require: 2s < a")
    assert states(outcome) == {"a high": "unguarded", "a low": "guarded"}
    (mutated,) = outcome.parameters
    assert (mutated.low.past, mutated.high.past) == (Fraction(2 * 10**9), None)


@pytest.mark.parametrize(
    ("current", "is_solved"),
    [("30s", False), ("60s", True), ("", True)],
    ids=["kept", "broken", "none"],
)
def test_values_that_break_a_rule_or_are_missing_are_found_by_solving(
    tmp_path: Path, current: str, is_solved: bool
) -> None:
    told = f", current: {current}" if current else ""
    outcome = found(tmp_path, f"a: {{ free: 1s..10min, step: 1s{told} }}", "require: a < 60s\nrequire: 10s < a")
    assert (outcome.solved is not None) == is_solved
    assert states(outcome) == {"a high": "guarded", "a low": "guarded"}


def test_a_rule_that_was_given_up_notices_nothing(tmp_path: Path) -> None:
    rules = "require: a < 60s\nrequire: 10s < a\nrequire: a < 5s, level: should"
    outcome = found(tmp_path, "a: { free: 1s..10min, step: 1s }", rules)
    assert {r for m in outcome.parameters[0].mutants for r in m.noticed_by} == {"r1", "r2"}


def test_a_curve_is_followed_to_its_end(tmp_path: Path) -> None:
    outcome = found(tmp_path, "a: { fixed: 10s, step: 1s }", "require: a * a < 1000s * 1s")
    assert outcome.parameters[0].high == Side(last=Fraction(31 * 10**9), past=Fraction(32 * 10**9))


def test_a_conflict_leaves_nothing_to_change(tmp_path: Path) -> None:
    outcome = found(tmp_path, "a: { free: 1s..10s }", "require: a < 2s\nrequire: 3s < a")
    assert (outcome.status, outcome.parameters) == ("conflict", ())


def test_off_is_the_word_of_the_reference_too() -> None:
    assert Sentinel.OFF.value == OFF
