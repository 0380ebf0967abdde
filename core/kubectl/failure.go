package kubectl

import (
	"slices"
	"strconv"
	"strings"

	"podwalk/core/api"
)

// plain is an error of kubectl itself.
type plain string

func (e plain) Error() string { return string(e) }

func errNotSimulated(what string) error { return verbatim("not simulated: " + what + "\n") }

// exitError ends the command with an exit code; err is nil where nothing is to be
// said about it.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// verbatim is text that is printed as it is.
type verbatim string

func (e verbatim) Error() string { return string(e) }

// refusal is a server's failing answer, with kubectl's words before its message.
type refusal struct {
	status  *api.Status
	message string // "" for the status' own
}

func (e *refusal) Error() string { return or(e.message, e.status.Message) }

func isReason(err error, reason string) bool {
	r, ok := err.(*refusal)
	return ok && r.status.Reason == reason
}

func isNotFound(err error) bool { return isReason(err, api.ReasonNotFound) }

// while puts what kubectl was doing with a file before an error
// (kubectl/pkg/cmd/util AddSourceToErr).
func while(doing, source string, err error) error {
	if source == "" {
		return err
	}
	text := "error when " + doing + " " + strconv.Quote(source) + ": " + err.Error()
	if r, ok := err.(*refusal); ok {
		return &refusal{r.status, text}
	}
	return plain(text)
}

// aggregate is several errors at once.
type aggregate []error

// Error joins the distinct messages; several stand in brackets.
func (e aggregate) Error() string {
	var seen []string
	for _, msg := range e.messages() {
		if !slices.Contains(seen, msg) {
			seen = append(seen, msg)
		}
	}
	if len(seen) == 1 {
		return seen[0]
	}
	return "[" + strings.Join(seen, ", ") + "]"
}

func (e aggregate) messages() []string {
	var out []string
	for _, err := range e {
		if inner, ok := err.(aggregate); ok {
			out = append(out, inner.messages()...)
		} else {
			out = append(out, err.Error())
		}
	}
	return out
}

// join makes one error of several, nil of none.
func join(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return aggregate(errs)
}

// report prints an error and a newline as kubectl does at its end
// (kubectl/pkg/cmd/util checkErr).
func report(err error) string {
	if a, ok := err.(aggregate); ok && len(a) == 1 {
		err = a[0]
	}
	switch e := err.(type) {
	case aggregate:
		text := ""
		for _, one := range e {
			text += message(one) + "\n"
		}
		return text
	case verbatim:
		return string(e)
	case *refusal:
		if e.status.Reason == api.ReasonInvalid {
			return invalid(e.status)
		}
	}
	text := message(err)
	if _, ok := err.(*refusal); !ok && !strings.HasPrefix(text, "error: ") {
		text = "error: " + text
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// message is one error among several.
func message(err error) string {
	r, ok := err.(*refusal)
	switch {
	case !ok:
		return err.Error()
	case r.status.Reason == api.ReasonUnauthorized:
		return "error: You must be logged in to the server (" + r.Error() + ")"
	case r.status.Reason == "":
		return "Error from server: " + r.Error()
	}
	return "Error from server (" + r.status.Reason + "): " + r.Error()
}

func invalid(s *api.Status) string {
	d := s.Details
	head := "The request is invalid"
	switch {
	case d == nil:
		if s.Message != "" {
			head += ": " + s.Message
		}
		return head + "\n"
	case d.Kind != "" || d.Name != "":
		head = "The " + d.Kind + " " + strconv.Quote(d.Name) + " is invalid"
	case s.Message != "" && len(d.Causes) == 0:
		head += ": " + s.Message
	}
	var lines []string
	for _, c := range d.Causes {
		if line := c.Field + ": " + c.Message; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	switch len(lines) {
	case 0:
		return head + "\n"
	case 1:
		return head + ": " + lines[0] + "\n"
	}
	return head + ": \n* " + strings.Join(lines, "\n* ") + "\n"
}
