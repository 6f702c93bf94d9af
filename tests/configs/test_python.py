"""Python: what is a setting, how its value is worked out, and which bytes are its own."""

from __future__ import annotations

from fractions import Fraction

import pytest

from configs.harness import identity
from outlast.configs.readers.python import encode, read
from outlast.configs.select import select
from outlast.configs.setting import Computed, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError, Place


def settings(text: str) -> tuple[Setting, ...]:
    return read(text.encode(), "app.py")


def named(text: str) -> list[str]:
    return [f"{identity(s)} = {s.raw}" for s in settings(text)]


def only(text: str) -> Setting:
    (setting,) = settings(text)
    return setting


def number(setting: Setting) -> Computed:
    assert isinstance(setting.content, Computed)
    return setting.content


@pytest.mark.parametrize(
    ("text", "amount", "coefficient", "is_whole"),
    [
        ("a = 0.1", Fraction(1, 10), "0.1", False),
        ("a = 1e-3", Fraction(1, 1000), "1e-3", False),
        ("a = 1_000", Fraction(1000), "1_000", True),
        ("a = 0x1F", Fraction(31), "0x1F", True),
        ("a = 65 * 1000", Fraction(65000), "65", True),
        ("a = 0.5 * 60", Fraction(30), "0.5", False),
        ("a = 250 / 1000", Fraction(1, 4), "250", True),
        ("a = 7 // 2", Fraction(3), None, True),
        ("a = 2 ** 5", Fraction(32), None, True),
        ("a = 60 - 5", Fraction(55), None, True),
        ("a = -1", Fraction(-1), None, True),
        ("a = -3 * -2", Fraction(6), None, True),
        ("a = 0", Fraction(0), None, True),
    ],
)
def test_a_number_is_exact_and_the_literal_in_proportion_to_it_is_known(
    text: str, amount: Fraction, coefficient: str | None, is_whole: bool
) -> None:
    content = number(only(text))
    found = content.coefficient
    assert (content.amount, content.is_whole, content.unit) == (amount, is_whole, None)
    assert (found and text[found.start : found.end]) == coefficient
    assert content.spellings == {1: "{}"}


@pytest.mark.parametrize(
    "text", ["a = 1e999999999", "a = 9**9**9**9", "a = 1 / 0", "a = 10**100 * 10**100 * 10**100 * 10**100"]
)
def test_what_is_too_large_or_has_no_value_is_no_number(text: str) -> None:
    assert not any(isinstance(s.content, Computed) for s in settings(text))


@pytest.mark.parametrize(
    ("text", "seconds", "coefficient", "spelled"),
    [
        ("a = timedelta(seconds=30)", 30, "30", "timedelta(seconds={})"),
        ("a = datetime.timedelta(minutes=1)", 60, "1", "datetime.timedelta(seconds={})"),
        ("a = dt.timedelta(hours=1, minutes=30)", 5400, None, "dt.timedelta(seconds={})"),
        ("a = timedelta(0, 5)", 5, None, "timedelta(seconds={})"),
        ("a = timedelta(milliseconds=1.5 * 1000)", Fraction(3, 2), "1.5", "timedelta(seconds={})"),
    ],
)
def test_a_timedelta_is_one_duration_with_the_number_in_it(
    text: str, seconds: Fraction, coefficient: str | None, spelled: str
) -> None:
    setting = only(text)
    content = number(setting)
    found = content.coefficient
    assert setting.raw == text[4:]
    assert (content.amount, content.unit) == (seconds, 10**9)
    assert (found and text[found.start : found.end]) == coefficient
    assert content.spellings[10**9] == spelled


def test_a_timedelta_that_is_not_constant_gives_its_arguments() -> None:
    assert named("a = timedelta(seconds=x, minutes=5)") == [
        "a / timedelta: seconds = x",
        "a / timedelta: minutes = 5",
    ]


