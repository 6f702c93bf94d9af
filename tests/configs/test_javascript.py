"""JavaScript and TypeScript: what is a setting, what encloses it, how its value is worked out."""

from __future__ import annotations

from fractions import Fraction

import pytest

from configs.harness import identity
from outlast.configs.readers.javascript import encode, read, read_typescript
from outlast.configs.select import select
from outlast.configs.setting import Computed, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError, Place


def settings(text: str) -> tuple[Setting, ...]:
    return read(text.encode(), "server.js")


def named(text: str) -> list[str]:
    return [f"{identity(s)} = {s.raw}" for s in settings(text)]


def typed(text: str) -> list[str]:
    return [f"{identity(s)} = {s.raw}" for s in read_typescript(text.encode(), "server.ts")]


def only(text: str) -> Setting:
    (setting,) = settings(text)
    return setting


@pytest.mark.parametrize(
    ("value", "amount", "coefficient", "is_whole"),
    [
        ("5_000", 5000, "5_000", True),
        ("0x1F4", 500, "0x1F4", True),
        (".5", Fraction(1, 2), ".5", False),
        ("1e3", 1000, "1e3", True),
        ("65 * 1000", 65000, "65", True),
        ("(5 * 60) * 1000", 300000, "5", True),
        ("1000 / 3", Fraction(1000, 3), "1000", True),
        ("60 - 5", 55, None, False),
        ("-1", -1, None, True),
        ("30 as const", 30, "30", True),
        ("0", 0, None, True),
    ],
)
def test_arithmetic_is_worked_out(value: str, amount: Fraction, coefficient: str | None, is_whole: bool) -> None:
    setting = only(f"a = {value};")
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
        ("'30s'", Literal("30s", "'", True)),
        ("`30s`", Literal("30s", "`", True)),
        (r'"\x41\u00fc\u{1f600}\ud83d\ude00\n\'"', Literal("Aü😀😀\n'", '"', True)),
        ("null", Literal("null")),
        ("undefined", Literal("undefined")),
        ("true", Literal("true")),
        ("Infinity", Literal("Infinity")),
        ("NaN", Opaque("a name, NaN")),
        ("10n", Opaque("a number that is not read")),
        ("1e999", Opaque("a number that is not read")),
        ("`${b}s`", Opaque("a template, `${…}`")),
        ("`a\nb`", Opaque("a block of text")),
        (r"'\ud800'", Opaque("a text that is no Unicode")),
        ("b", Opaque("a name, b")),
        ("b?.c.d", Opaque("a name, b.c.d")),
        ("process.env.X", Opaque("a variable, process.env.X")),
    ],
)
def test_what_is_no_number_is_told_apart(value: str, content: object) -> None:
    assert only(f"a = {value};").content == content


@pytest.mark.parametrize(
    "value",
    [
        "process.env.X || 5000", "process.env.X ?? 5000", "Number(process.env.X ?? 5000)", "parseInt(process.env['X'] || '5', 10)",
        "+(process.env.X || 5)", "Number(process.env.X) || 5000", "+process.env.X! || 5", "import.meta.env.X ?? 5",
    ],
)  # fmt: skip
def test_the_environment_with_a_default_is_one_value_that_is_not_read(value: str) -> None:
    setting = only(f"a = {value};")
    assert (setting.raw, setting.content) == (value, Opaque("an expression with a default"))


@pytest.mark.parametrize(
    "value", ["b + 5", "b || 5", "b ? 5 : 6", "f(b)", "await b", "process.env.X && 5", "1 / 0", "b * c"]
)
def test_other_expressions_are_no_settings(value: str) -> None:
    assert named(f"a = {value};") == []


