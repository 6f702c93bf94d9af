// Package billing talks to the billing API.
package billing

import (
	"context"
	"net"
	"net/http"
	"time"
)

// requestDeadline is one attempt's share of the SLO.
const requestDeadline = 10 * time.Second

// createHTTPClient returns the client that all calls share: one HTTP/2 connection per pod, through the load balancer.
func createHTTPClient() *http.Client {
	dialer := &net.Dialer{
		Timeout:   3 * time.Second,
		KeepAlive: 30 * time.Second, // TCP's own probes; they do not see a stalled balancer
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:         dialer.DialContext,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 4,
			IdleConnTimeout:     50 * time.Second,
			HTTP2: &http.HTTP2Config{
				SendPingTimeout:  10 * time.Second,
				PingTimeout:      10 * time.Second,
				WriteByteTimeout: 30 * time.Second,
			},
		},
	}
}

// Charge asks the billing API once; the caller retries.
func (c *Client) Charge(ctx context.Context, account string, cents int64) error {
	ctx, cancel := context.WithTimeout(ctx, requestDeadline)
	defer cancel()
	return c.post(ctx, "/v1/charges", account, cents)
}