def test_a_name_of_a_constant_is_read_through_and_locked() -> None:
    first, second = settings("T = 5\nf(timeout=T)\n")
    assert first.locked is None
    content = number(second)
    assert content.amount == 5
    assert (content.coefficient, dict(content.spellings)) == (None, {})
    assert second.locked == "the constant T, app.py:1; bind that one"


def test_arithmetic_with_a_constant_is_locked_where_no_literal_decides() -> None:
    _, setting = settings("T = 5\nf(T * 2 - 1)")
    assert number(setting).amount == 9
    assert setting.locked == "the constant T, app.py:1; bind that one"


@pytest.mark.parametrize("product", ["5 * SECOND", "SECOND * 5"])
def test_a_literal_in_proportion_decides_also_beside_a_constant(product: str) -> None:
    setting = settings(f"SECOND = 1000\nx = {product}")[1]
    found = number(setting).coefficient
    assert setting.locked is None
    assert found is not None
    assert number(setting).amount == 5000
    assert found.value == 5
    assert number(setting).spellings == {}


@pytest.mark.parametrize(
    "again",
    [
        "T = 6", "T += 1", "def f(T): pass", "def T(): pass", "class T: pass", "import T", "from a import b as T", "for T in y: pass",
        "with y as T: pass", "[0 for T in y]", "(T := 6)", "try: pass\nexcept E as T: pass", "def f():\n  global T", "lambda T: 0",
        "match y:\n  case [T]: pass", "match y:\n  case {**T}: pass", "(T, u) = y", "[*T] = y", "def f(*T): pass",
    ],
)  # fmt: skip
def test_a_name_bound_twice_is_no_constant(again: str) -> None:
    contents = {s.route: s.content for s in settings(f"T = 5\n{again}\nx = T\n")}
    assert [c for c in contents.values() if isinstance(c, Opaque)] == [Opaque("a name, T")]


def test_constants_are_followed_one_level_deep_and_only_from_the_module() -> None:
    assert [type(s.content) for s in settings("A = 5\nB = A\nx = B\n")] == [Computed, Computed, Opaque]
    assert [type(s.content) for s in settings("def f():\n  A = 5\n  x = A\n")] == [Computed, Opaque]


def test_what_is_handed_on_under_its_own_name_is_no_setting() -> None:
    assert named("f(timeout=timeout, read=self.read)\nself.idle = idle\n") == []


@pytest.mark.parametrize(
    "value",
    [
        'os.environ.get("X", "30")', 'int(os.environ.get("X", 30))', 'float(os.getenv("X", "30"))', 'os.getenv("X") or 30',
        'int(environ.get("X") or "5")', 'getenv("X", default=3)',
    ],
)  # fmt: skip
def test_the_environment_with_a_default_is_one_value_that_is_not_read(value: str) -> None:
    setting = only(f"timeout = {value}")
    assert (setting.raw, setting.content) == (value, Opaque("an expression with a default"))


def test_scopes_are_what_encloses_a_value() -> None:
    text = """
class Client(Base, timeout=1):
    limit: float = Field(2.0, gt=0)
    async def get(self, url, timeout=3, *, retries=4):
        self.session.timeout = 5; self.wait(20)
        session = Session(timeout=6, limits=Limits(idle=7))
        return requests.get(url, timeout=(8, 9)), wait({"a": {"b": [10, {"c": 11}]}}, 12)
"""
    assert named(text) == [
        "Client: limit = 2.0",
        "Client / limit / Field: gt = 0",
        "Client / get: timeout = 3",
        "Client / get: retries = 4",
        "Client / get / self.session~session: timeout = 5",
        "Client / get: wait[0] = 20",
        "Client / get / session / Session: timeout = 6",
        "Client / get / session / Session / limits / Limits: idle = 7",
        "Client / get / requests.get~get: timeout[0] = 8",
        "Client / get / requests.get~get: timeout[1] = 9",
        "Client / get / wait[0]~wait / a: b[0] = 10",
        "Client / get / wait[0]~wait / a / b[1]~b: c = 11",
        "Client / get: wait[1] = 12",
    ]


