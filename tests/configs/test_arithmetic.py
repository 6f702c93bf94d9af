"""Constant arithmetic against expressions whose value is known while they are made."""

from __future__ import annotations

from fractions import Fraction

import tree_sitter_go
import tree_sitter_java
import tree_sitter_typescript
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from outlast.configs.readers.arithmetic import DEEPEST, Constant, Language, evaluate

GO = Parser(Grammar(tree_sitter_go.language()))
JAVA = Parser(Grammar(tree_sitter_java.language()))
TYPESCRIPT = Parser(Grammar(tree_sitter_typescript.language_typescript()))

WHOLE = Language(
    promotion=("int", "float"),
    integers={"int": None},
    decimal="float",
    whole="int",
    literals=frozenset({"int_literal", "float_literal"}),
)
BITS = Language(
    promotion=("int", "long", "float"),
    integers={"int": 32, "long": 64},
    decimal="float",
    whole="int",
    suffixes={"l": "long", "f": "float"},
    literals=frozenset({"decimal_integer_literal", "hex_integer_literal", "decimal_floating_point_literal"}),
)
ONE_TYPE = Language(promotion=("number",), decimal="number", whole="number", literals=frozenset({"number"}))


def first(root: Node, kind: str, field: str) -> Node:
    nodes = [root]
    while nodes:
        node = nodes.pop(0)
        found = node.child_by_field_name(field) if node.type == kind else None
        if found is not None:
            return found
        nodes.extend(node.children)
    raise AssertionError(kind)


def go(text: str, **names: Constant) -> Constant | None:
    node = first(GO.parse(f"package a\nvar x = {text}\n".encode()).root_node, "var_spec", "value")
    return evaluate(node.named_children[0], WHOLE, {name.encode(): value for name, value in names.items()})


def java(text: str) -> Constant | None:
    root = JAVA.parse(f"class A {{ long x = {text}; }}".encode()).root_node
    return evaluate(first(root, "variable_declarator", "value"), BITS)


def typescript(text: str) -> Constant | None:
    root = TYPESCRIPT.parse(f"const x = {text};\n".encode()).root_node
    return evaluate(first(root, "variable_declarator", "value"), ONE_TYPE)


def amount(constant: Constant | None) -> Fraction | None:
    return None if constant is None else constant.amount


Known = tuple[str, Fraction, bool]  # text, value, whether it has a type for whole numbers
LITERALS: st.SearchStrategy[Known] = st.one_of(
    st.integers(0, 5000).flatmap(
        lambda n: st.sampled_from(
            [(t, Fraction(n), True) for t in (str(n), hex(n), oct(n), bin(n), f"{n:_}", f"0{n:o}")]
        )
    ),
    st.decimals(0, 500, places=2, allow_nan=False).map(lambda d: (f"{d:.2f}", Fraction(d), False)),
)


def joined(left: Known, operator: str, right: Known, blank: str) -> Known | None:
    (a, x, a_whole), (b, y, b_whole) = left, right
    text, whole = f"({a}){blank}{operator}{blank}({b})", a_whole and b_whole
    if operator != "/":
        return text, x * y if operator == "*" else x + y if operator == "+" else x - y, whole
    if y == 0:
        return None
    return text, Fraction(int(x / y)) if whole else x / y, whole  # int() cuts towards zero


EXPRESSIONS: st.SearchStrategy[Known] = st.recursive(
    LITERALS,
    lambda inner: st.one_of(
        st.builds(joined, inner, st.sampled_from("+-*/"), inner, st.sampled_from(["", " ", " /* 1 */ ", "\t"])).flatmap(
            lambda known: st.nothing() if known is None else st.just(known)
        ),
        inner.map(lambda known: (f"-({known[0]})", -known[1], known[2])),
        inner.map(lambda known: (f"+{known[0]}" if known[0][0].isdigit() else known[0], known[1], known[2])),
    ),
    max_leaves=10,
)


@settings(max_examples=300, deadline=None)
@given(EXPRESSIONS)
def test_an_expression_is_worth_what_it_was_made_to_be(known: Known) -> None:
    text, value, _ = known
    assert amount(go(text)) == value, text


