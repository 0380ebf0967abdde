package full

import (
	"strings"
	"testing"

	"podwalk/core/kubectl/reference"
)

// The texts are those of kubectl explain v1.37.2.
func TestFieldsAreExplainedAsTheRealKubectlDoes(t *testing.T) {
	page, ok := reference.Kind("Deployment")
	if !ok {
		t.Fatal("nothing is known about Deployments")
	}
	text, _ := page.Text([]string{"spec", "strategy"})
	for _, want := range []string{
		"FIELD: strategy <DeploymentStrategy>\n\n\nDESCRIPTION:\n    The deployment strategy to use to replace existing pods with new ones.\n",
		"  type\t<string>\n  enum: Recreate, RollingUpdate\n    Type of deployment. Can be \"Recreate\" or \"RollingUpdate\". Default is\n    RollingUpdate.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if _, ok := page.Text([]string{"spec", "nope"}); ok {
		t.Error("there is no such field")
	}
	page.Recursive = true
	if text, _ := page.Text(nil); !strings.Contains(text, "\n        containers\t<[]Container> -required-\n          args\t<[]string>\n") {
		t.Errorf("containers and their arguments are not listed:\n%.2000s", text)
	}
}
