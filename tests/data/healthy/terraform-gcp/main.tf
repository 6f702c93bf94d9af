resource "google_compute_backend_service" "api" {
  name                            = "api"
  protocol                        = "HTTP"
  load_balancing_scheme           = "EXTERNAL_MANAGED"
  timeout_sec                     = 30
  connection_draining_timeout_sec = 60
  health_checks                   = [google_compute_health_check.api.id]
}

resource "google_compute_health_check" "api" {
  name               = "api"
  check_interval_sec = 5
  timeout_sec        = 5
  http_health_check { port = 8080 }
}

resource "google_compute_router_nat" "nat" {
  name                             = "nat"
  router                           = google_compute_router.router.name
  region                           = var.region
  nat_ip_allocate_option           = "AUTO_ONLY"
  tcp_established_idle_timeout_sec = 1200
  tcp_transitory_idle_timeout_sec  = 30
}
