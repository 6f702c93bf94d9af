package main

import (
	"log"
	"net/http"
	"time"
)

func main() {
	server := &http.Server{
		Addr: ":8080",
		// an idle connection is kept as long as a request may take to arrive
		ReadTimeout: 90 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
