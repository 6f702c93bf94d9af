"""How long a search may take, and what is known when it may not go on."""

from __future__ import annotations

import time

from outlast.constraints.record import record

__all__ = ["Limits", "Undecided"]


class Undecided(Exception):  # noqa: N818  # an outcome, not an error
    """The limit struck before the question was answered; the message says which one."""


@record
class Limits:
    """A wall-clock deadline (seconds on the monotonic clock) and z3's deterministic effort for each of its questions."""

    deadline: float | None = None
    effort: int | None = None

    @classmethod
    def starting_now(cls, seconds: float | None, effort: int | None = None) -> Limits:
        """The limits of a search that starts now."""
        return cls(None if seconds is None else time.monotonic() + seconds, effort)

    def check(self) -> None:
        """Raises Undecided once the time is up."""
        if self.is_over:
            raise Undecided("the time limit was reached")

    def part(self, share: float) -> Limits:
        """Limits that leave only a share of the time that is left."""
        if self.deadline is None:
            return self
        now = time.monotonic()
        return Limits(now + max(self.deadline - now, 0) * share, self.effort)

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def milliseconds_left(self) -> int | None:
        """What z3 may use, at least 1; None: no limit."""
        if self.deadline is None:
            return None
        return max(1, int((self.deadline - time.monotonic()) * 1000))
