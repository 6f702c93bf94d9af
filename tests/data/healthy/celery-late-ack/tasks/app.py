from celery import Celery

app = Celery("media", broker="redis://redis:6379/0")
app.conf.update(
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_soft_time_limit=3300,
    task_time_limit=3500,
    broker_transport_options={"visibility_timeout": 7200},
    broker_connection_retry_on_startup=True,
)


@app.task(soft_time_limit=20, time_limit=30)
def thumbnail(path: str) -> None:
    """Short, with limits of its own."""