def test_each_of_several_like_values_can_be_chosen() -> None:
    text = "def f():\n  sleep(1)\n  sleep(2)\n  get(t=3)\n  get(t=4)\nx = 5\nx = 6\n"
    found = settings(text)
    assert [identity(s) for s in found] == [
        "f: sleep[0]", "f / sleep#1: sleep[0]", "f / get: t", "f / get#1~get: t", "x", "x#1: x",
    ]  # fmt: skip
    chosen = [select(found, at) for at in ("f:sleep[0]", "sleep#1:sleep[0]", "get#1:t", ":x", "x#1:x")]
    assert [[s.raw for s in one] for one in chosen] == [["1"], ["2"], ["4"], ["5"], ["6"]]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("\ufeffa = 1", [1]),
        ("ü = 'é😀'; b = 2", [1, 2]),
        ("a = 1\r\nb = 2\rc = 3\nd = 4", [1, 2, 3, 4]),
        ("a = 'x\u2028y\x0c'; b = 2", [0, 2]),
        ("def f():\n\x0c  a = 1\n  b = 2", [1, 2]),
    ],
)
def test_spans_are_those_of_the_bytes(text: str, columns: list[int]) -> None:
    data = text.encode()
    found = [data[s.start : s.end].decode() for s in read(data, "f") if isinstance(s.content, Computed)]
    assert found == [str(c) for c in columns if f"= {c}" in text]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("a = '30s'", Literal("30s", "'", True)),
        ('a = """30s"""', Literal("30s", '"""', True)),
        (r'a = r"\d"', Literal(r"\d", '"', True)),
        (r'a = "\x41\n"', Literal("A\n", '"', True)),
        ("a = None", Literal("None")),
        ("a = False", Literal("False")),
        ("a = f'{b}'", Opaque("a template, f'…'")),
        ("a = 'x' 'y'", Opaque("several texts in a row")),
        ("a = '''x\ny'''", Opaque("a block of text")),
        (r"a = '\ud800'", Opaque("a text that is no Unicode")),
        ("a = b'5'", Opaque("bytes")),
        ("a = b.c", Opaque("a name, b.c")),
    ],
)
def test_what_is_no_number_is_told_apart(text: str, content: object) -> None:
    assert only(text).content == content


def test_documentation_and_types_are_no_settings() -> None:
    assert named('"""Doc 5"""\ndef f(a: Annotated[int, 5]) -> Literal[5]:\n  "doc"\n  x: C[5]\n  ...\n') == []


@pytest.mark.parametrize(
    ("raw", "text", "written"),
    [
        ("'a'", "it's", r"'it\'s'"),
        ('"a"', 'b"\\\n', r'"b\"\\\n"'),
        ('u"a"', "ü", 'u"ü"'),
        ("r'a'", r"\d", r"r'\d'"),
        ('"""a"""', 'b"', '"""b\\""""'),
        ("True", "False", "False"),
    ],
)
def test_a_text_is_written_in_the_quotes_that_stand_there(raw: str, text: str, written: str) -> None:
    setting = only(f"a = {raw}")
    assert encode(setting, text) == written
    content = only(f"a = {written}").content
    assert isinstance(content, Literal)
    assert content.text == text


@pytest.mark.parametrize(
    ("raw", "text"), [("r'a'", "it's"), ("r'a'", "\\"), ("r'a'", "b\n"), ("True", "5"), ("None", "5")]
)
def test_what_cannot_be_written_is_refused(raw: str, text: str) -> None:
    with pytest.raises(OutlastError, match="expected") as raised:
        encode(only(f"a = {raw}"), text)
    assert raised.value.place is None


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"a = 1\nb = (", (2, 5)),
        (b"\xef\xbb\xbf\xc3\xbc = $", (1, 5)),
        (b"a = 1\r\nb = \xc3\xbc $\r\n", (2, 7)),
        (b"a = 1\nb = '\xff'", (2, 6)),
        (b"a = 1\n\0", (2, 1)),
        (b"# coding: latin-1\na = 1", (1, 11)),
        (b"#!/bin/x\n# -*- coding: cp1252 -*-\n", (2, 15)),
        (b"a = " + b"-" * 50000 + b"1", (1, 1)),
        (b"a = " + b"9" * 5000, (1, 1)),
    ],
)
def test_what_is_no_python_is_refused_at_its_place(data: bytes, place: tuple[int, int]) -> None:
    with pytest.raises(OutlastError) as raised:
        read(data, "f.py")
    assert raised.value.place == Place("f.py", *place)
    assert "sys." not in raised.value.message


