package server

import (
	"net/http"
	"time"
)

// New serves slow reports.
func New(handler http.Handler) *http.Server {
	return &http.Server{
		Addr:         ":8080",
		Handler:      http.TimeoutHandler(handler, 60*time.Second, "too slow"),
		WriteTimeout: 30 * time.Second,
	}
}
