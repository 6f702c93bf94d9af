"""Random small specs by seed, each with the names of the features it uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from random import Random

from naive.evaluation import UNORDERED, Normaliser, value_of
from naive.language import (
    INFINITE,
    MS,
    OFF,
    SECOND,
    All,
    AnyOf,
    Bool,
    Cmp,
    Expr,
    Fn,
    If,
    Implies,
    Is,
    Margin,
    Not,
    Num,
    Par,
    Parameter,
    Prod,
    Rule,
    Spec,
    Sum,
    Value,
    minus,
    number,
    over,
    parts,
    plus,
    times,
)
from naive.reference import components
from naive.rules import effective, grid, names_in

LARGEST_GRID = 600

#: What the laws must meet often enough.
FEATURES = (
    "absolute aim",
    "absolute margin",
    "aim zero",
    "and",
    "backoff",
    "ceil",
    "chain",
    "current",
    "derived",
    "division by free",
    "equality",
    "fact interval",
    "first_set",
    "fixed sentinel",
    "floor",
    "if",
    "implies",
    "is infinite",
    "is off",
    "list",
    "list sentinel",
    "loose",
    "max",
    "min",
    "monotone",
    "needs_on",
    "not",
    "odd step",
    "or",
    "product of free",
    "relative aim",
    "relative margin",
    "should",
    "strict",
    "subtraction",
    "tcp_give_up",
    "two components",
    "unbounded",
    "weight",
    "when",
    "zero in interval",
    "zero in list",
)

NAMES = {
    "duration": ("send", "ping", "lb.idle", "drain", "wait", "attempt"),
    "count": ("tries", "conns", "hops", "batch"),
    "rate": ("pings_per", "dials_per"),
    "ratio": ("share", "jitter"),
}
GIVEN = {
    "duration": ("deadline", "grace", "rtt", "web.keep_alive", "probe"),
    "count": ("pods", "hosts", "shards"),
    "rate": ("limit", "flood"),
    "ratio": ("safety", "spread"),
}


@dataclass(frozen=True)
class Generated:
    spec: Spec
    features: frozenset[str]


def generate(seed: int) -> Generated:
    """The spec of a seed; the same in every run."""
    return Builder(Random(seed)).build()


class Builder:
    """Makes parameters first, chooses a witness among their values, then writes rules of which most hold there."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.parameters: dict[str, Parameter] = {}
        self.witness: dict[str, Value] = {}
        self.rules: list[Rule] = []
        self.features: set[str] = set()
        #: Intervals are used once a rule, so that one end is the worse one.
        self.spent: set[str] = set()

    # Choosing

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def of(self, *kinds: str, role: str = "", intervals: bool = True, numeric: bool = False) -> list[str]:
        found = [
            p.name
            for p in self.parameters.values()
            if p.kind in kinds
            and (not role or p.role == role)
            and (intervals or p.interval is None or p.role == "free")
            and not (p.role == "fact" and p.interval is not None and p.name in self.spent)
            and not (numeric and self.may_be_special(p.name))
        ]
        return sorted(found)

    def may_be_special(self, name: str) -> bool:
        p = self.parameters[name]
        if p.formula is not None:
            return True
        values = grid(p) if p.role == "free" else [p.value if p.value is not None else Fraction(1)]
        return any(isinstance(effective(p, v), str) for v in values)

    def may_be(self, name: str, what: str) -> bool:
        p = self.parameters[name]
        values = grid(p) if p.role == "free" else [p.value if p.value is not None else Fraction(1)]
        return any(effective(p, v) == what for v in values)

    def use(self, name: str) -> Par:
        p = self.parameters[name]
        if p.role == "fact" and p.interval is not None:
            self.spent.add(name)
            self.features.add("fact interval")
        if p.role == "derived":
            self.features.add("derived")
        if p.value in (INFINITE, OFF):
            self.features.add("fixed sentinel")
        if p.choices is not None and {INFINITE, OFF} & set(p.choices):
            self.features.add("list sentinel")
        if p.zero is not None:
            self.features.add("zero in list" if p.choices is not None else "zero in interval")
        return Par(name)

    def pick(self, names: Sequence[str]) -> Par:
        return self.use(self.random.choice(names))

    def at_witness(self, e: Expr) -> Fraction:
        """A number near the value at the witness: specials count as 10 s."""
        derived = {n: p.formula for n, p in self.parameters.items() if p.formula is not None}
        normaliser = Normaliser(derived)
        poly = normaliser.polynomial(e)
        parts = [normaliser.terms({m: c for m, c in poly.items() if (c > 0) == side}) for side in (True, False)]
        values = [value_of(p, self.witness) for p in parts]
        return sum((Fraction(10 * SECOND) if isinstance(v, str) else Fraction(v) for v in values), Fraction(0))

    def duration(self, nanoseconds: Fraction | int) -> Num:
        """A literal near that value, on half seconds; at least half a second."""
        halves = max(1, round(Fraction(nanoseconds) / (SECOND // 2)))
        value = Fraction(halves * (SECOND // 2))
        return number(value, "duration")

    def near(self, e: Expr) -> Num:
        return self.duration(
            self.at_witness(e) * self.random.choice((Fraction(1), Fraction(9, 8), Fraction(5, 4), Fraction(3, 2), 2))
        )

    # Parameters

    def build(self) -> Generated:
        style = self.random.choice(("simple", "mixed", "mixed"))
        self.make_parameters(simple=style == "simple")
        count = self.random.choice((1, 2, 3, 3, 4, 4, 5, 6))
        if style == "simple":
            self.features.add("monotone")
            for _ in range(count + 1):
                self.add(self.monotone())
        else:
            for _ in range(count):
                self.add_mixed()
        for p in list(self.parameters.values()):
            if p.role == "free" and p.interval is not None and p.interval[1] is None:
                self.bound(p)
        self.random.shuffle(self.rules)
        spec = Spec(tuple(self.parameters.values()), tuple(self.rules))
        if sum(bool(c.names and c.rules) for c in components(spec)) > 1:
            self.features.add("two components")
        return Generated(spec, frozenset(self.features))

    def make_parameters(self, simple: bool) -> None:
        random = self.random
        sizes = {1: 9, 2: 9, 3: 8, 4: 5}
        free = random.choice((1, 2, 2, 2, 3, 3, 4))
        budget = LARGEST_GRID
        for i in range(free):
            kind = (
                "duration"
                if i == 0 or simple
                else random.choice(("duration",) * 12 + ("count",) * 6 + ("rate", "ratio"))
            )
            name = random.choice([n for n in NAMES[kind] if n not in self.parameters])
            size = min(random.randint(2, sizes[free]), budget)
            p = self.free(name, kind, size, simple)
            while len(grid(p)) > budget:
                p = self.free(name, kind, size, simple)
            budget //= len(grid(p))
            self.parameters[name] = p
        for role, most in (("fixed", 3), ("fact", 2)):
            for _ in range(random.randint(0, most)):
                kind = random.choice(("duration",) * 6 + ("count",) * 3 + ("rate", "ratio"))
                names = [n for n in GIVEN[kind] if n not in self.parameters]
                if names:
                    self.given(random.choice(names), role, kind, simple)
        for p in self.parameters.values():
            if p.role == "free":
                numbers = [v for v in grid(p) if not isinstance(effective(p, v), str)]
                self.witness[p.name] = effective(p, random.choice(numbers))
        durations = self.of("duration", intervals=False)
        if not simple and self.chance(30) and durations:
            formula = self.random.choice(
                (
                    plus(Par(random.choice(durations)), number(random.randint(1, 4) * SECOND, "duration")),
                    times(number(2, "count"), Par(random.choice(durations))),
                    plus(*(Par(n) for n in random.sample(durations, min(2, len(durations))))),
                )
            )
            self.parameters["total"] = Parameter("total", "derived", "duration", formula=formula)

    def free(self, name: str, kind: str, size: int, simple: bool) -> Parameter:
        random = self.random
        unit = {
            "duration": Fraction(SECOND),
            "count": Fraction(1),
            "rate": Fraction(1, SECOND),
            "ratio": Fraction(1, 10),
        }[kind]
        current: Value | None = None
        prefer = None
        zero: Value | None = None
        step: Fraction | None = unit
        if kind == "duration":
            step = random.choice((1, 1, 1, 2, 3, 5, Fraction(1, 2))) * unit
        elif kind == "rate":
            step = 10 * unit
        elif kind == "count" and self.chance(70):
            step = None
        granularity = unit if step is None else step
        low = random.choice((0, 1, 1, 2, 3)) * granularity
        if self.chance(22):
            numbers = sorted(random.sample(range(0 if self.chance(30) else 1, 24), max(1, size)))
            values: list[Value] = [Fraction(n) * (unit if kind != "rate" else 10 * unit) for n in numbers]
            self.features.add("list")
            if kind == "duration" and not simple and self.chance(65):
                values.append(random.choice((INFINITE, OFF, OFF)))
                if self.chance(25):
                    values.append(INFINITE if values[-1] == OFF else OFF)
            elif kind == "duration" and self.chance(40):
                values[0] = Fraction(0)
                zero = random.choice((INFINITE, OFF, INFINITE, OFF, Fraction(30 * SECOND)))
            if len([v for v in values if not (isinstance(v, str) or (v == 0 and zero is not None))]) == 0:
                values.append(unit * 25)
            values = values[max(0, len(values) - 9) :] if zero is None else values[:9]
            random.shuffle(values)
            p = Parameter(name, "free", kind, choices=tuple(values), zero=zero)
        else:
            high = low + (size - 1) * granularity
            if kind == "duration" and self.chance(25):
                low, high = max(Fraction(0), low - unit / 2), high + unit / 2
            if any(x % granularity for x in (low, high)):
                self.features.add("odd step")
            if kind == "duration" and self.chance(14):
                low, zero = Fraction(0), random.choice((INFINITE, OFF))
                high = max(high, granularity)
            p = Parameter(name, "free", kind, interval=(low, high), step=step, zero=zero)
            if kind == "duration" and size > 2 and self.chance(12):
                p = replace(p, interval=(low, None), beyond=high)
        numbers_only = [v for v in grid(p) if not isinstance(effective(p, v), str) and v != 0]
        if self.chance(25) and numbers_only:
            current = random.choice(numbers_only)
            self.features.add("current")
        elif self.chance(6):
            prefer = random.choice(("high", "low"))
        return replace(p, current=current, prefer=prefer)

    def given(self, name: str, role: str, kind: str, simple: bool) -> None:
        random = self.random
        unit = {
            "duration": Fraction(SECOND),
            "count": Fraction(1),
            "rate": Fraction(10, SECOND),
            "ratio": Fraction(1, 10),
        }[kind]
        value: Value = random.randint(1, 12 if kind == "count" else 24) * unit
        if kind == "ratio":
            value = random.randint(1, 9) * unit
        if role == "fact" and self.chance(55):
            low = Fraction(value)
            high = low + random.randint(1, 4) * unit
            self.parameters[name] = Parameter(name, role, kind, interval=(low, high))
            self.witness[name] = high
            return
        zero: Value | None = None
        if role == "fixed" and kind == "duration" and not simple and self.chance(40):
            value = random.choice((INFINITE, OFF))
            if self.chance(40):
                value, zero = Fraction(0), value
        self.parameters[name] = Parameter(name, role, kind, value=value, zero=zero)
        self.witness[name] = effective(self.parameters[name], value)

    # Rules

    def add(self, rule: Rule) -> None:
        self.rules.append(replace(rule, id=f"{self.random.choice('abcdefgh')}-{len(self.rules)}"))
        self.spent.clear()

    def bound(self, p: Parameter) -> None:
        """A rule that keeps the parameter below its `beyond`; without an aim, so that it is given when others rise."""
        assert p.beyond is not None
        step = p.granularity
        top = p.beyond - step if self.chance(50) else p.beyond - step / 2
        sign = "<="
        if self.chance(40):
            top, sign = p.beyond, "<"
        others = [n for n in self.of("duration", intervals=False, numeric=True) if n != p.name]
        left: Expr = Par(p.name)
        if others and self.chance(30):
            left = plus(left, Par(self.random.choice(others)))
            top = p.beyond - step / 2
        self.rules.append(
            Rule(f"bound-{p.name}", Cmp(sign, left, number(top, "duration")), aim=Margin(Fraction(0), True))
        )
        self.features.add("unbounded")

    def add_mixed(self) -> None:
        templates: tuple[tuple[int, Callable[[], Bool | None]], ...] = (
            (5, self.plain),
            (3, self.subtraction),
            (11, self.product_of_free),
            (5, self.division),
            (9, self.least_or_greatest),
            (8, self.whole),
            (4, self.choice),
            (5, self.implication),
            (3, self.either),
            (3, self.both),
            (4, self.negation),
            (4, self.equality),
            (23, self.sentinel),
            (3, self.first_set),
            (4, self.backoff),
            (4, self.tcp),
        )
        if self.chance(9):
            self.add(self.decorated(self.chain()))
            return
        for _ in range(4):
            (template,) = self.random.choices([t for _, t in templates], [w for w, _ in templates])
            self.spent.clear()
            require = template()
            if require is not None:
                self.add(self.decorated(Rule("", require)))
                return
        self.add(self.decorated(Rule("", self.plain())))

    def decorated(self, rule: Rule) -> Rule:
        """With a level, margins, a `when` and the like."""
        random = self.random
        comparing = rule.require is None or scores(rule.require)
        durations = rule.require is not None and self.in_seconds(rule.require)
        if self.chance(17):
            rule = replace(rule, should=True, weight=random.choice((1, 1, 2, 3)))
            self.features.add("should")
            if rule.weight != 1:
                self.features.add("weight")
        if comparing and self.chance(22):
            if durations and self.chance(45):
                rule = replace(rule, margin=Margin(Fraction(random.choice((1, 2)) * SECOND // 2), False))
                self.features.add("absolute margin")
                if isinstance(rule.require, Cmp) is False:
                    rule = replace(rule, aim=Margin(Fraction(4 * SECOND), False))
            else:
                rule = replace(rule, margin=Margin(Fraction(random.choice((5, 10, 20, 25, 50)), 100), True))
                self.features.add("relative margin")
        if comparing and rule.aim is None and self.chance(30):
            margin = rule.margin
            if durations and self.chance(50) and (margin is None or not margin.relative):
                rule = replace(rule, aim=Margin(Fraction(random.choice((1, 2, 3, 5)) * SECOND), False))
                self.features.add("absolute aim")
            elif (margin is None or margin.relative) and self.chance(70):
                rule = replace(rule, aim=Margin(Fraction(random.choice((50, 60, 100, 150, 200)), 100), True))
                self.features.add("relative aim")
            elif margin is None:
                rule = replace(rule, aim=Margin(Fraction(0), True))
                self.features.add("aim zero")
        if self.chance(10):
            condition = self.condition()
            if condition is not None:
                rule = replace(rule, when=condition)
                self.features.add("when")
        return rule

    def in_seconds(self, b: Bool) -> bool:
        """Whether every comparison compares durations (only what the templates write)."""
        match b:
            case Cmp():
                return self.is_duration(b.left) and self.is_duration(b.right)
            case All() | AnyOf():
                return all(self.in_seconds(p) for p in b.parts)
            case Not():
                return self.in_seconds(b.part)
            case Implies():
                return self.in_seconds(b.conclusion)
            case Is():
                return False

    def is_duration(self, e: Expr) -> bool:
        match e:
            case Num():
                return e.text.endswith("s") and "/" not in e.text
            case Par():
                return self.parameters[e.name].kind == "duration"
            case Sum():
                return self.is_duration(e.terms[0][1])
            case Prod():
                return sum(exponent for exponent, f in e.factors if self.is_duration(f)) == 1
            case Fn():
                return e.name in ("backoff", "tcp_give_up") or (
                    e.name not in ("ceil", "floor") and self.is_duration(e.args[0])
                )
            case If():
                return self.is_duration(e.then)

    def sign(self) -> str:
        loose = self.chance(40)
        self.features.add("loose" if loose else "strict")
        return "<=" if loose else "<"

    def ordered(self, a: Expr, b: Expr, honest: int = 92) -> Cmp:
        """`a < b`, turned so that it mostly holds at the witness, and written either way round."""
        x, y = self.at_witness(a), self.at_witness(b)
        sign = self.sign()
        if (x > y) == self.chance(honest):
            a, b = b, a
        if x == y and sign == "<":
            sign = "<="
        if self.chance(35):
            return Cmp(sign.replace("<", ">"), b, a)
        return Cmp(sign, a, b)

    def against(self, e: Expr) -> Cmp:
        """A duration compared with a literal or another parameter."""
        others = [n for n in self.of("duration") if n not in names_in(e)]
        if others and self.chance(60):
            return self.ordered(e, self.pick(others))
        return self.ordered(e, self.near(e))

    def some_sum(self) -> Expr:
        names = self.of("duration")
        terms: list[Expr] = []
        for name in self.random.sample(names, min(len(names), self.random.choice((1, 2, 2, 3)))):
            terms.append(
                times(number(self.random.choice((2, 3)), "count"), self.use(name))
                if self.chance(20)
                else self.use(name)
            )
        if self.chance(15):
            terms.append(self.duration(self.random.randint(1, 6) * SECOND // 2))
        if self.chance(12):
            ratios = self.of("ratio")
            terms.append(
                times(self.pick(ratios) if ratios else number(Fraction(3, 10), "ratio"), self.random.choice(terms))
            )
            if len(names_in(terms[-1])) and any(
                n in self.spent for n in names_in(terms[-1]) if self.parameters[n].kind == "duration"
            ):
                terms.pop()
        return plus(*terms)

    def free_duration(self) -> Par:
        return self.pick(self.of("duration", role="free"))

    def monotone(self) -> Rule:
        """Sums below one parameter, and plain bounds."""
        random = self.random
        names = self.of("duration", role="free")
        shape = random.randrange(5)
        x = self.pick(names)
        require: Cmp
        if shape == 0:
            require = Cmp(
                self.sign(),
                self.duration(self.at_witness(x) * random.choice((Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)))),
                x,
            )
        elif shape == 1:
            require = Cmp(self.sign(), x, self.near(x))
        else:
            given = self.of("duration", role="fixed") + self.of("duration", role="fact")
            left: Expr = x
            rest = [n for n in names if n != x.name]
            if rest and self.chance(50):
                left = plus(left, self.pick(rest))
            if given and self.chance(30):
                left = plus(left, self.pick(given))
            if self.chance(20):
                left = times(number(2, "count"), x)
            others = [n for n in self.of("duration") if n not in names_in(left)]
            others = [n for n in others if self.at_witness(Par(n)) >= self.at_witness(left)] or (
                others if self.chance(15) else []
            )
            right: Expr = self.pick(others) if others and self.chance(70) else self.near(left)
            require = Cmp(self.sign(), left, right)
            if self.at_witness(left) == self.at_witness(right):
                require = Cmp("<=", left, right)
        if self.chance(20):
            require = Cmp(require.op.replace("<", ">"), require.right, require.left)
        rule = Rule("", require)
        return self.decorated(rule) if self.chance(35) else rule

    def chain(self) -> Rule:
        names = self.of("duration", intervals=False)
        chosen = sorted(self.random.sample(names, min(len(names), 3)), key=lambda n: (self.at_witness(Par(n)), n))
        parts: list[Expr] = [self.use(n) for n in chosen]
        if len(parts) < 3:
            parts.append(self.duration(self.at_witness(parts[-1]) + 2 * SECOND))
        if len(parts) < 3:
            parts.insert(0, self.duration(self.at_witness(parts[0]) / 2))
        signs = [self.sign() for _ in parts[1:]]
        if self.chance(25):
            parts.reverse()
            signs = [s.replace("<", ">") for s in signs]
        self.features.add("chain")
        return Rule("", chain=tuple(parts), signs=tuple(signs))

    def plain(self) -> Bool:
        return self.against(self.some_sum())

    def subtraction(self) -> Bool | None:
        names = self.of("duration")
        if len(names) < 2:
            return None
        self.features.add("subtraction")
        a, b = sorted(self.random.sample(names, 2), key=lambda n: (-self.at_witness(Par(n)), n))
        left, right = self.use(a), self.use(b)
        if self.chance(30):
            # A parameter on both sides.
            other = self.pick(self.of("duration", intervals=False))
            if other.name not in self.spent:
                return self.ordered(plus(left, other), plus(right, other, self.duration(SECOND)))
        gap = max(self.at_witness(left) - self.at_witness(right), Fraction(0))
        sign = self.sign()
        if self.chance(50):
            return Cmp(
                sign, minus(left, right), self.duration(gap * self.random.choice((1, Fraction(3, 2), 2)) + SECOND)
            )
        return Cmp(sign.replace("<", ">"), minus(left, right), self.duration(gap / 2))

    def product_of_free(self) -> Bool | None:
        counts, durations = self.of("count", "ratio", role="free"), self.of("duration", role="free")
        if not counts:
            return None
        self.features.add("product of free")
        n, d = self.pick(counts), self.pick(durations)
        if self.chance(30):
            rest = [x for x in self.of("duration", intervals=False) if x != d.name]
            if rest:
                return self.against(times(n, Sum(((1, d), (1, self.pick(rest))))))
        return self.against(times(n, d))

    def division(self) -> Bool | None:
        """A count by a free duration as a rate, or a duration by a free count."""
        counts = self.of("count")
        free_counts = self.of("count", role="free")
        if free_counts and self.chance(40):
            self.features.add("division by free")
            return self.against(over(self.free_duration(), self.pick(free_counts)))
        if not counts:
            top: Expr = number(self.random.randint(1, 400), "count")
        else:
            top = self.pick(counts)
        left = over(top, self.free_duration())
        rates = self.of("rate")
        self.features.add("division by free")
        if rates and self.chance(75):
            return self.ordered(left, self.pick(rates))
        per_minute = min(
            60_000, max(1, round(self.at_witness(left) * 60 * SECOND * self.random.choice((1, Fraction(3, 2), 2))))
        )
        return Cmp(self.sign(), left, number(Fraction(per_minute, 60 * SECOND), "rate"))

    def least_or_greatest(self) -> Bool | None:
        names = self.of("duration")
        if len(names) < 2:
            return None
        name = self.random.choice(("min", "max"))
        self.features.add(name)
        args: list[Expr] = [self.use(n) for n in self.random.sample(names, 2)]
        if self.chance(30):
            args.append(self.duration(self.random.randint(2, 12) * SECOND))
        e: Expr = Fn(name, tuple(args))
        rest = [n for n in self.of("duration") if n not in names_in(e)]
        if rest and self.chance(35):
            e = plus(e, self.pick(rest))
        return self.against(e)

    def whole(self) -> Bool | None:
        """ceil or floor of a quotient, alone or as a factor."""
        name = self.random.choice(("ceil", "floor"))
        self.features.add(name)
        durations = self.of("duration", numeric=True)
        free = self.of("duration", role="free", numeric=True)
        if not free:
            return None
        top = self.pick(free)
        dividers = [n for n in durations if n != top.name and self.parameters[n].role != "free"]
        if self.chance(15):
            # A divisor inside is told apart by its values, so it needs an upper end.
            dividers = [n for n in free if n != top.name and self.parameters[n].beyond is None] or dividers
        bottom: Expr = (
            self.pick(dividers) if dividers and self.chance(60) else self.duration(self.random.randint(2, 7) * SECOND)
        )
        e: Expr = Fn(name, (over(top, bottom),))
        if self.chance(50):
            rest = [n for n in self.of("duration") if n not in names_in(e)]
            return self.against(times(e, self.pick(rest) if rest and self.chance(50) else self.duration(2 * SECOND)))
        counts = self.of("count")
        if counts and self.chance(50):
            return self.ordered(e, self.pick(counts))
        return self.ordered(e, number(self.random.randint(1, 5), "count"))

    def choice(self) -> Bool | None:
        names = self.of("duration", intervals=False)
        plain = self.of("duration", intervals=False, numeric=True)
        specials = [n for n in names if self.parameters[n].formula is None and self.may_be(n, OFF)]
        self.features.add("if")
        if specials and self.chance(60):
            x = self.pick(specials)
            self.features.add("is off")
            return self.against(If(Is(x.name, OFF), self.duration(self.random.randint(1, 8) * SECOND), x))
        if not plain:
            return None
        a = self.pick(plain)
        then: Expr = self.pick(plain)
        otherwise: Expr = self.pick(plain) if self.chance(50) else self.duration(self.random.randint(1, 9) * SECOND)
        if self.chance(25):
            then = plus(then, self.duration(SECOND))
        condition = Cmp(self.random.choice(("<", "<=", ">", ">=")), a, self.near(a))
        return self.against(If(condition, then, otherwise))

    def condition(self) -> Bool | None:
        """A comparison or predicate for the left of `=>`, or for `when`."""
        names = self.of("duration", numeric=True)
        specials = [n for n in self.of("duration") if self.parameters[n].formula is None and self.may_be_special(n)]
        if specials and self.chance(50):
            x = self.pick(specials)
            what = INFINITE if self.may_be(x.name, INFINITE) else OFF
            self.features.add(f"is {what}")
            found: Bool = Is(x.name, what)
            return Not(found) if self.chance(50) else found
        counts = self.of("count")
        if counts and self.chance(30):
            return Cmp(
                self.random.choice(("<", ">", ">=", "==")) if not self.interval_in(counts) else ">",
                self.pick(counts),
                number(self.random.randint(1, 8), "count"),
            )
        if not names:
            return None
        a = self.pick(names)
        comparison = Cmp(self.random.choice(("<", "<=", ">", ">=")), a, self.near(a))
        if self.chance(12) and not self.interval_in([a.name]):
            others = [n for n in self.of("duration", intervals=False, numeric=True) if n != a.name]
            if others:
                b = self.pick(others)
                second = Cmp("<", b, self.near(b))
                return self.random.choice((All((comparison, second)), AnyOf((comparison, second))))
        return comparison

    def interval_in(self, names: Sequence[str]) -> bool:
        return any(self.parameters[n].role == "fact" and self.parameters[n].interval is not None for n in names)

    def implication(self) -> Bool | None:
        condition = self.condition()
        if condition is None:
            return None
        self.features.add("implies")
        return Implies(condition, self.plain() if self.chance(75) else self.both())

    def either(self) -> Bool | None:
        self.features.add("or")
        return AnyOf((self.plain(), self.plain()))

    def both(self) -> Bool:
        self.features.add("and")
        return All((self.plain(), self.plain()))

    def negation(self) -> Bool | None:
        self.features.add("not")
        inner = self.plain()
        assert isinstance(inner, Cmp)
        swapped = Cmp({"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[inner.op], inner.left, inner.right)
        if self.chance(30):
            other = self.plain()
            assert isinstance(other, Cmp)
            turned = Cmp({"<": ">=", "<=": ">", ">": "<=", ">=": "<"}[other.op], other.left, other.right)
            return Not(self.random.choice((All, AnyOf))((swapped, turned)))
        return Not(swapped)

    def equality(self) -> Bool | None:
        names = self.of("duration", role="free", numeric=True)
        if not names:
            return None
        self.features.add("equality")
        a = self.pick(names)
        rest = [n for n in self.of("duration", intervals=False, numeric=True) if n != a.name]
        if not rest or self.chance(30):
            value = self.at_witness(a)
            return Cmp("==", a, number(value, "duration")) if value % MS == 0 else None
        b = self.pick(rest)
        gap = self.at_witness(a) - self.at_witness(b)
        if gap % MS:
            return None
        if gap == 0:
            return Cmp("==", a, b)
        if gap < 0:
            return Cmp("==", plus(a, number(-gap, "duration")), b)
        return Cmp("==", a, plus(b, number(gap, "duration")))

    def sentinel(self) -> Bool | None:
        """`is off`, `is infinite`, `needs_on` and plain rules about parameters that may be special."""
        names = [n for n in self.of("duration") if self.parameters[n].formula is None and self.may_be_special(n)]
        if not names:
            return None
        free = [n for n in names if self.parameters[n].role == "free"]
        x = self.pick(free if free and self.chance(70) else names)
        what = (
            INFINITE
            if self.may_be(x.name, INFINITE) and self.chance(60)
            else OFF
            if self.may_be(x.name, OFF)
            else INFINITE
        )
        if self.may_be(x.name, OFF) and self.parameters[x.name].role == "free":
            self.features.add("needs_on")
            require = self.against(x)
            self.add(Rule("", require, needs_on=(x.name,)))
            return self.plain()
        shape = self.random.randrange(4)
        if shape == 0:
            return self.against(x)
        self.features.add(f"is {what}")
        if shape == 1:
            return AnyOf((Is(x.name, what), self.against(x)))
        if shape == 2:
            return Implies(Not(Is(x.name, what)), self.against(x))
        return Not(Is(x.name, what)) if self.chance(50) else Is(x.name, what)

    def first_set(self) -> Bool | None:
        names = self.of("duration", intervals=False)
        names = sorted(names, key=lambda n: not self.may_be_special(n))
        if len(names) < 2:
            return None
        self.features.add("first_set")
        args: list[Expr] = [self.use(n) for n in names[:2]]
        if self.chance(50):
            args.append(self.duration(self.random.randint(2, 20) * SECOND))
        return self.against(Fn("first_set", tuple(args)))

    def backoff(self) -> Bool | None:
        self.features.add("backoff")
        base = self.pick(self.of("duration", intervals=False))
        counts = self.of("count", intervals=False)
        retries: Expr = self.pick(counts) if counts and self.chance(60) else number(self.random.randint(1, 4), "count")
        rest = [n for n in self.of("duration", intervals=False, numeric=True) if n != base.name]
        cap: Expr = self.pick(rest) if rest and self.chance(50) else self.duration(self.random.randint(2, 20) * SECOND)
        return self.against(Fn("backoff", (base, number(self.random.choice((1, 2, 2, 3)), "count"), cap, retries)))

    def tcp(self) -> Bool | None:
        self.features.add("tcp_give_up")
        counts = self.of("count")
        retries: Expr = self.pick(counts) if counts and self.chance(70) else number(self.random.randint(2, 6), "count")
        e = Fn("tcp_give_up", (retries,))
        names = self.of("duration")
        if not names:
            return None
        return self.ordered(e, self.pick(names))


def scores(b: Bool) -> bool:
    """Whether an inequality stands in a conclusion, so that it has a headroom."""
    match b:
        case Cmp():
            return b.op not in UNORDERED
        case Is():
            return False
        case Implies():
            return scores(b.conclusion)
        case _:
            return any(scores(part) for part in parts(b) if isinstance(part, Bool))


def grid_size(spec: Spec) -> int:
    """The number of points."""
    return prod(len(grid(p)) for p in spec.parameters if p.role == "free")
