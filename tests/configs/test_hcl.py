"""HCL: routes, blocks as scopes, arithmetic, what is not read, and how texts are written."""

from __future__ import annotations

from fractions import Fraction

import pytest

from configs.harness import identity
from outlast.configs.readers.hcl import encode, read
from outlast.configs.select import select
from outlast.configs.setting import Computed, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError, Place


def settings(text: str) -> tuple[Setting, ...]:
    return read(text.encode(), "main.tf")


def named(text: str) -> list[str]:
    return [f"{identity(s)} = {s.raw}" for s in settings(text)]


def only(text: str) -> Setting:
    (setting,) = settings(text)
    return setting


@pytest.mark.parametrize(
    ("value", "amount", "coefficient", "is_whole"),
    [
        ("60", 60, "60", True),
        ("0", 0, None, True),
        ("2.5", Fraction(5, 2), "2.5", False),
        ("1.5e3", 1500, "1.5e3", False),
        ("010", 10, "010", True),
        ("65 * 1000", 65000, "65", True),
        ("5 * 60 + 15", 315, None, False),
        ("30 / 4", Fraction(15, 2), "30", True),
        ("(90)", 90, "90", True),
        ("-1", -1, None, True),
        ("12345678901234567890123", 12345678901234567890123, "12345678901234567890123", True),
    ],
)
def test_arithmetic_is_worked_out(value: str, amount: Fraction, coefficient: str | None, is_whole: bool) -> None:
    setting = only(f"a = {value} # s\n")
    content = setting.content
    assert isinstance(content, Computed)
    found = content.coefficient
    assert (setting.raw, content.amount, content.unit) == (value, amount, None)
    assert (found and f"a = {value}"[found.start : found.end]) == coefficient
    assert content.is_whole == is_whole or coefficient is None
    assert content.spellings == {1: "{}"}


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ('"75s"', Literal("75s", '"', True)),
        ('""', Literal("", '"', True)),
        (r'"a\n\"\\ \u00fc $${b} %%{c} $d %"', Literal('a\n"\\ ü ${b} %{c} $d %', '"', True)),
        ("true", Literal("true")),
        ("null", Literal("null")),
        ("var.idle", Opaque("a reference, var.idle")),
        ("aws_lb.main[0].arn", Opaque("a reference, aws_lb.main[0].arn")),
        ("aws_lb.main[*].arn", Opaque("a reference, aws_lb.main[*].arn")),
        ("number", Opaque("a reference, number")),
        ('"${var.idle}s"', Opaque("a reference, ${…}")),
        ('"%{ if true }5%{ endif }"', Opaque("a template, %{…}")),
        ("<<-EOT\n  60\n  EOT", Opaque("a block of text")),
        ("var.a ? 1 : 2", Opaque("an expression")),
        ("max(1, 2)", Opaque("an expression")),
        ("local.a * 2", Opaque("an expression")),
        ("10 % 3", Opaque("an expression")),
        ("1 / 0", Opaque("an expression")),
        ("!true", Opaque("an expression")),
        ("[for a in b : a]", Opaque("an expression")),
        ("jsonencode(var.a)", Opaque("an expression")),
    ],
)
def test_what_is_no_number_is_told_apart(value: str, content: object) -> None:
    assert only(f"a = {value}\n").content == content


def test_a_variable_is_never_looked_up() -> None:
    found = settings('variable "x" {\n  default = 60\n}\nlocals {\n  y = 5\n}\na = var.x\nb = local.y\n')
    assert [type(s.content) for s in found] == [Computed, Computed, Opaque, Opaque]


def test_blocks_are_scopes_and_repeated_ones_have_a_number() -> None:
    text = """
resource "aws_lb" "main" {
  a = 1
  check { b = 2 }
  check {
    b = 3
    deep { c = 4 }
  }
  dynamic "d" {
    content { e = 5 }
  }
}
locals { f = 6 }
locals { f = 7 }
module "m" { g = 8 }
data "x" y { h = 9 }
"""
    assert named(text) == [
        "resource.aws_lb.main~aws_lb.main: a = 1",
        "resource.aws_lb.main~aws_lb.main / check: b = 2",
        "resource.aws_lb.main~aws_lb.main / check#1~check: b = 3",
        "resource.aws_lb.main~aws_lb.main / check#1~check / deep: c = 4",
        "resource.aws_lb.main~aws_lb.main / dynamic.d~d / content: e = 5",
        "locals: f = 6",
        "locals#1~locals: f = 7",
        "module.m: g = 8",
        "data.x.y: h = 9",
    ]


