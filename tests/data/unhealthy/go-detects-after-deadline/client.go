package client

import (
	"net/http"
	"time"
)

// New talks HTTP/2 to the balancer.
func New() *http.Client {
	return &http.Client{
		Timeout: 10 * time.Second,
		Transport: &http.Transport{
			ForceAttemptHTTP2: true,
			HTTP2: &http.HTTP2Config{
				SendPingTimeout: 10 * time.Second,
				PingTimeout:     5 * time.Second,
			},
		},
	}
}
