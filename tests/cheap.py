"""Tests of many small things that take less time than pytest takes around each: one test for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["of_each"]

T = TypeVar("T")


def of_each(things: Iterable[T], name: Callable[[T], str] = str) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """A test of every thing, where the decorated function is that of one; all that fail are told, by their names."""
    every = tuple(things)
    assert every

    def tested(test: Callable[[T], None]) -> Callable[[], None]:
        def test_every() -> None:
            failed = []
            for thing in every:
                try:
                    test(thing)
                except Exception as error:
                    error.add_note(f"of {name(thing)}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(", ".join(error.__notes__[-1] for error in failed), failed)

        return test_every

    return tested
