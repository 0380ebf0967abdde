// Package help holds help texts of kubectl v1.37.2 as it prints them: of the program
// itself and of the commands that only have sub-commands; package full adds the rest.
// It decides nothing. Start at Of.
package help

import (
	_ "embed" // the texts
	"strings"
)

// texts are parts, each below a line "=== COMMAND".
//
//go:embed texts.txt
var texts string

// Add adds texts in the form of the file; it is called before anything else is.
func Add(more string) { texts += more }

// Of returns the help of a command such as "set image", of "" for the program's own
// and of "options" for the global options; false where it is not held.
func Of(command string) (string, bool) {
	_, text, ok := strings.Cut("\n"+texts, "\n=== "+command+"\n")
	text, _, more := strings.Cut(text, "\n=== ")
	if more {
		text += "\n"
	}
	return text, ok
}

// Commands returns the names of the commands in the order of the program's help.
func Commands() []string {
	text, _ := Of("")
	var out []string
	for _, line := range strings.Split(text, "\n") {
		name, _, found := strings.Cut(strings.TrimPrefix(line, "  "), "  ")
		if found && strings.HasPrefix(line, "  ") && !strings.ContainsAny(name, " [") && name != "" {
			out = append(out, name)
		}
	}
	return out
}
