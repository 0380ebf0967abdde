package framework

import "strings"

// Code is the kind of a Status.
type Code uint8

// The codes (k8s.io/kube-scheduler/framework/interface.go).
const (
	Success Code = iota
	Error
	Unschedulable                // evicting pods may help
	UnschedulableAndUnresolvable // evicting pods does not help
	Skip
	Pending
)

// String returns the code's name.
func (c Code) String() string {
	return [...]string{"Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Skip", "Pending"}[c]
}

// Status is a plugin's answer. A nil Status is success. It is never changed once
// it is returned, except that the framework fills in Plugin.
type Status struct {
	Code    Code
	Plugin  ID
	Reasons []string
}

// Skipped lets a PreFilter or PreScore skip the plugin's Filter or Score.
var Skipped = &Status{Code: Skip}

// NewStatus returns a Status; success is nil instead.
func NewStatus(plugin ID, code Code, reasons ...string) *Status {
	return &Status{Code: code, Plugin: plugin, Reasons: reasons}
}

// OK reports success.
func (s *Status) OK() bool { return s == nil || s.Code == Success }

// IsSkip reports whether the plugin shall be skipped.
func (s *Status) IsSkip() bool { return s != nil && s.Code == Skip }

// Rejected reports whether the pod was rejected, as opposed to an error.
func (s *Status) Rejected() bool {
	return s != nil && (s.Code == Unschedulable || s.Code == UnschedulableAndUnresolvable || s.Code == Pending)
}

// Unresolvable reports whether evicting pods would not help.
func (s *Status) Unresolvable() bool { return s != nil && s.Code == UnschedulableAndUnresolvable }

// Message joins the reasons.
func (s *Status) Message() string {
	if s == nil {
		return ""
	}
	return strings.Join(s.Reasons, ", ")
}
