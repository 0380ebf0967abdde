package workload

import (
	"strings"
)

// cmdInterpreter is for language runtimes whose programs are not simulated: with a
// program they run for ever, without one they end as at the end of their input.
func cmdInterpreter(c *call) (int, bool) {
	if c.t.srv != nil {
		return c.turn(c.t.srv)
	}
	args := c.args
	switch {
	case c.name == "docker-php-entrypoint":
		return cmdPrefix(c)
	case len(args) > 0 && (args[0] == "-v" || args[0] == "--version" || args[0] == "-version"):
		c.print(c.name + " " + c.version() + "\n")
		return 0, true
	case len(args) == 0 || c.name == "php" && args[0] == "-a":
		if c.p.spec.Stdin {
			return c.forever()
		}
		return 0, true
	}
	if text, missing := c.missingProgram(args); missing {
		c.stderr(text + "\n")
		return 1, true
	}
	return c.guest(c.name + " " + strings.Join(args, " "))
}

// missingProgram tells whether the file that shall be run is not there, in the
// words of the language. In an image of unknown content every file may be there.
func (c *call) missingProgram(args []string) (text string, missing bool) {
	file := ""
	for i, a := range args {
		switch {
		case c.name == "java" && a == "-jar" && i+1 < len(args):
			file = args[i+1]
		case c.name != "java" && file == "" && !strings.HasPrefix(a, "-"):
			file = a
		case a == "-e" || a == "-r" || a == "--eval" || a == "-p":
			return "", false
		}
		if file != "" {
			break
		}
	}
	if file == "" || c.p.spec.Image.guessed() {
		return "", false
	}
	c.look()
	_, err := c.w.Stat(c.abs(file))
	if err != nil && c.name == "node" {
		_, err = c.w.Stat(c.abs(file + ".js"))
	}
	if err == nil {
		return "", false
	}
	switch c.name {
	case "node":
		return "node:internal/modules/cjs/loader:1215\n  throw err;\n  ^\n\nError: Cannot find module '" + c.abs(file) + "'\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15) {\n" +
			"  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v" + c.version(), true
	case "java":
		return "Error: Unable to access jarfile " + file, true
	case "php":
		return "Could not open input file: " + file, true
	}
	return c.name + ": " + err.Error() + " -- " + file + " (LoadError)", true
}
