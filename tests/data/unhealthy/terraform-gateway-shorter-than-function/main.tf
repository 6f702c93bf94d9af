resource "aws_api_gateway_integration" "orders" {
  rest_api_id             = aws_api_gateway_rest_api.shop.id
  resource_id             = aws_api_gateway_resource.orders.id
  http_method             = "POST"
  type                    = "AWS_PROXY"
  integration_http_method = "POST"
  uri                     = aws_lambda_function.orders.invoke_arn
  timeout_milliseconds    = 29000
}

resource "aws_lambda_function" "orders" {
  function_name = "orders"
  role          = var.role
  runtime       = "nodejs22.x"
  handler       = "index.handler"
  filename      = "orders.zip"
  timeout       = 60
}
