"""Reading YAML: the text that stands there, its places, and the words for what is wrong."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from outlast.constraints import document
from outlast.constraints.document import Mapping, Node, Scalar, Sequence, parse_document, read_document
from outlast.constraints.errors import InputErrors

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]


@pytest.fixture(params=LOADERS, ids=lambda loader: str(loader.__name__))
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_LOADER", request.param)


def plain(node: Node) -> object:
    match node:
        case Scalar():
            return node.text
        case Sequence():
            return [plain(item) for item in node.items]
        case Mapping():
            return {entry.key.text: plain(entry.value) for entry in node.entries}


def scalars(node: Node) -> list[Scalar]:
    match node:
        case Scalar():
            return [node]
        case Sequence():
            return [s for item in node.items for s in scalars(item)]
        case Mapping():
            return [s for entry in node.entries for s in (entry.key, *scalars(entry.value))]


def complaints(data: bytes) -> list[str]:
    return [str(error) for error in parse_document(data, "f.yaml")[1]]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("text", ["off", "1:30", "010", "2026-11-01", "yes", "null", "~", "1_000", "0x10", ".5", "1e3"])
def test_a_scalar_is_the_text_that_stands_there(text: str) -> None:
    assert plain(read_document(f"a: {text}\nb: [{text}]\n".encode(), "f.yaml")) == {"a": text, "b": [text]}


@pytest.mark.usefixtures("loader")
def test_only_the_plain_word_null_removes() -> None:
    node = read_document(b"a: null\nb: 'null'\nc:\nd: ''\n", "f.yaml")
    a, b, c, d = (s for s in scalars(node) if s.place.col > 1)
    assert [a.is_null, b.is_null, c.is_null, d.is_null] == [True, False, False, False]
    assert [a.is_empty, b.is_empty, c.is_empty, d.is_empty] == [False, False, True, False]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("data", "offset", "place"),
    [
        (b"k: abcd\n", 2, (1, 6)),
        (b"k: 'abcd'\n", 2, (1, 7)),
        (b"k: 'a''cd'\n", 2, (1, 8)),
        (b'k: "abcd"\n', 2, (1, 7)),
        (b'k: "a\\tb<"\n', 3, (1, 9)),
        (b'k: "\\u00e9b<"\n', 2, (1, 12)),
        (b'k: "a\\\n   b<"\n', 2, (2, 5)),
        (b"k: ab\n   cd <\n", 6, (2, 7)),
        (b"k: 'ab\n   cd <'\n", 6, (2, 7)),
        (b"k: |\n   ab\n   cd <\n", 6, (3, 7)),
        (b"k: >-\n   ab\n   cd <\n", 6, (3, 7)),
        (b"k: &x ab<\n", 2, (1, 9)),
        (b"k: &x 'ab<'\n", 2, (1, 10)),
        (b"k: \xc3\xa9\xf0\x9f\x98\x80<\n", 2, (1, 6)),
        (b"\xef\xbb\xbfk: ab<\n", 2, (1, 6)),
        (b"\xef\xbb\xbf\r\nk: ab<\r\n", 2, (2, 6)),
        (b"x: 1\r\nk: ab\r\n  cd<\r\n", 5, (3, 5)),
        (b"k: ab<\n", 99, (1, 7)),
        (b"k: 'ab<'\n", 99, (1, 8)),
    ],
)
def test_an_offset_in_a_text_is_a_place_in_the_file(data: bytes, offset: int, place: tuple[int, int]) -> None:
    found = scalars(read_document(data, "f.yaml"))[-1].at(offset)
    assert (found.line, found.col) == place


@given(st.text(st.sampled_from("ab <'\"\\\n\té#:"), min_size=1, max_size=30), st.sampled_from(["'", '"', "|", ">"]))
def test_every_visible_character_is_found_where_it_stands(text: str, style: str) -> None:
    data: str = yaml.dump({"k": text}, default_style=style, allow_unicode=True, width=20)
    scalar = scalars(read_document(data.encode(), "f.yaml"))[-1]
    assert scalar.text == text
    lines = data.split("\n")
    for offset, character in enumerate(text):
        place = scalar.at(offset)
        if character in "ab<é:#":
            assert lines[place.line - 1][place.col - 1] == character


TABLE: list[tuple[bytes, list[str]]] = [
    (b"", ["f.yaml:1:1: found an empty file, expected a spec"]),
    (b"# nothing\n", ["f.yaml:1:1: found an empty file, expected a spec"]),
    (
        b"a: 1\nb: 2\na: 3\n",
        ["f.yaml:3:1: found 'a' a second time; it stands at 1:1 too"],
    ),
    (b"a: !!int 3\n", ["f.yaml:1:4: found the tag '!!int', but tags are not read; leave it out"]),
    (b"a: !x {b: c}\n", ["f.yaml:1:4: found the tag '!x', but tags are not read; leave it out"]),
    (
        b"a: &a {b: c}\nd:\n  <<: *a\n",
        ["f.yaml:3:3: found '<<', but merge keys are not read; write the keys out, or use 'extends'"],
    ),
    (b"a: b\n---\nc: d\n", ["f.yaml:2:1: found a second document, expected one a file"]),
    (b"a: &x [*x]\n", ["f.yaml:1:8: found the alias '*x' inside the value that it stands for"]),
    (b"a: *x\n", ["f.yaml:1:4: found the alias '*x', but nothing is called '&x' before it"]),
    (b"? [a]\n: b\n", ["f.yaml:1:3: expected a text as key, found a list"]),
    (b"? {a: b}\n: b\n", ["f.yaml:1:3: expected a text as key, found a mapping"]),
    (b"a:\n  b: \xff\n", ["f.yaml:2:6: expected UTF-8, found the byte 0xff"]),
    ("é: é".encode() + b"\xe9", ["f.yaml:1:5: expected UTF-8, found the byte 0xe9"]),
    ("a: b".encode("utf-16"), ["f.yaml:1:1: expected UTF-8, found UTF-16"]),
    (b"a: \x00\n", ["f.yaml:1:4: found the character U+0000, which a text file does not contain"]),
    (b"a: b\nc: \x1b[31m\n", ["f.yaml:2:4: found the character U+001B, which a text file does not contain"]),
    ("a: b\u2028c\n".encode(), ["f.yaml:1:5: found the character U+2028, which a text file does not contain"]),
    (b"a: b\rc\n", ["f.yaml:1:5: found a carriage return without a line feed, which a text file does not contain"]),
    (b"a:\n\tb: c\n", ["f.yaml:2:1: found a tab, expected blanks; YAML does not indent with tabs"]),
    (
        b"owner: @payments\n",
        ["f.yaml:1:8: found '@', which cannot begin a value in YAML; put the value in quotes: owner: '@payments'"],
    ),
    (
        b"a: { owner: `x`, why: %y }\n",
        [
            "f.yaml:1:13: found '`', which cannot begin a value in YAML; put the value in quotes: owner: '`x`'",
            "f.yaml:1:23: found '%', which cannot begin a value in YAML; put the value in quotes: why: '%y'",
        ],
    ),
    (
        b"why: SLO: as it's agreed\n",
        ["f.yaml:1:9: found ': ' inside a value; put the value in quotes: why: 'SLO: as it''s agreed'"],
    ),
    (b"a: 1\n b: 2\n", ["f.yaml:2:3: found a key inside a value; check the indentation"]),
    (b"a:\n  b: c\n  d:10s\n", ["f.yaml:3:3: expected a blank after the colon: 'd: 10s'"]),
    (b"a: b\nc\n", ["f.yaml:2:1: expected 'key: value', found 'c'"]),
    (b"a: b\n  c: d\n e: f\n", ["f.yaml:2:4: found a key inside a value; check the indentation"]),
    (b"a:\n  - b\n c: d\n", ["f.yaml:3:2: found a line that belongs to nothing before it; check its indentation"]),
    (b"a: [1, 2\nb: 3\n", ["f.yaml:2:2: expected ',' or ']' to go with the bracket at 1:4"]),
    (b"a: {b: 1\n", ["f.yaml:2:1: expected ',' or '}' to go with the brace at 1:4"]),
    (
        b"a: { why: see #42, b: c }\nd: e\n",
        ["f.yaml:1:15: found ' #' inside braces, where the rest of the line is a comment; put the value in quotes"],
    ),
    (b"a: 'b\n", ["f.yaml:1:4: found a quotation mark without its partner"]),
    (
        b'a: "\\q"\n',
        ["f.yaml:1:5: found the unknown escape '\\q'; put the text in single quotes, or write '\\\\'"],
    ),
    (
        b"a: >= 5s\n",
        [
            "f.yaml:1:4: found '>', which YAML takes for the start of a block of text; put the value in quotes: a: '>= 5s'"
        ],
    ),
    (b"a: * 5\n", ["f.yaml:1:4: found '*', which YAML takes for an alias; put the value in quotes: a: '* 5'"]),
    (
        b"a: - 5\n",
        ["f.yaml:1:4: found '- ' inside a value; begin the list on a line of its own, or put the value in quotes"],
    ),
    (b"a: }\n", ["f.yaml:1:4: expected a value, found '}'"]),
]


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(("data", "expected"), TABLE, ids=[repr(data)[2:30] for data, _ in TABLE])
def test_what_is_wrong_is_said_in_words_with_its_place(data: bytes, expected: list[str]) -> None:
    assert complaints(data) == expected


def test_slips_are_all_told_in_the_order_of_the_file() -> None:
    data = b"a: @x\nb: 1\nb: 2\nc: !t 3\nd: e: f\ng: `\n"
    places = [found.split(": ")[0] for found in complaints(data)]
    assert places == ["f.yaml:1:4", "f.yaml:3:1", "f.yaml:4:4", "f.yaml:5:5", "f.yaml:6:4"]


def test_read_document_raises_all_errors_at_once() -> None:
    with pytest.raises(InputErrors) as caught:
        read_document(b"a: 1\na: 2\nb: !x 3\n", "f.yaml")
    assert len(caught.value.exceptions) == 2


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("data", "cut"),
    [
        (b"why: see #42 and more\n", "#42 and more"),
        (b"why: see # a comment\n", None),
        (b"why: see ## a heading\n", None),
        (b"why: see#42\n", None),
        (b"why: 'see #42'\n", None),
        (b"why: 'see' #42\n", None),
        (b"why: #42\n", "#42"),
        (b"why: see\n#42\n", None),
    ],
)
def test_text_behind_a_hash_sign_is_told_from_a_comment(data: bytes, cut: str | None) -> None:
    assert scalars(read_document(data, "f.yaml"))[-1].cut == cut


@pytest.mark.usefixtures("loader")
def test_aliases_repeat_a_value() -> None:
    node = read_document(b"a: &a {x: 1}\nb: *a\nc: [*a, *a]\n", "f.yaml")
    assert plain(node) == {"a": {"x": "1"}, "b": {"x": "1"}, "c": [{"x": "1"}, {"x": "1"}]}


@pytest.mark.parametrize(("depth", "is_fine"), [(31, True), (32, False)])
def test_nesting_is_capped(depth: int, is_fine: bool) -> None:
    found = complaints(b"[" * depth + b"x" + b"]" * depth)
    assert found == ([] if is_fine else ["f.yaml:1:33: expected at most 32 levels of nesting, found more"])


def test_nesting_through_aliases_is_capped() -> None:
    lines = ["- &a0 [x]"] + [f"- &a{i} [*a{i - 1}]" for i in range(1, 40)]
    assert complaints("\n".join(lines).encode()) == ["f.yaml:31:9: expected at most 32 levels of nesting, found more"]
