package kubectl_test

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/kubectl"
)

// fake is a server that stores what it is sent: no defaults, no checks but those of
// names. refuse may answer first.
type fake struct {
	now     int64
	rev     int
	objects map[string]api.Object
	refuse  func(api.Request) *api.Response
}

func newFake(objects ...api.Object) *fake {
	f := &fake{now: 1_796_000_000_000_000_000, objects: map[string]api.Object{}}
	for _, o := range objects {
		m := o.Meta()
		f.objects[key(api.KindNamed(o.ObjectType().Kind), m.Namespace, m.Name)] = o
	}
	return f
}

func key(k *api.Kind, namespace, name string) string { return k.Kind + "/" + namespace + "/" + name }

func (f *fake) Now() int64 { return f.now }

func (f *fake) Do(r api.Request) api.Response {
	if r.Verb == api.Discover {
		return api.Response{}
	}
	if f.refuse != nil {
		if resp := f.refuse(r); resp != nil {
			return *resp
		}
	}
	at := key(r.Kind, r.Namespace, r.Name)
	switch r.Verb {
	case api.List:
		return f.list(r)
	case api.Create:
		return f.create(r)
	}
	o, ok := f.objects[at]
	if !ok {
		return api.Response{Status: api.NewNotFound(r.Kind, r.Name)}
	}
	switch r.Verb {
	case api.Delete:
		if !r.DryRun {
			delete(f.objects, at)
		}
		return api.Response{Object: o, Deleted: true}
	case api.Patch:
		return f.patch(r, o)
	}
	return api.Response{Object: o}
}

func (f *fake) list(r api.Request) api.Response {
	selector, err := api.ParseSelector(r.LabelSelector)
	if err != nil {
		return api.Response{Status: api.NewBadRequest(err.Error())}
	}
	var keys []string
	for k, o := range f.objects {
		m := o.Meta()
		if o.ObjectType().Kind == r.Kind.Kind && (r.Namespace == "" || m.Namespace == r.Namespace) && selector.Matches(m.Labels) {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	var resp api.Response
	for _, k := range keys {
		resp.Items = append(resp.Items, f.objects[k])
	}
	return resp
}

func (f *fake) create(r api.Request) api.Response {
	n, err := codec.ParseJSON(r.Body)
	if err != nil {
		return api.Response{Status: api.NewBadRequest(err.Error())}
	}
	o, bad := codec.DecodeObject(&n)
	if bad != nil {
		return api.Response{Status: api.NewBadRequest(r.Kind.Kind + " in version " + strconv.Quote(r.Kind.APIVersion()) +
			" cannot be handled as a " + r.Kind.Kind + ": " + bad.Error())}
	}
	m := o.Meta()
	m.Namespace = r.Namespace
	if m.Name == "" {
		m.Name = m.GenerateName + "abcde"
	}
	at := key(r.Kind, r.Namespace, m.Name)
	if _, ok := f.objects[at]; ok {
		return api.Response{Status: api.NewAlreadyExists(r.Kind, m.Name)}
	}
	if !r.DryRun {
		f.rev++
		m.UID, m.ResourceVersion, m.CreationTimestamp = "uid-"+m.Name, strconv.Itoa(f.rev), api.Time(f.now/1e9)
		f.objects[at] = o
	}
	return api.Response{Object: o}
}

func (f *fake) patch(r api.Request, o api.Object) api.Response {
	doc, _ := codec.ToValue(o).(map[string]any)
	n, err := codec.ParseJSON(r.Body)
	if err != nil {
		return api.Response{Status: api.NewBadRequest(err.Error())}
	}
	if rev := n.Str("metadata", "resourceVersion"); rev != "" && rev != o.Meta().ResourceVersion {
		return api.Response{Status: api.NewConflict(r.Kind, r.Name, "the object has been modified; please apply your changes to the latest version and try again")}
	}
	var patched any
	switch patch, _ := codec.ToValue(n).(map[string]any); {
	case strings.Contains(r.PatchType, "json-patch"):
		patched, err = codec.PatchJSON(doc, &n)
	case strings.Contains(r.PatchType, "merge-patch+json") && !strings.Contains(r.PatchType, "strategic"):
		patched = codec.PatchMerge(doc, patch)
	default:
		patched, err = codec.PatchStrategic(doc, patch, r.Kind)
	}
	if err != nil {
		return api.Response{Status: api.NewBadRequest(err.Error())}
	}
	out := r.Kind.New()
	if err := json.Unmarshal(codec.ToJSON(patched), out); err != nil {
		return api.Response{Status: api.NewBadRequest(err.Error())}
	}
	*out.ObjectType() = *o.ObjectType()
	if !r.DryRun {
		f.rev++
		out.Meta().ResourceVersion = strconv.Itoa(f.rev)
		f.objects[key(r.Kind, r.Namespace, r.Name)] = out
	}
	return api.Response{Object: out}
}

// disk is a set of files and directories.
type disk map[string]string

func (d disk) Open(name string) ([]kubectl.File, error) {
	if text, ok := d[name]; ok {
		if name == "-" {
			name = "STDIN"
		}
		return []kubectl.File{{Name: name, Text: []byte(text)}}, nil
	}
	var names []string
	for n := range d {
		if rest, ok := strings.CutPrefix(n, name+"/"); ok && !strings.Contains(rest, "/") {
			names = append(names, n)
		}
	}
	if names == nil {
		return nil, kubectl.ErrNotExist
	}
	sort.Strings(names)
	var out []kubectl.File
	for _, n := range names {
		out = append(out, kubectl.File{Name: n, Text: []byte(d[n])})
	}
	return out, nil
}

func run(f *fake, d disk, line string) kubectl.Result {
	return kubectl.Run(f, d, kubectl.SplitLine(line), kubectl.Options{})
}
