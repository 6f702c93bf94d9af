"""What is due on a day: boundaries, who is asked for what, and the order."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from outlast.constraints.aging import Due, due_of
from outlast.constraints.loading import load_spec
from outlast.constraints.model import Severity

TODAY = date(2026, 3, 1)
STALE = 30
BY, OLD, ODD, NONE = Severity.ERROR, Severity.WARNING, Severity.WARNING, Severity.ADVICE


def due(folder: Path, text: str) -> tuple[Due, ...]:
    (folder / "outlast.yaml").write_text("outlast: 1\n" + text)
    (folder / "m.txt").write_text("1\n2\n")
    return due_of(load_spec(folder / "outlast.yaml"), STALE, TODAY)


@pytest.mark.parametrize(
    ("keys", "severity", "days", "why"),
    [
        ("reviewed: 2026-03-01", None, None, ""),
        ("reviewed: 2026-01-30", None, None, ""),  # 30 days ago
        ("reviewed: 2026-01-29", OLD, 31, "last reviewed on 2026-01-29, 31 days ago"),
        ("reviewed: 2026-03-02", ODD, None, "reviewed on 2026-03-02, a day that is still to come"),
        ("review_by: 2026-03-02", None, None, ""),
        ("review_by: 2026-03-01", None, None, ""),
        ("review_by: 2026-02-28", BY, 1, "to be reviewed by 2026-02-28, yesterday"),
        ("review_by: 2026-02-20, reviewed: 2026-02-19", BY, 9, "to be reviewed by 2026-02-20, 9 days ago"),
        ("review_by: 2026-02-20, reviewed: 2026-02-20", None, None, ""),
        ("review_by: 2026-01-20, reviewed: 2026-01-21", OLD, 39, "last reviewed on 2026-01-21, 39 days ago"),
        ("review_by: 2025-01-20, reviewed: 2024-01-21", BY, 405, "to be reviewed by 2025-01-20, 405 days ago"),
        ("review_by: 2027-01-01, reviewed: 2025-03-01", OLD, 365, "last reviewed on 2025-03-01, 365 days ago"),
        ("why: x", NONE, None, "it has no day of review"),
    ],
)
def test_a_decision_is_due_the_day_after_its_last(
    tmp_path: Path, keys: str, severity: Severity | None, days: int | None, why: str
) -> None:
    found = due(tmp_path, f"parameters: {{ a: {{ fixed: 1s, {keys} }} }}\n")
    if severity is None:
        assert found == ()
        return
    (only,) = found
    assert (only.subject, only.what, only.severity, only.days, only.why) == ("a", "parameter", severity, days, why)
    assert (only.place.line, only.place.col) == (2, 15)


@pytest.mark.parametrize(
    ("keys", "severity", "why"),
    [
        ("taken: 2026-01-30", None, ""),
        ("taken: 2026-01-29", OLD, "taken on 2026-01-29, 31 days ago"),
        ("taken: 2026-01-29, reviewed: 2026-03-01", OLD, "taken on 2026-01-29, 31 days ago"),
        ("taken: 2026-02-28, reviewed: 2025-01-01", None, ""),
        ("taken: 2026-03-02", ODD, "taken on 2026-03-02, a day that is still to come"),
        ("reviewed: 2026-03-01", OLD, "nobody has written when it was taken"),
        ("taken: 2026-02-28, review_by: 2026-02-28", BY, "to be reviewed by 2026-02-28, yesterday"),
    ],
)
def test_a_measurement_is_as_old_as_the_day_on_which_it_was_taken(
    tmp_path: Path, keys: str, severity: Severity | None, why: str
) -> None:
    found = due(tmp_path, f"measurements: {{ latency: {{ samples: m.txt, unit: ms, {keys} }} }}\n")
    assert [(each.what, each.severity, each.why) for each in found] == (
        [] if severity is None else [("measurement", severity, why)]
    )


def test_who_is_asked_for_what_and_who_for_nothing(tmp_path: Path) -> None:
    found = due(
        tmp_path,
        """
components: { lb: aws.alb, web: { kind: gunicorn, worker_class: gthread } }
links: [ lb -> web ]
parameters:
  lb.idle_timeout: { free: 30s..60s }
  web.keepalive: { fixed: 5s, reviewed: 2026-02-01 }
  free: { free: 1s..2s }
  double: { derived: 2 * free }
  fact: { fact: 1s }
rules:
  chain: { require: fact < free < double, source: a page }
  chain/7: { require: fact < double, source: a page, owner: us }
  whole: { require: fact < free, source: a page, owner: us, reviewed: 2026-02-01 }
decline: { lb/detection-within-budget: not here, http/pool-closes-first: { why: seldom, reviewed: 2026-01-01 } }
ignore: { whole: { why: soon, review_by: 2026-04-01 }, 'chain/1': later }
""",
    )
    assert {(each.what, each.subject, each.why) for each in found} == {
        ("parameter", "fact", "it has no day of review"),
        ("rule", "chain", "it has no owner and no day of review"),
        ("rule", "chain/7", "it has no day of review"),
        ("decline", "lb/detection-within-budget@lb", "it has no day of review"),
        ("decline", "http/pool-closes-first@lb:web", "last reviewed on 2026-01-01, 59 days ago"),
        ("ignore", "chain/1", "it has no day of review"),
    }
    assert {each.severity for each in found if each.since is None} == {NONE}


def test_the_loudest_and_the_longest_overdue_come_first(tmp_path: Path) -> None:
    found = due(
        tmp_path,
        """parameters:
  pa: { fixed: 1s }
  pb: { fixed: 1s, reviewed: 2025-12-01 }
  pc: { fixed: 1s, reviewed: 2025-11-01 }
  pd: { fixed: 1s, review_by: 2026-02-27 }
  pe: { fixed: 1s, review_by: 2026-02-26 }
  pf: { fixed: 1s, reviewed: 2027-01-01 }
""",
    )
    assert [each.subject for each in found] == ["pe", "pd", "pc", "pb", "pf", "pa"]
