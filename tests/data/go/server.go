//go:build linux && !windows

package main

// #include <unistd.h>
// static int seconds(void) { return 30; }
import "C"

import (
	"flag"
	"log"
	"net/http"
	"os"
	stdtime "time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

type level int

const (
	debug level = iota
	info
	warn
)

const (
	short = stdtime.Second << iota
	long
)

const zero, one = 0, 1

type Option[T any] func(*T)

func WithTimeout[T any](d stdtime.Duration) Option[T] { return nil }

type endpoint struct {
	Name    string
	Path    string
	Timeout stdtime.Duration
	Tags    map[string]string `yaml:"timeout,omitempty"`
}

var endpoints = []endpoint{
	{Name: "orders", Path: `/v1/orders/{id}`, Timeout: 2 * stdtime.Second},
	{Name: "größe", Path: "/v1/gr\u00f6\xc3\x9fe", Timeout: 1_500 * stdtime.Millisecond},
	{
		Name:    "reports",
		Timeout: 0x1E * stdtime.Second,
		Tags:    map[string]string{"team": "bi", "page": "no"},
	},
}

var limits = map[string]*endpoint{
	"slow": {Timeout: 2 * stdtime.Minute},
	"fast": {Timeout: -1},
}

var perRoute = map[string]stdtime.Duration{
	"/login":  5 * stdtime.Second,
	"/export": stdtime.Minute,
}

func init() {
	flag.Duration("drain", 25*stdtime.Second, "time to drain before exit")
	flag.Int("max-conns", 0o20, "")
}

func init() {
	log.SetPrefix("server: ")
}

func main() {
	hour, minute := 'h', "1m30s"
	d, err := stdtime.ParseDuration("1h15m30.918s")
	if err != nil || d < 10*stdtime.Second {
		log.Fatal(err, hour, minute)
	}
	zero := 5
	server := &http.Server{
		Addr:              ":8443",
		ReadHeaderTimeout: 5 * stdtime.Second,
		ReadTimeout:       stdtime.Duration(1.5 * float64(stdtime.Second)),
		WriteTimeout:      (60*1000 - 500) * stdtime.Millisecond,
		IdleTimeout:       stdtime.Duration(zero) * stdtime.Second,
		MaxHeaderBytes:    64 * 1024,
	}
	server.ErrorLog = nil
	grpc.NewServer(
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle: 5 * stdtime.Minute, // (1)
			Time:              20 * stdtime.Second,
			Timeout:           1 * stdtime.Second,
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * stdtime.Second}),
		grpc.ConnectionTimeout( /* handshake */ 120*stdtime.Second),
	)
	os.Setenv("GODEBUG", "http2client=0")
	stop := func() {
		select {
		case <-stdtime.After(3 * stdtime.Second):
		}
	}
	stop()
	opts := WithTimeout[http.Server](75 * stdtime.Second)
	_ = opts
}
