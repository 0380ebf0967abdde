package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"podwalk/core/httpapi"
)

// serve serves the built page and POST /play until it is interrupted.
func serve(args []string, stderr io.Writer) int {
	fs := flag.NewFlagSet("podwalk serve", flag.ContinueOnError)
	fs.SetOutput(stderr)
	addr := fs.String("addr", "127.0.0.1:8080", "address to listen on; only loopback addresses")
	dir := fs.String("dir", filepath.Join("web", "dist"), "folder of the built page")
	if err := fs.Parse(args); err != nil {
		return 3
	}
	if err := listen(*addr, *dir, stderr); err != nil {
		fmt.Fprintln(stderr, "podwalk:", err)
		return 3
	}
	return 0
}

func listen(addr, dir string, stderr io.Writer) error {
	if err := loopback(addr); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "index.html")); err != nil {
		return fmt.Errorf("no page in %s: run ./build.sh first", dir)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "podwalk: http://%s\n", l.Addr())
	return serveOn(l, handler(dir))
}

func handler(dir string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/play", httpapi.New(httpapi.Replay{Bounds: httpapi.DefaultLimits(), Expressions: engine}))
	mux.Handle("/", httpapi.Page(os.DirFS(dir)))
	return mux
}

// serveOn serves until the process is interrupted, then lets open requests end.
func serveOn(l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		srv.Shutdown(end)
	}()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// loopback refuses an address that others could reach.
func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--addr %s: only a loopback address, such as 127.0.0.1:8080", addr)
	}
	return nil
}
