resource "aws_elb" "ssh" {
  name         = "bastion"
  subnets      = var.subnets
  idle_timeout = 3600

  listener {
    instance_port     = 22
    instance_protocol = "tcp"
    lb_port           = 22
    lb_protocol       = "tcp"
  }

  health_check {
    target              = "TCP:22"
    interval            = 30
    timeout             = 5
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }

  connection_draining         = false
  connection_draining_timeout = 300
}