def test_scopes_are_what_encloses_a_value() -> None:
    text = """
class Client extends Base {
  static #idle = 1;
  constructor(timeout = 2, { read = 3 } = {}, [first = 4] = []) { this.server.keepAliveTimeout = 5; this.max = 6; }
  get(url) { return axios.get(url, { timeout: 7, 'a-b': { c: [8, { d: 9 }] } }, 10); }
}
const api = axios.create({ timeout: 11 });
const run = async (ms = 12) => { setTimeout(() => done({ grace: 13 }), 14); };
export default { server: { ["x"]: 15, [y]: 16, close() { wait(17); }, open: () => wait(18) } };
function* gen() { options.delay ??= 19; options['k'] = 20; options.n += 21; }
"""
    assert named(text) == [
        'Client: ["#idle"] = 1',
        "Client / constructor: timeout = 2",
        "Client / constructor: read = 3",
        "Client / constructor: first = 4",
        "Client / constructor / this.server~server: keepAliveTimeout = 5",
        "Client / constructor: max = 6",
        "Client / get / axios.get~get: timeout = 7",
        "Client / get / axios.get~get / a-b: c[0] = 8",
        "Client / get / axios.get~get / a-b / c[1]~c: d = 9",
        "Client / get / axios: get[2] = 10",
        "api / axios.create~create: timeout = 11",
        "run: ms = 12",
        "run / done: grace = 13",
        "run: setTimeout[1] = 14",
        "server: x = 15",
        "server / close: wait[0] = 17",
        "server / open: wait[0] = 18",
        "gen / options: delay = 19",
        "gen / options: k = 20",
    ]


def test_two_objects_of_one_call_have_one_scope() -> None:
    assert named("post(u, { a: 1 }, { b: 2 }); post(u, { a: 3 });") == [
        "post: a = 1",
        "post: b = 2",
        "post#1~post: a = 3",
    ]


def test_a_value_is_chosen_by_the_object_and_the_name() -> None:
    found = settings(
        "server.timeout = 1; client.timeout = 2; server.setTimeout(3); setTimeout(f, 4); setTimeout(f, 5);"
    )
    ways = ("server.timeout", "client:timeout", "server.setTimeout[0]", ":setTimeout[1]", "setTimeout#1:setTimeout[1]")
    assert [[s.raw for s in select(found, at)] for at in ways] == [["1"], ["2"], ["3"], ["4"], ["5"]]


def test_typescript_has_types_decorators_and_enumerations() -> None:
    text = """
interface O { timeout?: 1 }
type T = 2;
export enum E { A = 3 }
namespace N { export const n = 4; }
@Injectable({ scope: 5 })
export class C<T = 6> {
  @Prop({ ttl: 7 }) private static readonly x: number = 8;
  constructor(@Inject(wait(9)) private readonly y: number = 10, z?: 11) {}
  get<U>(a: 12): 13 { return this.f<14>(15); }
}
let u: 16;
declare const v: 17;
"""
    assert typed(text) == [
        "E: A = 3", "N: n = 4", "Injectable: scope = 5", "C / Prop: ttl = 7", "C: x = 8", "C / constructor / Inject[0]~Inject: wait[0] = 9",
        "C / constructor: y = 10", "C / get: f[0] = 15",
    ]  # fmt: skip


def test_attributes_of_jsx_are_settings_of_their_element() -> None:
    text = "function A() { return <B timeout={5 * 1000} name='x'><C.D wait={6} on={() => f(7)} /><B timeout={8}>9</B></B>; }"
    assert named(text) == [
        "A / B: timeout = 5 * 1000", "A / C.D~D: wait = 6", "A / C.D~D / on: f[0] = 7", "A / B#1~B: timeout = 8",
    ]  # fmt: skip


def test_a_name_of_a_constant_is_read_through_and_locked() -> None:
    found = settings("\nexport const T = 5;\nf({ timeout: T });\ng(T, 3 * T);\nh(T - 1, other);")
    assert [s.locked for s in found] == [
        None, *["the constant T, server.js:2; bind that one"] * 2, None, "the constant T, server.js:2; bind that one",
    ]  # fmt: skip
    contents = [s.content for s in found if isinstance(s.content, Computed)]
    assert [c.amount for c in contents] == [5, 5, 5, 15, 4]
    assert [c.coefficient is None for c in contents] == [False, True, True, False, True]
    assert [c.spellings for c in contents[1:]] == [{}] * 4


