package kubectl

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/api"
	"podwalk/core/kubectl/printer"
)

const apiResourceFlags = ` output,o= namespaced api-group= no-headers sort-by= verbs= cached categories= show-managed-fields`

// unserved are resources of v1.37.2 that no object of is kept here: plural, short
// names, version, kind, "n" if they live in namespaces, and their verbs where these
// are not the usual ones.
const unserved = `bindings||v1|Binding|n|create
componentstatuses|cs|v1|ComponentStatus||get,list
apiservices||apiregistration.k8s.io/v1|APIService||
selfsubjectreviews||authentication.k8s.io/v1|SelfSubjectReview||create
tokenreviews||authentication.k8s.io/v1|TokenReview||create
localsubjectaccessreviews||authorization.k8s.io/v1|LocalSubjectAccessReview|n|create
selfsubjectaccessreviews||authorization.k8s.io/v1|SelfSubjectAccessReview||create
selfsubjectrulesreviews||authorization.k8s.io/v1|SelfSubjectRulesReview||create
subjectaccessreviews||authorization.k8s.io/v1|SubjectAccessReview||create
certificatesigningrequests|csr|certificates.k8s.io/v1|CertificateSigningRequest||
clustertrustbundles||certificates.k8s.io/v1|ClusterTrustBundle||
podcertificaterequests||certificates.k8s.io/v1|PodCertificateRequest|n|
events|ev|events.k8s.io/v1|Event|n|
flowschemas||flowcontrol.apiserver.k8s.io/v1|FlowSchema||
prioritylevelconfigurations||flowcontrol.apiserver.k8s.io/v1|PriorityLevelConfiguration||
ipaddresses|ip|networking.k8s.io/v1|IPAddress||
servicecidrs||networking.k8s.io/v1|ServiceCIDR||
deviceclasses||resource.k8s.io/v1|DeviceClass||
devicetaintrules||resource.k8s.io/v1|DeviceTaintRule||
resourceclaims||resource.k8s.io/v1|ResourceClaim|n|
resourceclaimtemplates||resource.k8s.io/v1|ResourceClaimTemplate|n|
resourceslices||resource.k8s.io/v1|ResourceSlice||
csistoragecapacities||storage.k8s.io/v1|CSIStorageCapacity|n|
volumeattributesclasses|vac|storage.k8s.io/v1|VolumeAttributesClass||
storageversionmigrations||storagemigration.k8s.io/v1|StorageVersionMigration||`

// extensions are the kinds of a category that nothing asks for by its name.
var extensions = []string{"APIService", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"}

// resourceType is one line of discovery.
type resourceType struct {
	api.Kind
	verbs string
}

const usualVerbs = "create,delete,deletecollection,get,list,patch,update,watch"

// resourceTypes are those of the server, by group and name.
func (s *session) resourceTypes() typeList {
	var out typeList
	for i := range api.Kinds {
		r := resourceType{api.Kinds[i], usualVerbs}
		if r.Kind.Kind == "Namespace" {
			r.verbs = "create,delete,get,list,patch,update,watch"
		}
		out = append(out, r)
	}
	for _, line := range strings.Split(unserved, "\n") {
		f := strings.Split(line, "|")
		if api.KindFor(f[2], f[3]) != nil {
			continue
		}
		group, version, ok := strings.Cut(f[2], "/")
		if !ok {
			group, version = "", f[2]
		}
		r := resourceType{api.Kind{Group: group, Version: version, Kind: f[3], Plural: f[0], Namespaced: f[4] == "n"}, or(f[5], usualVerbs)}
		if f[1] != "" {
			r.Short = []string{f[1]}
		}
		out = append(out, r)
	}
	for i := range out {
		if contains(extensions, out[i].Kind.Kind) {
			out[i].Categories = []string{"api-extensions"}
		}
	}
	for i, k := range s.custom() {
		if i > 0 && s.custom()[i-1].Kind == k.Kind {
			continue // the preferred version stands for the others
		}
		out = append(out, resourceType{*k, "delete,deletecollection,get,list,patch,create,update,watch"})
	}
	sort.Sort(out)
	return out
}

type typeList []resourceType

func (l typeList) Len() int      { return len(l) }
func (l typeList) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l typeList) Less(i, j int) bool {
	if l[i].Group != l[j].Group {
		return l[i].Group < l[j].Group
	}
	return l[i].Plural < l[j].Plural
}

