# The network balancer gives us fixed addresses; the application balancer behind it ends TLS.

resource "aws_lb" "edge" {
  name               = "edge"
  load_balancer_type = "network"
  subnets            = var.public_subnets
}

resource "aws_lb_listener" "edge" {
  load_balancer_arn        = aws_lb.edge.arn
  port                     = 443
  protocol                 = "TCP"
  tcp_idle_timeout_seconds = 350

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.alb.arn
  }
}

resource "aws_lb" "web" {
  name               = "web"
  load_balancer_type = "application"
  internal           = true
  subnets            = var.private_subnets
  idle_timeout       = 10 * 60 # clients pause for up to ten minutes
}
