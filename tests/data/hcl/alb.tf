# Public entry: ALB in front of the web service, NLB in front of gRPC.

terraform {
  required_version = ">= 1.9"
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 6.2" }
  }
}

provider "aws" {
  region = var.region
}

variable "idle_timeout" {
  type        = number
  default     = 60
  description = "Seconds; \"idle\" as in ${"$"}{docs}"
  validation {
    condition     = var.idle_timeout >= 1 && var.idle_timeout <= 4000
    error_message = "Between 1 and 4000."
  }
}

variable "region" {
  default = "eu-central-1"
}

locals {
  keep_alive   = 65
  drain        = 5 * 60
  grace        = local.drain + 15
  cookie_ttl   = -1
  ratio        = 2.5e1 / 100
  azs          = ["${var.region}a", "${var.region}b", "eu-central-1c"]
  weights      = [60, 40]
  timeouts     = { "read/write" = 30, connect : 5, (var.region) = 7, nested = { idle = [1, { max = 2 }] } }
  banner       = <<-EOT
    Time: ${local.keep_alive}
    idle_timeout = 60
  EOT
  price_format = "$${amount} %%{currency}"
}

resource "aws_lb" "main" {
  name                       = "web-${terraform.workspace}"
  load_balancer_type         = "application"
  idle_timeout               = var.idle_timeout
  client_keep_alive          = 3600 # seconds
  enable_deletion_protection = true
  preserve_host_header       = null

  access_logs {
    bucket  = aws_s3_bucket.logs.id
    enabled = terraform.workspace == "prod" ? true : false
  }

  timeouts {
    create = "10m"
    delete = "10m"
  }
}

resource "aws_lb" "grpc" {
  load_balancer_type = "network"
  idle_timeout       = 350
}

resource "aws_lb_target_group" "web" {
  port                 = 8080
  protocol             = "HTTP"
  deregistration_delay = 30
  slow_start           = 0

  health_check {
    path                = "/healthz"
    interval            = 10
    timeout             = 5
    healthy_threshold   = 2
    unhealthy_threshold = 2
    matcher             = "200-299"
  }

  stickiness { type = "lb_cookie" }
}

resource "aws_lb_listener" "https" {
  load_balancer_arn = aws_lb.main.arn
  port              = "443"

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.web[0].arn
  }

  default_action {
    type = "fixed-response"
    fixed_response {
      content_type = "text/plain"
      status_code  = 503
    }
  }
}

resource "aws_lb_listener_attribute" "tcp" {
  listener_arn             = aws_lb.grpc.arn
  tcp_idle_timeout_seconds = 65 * 10 /* NLB */
}

resource "aws_security_group" "web" {
  ingress {
    from_port = 443
    to_port   = 443
  }
  ingress {
    from_port = 80
    to_port   = 80
  }
  dynamic "egress" {
    for_each = toset(["a", "b"])
    content {
      from_port = egress.value
      to_port   = 0
    }
  }
}

module "service" {
  source  = "./modules/service"
  count   = length(local.azs)
  timeout = max(local.keep_alive, 30)
  container_definitions = jsonencode([
    { name = "web", stopTimeout = 60 },
  ])
  stop_timeout = (90)
  tags         = [for az in local.azs : upper(az)]
}

output "keep_alive" { value = local.keep_alive }
