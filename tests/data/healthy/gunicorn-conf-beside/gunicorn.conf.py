keepalive = 90
threads = 8
