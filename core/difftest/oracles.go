//go:build tools

package difftest

// These imports keep the modules of the oracles in go.mod; nothing is built from
// this file.
import (
	_ "github.com/google/go-cmp/cmp"
	_ "gopkg.in/evanphx/json-patch.v4"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apimachinery/pkg/api/resource"
	_ "k8s.io/client-go/kubernetes/fake"
	_ "k8s.io/kubectl/pkg/describe"
	_ "k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/validation"
	_ "k8s.io/kubernetes/pkg/printers/internalversion"
	_ "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	_ "podwalk/core/api"
	_ "sigs.k8s.io/yaml"
)
