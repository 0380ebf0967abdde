package field

import "testing"

// The texts are those of apimachinery/pkg/util/validation/field; the ones with
// a source name are of the captured cases of the real server.
func TestErrorsAreTheServersWords(t *testing.T) {
	p := NewPath("spec").Child("containers").Index(0).Child("image")
	type named string
	for want, e := range map[string]*Error{
		"spec.containers[0].image: Required value":                                                           Required(p, ""),
		"spec.containers[0].image: Invalid value: \"a\\\"b\": bad":                                           Invalid(p, `a"b`, "bad"),
		"spec.containers[0].image: Invalid value: 5: must be less":                                           Invalid(p, int32(5), "must be less"),
		`spec.containers[0].image: Invalid value: {"app":"web"}: selector`:                                   Invalid(p, map[string]string{"app": "web"}, "selector"),
		`spec.containers[0].image: Invalid value: "\u003cx\u003e"`:                                           Invalid(p, named("<x>"), ""),
		`spec.containers[0].image: Unsupported value: "x": supported values: "Always", "Never"`:              NotSupported(p, "x", []string{"Always", "Never"}),
		`spec.strategy: Unsupported value: {"Type":"BlueGreen","RollingUpdate":null}: supported values: "a"`: NotSupported(NewPath("spec", "strategy"), JSON(`{"Type":"BlueGreen","RollingUpdate":null}`), []named{"a"}),
		"metadata.annotations: Too long: may not be more than 262144 bytes":                                  TooLong(NewPath("metadata", "annotations"), "", 262144),
		"metadata.labels[a]: Too many: 3: must have at most 1 item":                                          TooMany(NewPath("metadata", "labels").Key("a"), 3, 1),
		"a: Too many: has too many items":                                                                    TooMany(NewPath("a"), -1, -1),
		"a: Duplicate value: \"x\"":                                                                          Duplicate(NewPath("a"), "x"),
		"a: Not found: \"x\"":                                                                                NotFound(NewPath("a"), "x"),
		"a: Forbidden: no":                                                                                   Forbidden(NewPath("a"), "no"),
		"<nil>: Too short: must be at least 1 character":                                                     TooShort(nil, "", 1),
		"a: Invalid value: true: not a number":                                                               TypeInvalid(NewPath("a"), true, "not a number"),
	} {
		if e.Error() != want {
			t.Errorf("%s\nwant %s", e.Error(), want)
		}
	}
}

func TestAggregatePrintsEachMessageOnce(t *testing.T) {
	a, b := Required(NewPath("a"), ""), Required(NewPath("b"), "")
	if got := (ErrorList{a, a}).ToAggregate().Error(); got != "a: Required value" {
		t.Error(got)
	}
	if got := (ErrorList{a, b, a}).ToAggregate().Error(); got != "[a: Required value, b: Required value]" {
		t.Error(got)
	}
	if ErrorList(nil).ToAggregate() != nil {
		t.Error("no errors are an error")
	}
}
