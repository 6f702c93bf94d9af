package client

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestTimeout(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(50 * time.Millisecond)
	}))
	server.Config.IdleTimeout = time.Millisecond
	server.Config.WriteTimeout = 10 * time.Millisecond
	server.Start()
	defer server.Close()

	client := &http.Client{Timeout: 5 * time.Millisecond, Transport: &http.Transport{IdleConnTimeout: time.Hour}}
	if _, err := client.Get(server.URL); err == nil {
		t.Fatal("expected a timeout")
	}
}
