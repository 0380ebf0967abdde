package apiserver

import (
	"strings"
	"testing"

	"podwalk/core/api"
)

func (w *world) apply(manager, data string, force string) api.Response {
	return w.do(api.Request{Verb: api.Patch, Kind: api.KindNamed("ConfigMap"), Namespace: "default", Name: "x", PatchType: ApplyPatch, FieldManager: manager,
		Body: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":` + data + `}`), Options: map[string]string{"force": force}})
}

// The rules are those of server-side apply: values that another manager applied are
// not changed without force, and what a manager applies no more goes.
func TestServerSideApplyKeepsWhatOthersOwn(t *testing.T) {
	w := newWorld(t)
	for _, step := range []struct{ manager, data, force, want string }{
		{"a", `{"k":"1","l":"1"}`, "", `{"k":"1","l":"1"}`},
		{"b", `{"k":"2"}`, "", `Apply failed with 1 conflict: conflict with "a": .data.k`},
		{"b", `{"k":"1"}`, "", `{"k":"1","l":"1"}`},
		{"a", `{"l":"1"}`, "", `{"k":"1","l":"1"}`},
		{"b", `{"k":"2"}`, "", `{"k":"2","l":"1"}`},
		{"a", `{"k":"3"}`, "true", `{"k":"3"}`},
		{"b", `{"m":"1"}`, "", `{"k":"3","m":"1"}`},
	} {
		res := w.apply(step.manager, step.data, step.force)
		got := ""
		if res.Status != nil {
			got = res.Status.Message
		} else {
			got = text(res.Object.(*api.ConfigMap).Data)
		}
		if got != step.want {
			t.Errorf("%s applies %s: %s, want %s", step.manager, step.data, got, step.want)
		}
	}
}

func text(m map[string]string) string {
	var parts []string
	for _, k := range []string{"k", "l", "m"} {
		if v, ok := m[k]; ok {
			parts = append(parts, `"`+k+`":"`+v+`"`)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// What the token of an account proves ends with its time and with the account.
func TestCredentialsProveTheirSenderOrNobody(t *testing.T) {
	w := newWorld(t)
	res := w.do(api.Request{Verb: api.Create, Kind: api.KindNamed("ServiceAccount"), Namespace: "default", Name: "default", Subresource: "token"})
	if res.Status != nil {
		t.Fatal(res.Status.Message)
	}
	certificate := func(issuer, end string) string {
		return "-----BEGIN CERTIFICATE-----\nSubject: CN=alice, O=dev\nIssuer: " + issuer + "\nNot-After: " + end + "\n-----END CERTIFICATE-----\n"
	}
	for name, c := range map[string]struct {
		cred api.Credential
		want string
	}{
		"token":        {api.Credential{Token: res.Text}, "system:serviceaccount:default:default"},
		"forged token": {api.Credential{Token: res.Text + "x"}, "Unauthorized"},
		"certificate":  {api.Credential{Certificate: certificate("kubernetes", "2999-01-01T00:00:00Z")}, "alice"},
		"expired":      {api.Credential{Certificate: certificate("kubernetes", "1999-01-01T00:00:00Z")}, "Unauthorized"},
		"unknown CA":   {api.Credential{Certificate: certificate("somebody", "2999-01-01T00:00:00Z")}, "Unauthorized"},
		"nothing":      {api.Credential{}, "selfsubjectreviews.authentication.k8s.io is forbidden: User \"system:anonymous\" cannot create resource \"selfsubjectreviews\" in API group \"authentication.k8s.io\" at the cluster scope"},
	} {
		cred := c.cred
		got := ""
		if r := w.do(api.Request{Verb: api.Create, Kind: api.SelfSubjectReview, Credential: &cred}); r.Status != nil {
			got = r.Status.Message
		} else {
			got = r.Object.(*api.SubjectReview).User.Name
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestOnlyWhoMayImpersonateActsAsAnother(t *testing.T) {
	w := newWorld(t)
	alice := api.User{Name: "alice", Groups: []string{"system:authenticated"}}
	res := w.do(api.Request{Verb: api.List, Kind: api.KindNamed("Pod"), Namespace: "default", User: alice, Impersonate: &api.User{Name: "bob"}})
	want := `users "bob" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope`
	if res.Status == nil || res.Status.Message != want {
		t.Errorf("%+v, want %s", res.Status, want)
	}
}
