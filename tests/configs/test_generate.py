"""Laws of generated files: whatever the names and values, what is written reads back, or is told, in every language."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from fractions import Fraction

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from outlast.configs.formats import FORMATS
from outlast.configs.generate import OUTPUTS, Entry, generate
from outlast.configs.names import ascii_upper, is_java_name, pascal, snake, upper_snake
from outlast.constraints.errors import InputErrors, OutlastError, Place
from outlast.constraints.model import Parameter, Role
from outlast.constraints.quantities import LARGEST, Kind, Sentinel, Value
from outlast.constraints.record import replace
from outlast.constraints.syntax import check_name, normal_name

_TEXT = (
    "timeout ms seconds s n per second minute rps class null true PATH IFS count _ __ nan inf y on e1 a größe λ данные 超时 मीटर ŉ ǆ ß ﬁ"
    " ℘ ª ᧚ import default usec sendMs"
)
_WORDS = _TEXT.split()
_LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Cf", "Z", "P", "S")) | st.sampled_from("abYZ_019")
NAMES = (
    (st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3).map(".".join))
    | (st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3).map("_".join))
    | st.text(_LETTERS, min_size=1, max_size=6)
).map(normal_name).filter(lambda name: check_name(name) is None)  # fmt: skip
NUMBERS = st.sampled_from([0, 1, 2**53, 2**53 + 1, LARGEST, LARGEST + 1, 10**9]) | st.integers(-(10**9), 10**21)
VALUES: st.SearchStrategy[Value] = st.sampled_from(Sentinel) | st.builds(
    Fraction, NUMBERS, st.sampled_from([1, 2, 3, 7, 60, 10**9, 60 * 10**9, 3600 * 10**9, 2**70])
)


@st.composite
def entries(draw: st.DrawFn) -> list[Entry]:
    found = []
    for line, name in enumerate(draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)), start=1):
        parameter = Parameter(
            name=name,
            place=Place("outlast.yaml", line, 1),
            role=Role.FIXED,
            kind=draw(st.sampled_from(Kind)),
            step=draw(st.sampled_from([Fraction(1), Fraction(10**6), Fraction(10**9)])),
            zero=draw(st.sampled_from([None, Sentinel.INFINITE])),
            unit=draw(st.sampled_from([None, "s", "ms"])),
        )
        found.append(Entry(parameter=parameter, value=draw(VALUES), reason="fixed"))
    return found


def _outcome(entries: list[Entry], output: str) -> tuple[str | None, list[str]]:
    try:
        return generate(entries, output, "title"), []
    except InputErrors as group:
        return None, [str(error) for error in group.exceptions]
    except OutlastError as error:
        return None, [str(error)]


@pytest.mark.parametrize("output", sorted(OUTPUTS))
@settings(max_examples=60, deadline=None)
@given(entries=entries())
def test_any_name_and_value_reads_back_or_is_told(output: str, entries: list[Entry]) -> None:
    text, refusals = _outcome(entries, output)
    if text is None:
        assert all(re.search("would be called|would both be called|there is nothing to write", r) for r in refusals)
        return
    # It has been read back: but for what stands there in words, every value is there.
    layout = OUTPUTS[output]
    settings_ = FORMATS[layout.reader].read(text.encode(), layout.file)
    told = sum(
        text.count(words) for words in (", which no number here means exactly.", ", which cannot be written here:")
    )
    told += text.count(", which is less than 0:")
    assert len(settings_) + told == len(entries) or not layout.has_comments
    loads: dict[str, Callable[[str], object]] = {"json": json.loads, "yaml": yaml.safe_load, "toml": tomllib.loads}
    if output in loads:
        assert isinstance(loads[output](text), dict)
    if output == "python":
        exec(text, {})


@given(name=NAMES)
def test_names_are_identifiers_wherever_they_go(name: str) -> None:
    assert upper_snake(name).isidentifier()
    assert is_java_name(upper_snake(name))
    assert pascal(name).isidentifier()
    assert pascal(name)[0].isupper()
    assert snake(name).isidentifier()
    assert snake(name)[0] != "_"
    assert ascii_upper(name).isascii()
    assert ascii_upper(name).isidentifier()


def test_what_does_not_read_back_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place("outlast.yaml", 3, 5)
    parameter = Parameter(name="a", place=place, role=Role.FIXED, kind=Kind.DURATION, step=Fraction(10**6))
    entry = Entry(parameter=parameter, value=Fraction(10**9), reason="fixed")
    monkeypatch.setitem(OUTPUTS, "env", replace(OUTPUTS["env"], lay_out=lambda lines, title, frame: "A_MS=1001\n"))
    with pytest.raises(InputErrors) as told:
        generate([entry], "env", "title")
    (error,) = told.value.exceptions
    assert str(error) == "outlast.yaml:3:5: what was written for a does not read back: it reads as another value, 1001"
