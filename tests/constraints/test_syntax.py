"""The rule language: which tree a text gives, what is said of a text that is none, and that trees read back."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.constraints.expression import (
    FUNCTIONS,
    And,
    Bool,
    Call,
    Compare,
    Expr,
    If,
    Implies,
    Is,
    Literal,
    Name,
    Not,
    Op,
    Or,
    Product,
    Quantile,
    Sum,
)
from outlast.constraints.quantities import DURATION_UNITS, Sentinel
from outlast.constraints.record import fields_of, is_record
from outlast.constraints.syntax import (
    MAX_DEPTH,
    MAX_LENGTH,
    RESERVED,
    RuleSyntaxError,
    check_name,
    normal_name,
    parse_condition,
    parse_expression,
    parse_rule,
    to_text,
)


def plain(node: object) -> object:
    """The tree as nested tuples, without spans and without the text of literals."""
    if isinstance(node, tuple):
        return tuple(plain(part) for part in node)
    if is_record(node):
        skipped = {"span", "operators"} | ({"text"} if isinstance(node, Literal) else set())
        fields = [name for name in fields_of(node) if name not in skipped]
        return (type(node).__name__, *(plain(getattr(node, name)) for name in fields))
    return node


def name(text: str) -> Name:
    return Name(name=text)


def seconds(number: int) -> Literal:
    return Literal(value=Fraction(number * 10**9), time_exponent=1, text=f"{number}s")


def number(value: int | Fraction) -> Literal:
    return Literal(value=Fraction(value), time_exponent=0, text=str(value))


A, B, C, X, Y = (name(text) for text in "abcxy")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("client.send_ping", name("client.send_ping")),
        ("10s", seconds(10)),
        ("1m30s", seconds(90)),
        (".5", number(Fraction(1, 2))),
        ("20%", number(Fraction(1, 5))),
        ("100/s", Literal(value=Fraction(1, 10**7), time_exponent=-1, text="")),
        ("1.5/min", Literal(value=Fraction(1, 40 * 10**9), time_exponent=-1, text="")),
        ("100/x", Product(factors=((1, number(100)), (-1, X)))),
        ("100/s.x", Product(factors=((1, number(100)), (-1, name("s.x"))))),
        ("100/1s", Product(factors=((1, number(100)), (-1, seconds(1))))),
        ("100/min(a)", Product(factors=((1, number(100)), (-1, Call(function="min", arguments=(A,)))))),
        ("100/min (a)", Product(factors=((1, number(100)), (-1, Call(function="min", arguments=(A,)))))),
        ("a / 100/s", Product(factors=((1, A), (-1, Literal(value=Fraction(1, 10**7), time_exponent=-1, text=""))))),
        ("a + b - c", Sum(terms=((1, A), (1, B), (-1, C)))),
        ("a - (b - c)", Sum(terms=((1, A), (-1, Sum(terms=((1, B), (-1, C))))))),
        ("a + b * c", Sum(terms=((1, A), (1, Product(factors=((1, B), (1, C))))))),
        ("a * b + c", Sum(terms=((1, Product(factors=((1, A), (1, B)))), (1, C)))),
        ("a / b * c", Product(factors=((1, A), (-1, B), (1, C)))),
        ("a / (b * c)", Product(factors=((1, A), (-1, Product(factors=((1, B), (1, C))))))),
        ("-a", Sum(terms=((-1, A),))),
        ("-a + b", Sum(terms=((-1, A), (1, B)))),
        ("(-a) + b", Sum(terms=((1, Sum(terms=((-1, A),))), (1, B)))),
        ("-a * b", Product(factors=((1, Sum(terms=((-1, A),))), (1, B)))),
        ("a - -b", Sum(terms=((1, A), (-1, Sum(terms=((-1, B),)))))),
        ("max(a, b, 3s)", Call(function="max", arguments=(A, B, seconds(3)))),
        ("first_set(a)", Call(function="first_set", arguments=(A,))),
        ("backoff(a, 2, b, 3)", Call(function="backoff", arguments=(A, number(2), B, number(3)))),
        ("p99(rtt)", Quantile(level=Fraction(99, 100), measurement="rtt")),
        ("p99.99 ( net.rtt )", Quantile(level=Fraction(9999, 10000), measurement="net.rtt")),
        ("p0.5(rtt)", Quantile(level=Fraction(1, 200), measurement="rtt")),
        ("p99", name("p99")),
        ("if(a < b, a, b)", If(condition=Compare(op=Op.LT, left=A, right=B), then=A, otherwise=B)),
        ("größe.नाम", name("größe.नाम")),
        ("e\u0301", name("\u00e9")),
    ],
)
def test_an_expression_is_read_as_its_tree(text: str, tree: Expr) -> None:
    assert plain(parse_expression(text)) == plain(tree)


LESS = Compare(op=Op.LT, left=A, right=B)
MORE = Compare(op=Op.GT, left=B, right=C)
EQUAL = Compare(op=Op.EQ, left=A, right=C)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a <= b", Compare(op=Op.LE, left=A, right=B)),
        ("a >= b", Compare(op=Op.GE, left=A, right=B)),
        ("a ≤ b", Compare(op=Op.LE, left=A, right=B)),
        ("a ≥ b", Compare(op=Op.GE, left=A, right=B)),
        ("a != b", Compare(op=Op.NE, left=A, right=B)),
        ("a ≠ b", Compare(op=Op.NE, left=A, right=B)),
        ("not a!=-b", Not(part=Compare(op=Op.NE, left=A, right=Sum(terms=((-1, B),))))),
        ("multiple_of(a + b, c)", Compare(op=Op.MULTIPLE, left=Sum(terms=((1, A), (1, B))), right=C)),
        ("not multiple_of (a, b) and b > c", And(parts=(Not(part=Compare(op=Op.MULTIPLE, left=A, right=B)), MORE))),
        ("a<-b", Compare(op=Op.LT, left=A, right=Sum(terms=((-1, B),)))),
        ("x is off", Is(name="x", sentinel=Sentinel.OFF)),
        ("x is infinite", Is(name="x", sentinel=Sentinel.INFINITE)),
        ("a < b and b > c", And(parts=(LESS, MORE))),
        ("a < b and b > c and a == c", And(parts=(LESS, MORE, EQUAL))),
        ("(a < b and b > c) and a == c", And(parts=(And(parts=(LESS, MORE)), EQUAL))),
        ("a < b or b > c and a == c", Or(parts=(LESS, And(parts=(MORE, EQUAL))))),
        ("a < b and b > c or a == c", Or(parts=(And(parts=(LESS, MORE)), EQUAL))),
        ("not a < b and b > c", And(parts=(Not(part=LESS), MORE))),
        ("not not a < b", Not(part=Not(part=LESS))),
        ("not (a < b or b > c)", Not(part=Or(parts=(LESS, MORE)))),
        ("a < b => b > c => a == c", Implies(condition=LESS, conclusion=Implies(condition=MORE, conclusion=EQUAL))),
        ("(a < b => b > c) => a == c", Implies(condition=Implies(condition=LESS, conclusion=MORE), conclusion=EQUAL)),
        ("a < b or b > c => a == c", Implies(condition=Or(parts=(LESS, MORE)), conclusion=EQUAL)),
        (
            "a < b => a < b < c",
            Implies(condition=LESS, conclusion=And(parts=(LESS, Compare(op=LESS.op, left=B, right=C, span=LESS.span)))),
        ),
    ],
)
def test_a_condition_is_read_as_its_tree(text: str, tree: Bool) -> None:
    assert plain(parse_condition(text)) == plain(tree)


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("a < b", ["a < b"]),
        (" a  <\n b ", ["a < b"]),
        ("a < b <= c", ["a < b", "b <= c"]),
        ("c >= (b + 1) > a", ["c >= (b + 1)", "(b + 1) > a"]),
        ("a == b < c", ["a == b", "b < c"]),
        ("-a + b < c < if(a < b < c, a, b)", ["-a + b < c", "c < if(a < b < c, a, b)"]),
        ("(a < b < c)", ["(a < b < c)"]),
        ("not a < b < c", ["not a < b < c"]),
        ("a < b and b < c", ["a < b and b < c"]),
        ("a < b and a < b < c", ["a < b and a < b < c"]),
        ("a < b < c and a < b", ["a < b < c and a < b"]),
        ("if(a < b < c, a, b) < c", ["if(a < b < c, a, b) < c"]),
    ],
)
def test_only_a_bare_chain_is_several_rules(text: str, links: list[str]) -> None:
    read = parse_rule(text)
    assert [link.text for link in read] == links
    assert [plain(link.formula) for link in read] == [plain(parse_condition(link)) for link in links]


def test_nodes_know_the_columns_they_came_from() -> None:
    text = "max(a, 10s) - p9(r) <= b * -c"
    tree = parse_condition(text)
    assert isinstance(tree, Compare)
    assert text[slice(*tree.span)] == "<="
    assert isinstance(tree.left, Sum)
    assert [text[slice(*span)] for span in tree.left.operators] == ["", "-"]
    assert [text[slice(*term.span)] for _, term in tree.left.terms] == ["max(a, 10s)", "p9(r)"]
    assert text[slice(*tree.left.span)] == "max(a, 10s) - p9(r)"
    assert isinstance(tree.right, Product)
    assert [text[slice(*span)] for span in tree.right.operators] == ["", "*"]
    assert [text[slice(*factor.span)] for _, factor in tree.right.factors] == ["b", "-c"]


def test_an_operator_after_a_leading_minus_has_its_own_columns() -> None:
    tree = parse_expression("-a + b")
    assert isinstance(tree, Sum)
    assert (tree.operators, tree.span) == (((0, 1), (3, 4)), (0, 6))


UNITS = "known are ns, us, ms, s, min, m, h, d"
CONDITION = "conditions are joined by 'and', 'or' and '=>'"
POWERS = "but there are no powers; write a product, a * a"
UNCHAINED = "in a chain, in which it cannot stand; join two comparisons with 'and'"
CHAIN = "in one chain, which keeps one direction; join two comparisons with 'and'"


@pytest.mark.parametrize(
    ("text", "message", "wrong"),
    [
        # signs of other languages
        ("a »=« b", "found '=', expected '=='", "="),
        ("a »===« b", "found '===', expected '=='", "==="),
        ("a »=<« b", "found '=<', expected '<='", "=<"),
        ("a »!==« b", "found '!==', expected '!='", "!=="),
        ("a »<>« b", "found '<>', expected '!='", "<>"),
        ("a < b »!=« c", f"found '!=' {UNCHAINED}", "!="),
        ("a »!=« b < c", f"found '!=' {UNCHAINED}", "!="),
        ("a »≠« b != c", f"found '≠' {UNCHAINED}", "≠"),
        ("a == b »≠« c", f"found '≠' {UNCHAINED}", "≠"),
        ("a < b »&&« c < x", "found '&&', expected 'and'", "&&"),
        ("a < b »||« c < x", "found '||', expected 'or'", "||"),
        ("»!«(a < b)", "found '!', expected 'not'", "!"),
        ("a < b »->« c < x", "found '->', expected '=>'", "->"),
        ("a < b »⇒« c < x", "found '⇒', expected '=>'", "⇒"),
        ("a »<=>« b", "found '<=>', but there is no sign for it; write (A => B) and (B => A)", "<=>"),
        ("a »^« 2 < b", f"found '^', {POWERS}", "^"),
        ("a »**« 2 < b", f"found '**', {POWERS}", "**"),
        ("a »//« 2 < b", "found '//', expected '/', or floor(a / b) for whole numbers", "//"),
        ("a »×« 2 < b", "found '×', expected '*'", "×"),
        ("a »−« 2 < b", "found '−', expected '-'", "−"),
        ("a »?« b", "found '?', expected if(condition, a, b)", "?"),
        ("a < b »AND« b < c", "found 'AND', expected 'and', in lower case", "AND"),
        ("a < b »implies« b < c", "found 'implies', expected '=>'", "implies"),
        ('»"«a" < b', "found a quote, but names stand without quotes", '"'),
        ("a »@« b", "found '@', which is no part of the rule language", "@"),
        ("a »\x1b«[31m", "found '\\x1b', which is no part of the rule language", "\x1b"),
        ("»٣« < a", "found '٣', expected a digit from 0 to 9", "٣"),
        # operands and parentheses
        ("»«", "expected a formula, found nothing", ""),
        ("a <»«", "expected a number after '<', found the end", ""),
        ("»<« a", "expected a number or a condition before '<'", "<"),
        ("»+«a < b", "found '+' before the first number, which has no sign", "+"),
        ("a + »<« b", "expected a number after '+', found '<'", "<"),
        ("a < b and»«", "expected a condition after 'and', found the end", ""),
        ("a < b => »or«", "expected a condition after '=>', found 'or'", "or"),
        ("»(«a < b", "found '(' without its ')'", "("),
        ("a < max»(«a, b", "found '(' without its ')'", "("),
        ("a < p99»(«b", "found '(' without its ')'", "("),
        ("a < b»)«", "found ')' without its '('", ")"),
        ("»)« a", "found ')' without its '('", ")"),
        ("(»)«", "expected a formula after '(', found ')'", ")"),
        ("(a »b«) < c", "expected an operator or ')', found 'b'", "b"),
        ("a »b« < c", "expected an operator or the end, found 'b'", "b"),
        ("a < b»,« b < c", "expected an operator or the end, found ','; conditions are joined by 'and'", ","),
        # numbers where conditions belong, and the other way round
        ("»a + b«", "expected a condition such as a < b, found only the number 'a + b'", "a + b"),
        ("»a« and b < c", "expected a condition before 'and', found the number 'a'", "a"),
        ("a < b or »(c)«", "expected a condition after 'or', found the number '(c)'", "(c)"),
        ("not »a«", "expected a condition after 'not', found the number 'a'", "a"),
        ("a < b => »c + 1«", "expected a condition after '=>', found the number 'c + 1'", "c + 1"),
        ("»(a < b)« == (b < c)", f"expected a number before '==', found a condition; {CONDITION}", "(a < b)"),
        ("a == »(b < c)«", f"expected a number after '==', found a condition; {CONDITION}", "(b < c)"),
        ("a + »(b < c)« < a", f"expected a number after '+', found a condition; {CONDITION}", "(b < c)"),
        ("»x is off« < 3", f"expected a number before '<', found a condition; {CONDITION}", "x is off"),
        ("-»(a < b)« < c", f"expected a number after '-', found a condition; {CONDITION}", "(a < b)"),
        ("a < »not« b", "expected a number, found 'not'; put the condition in parentheses", "not"),
        ("a < b »>« c", f"found '>' after '<' {CHAIN}", ">"),
        ("a >= b == c »<=« x", f"found '<=' after '>=' {CHAIN}", "<="),
        # is, off, infinite, any
        ("x is »None«", "expected 'off' or 'infinite' after 'is', found 'None'", "None"),
        ("x is»«", "expected 'off' or 'infinite' after 'is', found the end", ""),
        ("x is »not« off", "expected 'off' or 'infinite' after 'is', found 'not'; write 'not x is off'", "not"),
        ("»max(a, b)« is off", "'is' asks about one parameter, found 'max(a, b)'", "max(a, b)"),
        ("x == »off«", "found 'off', which is no number; ask with 'x is off'", "off"),
        ("x < »infinite«", "found 'infinite', which is no number; ask with 'x is infinite'", "infinite"),
        ("x < »any«", "found 'any', which is a domain and no number", "any"),
        # literals
        ("a < »10 S«", "found '10 S', expected '10s', without a blank", "10 S"),
        ("a < »5 s«", "found '5 s', expected '5s', without a blank", "5 s"),
        ("a < »1m30«", "found '1m30', but its last number, 30, has no unit; did you mean '1m30s'?", "1m30"),
        ("a < »1e3ms«", "found '1e3ms', but exponents are not read; write the number out", "1e3ms"),
        (
            "»2pods« < a",
            f"found '2pods', with the unknown unit 'pods'; {UNITS}; a product is written 2 * pods",
            "2pods",
        ),
        ("a < »5..10«", "found the range '5..10', expected one number", "5..10"),
        (
            "a < 10 »%«",
            "found '%', but there is no remainder; write multiple_of(a, b), or a percentage without a blank: 20%",
            "%",
        ),
        ("a < 100 / »s«", "found the unit 's' without a number; write 1s, or a rate as 100/s", "s"),
        ("a < 10s/»s«", "found the unit 's' without a number; write 1s, or a rate as 100/s", "s"),
        # names
        ("»a.«2 < b", "found 'a.2', expected a letter or '_' after the dot", "a."),
        ("»a.«.b < c", "found 'a..', expected a letter or '_' after the dot", "a."),
        ("»é.« < c", "found 'é.', expected a letter or '_' after the dot", "é."),
        ("»min« < c", "expected '(' after the function 'min', found '<'", "min"),
        ("»if« a < c", "expected '(' after the function 'if', found 'a'", "if"),
        # functions
        ("»mn«(a) < c", "found the unknown function 'mn'; did you mean 'min'?", "mn"),
        ("»P99«(a) < c", "found the unknown function 'P99'; did you mean 'p99'?", "P99"),
        (
            "»xyzzy«(a) < c",
            "found the unknown function 'xyzzy'; known are backoff, ceil, first_set, floor, if, max, min, multiple_of, sum, tcp_give_up and quantiles such as p99",
            "xyzzy",
        ),
        ("»min()« < c", "min takes at least one argument, found 0", "min()"),
        ("»ceil(a, b)« < c", "ceil takes 1 argument, found 2", "ceil(a, b)"),
        ("»backoff(a, 2)« < c", "backoff takes 4 arguments (base, factor, cap, retries), found 2", "backoff(a, 2)"),
        ("»if(a < b, a)« < c", "if takes 3 arguments (condition, then, otherwise), found 2", "if(a < b, a)"),
        ("»multiple_of(a)«", "multiple_of takes 2 arguments (number, divisor), found 1", "multiple_of(a)"),
        (
            "multiple_of(a, »b < c«)",
            f"expected a number as argument 2 of multiple_of, found a condition; {CONDITION}",
            "b < c",
        ),
        (
            "»multiple_of(a, b)« < c",
            f"expected a number before '<', found a condition; {CONDITION}",
            "multiple_of(a, b)",
        ),
        ("»multiple_of« < c", "expected '(' after the function 'multiple_of', found '<'", "multiple_of"),
        ("»multipleof«(a, b)", "found the unknown function 'multipleof'; did you mean 'multiple_of'?", "multipleof"),
        ("if(»a«, a, b) < c", "expected a condition as argument 1 of if, found the number 'a'", "a"),
        ("min(a, »b < c«) < c", f"expected a number as argument 2 of min, found a condition; {CONDITION}", "b < c"),
        ("min(a »b«) < c", "expected ',' or ')' in the arguments of min, found 'b'", "b"),
        ("min(a, »)« < c", "expected a formula after ',', found ')'", ")"),
        # quantiles
        ("»p0«(a) < c", "found 'p0', expected a quantile between p0 and p100, both excluded", "p0"),
        ("»p100«(a) < c", "found 'p100', expected a quantile between p0 and p100, both excluded", "p100"),
        ("»p101.5«(a) < c", "found 'p101.5', expected a quantile between p0 and p100, both excluded", "p101.5"),
        (
            "p99(»a +« b) < c",
            "expected the name of one measurement in p99(…), found an expression; write p99(a) + p99(b)",
            "a +",
        ),
        ("p99(»10s«) < c", "expected the name of one measurement in p99(…), found '10s'", "10s"),
        ("p99(»min«) < c", "'min' is a function of the rule language", "min"),
        ("p99(»)« < c", "expected the name of one measurement in p99(…), found ')'", ")"),
        ("»p99.«99 < c", "found 'p99.9', expected '(' and a measurement", "p99."),
    ],
)
def test_a_slip_is_told_with_its_columns_and_what_was_expected(text: str, message: str, wrong: str) -> None:
    start, end = text.index("»"), text.index("«") - 1
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rule(text.replace("»", "").replace("«", ""))
    assert (caught.value.message, caught.value.span) == (message, (start, end))
    assert len(wrong) == end - start


def test_an_expression_is_no_condition() -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        parse_expression(" a < b")
    assert (caught.value.message, caught.value.span) == ("expected a number, found a condition", (1, 6))


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_no_reserved_word_is_read_as_a_name(word: str) -> None:
    assert check_name(word) is not None
    with pytest.raises(RuleSyntaxError):
        parse_expression(word)
    assert plain(parse_expression(f"pool.{word}")) == plain(name(f"pool.{word}"))


def test_every_unit_and_function_is_reserved() -> None:
    assert {
        *DURATION_UNITS,
        *FUNCTIONS,
        "multiple_of",
        "if",
        "and",
        "or",
        "not",
        "is",
        "infinite",
        "off",
        "any",
    } == RESERVED


@pytest.mark.parametrize("text", ["a", "_", "client.send_ping", "p99", "größe", "नाम", "e\u0301", "Min", "a1", "x.off"])
def test_a_name_that_is_accepted_is_read_as_that_name(text: str) -> None:
    assert check_name(text) is None
    assert plain(parse_expression(text)) == plain(name(normal_name(text)))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a name is empty"),
        ("s", "'s' is a unit of the rule language"),
        ("max", "'max' is a function of the rule language"),
        ("off", "'off' is a keyword of the rule language"),
        ("a..b", "'a..b' has an empty part; a name is words joined by single dots"),
        (".a", "'.a' has an empty part; a name is words joined by single dots"),
        ("a.2b", "'2b' does not start with a letter or '_'"),
        (
            "send-ping",
            "'-' cannot stand in a name: it has letters, digits and '_', joined by dots; did you mean 'send_ping'?",
        ),
        ("a b", "a blank cannot stand in a name: it has letters, digits and '_', joined by dots"),
        ("a\x1b", "'\\x1b' cannot stand in a name: it has letters, digits and '_', joined by dots"),
        ("x²", "'²' cannot stand in a name: it has letters, digits and '_', joined by dots"),
        ("a" * 201, "a name has 201 characters, 200 are the most"),
    ],
)
def test_a_name_that_is_refused_comes_with_the_reason(text: str, reason: str) -> None:
    assert check_name(text) == reason
    with pytest.raises(RuleSyntaxError):
        parse_condition(f"{text} < 1 + ")


def test_a_long_sum_is_one_level() -> None:
    tree = parse_expression("+".join("a" * 5000))
    assert isinstance(tree, Sum)
    assert len(tree.terms) == 5000
    assert to_text(tree) == " + ".join("a" * 5000)


def test_a_long_conjunction_is_one_level() -> None:
    tree = parse_condition(" and ".join(["a<b"] * 2000))
    assert isinstance(tree, And)
    assert len(tree.parts) == 2000


@pytest.mark.parametrize(
    ("before", "inner", "after"),
    [("(", "a", ")"), ("-", "a", ""), ("max(", "a", ")"), ("1 + (", "a", ")"), ("if(not a < ", "a", ",1,1)")],
)
def test_nesting_is_capped_before_the_stack_is(before: str, inner: str, after: str) -> None:
    with pytest.raises(RuleSyntaxError, match=f"nests deeper than {MAX_DEPTH} levels"):
        parse_expression((before * 3000)[: MAX_LENGTH - 10])
    levels = 20
    nested = before * levels + inner + after * levels
    assert plain(parse_expression(to_text(parse_expression(nested)))) == plain(parse_expression(nested))


def test_exactly_the_deepest_nesting_is_read() -> None:
    parse_expression("(" * (MAX_DEPTH - 1) + "a" + ")" * (MAX_DEPTH - 1))
    with pytest.raises(RuleSyntaxError) as caught:
        parse_expression("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH)
    assert caught.value.span == (MAX_DEPTH, MAX_DEPTH + 1)


def test_exactly_the_longest_text_is_read() -> None:
    assert parse_expression(" " * (MAX_LENGTH - 1) + "a")
    with pytest.raises(RuleSyntaxError) as caught:
        parse_expression(" " * MAX_LENGTH + "a")
    assert (caught.value.message, caught.value.span) == (
        "found a formula of 20001 characters, 20000 are the most",
        (20000, 20001),
    )


NAMES = st.sampled_from(["a", "b.c", "client.send_ping", "größe", "p99", "x_1", "pool.min", "ञ"])
LITERALS = st.builds(
    lambda size, scale, exponent: Literal(
        value=Fraction(size) if exponent != -1 else Fraction(size, 10**9 * scale), time_exponent=exponent, text=""
    ),
    st.integers(0, 10**12),
    st.sampled_from([1, 60, 86400]),
    st.sampled_from([-1, 0, 1]),
)
LEAVES = st.one_of(
    LITERALS,
    st.builds(Name, name=NAMES),
    st.builds(Quantile, level=st.integers(1, 9999).map(lambda n: Fraction(n, 10000)), measurement=st.just("net.rtt")),
)


EXPRESSIONS: st.SearchStrategy[Expr] = st.deferred(
    lambda: st.one_of(
        LEAVES,
        st.builds(Sum, terms=SEVERAL),
        st.builds(Sum, terms=EXPRESSIONS.map(lambda expr: ((-1, expr),))),
        st.builds(Product, factors=SEVERAL.map(lambda factors: ((1, factors[0][1]), *factors[1:]))),
        st.builds(Call, function=st.just("max"), arguments=st.lists(EXPRESSIONS, min_size=1, max_size=3).map(tuple)),
        st.builds(If, condition=CONDITIONS, then=EXPRESSIONS, otherwise=EXPRESSIONS),
    )
)
SEVERAL: st.SearchStrategy[tuple[tuple[int, Expr], ...]] = st.lists(
    st.tuples(st.sampled_from([1, -1]), EXPRESSIONS), min_size=2, max_size=4
).map(tuple)
CONDITIONS: st.SearchStrategy[Bool] = st.deferred(
    lambda: st.one_of(
        st.builds(Compare, op=st.sampled_from(Op), left=EXPRESSIONS, right=EXPRESSIONS),
        st.builds(Is, name=NAMES, sentinel=st.sampled_from(Sentinel)),
        st.builds(And, parts=st.lists(CONDITIONS, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, parts=st.lists(CONDITIONS, min_size=2, max_size=3).map(tuple)),
        st.builds(Not, part=CONDITIONS),
        st.builds(Implies, condition=CONDITIONS, conclusion=CONDITIONS),
    )
)


@settings(max_examples=40, deadline=None)
@given(EXPRESSIONS)
def test_every_expression_reads_back_from_its_text(tree: Expr) -> None:
    assert plain(parse_expression(to_text(tree))) == plain(tree)


@settings(max_examples=40, deadline=None)
@given(CONDITIONS)
def test_every_condition_reads_back_from_its_text(tree: Bool) -> None:
    assert plain(parse_condition(to_text(tree))) == plain(tree)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("((a+b))*2<1m30s", "(a + b) * 2 < 1m30s"),
        ("(a*b)+c/d.e<100/s", "a * b + c / d.e < 100/s"),
        ("not (a<b)", "not (a < b)"),
        ("not (a≠b)", "not (a != b)"),
        ("not (multiple_of((a),b+c))", "not multiple_of(a, b + c)"),
        ("not (x is off)", "not x is off"),
        ("(a<b) and ((b<c) or (x is off))", "a < b and (b < c or x is off)"),
        ("a<b=>(b<c=>c<x)", "a < b => b < c => c < x"),
        ("a<b<c and x is off", "(a < b and b < c) and x is off"),
        ("-(a*b)+c<-c", "-(a * b) + c < -c"),
    ],
)
def test_a_formula_is_written_with_few_parentheses(text: str, written: str) -> None:
    assert to_text(parse_condition(text)) == written


@pytest.mark.parametrize(
    ("value", "exponent", "text"),
    [
        (Fraction(-5), 0, "(-5)"),
        (Fraction(1, 3), 0, "(1 / 3)"),
        (Fraction(10, 3), 1, "(10 / 3 * 1ns)"),
        (Fraction(6), 2, "(6 * 1ns * 1ns)"),
        (Fraction(1, 7), -1, "(1 / 7 / 1ns)"),
    ],
)
def test_a_number_without_a_literal_is_written_as_a_product(value: Fraction, exponent: int, text: str) -> None:
    node = Literal(value=value, time_exponent=exponent, text="")
    assert to_text(Sum(terms=((1, A), (-1, node)))) == f"a - {text}"
    parse_expression(text)


PIECES = [
    "a",
    "b.c",
    "p99",
    "p99(",
    "p99.9",
    "(",
    ")",
    "+",
    "-",
    "*",
    "/",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "multiple_of(",
    "=",
    "=>",
    "and",
    "or",
    "not",
    "is",
    "off",
    "infinite",
    "any",
    "if(",
    "min(",
    "backoff(",
    ",",
    "10s",
    "1m30s",
    "1m30",
    "5",
    "20%",
    "100/s",
    "s",
    "é",
    "ञ",
    ".",
    "..",
    "1e5",
    "%",
    "!",
    "^",
    "\x1b",
    "\ud800",
    "²",
    "٣",
    "́",
    "\n",
    '"',
]


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(["", " "]))
def test_any_text_is_read_or_refused_on_one_printable_line(pieces: list[str], separator: str) -> None:
    text = separator.join(pieces)
    with contextlib.suppress(RuleSyntaxError):
        parse_rule(text)
        return
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rule(text)
    assert caught.value.message.isprintable()
    assert 0 <= caught.value.span[0] <= caught.value.span[1] <= len(text)
