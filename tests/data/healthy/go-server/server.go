package server

import (
	"net/http"
	"time"
)

// New gives handlers a little less than a connection has to answer.
func New(handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              ":8080",
		Handler:           http.TimeoutHandler(handler, 25*time.Second, "too slow"),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       120 * time.Second,
	}
}

// NewAdmin serves profiles, which may take as long as they are asked to.
func NewAdmin(handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              "127.0.0.1:6060",
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      0,
	}
}
