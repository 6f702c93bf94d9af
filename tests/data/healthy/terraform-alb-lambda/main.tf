resource "aws_lb" "hooks" {
  name               = "hooks"
  load_balancer_type = "application"
  idle_timeout       = 120
  subnets            = var.subnets
}

resource "aws_lb_target_group" "hooks" {
  name        = "hooks"
  target_type = "lambda"

  health_check {
    enabled  = true
    path     = "/healthz"
    interval = 35
    timeout  = 30
  }
}

resource "aws_lb_listener" "https" {
  load_balancer_arn = aws_lb.hooks.arn
  port              = 443
  protocol          = "HTTPS"
  certificate_arn   = var.certificate

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.hooks.arn
  }
}

resource "aws_lambda_function" "hooks" {
  function_name = "hooks"
  role          = var.role
  runtime       = "nodejs22.x"
  handler       = "server.handler"
  filename      = "hooks.zip"
  timeout       = 30
}

resource "aws_lb_target_group_attachment" "hooks" {
  target_group_arn = aws_lb_target_group.hooks.arn
  target_id        = aws_lambda_function.hooks.arn
}
