resource "aws_lb_target_group" "api" {
  name                 = "api"
  port                 = 8080
  protocol             = "HTTP"
  vpc_id               = var.vpc_id
  deregistration_delay = 60

  health_check {
    path                = "/healthz"
    matcher             = "200"
    interval            = 30 # seconds
    timeout             = 2
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}
