package main

import (
	"net/http"
	"time"
)

var server = &http.Server{IdleTimeout: time.Millisecond}