// apiResources lists what the server serves.
func (s *session) apiResources() error {
	by, form := s.flags.text("sort-by"), s.flags.text("output")
	switch {
	case len(s.args) > 0:
		return plain("unexpected arguments: [" + strings.Join(s.args, " ") + "]\nSee 'kubectl api-resources -h' for help and examples")
	case by != "" && by != "name" && by != "kind":
		return plain("--sort-by accepts only name or kind")
	case !contains([]string{"", "wide", "name", "json", "yaml", "kyaml"}, form):
		return plain("unable to match a printer suitable for the output format " + quoted(form) + ", allowed formats are: json,kyaml,name,wide,yaml")
	case form == "json" || form == "yaml" || form == "kyaml":
		return errNotSimulated("kubectl api-resources -o " + form)
	}
	list := s.chosenTypes(s.resourceTypes())
	switch by {
	case "name":
		sort.SliceStable(list, func(i, j int) bool { return list[i].Plural < list[j].Plural })
	case "kind":
		sort.SliceStable(list, func(i, j int) bool { return list[i].Kind.Kind < list[j].Kind.Kind })
	}
	var rows [][]string
	for i := range list {
		r := &list[i]
		if form == "name" {
			s.print(r.Resource(), "\n")
			continue
		}
		row := []string{r.Plural, strings.Join(r.Short, ","), r.APIVersion(), strconv.FormatBool(r.Namespaced), r.Name()}
		if form == "wide" {
			row = append(row, r.verbs, strings.Join(r.Categories, ","))
		}
		rows = append(rows, row)
	}
	header := "NAME|SHORTNAMES|APIVERSION|NAMESPACED|KIND"
	switch form {
	case "wide":
		header += "|VERBS|CATEGORIES"
	case "name":
		return nil
	}
	s.print(printer.Plain(header, rows, s.flags.bool("no-headers")))
	return nil
}

func (s *session) chosenTypes(list typeList) typeList {
	return slices.DeleteFunc(list, func(r resourceType) bool {
		for _, v := range s.flags.list("verbs") {
			if !contains(strings.Split(r.verbs, ","), v) {
				return true
			}
		}
		for _, c := range s.flags.list("categories") {
			if !contains(r.Categories, c) {
				return true
			}
		}
		return s.flags.has("namespaced") && s.flags.bool("namespaced") != r.Namespaced || s.flags.has("api-group") && s.flags.text("api-group") != r.Group
	})
}

func (s *session) apiVersions() error {
	if len(s.args) > 0 {
		return plain("unexpected arguments: [" + strings.Join(s.args, " ") + "]\nSee 'kubectl api-versions -h' for help and examples")
	}
	out := []string{"autoscaling/v1"}
	for _, r := range s.resourceTypes() {
		if v := r.APIVersion(); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, k := range s.custom() {
		if v := k.APIVersion(); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	s.print(strings.Join(out, "\n"), "\n")
	return nil
}

// clusterInfo is `kubectl cluster-info`.
func (s *session) clusterInfo() error {
	end := "\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n"
	if _, err := s.do(api.Request{Verb: api.List, Kind: api.KindNamed("Service"), Namespace: "kube-system", LabelSelector: "kubernetes.io/cluster-service=true"}); err != nil {
		s.print(end)
		return err
	}
	s.print("Kubernetes control plane is running at ", s.server, "\n", end)
	return nil
}

// top is `kubectl top`, of a cluster without metrics-server.
func (s *session) top() error {
	if _, err := s.do(api.Request{Verb: api.List, Kind: api.KindNamed("Namespace")}); err != nil {
		return err
	}
	return plain("Metrics API not available")
}

// componentStatuses lists the parts of the control plane, which are healthy.
func (s *session) componentStatuses() error {
	s.warn("v1 ComponentStatus is deprecated in v1.19+")
	rows := [][]string{{"controller-manager", "Healthy", "ok", ""}, {"scheduler", "Healthy", "ok", ""}, {"etcd-0", "Healthy", "ok", ""}}
	s.print(printer.Plain("NAME|STATUS|MESSAGE|ERROR", rows, s.flags.bool("no-headers")))
	return nil
}
