package scenario_test

import (
	"strings"
	"testing"

	"podwalk/core/cel"
	"podwalk/core/cluster"
	"podwalk/core/scenario"
	"podwalk/core/sim"
)

const limitKind = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: limits.rules.example.com}
spec:
  group: rules.example.com
  scope: Namespaced
  names: {plural: limits, kind: Limit}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {max: {type: integer}}
`

const limitPolicy = `apiVersion: rules.example.com/v1
kind: Limit
metadata: {name: few}
max: 3
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  paramKind: {apiVersion: rules.example.com/v1, kind: Limit}
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= params.max
    messageExpression: "'at most ' + string(params.max) + ' by ' + params.kind"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replicas}
spec:
  policyName: replicas
  validationActions: [Deny]
  paramRef: {name: few, parameterNotFoundAction: Deny}
`

// The words are those that the oracle has of other policies; the parameters are those
// of the documentation's example of a policy, an object of a custom kind.
func TestAPolicyTakesItsParametersFromACustomObject(t *testing.T) {
	files := written{"kind.yaml": limitKind, "policy.yaml": limitPolicy}
	s, bad := scenario.Open(scenario.Options{Open: files, Expressions: cel.New()})
	if bad != nil {
		t.Fatal(bad)
	}
	for _, c := range []struct{ line, stdout, stderr string }{
		{"apply -f kind.yaml", "customresourcedefinition.apiextensions.k8s.io/limits.rules.example.com created\n", ""},
		{"apply -f policy.yaml", "limit.rules.example.com/few created\nvalidatingadmissionpolicy.admissionregistration.k8s.io/replicas created\n" +
			"validatingadmissionpolicybinding.admissionregistration.k8s.io/replicas created\n", ""},
		{"create deployment web --image=nginx:1.27 --replicas=3", "deployment.apps/web created\n", ""},
		{"create deployment more --image=nginx:1.27 --replicas=4", "", "error: failed to create deployment: deployments.apps \"more\" is forbidden: " +
			"ValidatingAdmissionPolicy 'replicas' with binding 'replicas' denied request: at most 3 by Limit\n"},
	} {
		got := s.Kubectl(strings.Fields(c.line), nil)
		s.Cluster().Run(cluster.Until{Quiescent: true, At: s.Cluster().Now() + 10*sim.Second})
		if got.Stdout != c.stdout || got.Stderr != c.stderr {
			t.Errorf("kubectl %s\n got %s%s\nwant %s%s", c.line, got.Stdout, got.Stderr, c.stdout, c.stderr)
		}
	}
}
