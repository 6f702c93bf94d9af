job "web" {
  datacenters = ["dc1"]
  group "app" {
    count = 3
    shutdown_delay = "10s"
    restart {
      attempts = 2
      interval = "30m"
    }
    task "server" {
      driver       = "docker"
      kill_timeout = "30s"
      env {
        KEEP_ALIVE_MS = "75000"
        URL           = "http://${NOMAD_IP_http}:8080"
      }
      service {
        check {
          type     = "http"
          interval = "10s"
          timeout  = "2s"
        }
        check {
          type     = "tcp"
          interval = "15s"
          timeout  = "1s"
        }
      }
    }
    task "sidecar" {
      kill_timeout = "5s"
    }
  }
}
