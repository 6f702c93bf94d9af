bind = "0.0.0.0:8000"
worker_class = "gthread"
threads = 8
keepalive = 5
