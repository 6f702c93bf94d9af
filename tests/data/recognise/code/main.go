package main

import (
	"net/http"
	"time"
)

func serve() {
	srv := &http.Server{Addr: ":80", WriteTimeout: 30 * time.Second}
	srv.IdleTimeout = -1 * time.Second
}
