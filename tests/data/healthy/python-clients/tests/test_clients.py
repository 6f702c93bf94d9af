"""Limits that are wrong on purpose."""

import httpx
import pytest
from celery import Celery


def test_a_client_gives_up() -> None:
    with httpx.Client(timeout=0.001) as client, pytest.raises(httpx.TimeoutException):
        client.get("https://api.example.com")


def test_limits_are_told_apart() -> None:
    app = Celery("test")
    app.conf.update(broker_heartbeat=2, worker_soft_shutdown_timeout=0.0)
    assert app.conf.broker_heartbeat == 2
