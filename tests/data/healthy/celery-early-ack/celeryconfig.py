broker_url = "redis://redis:6379/0"
result_backend = "redis://redis:6379/1"

# tasks are acknowledged before they run: one that runs on is not delivered again
task_acks_late = False
task_time_limit = 2 * 60 * 60
task_soft_time_limit = 2 * 60 * 60 - 60
result_expires = 86400
broker_transport_options = {"visibility_timeout": 3600}
worker_prefetch_multiplier = 4
