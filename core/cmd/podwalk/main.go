// Command podwalk is the native program: it runs manifests in a simulated cluster
// and prints what became of them (run), and serves the page (serve).
package main

import (
	"fmt"
	"io"
	"os"

	"podwalk/core/admission/expression"
	"podwalk/core/cel"
	_ "podwalk/core/kubectl/help/full"      // the help of every kubectl command
	_ "podwalk/core/kubectl/reference/full" // what kubectl explain says
)

const usage = `podwalk simulates a Kubernetes cluster.

  podwalk run [--for D] [--seed N] [--nodes FILE] [--script FILE] [--as USER] [--as-group G]... [-o text|json] FILE...|-
      applies the files to a simulated cluster and prints what became of them
  podwalk serve [--addr HOST:PORT] [--dir DIR]
      serves the page and POST /play on a loopback address (127.0.0.1:8080)
  podwalk version

Exit status of run: 0 all accepted, and every pod ready or completed; 1 some are not;
2 something was rejected; 3 wrong usage or a file that cannot be read.
`

func main() {
	os.Exit(command(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// command runs one command line and returns its exit status.
func command(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return 3
	}
	switch args[0] {
	case "run":
		return run(args[1:], stdin, stdout, stderr)
	case "serve":
		return serve(args[1:], stderr)
	case "version":
		fmt.Fprintln(stdout, "podwalk, simulating Kubernetes v1.37.2")
		return 0
	case "help", "-h", "--help":
		fmt.Fprint(stdout, usage)
		return 0
	}
	fmt.Fprintf(stderr, "podwalk: unknown command %q\n%s", args[0], usage)
	return 3
}

// engine makes what runs the expressions of admission policies.
func engine() expression.Engine { return cel.New() }