@settings(max_examples=300, deadline=None)
@given(EXPRESSIONS, st.integers(1, 9))
def test_the_amount_is_in_proportion_to_its_coefficient(known: Known, times: int) -> None:
    text = known[0]
    constant = go(text)
    assert constant is not None
    if (found := constant.coefficient) is not None:
        head = len("package a\nvar x = ")
        start, end = found.start - head, found.end - head
        new = found.value * times
        written = str(new.numerator) if new.denominator == 1 and constant.is_whole else f"{float(new):.2f}"
        assert amount(go(text[:start] + written + text[end:])) == constant.amount * times


def test_the_first_literal_of_a_product_is_the_coefficient() -> None:
    for text, start, end in (
        ("65 * 1000", 0, 2),
        ("(65) * 1000", 1, 3),
        ("2 * (3 + 4)", 0, 1),
        ("(3 + 4) * 2", 10, 11),
    ):
        constant = go(text)
        assert constant is not None
        assert constant.coefficient is not None
        assert (constant.coefficient.start - 18, constant.coefficient.end - 18) == (start, end), text


def test_no_literal_decides_a_sum_a_quotient_of_whole_numbers_or_what_is_not_positive() -> None:
    for text in ("3 + 4", "7 / 2", "1000 * 65 / 2", "-5", "0", "5 * 0", "1.0 / 2", "8 / 4 * -1"):
        constant = go(text)
        assert constant is not None, text
        expected = text == "1.0 / 2"  # no whole numbers: in proportion
        assert (constant.coefficient is not None) == expected, text


def test_the_divisor_is_no_coefficient() -> None:
    constant = typescript("(1 + 1) / 4")
    assert constant is not None
    assert constant.amount == Fraction(1, 2)
    assert constant.coefficient is None


def test_a_name_gives_its_value_and_no_coefficient() -> None:
    base = go("5")
    assert base is not None
    constant = go("base * 1000", base=base)
    assert constant is not None
    assert constant.amount == 5000
    assert constant.through == "base"
    assert constant.coefficient is not None
    assert constant.coefficient.value == 1000
    alone = go("base", base=base)
    assert alone is not None
    assert alone.coefficient is None
    assert go("other * 1000", base=base) is None


def test_a_literal_with_a_fraction_may_be_another_with_one() -> None:
    assert [c.is_whole for c in (go("1.5 * 1000"), go("5 * 1000"), go("5 * 1.5")) if c] == [False, True, True]


def test_whole_numbers_that_overflow_have_no_value() -> None:
    assert amount(java("2147483647")) == 2**31 - 1
    assert java("2147483647 + 1") is None
    assert java("24 * 60 * 60 * 1000 * 1000") is None
    assert amount(java("24L * 60 * 60 * 1000 * 1000")) == 86_400_000_000
    assert java("9223372036854775807L * 2") is None


def test_a_suffix_is_kept_apart_from_the_number() -> None:
    constant = java("30L * 1000")
    assert constant is not None
    assert constant.coefficient is not None
    assert constant.coefficient.end - constant.coefficient.start == 2
    assert [amount(java(text)) for text in ("0x1FL", "0x1F", "1.5f", "3f")] == [31, 31, Fraction(3, 2), 3]


def test_what_is_no_constant_has_no_value() -> None:
    for text in (
        "a",
        "f(5)",
        "5 % 2",
        "1 << 3",
        "5 / 0",
        "5 / (2 - 2)",
        "0x1p-2",
        "1e999999999",
        "9" * 200,
        "'a'",
        '"5"',
    ):
        assert go(text) is None, text
    assert typescript("10n") is None


def test_numbers_divide_exactly_where_the_language_has_one_type() -> None:
    assert amount(typescript("1_000 / 3 * 3")) == 1000
    assert amount(go("1_000 / 3 * 3")) == 999


def test_deep_expressions_are_given_up() -> None:
    assert amount(go("+".join(["1"] * DEEPEST))) == DEEPEST
    assert go("+".join(["1"] * 5000)) is None
    assert go("(" * 2000 + "1" + ")" * 2000) is None
