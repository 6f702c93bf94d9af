import multiprocessing

bind = "0.0.0.0:8000"
worker_class = "gthread"
workers = multiprocessing.cpu_count() * 2 + 1
threads = 8
timeout = 30
graceful_timeout = 30
keepalive = 75
max_requests = 1000
max_requests_jitter = 100
accesslog = "-"
errorlog = "-"
