# the documentation; static files from a container of nginx
resource "aws_lb" "docs" {
  name         = "docs"
  subnets      = var.subnets
  idle_timeout = 60
}

resource "aws_lb_target_group" "docs" {
  name     = "docs"
  port     = 80
  protocol = "HTTP"
  vpc_id   = var.vpc_id
}
