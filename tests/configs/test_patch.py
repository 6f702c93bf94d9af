"""Edits change their bytes alone, and what else they would change is found."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.configs import formats
from outlast.configs.formats import Format
from outlast.configs.patch import Edit, Wanted, splice, verify
from outlast.configs.setting import Coefficient, Computed, Content, Flag, Key, Literal, Opaque, Setting
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.record import replace

# splice


@st.composite
def data_and_edits(draw: st.DrawFn) -> tuple[bytes, list[Edit], list[bytes]]:
    """Data cut in pieces of which every other one is edited, and the pieces that stay."""
    pieces = draw(st.lists(st.binary(min_size=1, max_size=5), min_size=1, max_size=9))
    edits, kept, position = [], [], 0
    for i, piece in enumerate(pieces):
        if i % 2:
            edits.append(Edit(position, position + len(piece), draw(st.binary(max_size=6))))
        else:
            kept.append(piece)
        position += len(piece)
    return b"".join(pieces), draw(st.permutations(edits)), kept


@given(data_and_edits())
def test_edits_in_any_order_change_their_bytes_alone(case: tuple[bytes, list[Edit], list[bytes]]) -> None:
    data, edits, kept = case
    news = [edit.new for edit in sorted(edits, key=lambda e: e.start)] + [b""]
    assert splice(data, edits) == b"".join(piece + new for piece, new in zip(kept, news, strict=False))


@given(data_and_edits())
def test_putting_back_what_was_there_gives_the_data_again(case: tuple[bytes, list[Edit], list[bytes]]) -> None:
    data, edits, _ = case
    back, shift = [], 0
    for edit in sorted(edits, key=lambda e: e.start):
        start = edit.start + shift
        back.append(Edit(start, start + len(edit.new), data[edit.start : edit.end]))
        shift += len(edit.new) - (edit.end - edit.start)
    assert splice(splice(data, edits), back) == data


def test_edits_that_touch_are_apart() -> None:
    assert splice(b"abcd", [Edit(2, 4, b"Y"), Edit(0, 2, b"X"), Edit(4, 4, b"!")]) == b"XY!"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, 2, b""), Edit(1, 3, b"")],
        [Edit(1, 3, b""), Edit(0, 4, b"")],
        [Edit(1, 3, b""), Edit(1, 3, b"")],
        [Edit(2, 2, b"a"), Edit(2, 2, b"b")],
        [Edit(1, 3, b""), Edit(2, 2, b"a")],
    ],
)
def test_edits_that_overlap_are_refused(edits: list[Edit]) -> None:
    for order in (edits, edits[::-1]):
        with pytest.raises(OutlastError, match="expected edits apart from each other"):
            splice(b"abcd", order)


@pytest.mark.parametrize("edit", [Edit(-1, 2, b""), Edit(3, 5, b""), Edit(3, 2, b"")])
def test_edits_outside_are_refused(edit: Edit) -> None:
    with pytest.raises(OutlastError, match="expected an edit inside 4 bytes"):
        splice(b"abcd", [edit])


# verify, with a small format: `name = value` in lines, flags in the values of `args`, sums as `2 * 3`, `$name` for another value

_LINE = re.compile(rb"^(\w+) = ([^\n]*)$", re.M)
_FLAG = re.compile(rb"(--\w+)[= ](\w+)")


def read(data: bytes, file: str) -> tuple[Setting, ...]:
    if b"!" in data:
        raise OutlastError("expected no exclamation mark")
    found: list[Setting] = []
    amounts: dict[bytes, Fraction] = {}
    for line in _LINE.finditer(data):
        name, value = line[1], line[2]

        def setting(start: int, end: int, content: Content, *steps: Key | Flag) -> Setting:
            raw = data[start:end].decode()
            is_used = raw.startswith("$")
            return Setting(
                route=steps, start=start, end=end, raw=raw, content=content, locked="a use" if is_used else None
            )

        key, start = Key(name.decode()), line.start(2)
        content: Content = Literal(value.decode())
        if product := re.fullmatch(rb"(\d+) \* (\d+)", value):
            left, right = Fraction(int(product[1])), Fraction(int(product[2]))
            coefficient = Coefficient(start, start + len(product[1]), left)
            content = Computed(amount=left * right, coefficient=coefficient)
            amounts[name] = left * right
        elif value.startswith(b"$"):
            content = Computed(amount=amounts.get(value[1:], Fraction(0)))
        elif value.startswith(b"{"):
            content = Opaque("a template")
        found.append(setting(start, line.end(2), content, key))
        if name == b"args":
            for flag in _FLAG.finditer(value):
                at = start + flag.start(2)
                text = flag[2].decode()
                found.append(setting(at, at + len(text), Literal(text), key, Flag(flag[1].decode())))
    return tuple(found)


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Format:
    class Module:
        pass

    Module.read = staticmethod(read)  # type: ignore[attr-defined]  # a module in miniature
    monkeypatch.setattr(formats, "import_module", lambda name: Module)
    return Format(name="sample", module="sample")


DATA = b"""\
first = 10s
\xc3\xa9 = not read
product = 65 * 1000
use = $product
empty =\x20
args = serve --timeout 75 --grace=30s now
args = --timeout 75
template = {{ x }}
last = 60s
"""


def index(settings: tuple[Setting, ...], route: str, which: int = 0) -> int:
    found = [i for i, s in enumerate(settings) if ".".join(step.name or "" for step in s.route) == route]
    return found[which]


def changed(
    sample: Format, changes: dict[str, str], wanted: dict[str, Wanted] | None = None, data: bytes = DATA
) -> tuple[Setting, ...]:
    """Verify the data with new texts in place of the values of some routes."""
    before = read(data, "f")
    edits = {index(before, route): text for route, text in changes.items()}
    after = splice(data, [Edit(before[i].start, before[i].end, text.encode()) for i, text in edits.items()])
    claims = edits if wanted is None else {index(before, route): claim for route, claim in wanted.items()}
    return verify(sample, "f", before, data, after, claims)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"first": "9500ms"},
        {"first": "5s", "last": "100ms"},
        {"product": "7 * 1000"},
        {"empty": "12"},
        {"empty": "1", "product": "1 * 1", "first": ""},
        {"template": "3"},
        {"last": "60s"},
    ],
)
def test_wanted_changes_pass_and_what_is_read_is_returned(sample: Format, changes: dict[str, str]) -> None:
    found = changed(sample, changes)
    for route, text in changes.items():
        assert found[index(found, route)].raw == text
    assert len(found) == len(read(DATA, "f"))


def test_a_flag_may_change_inside_its_word_and_the_word_with_it(sample: Format) -> None:
    found = changed(sample, {"args.--timeout": "7500ms", "args.--grace": "5s", "last": "1s"})
    assert found[index(found, "args")].raw == "serve --timeout 7500ms --grace=5s now"


def test_a_word_may_change_around_its_flags(sample: Format) -> None:
    found = changed(sample, {"args": "serve --timeout 7 --grace=3s soon"})
    assert found[index(found, "args.--timeout")].raw == "7"


def test_a_word_must_keep_its_flags(sample: Format) -> None:
    with pytest.raises(OutlastError, match="rest of the file"):
        changed(sample, {"args": "serve --timeout 7 --other=3s now"})


def test_a_flag_of_the_same_name_elsewhere_must_not_change(sample: Format) -> None:
    before = read(DATA, "f")
    other = before[index(before, "args.--timeout", 1)]
    after = splice(DATA, [Edit(other.start, other.end, b"80")])
    with pytest.raises(OutlastError):
        verify(sample, "f", before, DATA, after, {index(before, "args.--timeout"): "80"})
    assert verify(sample, "f", before, DATA, after, {index(before, "args.--timeout", 1): "80"})


def test_uses_of_a_changed_constant_may_amount_to_something_else(sample: Format) -> None:
    found = changed(sample, {"product": "7 * 1000"})
    content = found[index(found, "use")].content
    assert isinstance(content, Computed)
    assert content.amount == 7000


def test_content_can_be_claimed_instead_of_text(sample: Format) -> None:
    def is_seven(content: Content) -> bool:
        return isinstance(content, Computed) and content.amount == 7000

    assert changed(sample, {"product": "7 * 1000"}, {"product": is_seven})
    with pytest.raises(OutlastError, match=r"expected to read the new value afterwards, found '8 \* 1000'") as caught:
        changed(sample, {"product": "8 * 1000"}, {"product": is_seven})
    assert str(caught.value.place) == "f:3:11"


def test_another_text_than_wanted_is_told_with_its_place(sample: Format) -> None:
    with pytest.raises(OutlastError, match="expected to read '61s' afterwards, found '62s'") as caught:
        changed(sample, {"last": "62s"}, {"last": "61s"})
    assert str(caught.value.place) == "f:9:8"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"first": "1\nmore = 2"}, "expected 11 values afterwards, found 12"),
        ({"first": "1!"}, "unreadable: expected no exclamation mark"),
        ({"args": "--timeout 75 and nothing else"}, "expected 11 values afterwards, found 10"),
    ],
)
def test_what_would_change_the_rest_is_told_at_the_edit(sample: Format, changes: dict[str, str], message: str) -> None:
    with pytest.raises(OutlastError, match=message) as caught:
        changed(sample, changes)
    assert caught.value.place is not None
    assert caught.value.place.file == "f"


def test_bytes_between_settings_must_not_change(sample: Format) -> None:
    before = read(DATA, "f")
    after = DATA.replace(b"not read", b"not seen").replace(b"10s", b"11s")
    with pytest.raises(OutlastError, match="change the rest of the file"):
        verify(sample, "f", before, DATA, after, {0: "11s"})


def test_a_change_that_nobody_wanted_is_told(sample: Format) -> None:
    before = read(DATA, "f")
    with pytest.raises(OutlastError, match="change the rest of the file"):
        verify(sample, "f", before, DATA, DATA.replace(b"60s", b"61s"), {0: "10s"})


Twist = Callable[[Setting], Setting]


@pytest.mark.parametrize(
    ("route", "twist"),
    [
        ("last", lambda s: replace(s, route=(Key("least"),))),
        ("last", lambda s: replace(s, scope=(("there",),))),
        ("last", lambda s: replace(s, dialect="go")),
        ("last", lambda s: replace(s, locked="for a reason")),
        ("last", lambda s: replace(s, raw="60S")),
        ("last", lambda s: replace(s, content=Literal("61s"))),
        ("last", lambda s: replace(s, content=Literal("60s", is_text=True))),
        ("last", lambda s: replace(s, start=s.start - 1)),
        ("last", lambda s: replace(s, end=s.end - 1)),
        ("template", lambda s: replace(s, content=Opaque("a call"))),
        ("use", lambda s: replace(s, content=Literal("$product"))),
        ("use", lambda s: replace(s, locked=None)),
        ("product", lambda s: replace(s, content=replace(s.content, amount=Fraction(1)))),
        ("product", lambda s: replace(s, content=replace(s.content, coefficient=None))),
        ("product", lambda s: replace(s, content=replace(s.content, coefficient=Coefficient(20, 22, Fraction(65))))),
        ("args", lambda s: replace(s, content=Opaque("a call"))),
        ("args", lambda s: replace(s, end=s.end + 1)),
        ("args", lambda s: replace(s, raw=s.raw + "x")),
        ("first", lambda s: replace(s, route=(Key("fist"),))),
        ("args.--timeout", lambda s: replace(s, scope=(("there",),))),
    ],
)
def test_any_difference_of_another_setting_is_found(
    sample: Format, monkeypatch: pytest.MonkeyPatch, route: str, twist: Twist
) -> None:
    before = read(DATA, "f")
    after = DATA.replace(b"first = 10s", b"first = 5000ms").replace(b"--grace=30s", b"--grace=5s")
    wanted: dict[int, Wanted] = {0: "5000ms", index(before, "args.--grace"): "5s"}
    assert verify(sample, "f", before, DATA, after, wanted) == read(after, "f")
    found = list(read(after, "f"))
    found[index(before, route)] = twist(found[index(before, route)])
    monkeypatch.setattr(Format, "read", lambda *_: tuple(found))
    with pytest.raises(OutlastError, match="the new value would change the rest of the file"):
        verify(sample, "f", before, DATA, after, wanted)


def test_a_flag_must_stay_inside_its_changed_word(sample: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read(DATA, "f")
    after = DATA.replace(b"serve", b"server")
    args, flag = index(before, "args"), index(before, "args.--timeout")
    found = list(read(after, "f"))
    wanted: dict[int, Wanted] = {args: found[args].raw}
    assert verify(sample, "f", before, DATA, after, wanted) == tuple(found)
    for start, end in ((0, 2), (found[args].end, found[args].end + 1)):
        found[flag] = replace(found[flag], start=start, end=end)
        monkeypatch.setattr(Format, "read", lambda *_: tuple(found))
        with pytest.raises(OutlastError, match="the new value would change the rest of the file"):
            verify(sample, "f", before, DATA, after, wanted)


def test_all_errors_of_a_reader_end_as_one(sample: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise InputErrors("f", [OutlastError("expected a, found b"), OutlastError("expected c, found d")])

    before = read(DATA, "f")
    monkeypatch.setattr(Format, "read", fail)
    with pytest.raises(OutlastError, match="would make the file unreadable: expected a, found b"):
        verify(sample, "f", before, DATA, DATA, {0: "10s"})
