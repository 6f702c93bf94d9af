"""Celery compares the two limits of a task when the task is sent."""

from __future__ import annotations

from typing import Any

import pytest

from oracles.asking import Oracle, Values, cases, seconds

pytestmark = pytest.mark.oracle


def _app(**settings: int) -> Any:
    celery = pytest.importorskip("celery")
    app = celery.Celery("oracle", broker="memory://", set_as_current=False)
    app.conf.update(task_ignore_result=True, **settings)
    return app


def _work() -> None:
    """A task; Celery wants its name to be one."""


def _sent(task: Any, **options: int) -> bool:
    try:
        task.apply_async(**options)
    except ValueError as error:
        if str(error) != "soft_time_limit must be less than or equal to time_limit":
            raise
        return False
    return True


def _configured(values: Values) -> bool:
    app = _app(**{name: seconds(value) for name, value in values.items()})
    return _sent(app.task(_work, name="oracle"))


LIMITS = Oracle(
    name="task_soft_time_limit beyond task_time_limit is refused",
    accepts=_configured,
    accepted=(
        {"task_soft_time_limit": "9s", "task_time_limit": "10s"},
        {"task_soft_time_limit": "10s", "task_time_limit": "10s"},
        {"task_soft_time_limit": "10s"},
        {"task_time_limit": "10s"},
    ),
    refused=({"task_soft_time_limit": "11s", "task_time_limit": "10s"},),
)

ORACLES = (LIMITS,)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases(ORACLES))
def test_celery_draws_the_line_there(oracle: Oracle, values: Values, accepted: bool) -> None:
    assert oracle.asked(values) is accepted


def test_limits_of_the_task_are_compared_too() -> None:
    assert not _sent(_app().task(_work, name="oracle", soft_time_limit=11, time_limit=10))


def test_limits_given_with_the_call_are_not_compared() -> None:
    assert _sent(_app().task(_work, name="oracle"), soft_time_limit=11, time_limit=10)