def test_a_value_is_chosen_as_terraform_calls_it() -> None:
    found = settings(
        'resource "aws_lb" "a" {\n  t = 1\n}\nresource "aws_lb" "b" {\n  t = 2\n  c {\n    t = 3\n  }\n}\n'
    )
    chosen = [select(found, at) for at in ("aws_lb.a:t", "aws_lb.b.t", "aws_lb.b/c:t", "resource.aws_lb.b:t")]
    assert [[s.raw for s in one] for one in chosen] == [["1"], ["2"], ["3"], ["2"]]


def test_keys_and_positions_are_steps_of_the_route() -> None:
    text = 'a = { b = [1, { c : 2 }], "d/e" = 3, (f) = 4, "g" = { h = 5, } }\n'
    assert named(text) == ["a.b[0] = 1", "a.b[1].c = 2", 'a["d/e"] = 3', 'a["(f)"] = 4', "a.g.h = 5"]


def test_what_is_written_down_as_json_is_looked_into() -> None:
    text = 'a = jsonencode([{ name = "web", stopTimeout = 60 }])\nb = jsonencode({ x = 1 }, 2)\n'
    assert named(text) == [
        'a[0].name = "web"', "a[0].stopTimeout = 60", "b = jsonencode({ x = 1 }, 2)",
    ]  # fmt: skip


def test_comments_inside_a_value_are_no_part_of_it() -> None:
    assert named("a = [ # one\n  1, // two\n  /* three */ 2\n]\n") == ["a[0] = 1", "a[1] = 2"]
    assert named("a = { # one\n  b = 1 # two\n}\n") == ["a.b = 1"]


@pytest.mark.parametrize("text", ["75s", "", 'a"b', "a\\b", "${a} %{b} $c", "a\nb\t", "\x07\u2028", "ü😀"])
def test_a_text_that_is_written_reads_back(text: str) -> None:
    written = encode(only('a = "b"\n'), text)
    assert only(f"a = {written}\n").content == Literal(text, '"', True)


@pytest.mark.parametrize(
    ("value", "text"), [("true", "5"), ("null", "5"), ('"a"', "\ud800"), ('"a"', "$${b}"), ("5", "6"), ("a.b", "c")]
)
def test_what_cannot_be_written_is_refused(value: str, text: str) -> None:
    with pytest.raises(OutlastError, match="expected"):
        encode(only(f"a = {value}\n"), text)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'a = 1\nb "c" {\n', (3, 1)),
        (b'\xef\xbb\xbf\xc3\xbc = "\\q"', (1, 6)),
        (b"a = 1\n\xff", (2, 1)),
        (b"a = 1\0", (1, 6)),
    ],
)
def test_what_is_no_hcl_is_refused_at_its_place(data: bytes, place: tuple[int, int]) -> None:
    with pytest.raises(OutlastError) as raised:
        read(data, "f.tf")
    assert raised.value.place == Place("f.tf", *place)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 9000 + "]" * 9000,
        "a {\n" * 2000 + "}\n" * 2000,
        "a = " + "(" * 9000 + "1" + ")" * 9000,
        "a = 1" + " + 1" * 9000,
    ],
)
def test_deep_nesting_is_read_or_refused_with_a_place(text: str) -> None:
    refusal = OutlastError("none", Place("", 1, 1))
    found: tuple[Setting, ...] = ()
    try:
        found = settings(text)
    except OutlastError as error:
        refusal = error
    assert refusal.place is not None
    assert len(found) <= 1


def test_a_block_counts_though_it_is_empty() -> None:
    found = settings("ingress {}\ningress { a = 1 }\nb {}\negress {\n}\negress {\n  c {}\n  c { d = 2 }\n}\n")
    assert [s.scope for s in found] == [(("ingress#1", "ingress"),), (("egress#1", "egress"), ("c#1", "c"))]
