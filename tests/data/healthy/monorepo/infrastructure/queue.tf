resource "aws_sqs_queue" "cart_events" {
  name = "cart-events"
}
