variable "idle_timeout" { type = number }
variable "app_keep_alive" { type = number }
variable "stop_timeout" { type = number }
variable "deregister_delay" { type = number }

resource "aws_lb" "web" {
  name         = "web"
  subnets      = var.subnets
  idle_timeout = var.idle_timeout
}

resource "aws_lb_target_group" "web" {
  name                 = "web"
  port                 = 8000
  protocol             = "HTTP"
  target_type          = "ip"
  vpc_id               = var.vpc_id
  deregistration_delay = var.deregister_delay
}

resource "aws_ecs_task_definition" "web" {
  family = "web"
  container_definitions = jsonencode([{
    name        = "web"
    image       = var.image
    command     = ["gunicorn", "-k", "gthread", "--keep-alive", tostring(var.app_keep_alive), "web.wsgi"]
    stopTimeout = var.stop_timeout
  }])
}
