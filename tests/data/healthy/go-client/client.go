package client

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// NewHTTP1 talks to a service that knows no HTTP/2.
func NewHTTP1() *http.Client {
	return &http.Client{
		Timeout: 10 * time.Second,
		Transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: 3 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:   5 * time.Second,
			ResponseHeaderTimeout: 8 * time.Second,
			IdleConnTimeout:       30 * time.Second,
			TLSNextProto:          map[string]func(string, *tls.Conn) http.RoundTripper{},
		},
	}
}

// NewHTTP2 notices a dead connection well within one call.
func NewHTTP2() *http.Client {
	return &http.Client{
		Timeout: 10 * time.Second,
		Transport: &http.Transport{
			ForceAttemptHTTP2: true,
			IdleConnTimeout:   50 * time.Second,
			HTTP2: &http.HTTP2Config{
				SendPingTimeout:  3 * time.Second,
				PingTimeout:      2 * time.Second,
				WriteByteTimeout: 5 * time.Second,
			},
		},
	}
}

// NewOnce keeps no connection.
func NewOnce() *http.Client {
	return &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{DisableKeepAlives: true, IdleConnTimeout: 90 * time.Second},
	}
}