@pytest.mark.parametrize("name", ["utf-8", "utf8", "UTF-8", "ascii"])
def test_other_names_of_utf8_are_taken(name: str) -> None:
    assert named(f"# -*- coding: {name} -*-\na = 5") == ["a = 5"]


def test_a_coding_behind_code_is_a_comment() -> None:
    assert named("a = 5\n# coding: latin-1") == ["a = 5"]


def test_the_users_warnings_are_not_ours() -> None:
    assert named('a = "\\q"; b = 5 is 5') == ['a = "\\q"']


def test_long_sums_and_chains_end() -> None:
    assert named("a = 1" + " + 1" * 900) == []
    assert len(settings("a" + ".b(5)" * 900)) == 900


@pytest.mark.parametrize(
    "text",
    [
        "match a:\n    case Point(timeout=5, x=0): b = 7",
        "match a:\n    case {'k': 1, **rest}: b = 7",
        "match a:\n    case {**rest} | [1, *_] | None: b = 7",
        "def f():\n    global x, y\n    b = 7",
        "def f():\n    x = f\n    def g():\n        nonlocal x\n        b = 7",
        "from . import x, y as z\nimport p.q\nb = 7",
        "for x, in []:\n    b = 7\nelse:\n    pass",
        "async def f():\n    async with a, b as (c, *d): b = 7",
        "try: pass\nexcept* E as e: b = 7",
        "f(*[], **{})\ng = lambda *, a, b=7: {**a}",
        "class A(B, metaclass=M):\n    b: int = 7\n    del x, y",
    ],
)
def test_no_syntax_stops_the_walk(text: str) -> None:
    assert [(identity(s).rpartition(" ")[2], s.raw) for s in settings(text) if s.raw == "7"] == [("b", "7")]


@pytest.mark.parametrize("first", ["get()", "get(x)", "get(timeout=1)"])
def test_a_call_has_its_number_whether_or_not_others_hold_values(first: str) -> None:
    assert named(f"{first}\nget(timeout=2)")[-1] == "get#1~get: timeout = 2"


def test_a_function_has_its_number_whether_or_not_others_hold_values() -> None:
    assert named("def f(): pass\ndef f(a=1): pass") == ["f#1~f: a = 1"]


@pytest.mark.parametrize(
    ("value", "amount", "spelled"),
    [
        ("timedelta(minutes=2).total_seconds()", 120, "timedelta(seconds={}).total_seconds()"),
        ("int(dt.timedelta(hours=1).total_seconds())", 3600, "int(dt.timedelta(seconds={}).total_seconds())"),
        ("timedelta(minutes=1, seconds=30).total_seconds()", 90, "timedelta(seconds={}).total_seconds()"),
    ],
)
def test_the_seconds_of_a_timedelta_need_no_unit(value: str, amount: int, spelled: str) -> None:
    content = number(only(f"TIMEOUT = {value}"))
    assert content.amount == amount
    assert (content.unit, content.spellings[10**9]) == (10**9, spelled)
    assert named(f"get(timeout={value})") == [f"get: timeout = {value}"]


def test_seconds_that_are_cut_off_are_read_before_that() -> None:
    (setting,) = settings("a = int(timedelta(milliseconds=1500).total_seconds())")
    assert setting.raw == "timedelta(milliseconds=1500).total_seconds()"
    assert number(setting).amount == Fraction(3, 2)


def test_a_long_chain_of_seconds_is_walked() -> None:
    assert settings("a = timedelta(seconds=1)" + ".total_seconds()" * 500 + "\nb = 2")[-1].raw == "2"
