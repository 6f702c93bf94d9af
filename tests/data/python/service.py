"""The orders service: FastAPI in front, payments, inventory and Redis behind."""
from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from datetime import timedelta
import datetime as dt

import httpx
import redis.asyncio as redis
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel, Field
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import create_engine
from tenacity import retry, stop_after_delay, wait_exponential

REQUEST_DEADLINE = 10
CONNECT = 0.5
POOL_RECYCLE: int = 30 * 60
LEASE = timedelta(minutes=5)
RETRIES = 1
RETRIES = 3  # since 2026-03
HOST = "payments.internal"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="ORDERS_", env_file=".env")

    database_url: str = "postgresql+psycopg://orders@db/orders?connect_timeout=5"
    pool_timeout: float = 3.0
    ping_interval: float = Field(20.0, gt=0, description="seconds between pings")
    ping_timeout: float = Field(default=5, le=20)
    session_ttl: timedelta = timedelta(hours=1, minutes=30)
    max_age: dt.timedelta | None = None
    verify: bool = True


@dataclass
class Breaker:
    reset_timeout: float = 30.0
    half_open_after: timedelta = field(default=timedelta(milliseconds=1500))
    names: list[str] = field(default_factory=list)


class Payments:
    timeout = REQUEST_DEADLINE - 2

    def __init__(self, timeout: float = 8, *, retries: int = RETRIES, lease=LEASE) -> None:
        self.timeout = timeout
        self.deadline = -1
        self.client = httpx.AsyncClient(
            base_url=f"https://{HOST}/v1",
            timeout=httpx.Timeout(8.0, connect=CONNECT, pool=2),
            limits=httpx.Limits(max_connections=100, keepalive_expiry=4.5),
            transport=httpx.AsyncHTTPTransport(retries=RETRIES),
        )

    @retry(stop=stop_after_delay(REQUEST_DEADLINE), wait=wait_exponential(multiplier=0.1, max=2))
    async def charge(self, order: str, amount: int) -> None:
        async with asyncio.timeout(9.5):
            await self.client.post("/charges", json={"order": order, "amount": amount}, timeout=6.25)

    @property
    def window(self) -> float:
        return self.timeout

    @window.setter
    def window(self, value: float, floor: float = .5) -> None:
        self.timeout = max(value, floor, 1e-3)


def engine(settings: Settings):
    return create_engine(
        settings.database_url,
        pool_size=20,
        pool_timeout=settings.pool_timeout,
        pool_recycle=POOL_RECYCLE,
        connect_args={"connect_timeout": 5, "options": "-c statement_timeout=15000", 'keepalives_idle': 3 * 10},
    )


def cache():
    one = redis.Redis(host="cache-0", socket_timeout=1.5, socket_connect_timeout=250 / 1000, health_check_interval=30)
    two = redis.Redis(host="cache-1", socket_timeout=1.5, socket_connect_timeout=250 / 1000, health_check_interval=30)
    one.ping(), two.ping()
    return one, two


async def lifespan(app: FastAPI):
    timer = asyncio.get_running_loop().call_later(60 * 60, app.state.refresh)
    app.state.poll = 2 ** 5
    app.extra["drain"] = 12
    yield
    timer.cancel()
    await asyncio.sleep(5)
    await asyncio.sleep(0.1)


app = FastAPI(title="orders", lifespan=lifespan)

if __name__ == "__main__":
    uvicorn.run(
        "service:app",
        host=os.environ.get("HOST", "0.0.0.0"),
        port=8080,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=25 if os.environ.get("ENV") == "prod" else 1,
        ws_ping_interval=float(os.getenv("WS_PING", 20)),
    )
