# Gunicorn behind an ALB with an idle timeout of 60 s; see runbooks/502.md
import multiprocessing
import os

bind = "0.0.0.0:8080"
workers = multiprocessing.cpu_count() * 2 + 1
worker_class = "uvicorn.workers.UvicornWorker"

# Must outlast the load balancer's idle timeout.
keepalive = 75
timeout = int(os.environ.get("GUNICORN_TIMEOUT", "30"))
graceful_timeout = 25
max_requests, max_requests_jitter = 10_000, 500
backlog = 0x800

accesslog = "-"
access_log_format = '%(h)s "%(r)s" %(s)s %(D)s'
logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {
        "console": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout"},
        "remote": {"class": "app.logs.Shipper", "flush_interval": 2.5, "hosts": ["logs-0:9000", "logs-1:9000"]},
    },
    "loggers": {"gunicorn.error": {"level": os.getenv("LOG_LEVEL") or "INFO", "handlers": ["console"]}},
}


def post_fork(server, worker, delay=0.25):
    server.log.info(f"worker {worker.pid} is up")
    worker.tmp.timeout = worker.timeout
