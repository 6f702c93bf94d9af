broker_url = "redis://redis:6379/0"
result_backend = "redis://redis:6379/1"
task_soft_time_limit = 600
task_time_limit = 300
task_acks_late = False
