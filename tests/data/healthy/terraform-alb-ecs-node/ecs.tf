resource "aws_ecs_task_definition" "portal" {
  family                   = "portal"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = 512
  memory                   = 1024

  container_definitions = jsonencode([
    {
      name         = "portal"
      image        = "${var.repository}/portal:${var.tag}"
      essential    = true
      command      = ["node", "src/server.js"]
      portMappings = [{ containerPort = 3000 }]
      stopTimeout  = 60
      healthCheck = {
        command     = ["CMD-SHELL", "wget -q -O- http://localhost:3000/healthz || exit 1"]
        interval    = 30
        timeout     = 5
        retries     = 3
        startPeriod = 20
      }
    }
  ])
}

resource "aws_ecs_service" "portal" {
  name                              = "portal"
  cluster                           = var.cluster
  task_definition                   = aws_ecs_task_definition.portal.arn
  launch_type                       = "FARGATE"
  desired_count                     = 2
  health_check_grace_period_seconds = 60

  load_balancer {
    target_group_arn = aws_lb_target_group.portal.arn
    container_name   = "portal"
    container_port   = 3000
  }
}
