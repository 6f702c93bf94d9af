resource "aws_lb" "mqtt" {
  name               = "mqtt"
  load_balancer_type = "network"
  subnets            = var.subnets
}

resource "aws_lb_target_group" "mqtt" {
  name               = "mqtt"
  port               = 8883
  protocol           = "TCP"
  vpc_id             = var.vpc_id
  preserve_client_ip = true

  health_check {
    protocol = "TCP"
    interval = 10
    timeout  = 10
  }
}

resource "aws_lb_listener" "mqtt" {
  load_balancer_arn        = aws_lb.mqtt.arn
  port                     = 8883
  protocol                 = "TCP"
  tcp_idle_timeout_seconds = 1200
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.mqtt.arn
  }
}