@pytest.mark.parametrize(
    "again",
    [
        "function f(T) {}", "function T() {}", "class T {}", "{ const T = 6; }", "for (const T of y) {}", "try {} catch (T) {}",
        "T => 0", "async T => 0", "({ T }) => 0", "([T]) => 0", "(...T) => 0", "({ a: T = 5 }) => 0", "T = 6", "import T from 'm'",
        "import { a as T } from 'm'", "import * as T from 'm'", "let { b: T } = c",
    ],
)  # fmt: skip
def test_a_name_bound_twice_is_no_constant(again: str) -> None:
    contents = [s.content for s in settings(f"const T = 5;\n{again};\nx = T;") if isinstance(s.content, Opaque)]
    assert contents == [Opaque("a name, T")]


@pytest.mark.parametrize("text", ["let T = 5; x = T;", "const S = 5; const T = S; x = T;", "{ const T = 5; x = T; }"])
def test_only_what_the_module_declares_as_constant_is_followed(text: str) -> None:
    assert settings(text)[-1].content == Opaque("a name, T")


def test_what_is_handed_on_under_its_own_name_is_no_setting() -> None:
    assert named("f({ timeout: timeout, read: this.read, idle }); this.ttl = ttl;") == []


@pytest.mark.parametrize("quote", ["'", '"', "`"])
@pytest.mark.parametrize("text", ["30s", "", "it's", 'a"b`', "a\\b", "${a}", "$", "a\nb\r", "\x07\u2028", "ü😀"])
def test_a_text_that_is_written_reads_back(text: str, quote: str) -> None:
    written = encode(only(f"a = {quote}b{quote};"), text)
    assert only(f"a = {written};").content == Literal(text, quote, True)


@pytest.mark.parametrize(
    ("value", "text"), [("true", "5"), ("null", "5"), ("Infinity", "5"), ("'a'", "\ud800"), ("5", "6")]
)
def test_what_cannot_be_written_is_refused(value: str, text: str) -> None:
    with pytest.raises(OutlastError, match="expected"):
        encode(only(f"a = {value};"), text)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"a = 1;\nb = {;", (2, 6)),
        (b"\xef\xbb\xbf'\xc3\xbc'; b = );", (1, 8)),
        (b"a = 1\n'\xff'", (2, 2)),
        (b"a\0", (1, 2)),
    ],
)
def test_what_is_no_javascript_is_refused_at_its_place(data: bytes, place: tuple[int, int]) -> None:
    with pytest.raises(OutlastError) as raised:
        read(data, "f.js")
    assert raised.value.place == Place("f.js", *place)


@pytest.mark.parametrize(
    "text",
    [
        "a=" + "[" * 5000 + "]" * 5000,
        "f(" * 5000 + ")" * 5000,
        "a=" + "-" * 5000 + "1",
        "a=1" + "+1" * 5000,
        "x=>" * 5000 + "y",
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


def test_scopes_deeper_than_anybody_nests_are_left_out() -> None:
    (setting,) = settings("a={" + "b:{" * 150 + "c:1" + "}" * 151)
    assert len(setting.scope) < 100


@pytest.mark.parametrize("first", ["get()", "get({})", "get({ timeout: 1 })"])
def test_a_call_has_its_number_whether_or_not_others_hold_values(first: str) -> None:
    assert named(f"{first}; get({{ timeout: 2 }});")[-1] == "get#1~get: timeout = 2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("const a = 1;\nexport type * from './a';\n", "f.ts:2:8: cannot read this as TypeScript from here on, at 'type'; is it newer syntax?"),
        ("const a = b\n\n[...c, ...d].map(e)\n", "f.ts:3:2: cannot read this as TypeScript from here on, at '...'; is it newer syntax?"),
        ("let a = (1 + ;\nf(\n", "f.ts:1:14: cannot read this as TypeScript from here on, at ';'; is it newer syntax?"),
    ],
)  # fmt: skip
def test_where_the_grammar_fails_nobody_is_blamed(text: str, message: str) -> None:
    with pytest.raises(OutlastError) as raised:
        read_typescript(text.encode(), "f.ts")
    assert str(raised.value) == message
