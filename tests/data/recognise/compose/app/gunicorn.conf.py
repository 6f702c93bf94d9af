bind = "0.0.0.0:8000"
worker_class = "gthread"
timeout = 30
keepalive = 5
