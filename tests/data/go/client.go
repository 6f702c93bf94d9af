// Package edge talks to the order service through the corporate proxy.
package edge

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/http2"
)

const (
	defaultTimeout = 30 * time.Second
	// The proxy forgets idle connections after 60 s.
	idleTimeout    = 55 * time.Second
	maxRetries     = 3
	userAgent      = "edge-client/2.1 (ü)"
	pingInterval   = 10
	backoffBase    = 250 * time.Millisecond
	backoffCap     = 4 * backoffBase
	pollEvery      time.Duration = 5e9
)

var (
	dialTimeout   = 3 * time.Second
	keepAlive, tlsTimeout = 15 * time.Second, 1500 * time.Millisecond
	infinite      = time.Duration(0)
	jitter        = 0.25
)

// Client retries what may be retried.
type Client struct {
	http    *http.Client
	retries int
}

func createHTTPClient(cfg *tls.Config) (*http.Client, error) {
	transport := &http.Transport{
		Proxy:           http.ProxyFromEnvironment,
		TLSClientConfig: cfg,
		DialContext: (&net.Dialer{
			Timeout:   dialTimeout,
			KeepAlive: 15 * time.Second,
		}).DialContext,
		MaxIdleConns:          100,
		IdleConnTimeout:       idleTimeout,
		TLSHandshakeTimeout:   time.Second * 10,
		ResponseHeaderTimeout: time.Duration(pingInterval) * time.Second,
		ExpectContinueTimeout: time.Second,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:  10 * time.Second, // silence before a ping
			PingTimeout:      10 * time.Second,
			WriteByteTimeout: 5 * time.Second,
		},
	}
	h2, err := http2.ConfigureTransports(transport)
	if err != nil {
		return nil, fmt.Errorf("http2: %w", err)
	}
	h2.ReadIdleTimeout = 10 * time.Second
	h2.PingTimeout = 10 * time.Second
	transport.HTTP2.MaxReadFrameSize = 1 << 20
	return &http.Client{Transport: transport, Timeout: defaultTimeout}, nil
}

func legacyTransport() http.RoundTripper {
	return &http2.Transport{
		ReadIdleTimeout: 10 * time.Second,
		PingTimeout:     10 * time.Second,
	}
}

// Do sends one request; the deadline covers all tries.
func (c *Client) Do(ctx context.Context, req *http.Request) (*http.Response, error) {
	const perTry = 7 * time.Second
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for attempt := 0; attempt < c.retries; attempt++ {
		inner, stop := context.WithTimeout(ctx, perTry)
		res, err := c.http.Do(req.WithContext(inner))
		stop()
		if err == nil {
			return res, nil
		}
		time.Sleep(time.Duration(attempt) * backoffBase)
		time.Sleep(50 * time.Millisecond)
	}
	return nil, fmt.Errorf("%s %q: no answer after %d tries", req.Method, req.URL, c.retries)
}
