# started by the clock, reads no queue
resource "aws_lambda_function" "nightly" {
  function_name = "nightly"
  role          = var.role
  runtime       = "python3.13"
  handler       = "nightly.run"
  filename      = "nightly.zip"
  timeout       = 900
}

resource "aws_cloudwatch_event_rule" "nightly" {
  name                = "nightly"
  schedule_expression = "cron(15 3 * * ? *)"
}

resource "aws_cloudwatch_event_target" "nightly" {
  rule = aws_cloudwatch_event_rule.nightly.name
  arn  = aws_lambda_function.nightly.arn
}

# read by a container that extends the visibility while it works
resource "aws_sqs_queue" "exports" {
  name                       = "exports"
  visibility_timeout_seconds = 30
}
