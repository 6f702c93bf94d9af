resource "aws_lb_target_group" "web" {
  port = 80
  protocol = "HTTP"
  health_check {
    interval = 20
    timeout = 5
  }
}
resource "aws_ecs_service" "web" {
  task_definition = aws_ecs_task_definition.web.arn
  health_check_grace_period_seconds = 30
  load_balancer {
    target_group_arn = aws_lb_target_group.web.arn
    container_name = "web"
    container_port = 8000
  }
}
resource "aws_ecs_task_definition" "web" {
  container_definitions = jsonencode([{ name = "web", command = ["gunicorn", "--keep-alive", "20", "-k", "gthread"], healthCheck = { startPeriod = 60, command = ["x"] } }])
}
