// Questions to Go's net/http, read as a JSON list of [kind, {name: milliseconds}] and answered as a JSON list of booleans.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

type values map[string]int64

func (v values) of(name string) time.Duration { return time.Duration(v[name]) * time.Millisecond }

func serve(s *http.Server) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go s.Serve(l)
	return l.Addr().String()
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func say(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") }

// A client with a health check and a proxy that falls silent for the connection it has: is the second attempt answered?
func healthCheck(v values) bool {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	s := &http.Server{Protocols: p, Handler: http.HandlerFunc(say)}
	backend := serve(s)
	defer s.Close()
	front, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer front.Close()
	var silent atomic.Int64
	go func() {
		for id := int64(1); ; id++ {
			c, err := front.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", backend)
			check(err)
			pump := func(to, from net.Conn) {
				buffer := make([]byte, 4096)
				for {
					n, err := from.Read(buffer)
					if err != nil {
						return
					}
					if silent.Load() < id {
						to.Write(buffer[:n])
					}
				}
			}
			go pump(b, c)
			go pump(c, b)
		}
	}()
	t := &http.Transport{Protocols: p, HTTP2: &http.HTTP2Config{SendPingTimeout: v.of("SendPingTimeout"), PingTimeout: v.of("PingTimeout")}}
	defer t.CloseIdleConnections()
	attempt := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), v.of("deadline"))
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, "GET", "http://"+front.Addr().String(), nil)
		check(err)
		answer, err := (&http.Client{Transport: t}).Do(r)
		if err == nil {
			answer.Body.Close()
		}
		return err
	}
	check(attempt())
	silent.Store(1)
	attempt()
	return attempt() == nil
}

// A header that takes `header`, then a body: is the request served?
func slowHeader(v values) bool {
	s := &http.Server{ReadHeaderTimeout: v.of("ReadHeaderTimeout"), ReadTimeout: v.of("ReadTimeout"), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(500)
		}
	})}
	c, err := net.Dial("tcp", serve(s))
	check(err)
	defer s.Close()
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n")
	time.Sleep(v.of("header"))
	fmt.Fprintf(c, "\r\n")
	time.Sleep(20 * time.Millisecond)
	fmt.Fprintf(c, "ab")
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	return err == nil && r.StatusCode == 200
}

// A handler that never ends under http.TimeoutHandler: does its 503 arrive?
func timeoutHandler(v values) bool {
	never := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s := &http.Server{WriteTimeout: v.of("WriteTimeout"), Handler: http.TimeoutHandler(never, v.of("dt"), "late")}
	defer s.Close()
	r, err := (&http.Client{Transport: &http.Transport{}}).Get("http://" + serve(s))
	return err == nil && r.StatusCode == 503
}

// Is a connection still open that was idle for `quiet`?
func idle(v values) bool {
	s := &http.Server{IdleTimeout: v.of("IdleTimeout"), ReadTimeout: v.of("ReadTimeout"), ReadHeaderTimeout: v.of("ReadHeaderTimeout"), Handler: http.HandlerFunc(say)}
	c, err := net.Dial("tcp", serve(s))
	check(err)
	defer s.Close()
	b := bufio.NewReader(c)
	ask := func() error {
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		r, err := http.ReadResponse(b, nil)
		if err == nil {
			_, err = io.ReadAll(r.Body)
		}
		return err
	}
	check(ask())
	time.Sleep(v.of("quiet"))
	return ask() == nil
}

func main() {
	var rows [][2]json.RawMessage
	check(json.NewDecoder(os.Stdin).Decode(&rows))
	kinds := map[string]func(values) bool{"health check": healthCheck, "slow header": slowHeader, "timeout handler": timeoutHandler, "idle": idle}
	answers := make([]bool, len(rows))
	var all sync.WaitGroup
	for i, row := range rows {
		var kind string
		var v values
		check(json.Unmarshal(row[0], &kind))
		check(json.Unmarshal(row[1], &v))
		all.Add(1)
		go func() { defer all.Done(); answers[i] = kinds[kind](v) }()
	}
	all.Wait()
	check(json.NewEncoder(os.Stdout).Encode(answers))
}
