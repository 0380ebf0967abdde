package admission

// reinvocation is what a second run of the mutating rules knows of the first
// (apiserver/pkg/admission/reinvocation.go, policy/mutating/reinvocationcontext.go).
type reinvocation struct {
	wanted, running bool
	again           map[string]bool // what wants to run again if something changed
}

// Reinvoke asks for a second run, because an object was changed by a rule of the
// user's that others may have to see.
func (a *Attributes) Reinvoke() { a.reinvoke.wanted = true }

// Reinvocable notes that something shall run again then.
func (a *Attributes) Reinvocable(key string) {
	if a.reinvoke.again == nil {
		a.reinvoke.again = map[string]bool{}
	}
	a.reinvoke.again[key] = true
}

// ShouldInvoke reports whether something takes part in the run.
func (a *Attributes) ShouldInvoke(key string) bool {
	return !a.reinvoke.running || a.reinvoke.again[key]
}

// Again begins the second run, if one is wanted. There is no third.
func (a *Attributes) Again() bool {
	if !a.reinvoke.wanted || a.reinvoke.running {
		return false
	}
	a.reinvoke.running = true
	return true
}
