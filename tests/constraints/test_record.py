"""Records behave like frozen dataclasses with slots."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from outlast.constraints.record import fields_of, is_record, record, replace


@record
class Pair:
    """Two."""

    left: int
    right: int = 2

    @property
    def total(self) -> int:
        return self.left + self.right


@record
class Same:
    left: int
    right: int = 2


@record(kw_only=True)
class Named:
    size: int = 1
    name: str
    seen: Mapping[str, int] = field(default_factory=dict)
    note: str = field(default="", compare=False)


@record(frozen=False)
class Growing:
    items: list[int] = field(default_factory=list)


@record(eq=False)
class Itself:
    name: str


@record
class Nothing:
    pass


def test_equal_fields_make_equal_values_with_equal_hashes() -> None:
    assert Pair(1, 2) == Pair(1)
    assert hash(Pair(1, 2)) == hash(Pair(1))
    assert Pair(1, 2) != Pair(2, 1)
    assert {Pair(1): "found"}[Pair(1, 2)] == "found"
    assert Nothing() == Nothing()
    assert len({Nothing(), Nothing()}) == 1


def test_another_class_is_never_equal() -> None:
    # mypy knows that these never are, which is the point.
    assert (Pair(1) == Same(1)) is False  # type: ignore[comparison-overlap]
    assert (Pair(1) == (1, 2)) is False  # type: ignore[comparison-overlap]
    assert len({Pair(1), Same(1)}) == 2


def test_fields_left_out_of_comparison_do_not_count() -> None:
    assert Named(name="a", note="x") == Named(name="a", note="y")
    assert Named(name="a", size=2) != Named(name="a")


def test_frozen_values_refuse_changes() -> None:
    pair = Pair(1)
    with pytest.raises(FrozenInstanceError, match="'left' of Pair"):
        pair.left = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del pair.left
    with pytest.raises(FrozenInstanceError):
        pair.other = 2  # type: ignore[attr-defined]
    assert pair == Pair(1, 2)


def test_there_is_no_room_for_other_attributes() -> None:
    assert not hasattr(Pair(1), "__dict__")
    growing = Growing()
    with pytest.raises(AttributeError):
        growing.other = 1  # type: ignore[attr-defined]


def test_values_that_may_change_are_equal_only_to_themselves() -> None:
    growing = Growing()
    growing.items = [1]
    assert growing.items == [1]
    assert growing != Growing([1])
    assert growing == growing
    assert Itself("a") != Itself("a")
    with pytest.raises(FrozenInstanceError):
        Itself("a").name = "b"  # type: ignore[misc]


def test_each_value_gets_its_own_default_from_a_factory() -> None:
    first, second = Growing(), Growing()
    first.items.append(1)
    assert second.items == []
    assert Named(name="a").seen == {}


@pytest.mark.parametrize(
    ("make", "arguments", "named"),
    [(Pair, (), {}), (Pair, (1, 2, 3), {}), (Pair, (1,), {"other": 2}), (Named, ("a",), {}), (Named, (), {})],
)
def test_missing_and_unknown_arguments_are_refused(
    make: Any, arguments: tuple[object, ...], named: dict[str, object]
) -> None:
    with pytest.raises(TypeError):
        make(*arguments, **named)


def test_keyword_only_fields_with_defaults_may_come_first() -> None:
    assert Named(name="a").size == 1
    assert fields_of(Named(name="a")) == ("size", "name", "seen", "note")


def test_copies_and_pickles_are_equal_and_still_frozen() -> None:
    for value in (Pair(1, 5), Named(name="a", seen={"b": 1}), Nothing()):
        for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
            assert again == value
            assert type(again) is type(value)
    named = pickle.loads(pickle.dumps(Named(name="a", note="kept")))
    assert named.note == "kept"
    with pytest.raises(FrozenInstanceError):
        named.name = "b"


def test_patterns_take_positional_fields_apart_and_names_of_keyword_only_ones() -> None:
    match Pair(3, 4):
        case Pair(left, right):
            assert (left, right) == (3, 4)
    match Named(name="x"):
        case Named(name=name):
            assert name == "x"
    assert Pair.__match_args__ == ("left", "right")
    assert Named.__match_args__ == ()


def test_records_show_their_fields_and_keep_their_docstring_and_properties() -> None:
    assert repr(Pair(1)) == "Pair(left=1, right=2)"
    assert repr(Nothing()) == "Nothing()"
    assert Pair.__doc__ == "Two."
    assert Pair(1).total == 3
    assert Pair.__module__ == __name__


def test_what_is_a_record_is_told_apart() -> None:
    assert is_record(Pair(1))
    assert is_record(Itself("a"))
    assert not is_record("a")
    assert not is_record(Pair)


@record(kw_only=True, many=True)
class Many:
    """A lot."""

    size: int = 1
    name: str
    seen: Mapping[str, int] = field(default_factory=dict)
    note: str = field(default="", compare=False)


@record(many=True)
class Step:
    name: str
    number: int = 0


def test_what_is_made_often_behaves_like_other_records() -> None:
    one = Many(name="a")
    assert one.__class__ is Many
    assert is_record(one)
    assert one == Many(size=1, name="a", seen={}, note="x") != Many(name="b")
    assert one.seen is not Many(name="a").seen
    assert repr(one) == "Many(size=1, name='a', seen={}, note='')"
    with pytest.raises(FrozenInstanceError):
        one.size = 2  # type: ignore[misc]  # that is what is tested
    with pytest.raises(FrozenInstanceError):
        del one.size
    with pytest.raises(AttributeError):
        object.__setattr__(one, "other", 1)
    with pytest.raises(TypeError):
        Many(1)  # type: ignore[call-arg]  # that is what is tested
    with pytest.raises(TypeError):
        Step()  # type: ignore[call-arg]  # that is what is tested
    assert replace(one, name="c") == Many(name="c")
    step = Step("a")
    assert copy.deepcopy(step) == copy.copy(step) == pickle.loads(pickle.dumps(step)) == Step("a", 0)
    assert hash(step) == hash(Step("a")) != hash(Pair(1))
    match step:
        case Step(name, number):
            assert (name, number) == ("a", 0)
