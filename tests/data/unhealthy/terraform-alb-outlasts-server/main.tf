resource "aws_lb" "api" {
  name         = "api"
  subnets      = var.subnets
  idle_timeout = 300
}

resource "aws_lb_target_group" "api" {
  name        = "api"
  port        = 8000
  protocol    = "HTTP"
  target_type = "ip"
  vpc_id      = var.vpc_id
}

resource "aws_lb_listener" "api" {
  load_balancer_arn = aws_lb.api.arn
  port              = 80
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.api.arn
  }
}

resource "aws_ecs_task_definition" "api" {
  family = "api"
  container_definitions = jsonencode([{
    name         = "api"
    image        = "registry.example.org/api:1"
    command      = ["uvicorn", "api:app", "--host", "0.0.0.0", "--timeout-keep-alive", "65"]
    portMappings = [{ containerPort = 8000 }]
  }])
}

resource "aws_ecs_service" "api" {
  name            = "api"
  cluster         = var.cluster
  task_definition = aws_ecs_task_definition.api.arn
  load_balancer {
    target_group_arn = aws_lb_target_group.api.arn
    container_name   = "api"
    container_port   = 8000
  }
}
