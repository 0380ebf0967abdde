// Package httpapi is Podwalk over HTTP: POST /play runs a manifest or a scenario
// and answers what became of it, and Page serves the built page with its headers.
// It is the only package of the core in which goroutines are allowed, since
// net/http brings them; each request has a simulation of its own, so none meets
// another. The dev server and the Worker serve the same handler. Start reading at
// New.
package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
)

// Session carries out what a request asks for. Replay is the one that holds no
// state: every request brings all that it needs.
type Session interface {
	// Play runs a request. An error is the requester's mistake.
	Play(PlayRequest) (*Played, error)
	// Limits are what the handler enforces before.
	Limits() Limits
}

// New returns the handler.
func New(s Session) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/play", func(w http.ResponseWriter, r *http.Request) { play(s, w, r) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "notFound", "nothing is at "+r.URL.Path+"; POST a manifest to /play")
	})
	return recovered(mux)
}

// recovered answers for a handler that panics: in the Worker a panic that is not
// caught fails every request in flight.
func recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				writeError(w, http.StatusInternalServerError,
					Problem{Code: "panic", Message: fmt.Sprint(p), Stack: string(debug.Stack())})
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// Problem is why there is no result.
type Problem struct {
	Code    string `json:"code"` // badRequest, notFound, methodNotAllowed, limit or panic
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
}

func (p Problem) Error() string { return p.Message }

func fail(w http.ResponseWriter, status int, code, message string) {
	writeError(w, status, Problem{Code: code, Message: message})
}

func writeError(w http.ResponseWriter, status int, p Problem) {
	write(w, status, map[string]Problem{"error": p})
}

func write(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("httpapi: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The other side may have gone; there is nobody to tell.
	_, _ = w.Write(append(b, '\n'))
}

func play(s Session, w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		fail(w, http.StatusMethodNotAllowed, "methodNotAllowed", "POST a manifest, a scenario or a play request to /play")
		return
	}
	req, err := readPlay(w, r, s.Limits())
	if err == nil {
		var played *Played
		if played, err = s.Play(req); err == nil {
			write(w, http.StatusOK, played)
			return
		}
	}
	var p Problem
	if !errors.As(err, &p) {
		p = Problem{Code: "badRequest", Message: err.Error()}
	}
	status := http.StatusBadRequest
	if p.Code == "limit" {
		status = http.StatusRequestEntityTooLarge
	}
	writeError(w, status, p)
}
