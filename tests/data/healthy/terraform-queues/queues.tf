resource "aws_sqs_queue" "thumbnails" {
  name                       = "thumbnails"
  visibility_timeout_seconds = 370
  receive_wait_time_seconds  = 20
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.thumbnails_dead.arn
    maxReceiveCount     = 5
  })
}

# read by hand; the default of 30 seconds is enough
resource "aws_sqs_queue" "thumbnails_dead" {
  name                      = "thumbnails-dead"
  message_retention_seconds = 1209600
}

resource "aws_lambda_function" "thumbnails" {
  function_name = "thumbnails"
  role          = var.role
  runtime       = "python3.13"
  handler       = "thumbnails.handle"
  filename      = "thumbnails.zip"
  timeout       = 60
}

resource "aws_lambda_event_source_mapping" "thumbnails" {
  event_source_arn                   = aws_sqs_queue.thumbnails.arn
  function_name                      = aws_lambda_function.thumbnails.arn
  batch_size                         = 50
  maximum_batching_window_in_seconds = 10
}
