// Werte für „prod“ – geändert 2026-10
region       = "eu-central-1" # Zürich wäre näher
idle_timeout = 75

ümlaut = "größe 😀 \u00fc"
services = {
  web = { timeout = 30, "keep-alive" = "75s", hosts = ["a", "b"] }
  api = {
    timeout      = 5,
    drain        = 1.5
    health_check = { interval = 10, path = "/z" }
  }
}
empty = ""
