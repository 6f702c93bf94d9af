resource "aws_sqs_queue" "jobs" {
  name                       = "jobs"
  visibility_timeout_seconds = 60
}

resource "aws_lambda_function" "jobs" {
  function_name = "jobs"
  role          = var.role
  runtime       = "python3.13"
  handler       = "jobs.handle"
  filename      = "jobs.zip"
  timeout       = 120
}

resource "aws_lambda_event_source_mapping" "jobs" {
  event_source_arn = aws_sqs_queue.jobs.arn
  function_name    = aws_lambda_function.jobs.arn
  batch_size       = 5
}
