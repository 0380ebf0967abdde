package kubectl

import (
	"slices"
	"strings"

	"podwalk/core/kubectl/help"
)

// groups are the commands that only have sub-commands, and whether they print their
// help to the standard output.
var groups = map[string]bool{"set": false, "config": false, "auth": false, "rollout": true, "top": true}

func (s *session) dispatch(argv []string) error {
	name, rest := leadingVerb(argv)
	v, path, rest, err := s.find(name, rest)
	if err != nil || v.run == nil {
		return err
	}
	s.verb, s.path, s.own = name, path, v.flags
	if s.flags, s.args, err = parseFlags(v.flags+globalFlags, rest); err != nil {
		return plain(err.Error() + "\nSee 'kubectl " + path + " --help' for usage.")
	}
	if s.flags.bool("help") {
		return s.help(path)
	}
	if err := s.context(); err != nil {
		return err
	}
	return v.run(s)
}

// find finds a verb and its full name. No verb and no error mean that all is said.
func (s *session) find(name string, rest []string) (v verb, path string, args []string, err error) {
	onError, isGroup := groups[name]
	if isGroup {
		sub, others := leadingVerb(rest)
		if alias, ok := aliases[name+" "+sub]; ok {
			sub = alias
		}
		if v, ok := verbs[name+" "+sub]; ok {
			return v, name + " " + sub, others, nil
		}
		if _, direct := verbs[name]; !direct || sub == "" {
			return v, name, nil, s.group(name, onError, rest)
		}
	}
	if sub, others := leadingVerb(rest); name == "apply" && sub != "" {
		if v, ok := verbs[name+" "+sub]; ok {
			return v, name + " " + sub, others, nil
		}
	}
	if name == "create" {
		if sub, others := leadingVerb(rest); sub == "token" {
			return verbs["create token"], "create token", others, nil
		}
		if path, others, ok := generatorPath(rest); ok {
			if g, ok := generators[path]; ok {
				return verb{generatorFlags + g.flags, (*session).createNamed}, name + " " + path, others, nil
			}
			return v, name, nil, s.group(name+" "+path, false, others)
		}
	}
	v, ok := verbs[name]
	switch {
	case name == "":
		return v, "", nil, s.bare(rest)
	case name == "help":
		return v, "", nil, s.help(strings.Join(rest, " "))
	case name == "options":
		return v, "", nil, s.help(name)
	case !ok && slices.Contains(help.Commands(), name):
		return v, "", nil, s.unsimulated(name, rest)
	case !ok:
		return v, "", nil, plain("unknown command " + quoted(name) + " for \"kubectl\"" + suggestions(name))
	}
	return v, name, rest, nil
}

// bare is kubectl without a command.
func (s *session) bare(argv []string) error {
	if _, _, err := parseFlags(globalFlags, argv); err != nil {
		return plain(err.Error() + "\nSee 'kubectl --help' for usage.")
	}
	return s.help("")
}

// unsimulated is a command of kubectl that has no counterpart here, but for its help.
func (s *session) unsimulated(name string, rest []string) error {
	for _, arg := range rest {
		if arg == "--help" || arg == "-h" {
			return s.help(name)
		}
	}
	return errNotSimulated("kubectl " + name)
}

func (s *session) help(command string) error {
	text, ok := help.Of(command)
	if !ok {
		return errNotSimulated("kubectl " + command + " --help")
	}
	s.print(text)
	return nil
}

// group is a command of which a sub-command is wanted and none, or an unknown one,
// is given.
func (s *session) group(name string, out bool, rest []string) error {
	flags, args, err := parseFlags(globalFlags, rest)
	switch {
	case len(args) > 0:
		return plain("unknown command " + quoted(strings.Join(args, " ")) + "\nSee 'kubectl " + name + " -h' for help and examples")
	case err != nil:
		return plain(err.Error() + "\nSee 'kubectl " + name + " --help' for usage.")
	case flags.bool("help"):
		return s.help(name)
	}
	text, ok := help.Of(name)
	switch {
	case !ok:
		return errNotSimulated("kubectl " + name + " without a command")
	case out:
		s.print(text)
	default:
		s.printErr(text)
	}
	return exitError{code: 1}
}

// suggestions are the commands that look like a word (spf13/cobra SuggestionsFor).
func suggestions(word string) string {
	text := ""
	for _, name := range help.Commands() {
		if distance(word, name) <= 2 || strings.HasPrefix(name, strings.ToLower(word)) {
			text += "\t" + name + "\n"
		}
	}
	if text == "" { // the real one has looked for a program of that name
		return "\nnot simulated: a plugin such as kubectl-" + word
	}
	return "\n\nDid you mean this?\n" + text
}

// distance is the number of letters to change, add or take away.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		last := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			keep := row[j]
			if a[i-1] == b[j-1] {
				row[j] = last
			} else {
				row[j] = 1 + min(last, row[j], row[j-1])
			}
			last = keep
		}
	}
	return row[len(b)]
}

// leadingVerb finds the verb, which may stand behind global flags.
func leadingVerb(argv []string) (string, []string) {
	for i := 0; i < len(argv) && argv[i] != "--"; i++ {
		arg := argv[i]
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			return arg, append(append([]string(nil), argv[:i]...), argv[i+1:]...)
		}
		if !strings.Contains(arg, "=") && takesValue(globalFlags, arg) {
			i++
		}
	}
	return "", argv
}
