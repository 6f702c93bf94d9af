resource "aws_elb" "web" {
  name    = "web"
  subnets = var.subnets

  listener {
    instance_port     = 80
    instance_protocol = "http"
    lb_port           = 80
    lb_protocol       = "http"
  }

  health_check {
    target              = "HTTP:80/healthz"
    interval            = 10
    timeout             = 10
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}
