resource "aws_lb" "feed" {
  name    = "feed"
  subnets = var.subnets
}

resource "aws_lb_target_group" "feed" {
  name        = "feed"
  port        = 8080
  protocol    = "HTTP"
  target_type = "ip"
  vpc_id      = var.vpc_id
}

resource "aws_lb_listener" "feed" {
  load_balancer_arn = aws_lb.feed.arn
  port              = 80
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.feed.arn
  }
}

resource "aws_ecs_service" "feed" {
  name            = "feed"
  cluster         = var.cluster
  task_definition = var.task_definition
  load_balancer {
    target_group_arn = aws_lb_target_group.feed.arn
    container_name   = "feed"
    container_port   = 8080
  }
}
