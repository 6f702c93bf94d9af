"""Of a service that runs elsewhere; nothing says where."""

worker_class = "gthread"
keepalive = 30
