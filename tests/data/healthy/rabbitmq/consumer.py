"""Takes jobs and acknowledges each when it is done."""

import pika

parameters = pika.ConnectionParameters(
    host="rabbitmq",
    heartbeat=30,
    blocked_connection_timeout=300,
    socket_timeout=10,
    connection_attempts=5,
    retry_delay=2,
)

with pika.BlockingConnection(parameters) as connection:
    channel = connection.channel()
    channel.basic_qos(prefetch_count=1)
    for method, properties, body in channel.consume("jobs", inactivity_timeout=60):
        if method:
            channel.basic_ack(method.delivery_tag)
