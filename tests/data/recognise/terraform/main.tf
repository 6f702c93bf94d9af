resource "aws_lb" "api" {
  name = "api"
}
resource "aws_lb" "tcp" {
  load_balancer_type = "network"
}
resource "aws_lb_target_group" "api" {
  health_check {
    interval = 15
  }
}
resource "aws_lb_listener" "api" {
  load_balancer_arn = aws_lb.api.arn
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.api.arn
  }
}
resource "aws_ecs_task_definition" "api" {
  container_definitions = jsonencode([{
    name    = "api"
    command = ["gunicorn", "--keep-alive", "65", "--timeout=0", "api.wsgi"]
  }])
}
resource "aws_ecs_service" "api" {
  task_definition = aws_ecs_task_definition.api.arn
  load_balancer {
    target_group_arn = aws_lb_target_group.api.arn
    container_name   = "api"
  }
}
resource "aws_sqs_queue" "jobs" {
  visibility_timeout_seconds = 60
}
resource "aws_lambda_function" "jobs" {
  timeout = var.timeout
}
resource "aws_lambda_event_source_mapping" "jobs" {
  event_source_arn = aws_sqs_queue.jobs.arn
  function_name    = aws_lambda_function.jobs.arn
}
