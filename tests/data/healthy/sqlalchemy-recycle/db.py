import os

from sqlalchemy import create_engine

engine = create_engine(
    os.environ["DATABASE_URL"],
    pool_recycle=270,
    pool_timeout=30,
)
