"""Clients of services outside; each with limits of its own."""

import boto3
import httpx
from botocore.config import Config
from sqlalchemy import create_engine

api = httpx.Client(
    base_url="https://api.example.com",
    timeout=httpx.Timeout(10.0, connect=3.0, pool=2.0),
    limits=httpx.Limits(max_connections=50, keepalive_expiry=30.0),
)

sqs = boto3.client(
    "sqs",
    config=Config(connect_timeout=5, read_timeout=70, retries={"total_max_attempts": 3, "mode": "standard"}),
)

# each connection is tried before it is used
engine = create_engine(
    "mysql+pymysql://app@db.example.com/app",
    pool_pre_ping=True,
    pool_size=10,
    pool_timeout=5,
    connect_args={"connect_timeout": 5, "read_timeout": 30},
)


def poll(url: str) -> list[dict[str, str]]:
    found = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=20, VisibilityTimeout=120)
    return found.get("Messages", [])
