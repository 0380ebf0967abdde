package kubectl

import (
	"strconv"
	"strings"

	"podwalk/core/api"
)

const autoscaleFlags = ` min= max= cpu-percent= cpu= memory= name= filename,f= kustomize,k= recursive,R dry-run*unchanged save-config output,o= record show-managed-fields field-manager=`

// fallback is what kubectl says of an older form of the API that it falls back
// to: the reason why the present one refused is lost.
const fallback = "failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1: "

// autoscale makes an autoscaler for each workload that is named
// (kubectl/pkg/cmd/autoscale/autoscale.go).
func (s *session) autoscale() error {
	if s.flags.has("cpu-percent") {
		s.printErr("Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).\n")
	}
	if missing := s.missingFlags("max"); missing != nil {
		return missing
	}
	spec, err := s.autoscalerSpec()
	if err != nil {
		return err
	}
	items, errs, err := s.targets(s.args)
	if err != nil {
		return err
	}
	for n := range items {
		if err := s.autoscaleOne(&items[n], spec); err != nil {
			errs = append(errs, err)
		}
	}
	if len(items)+len(errs) == 0 {
		return plain("no objects passed to autoscale")
	}
	return join(errs)
}

func (s *session) autoscalerSpec() (spec api.HorizontalPodAutoscalerSpec, err error) {
	lowest, err := s.flags.number("min", -1)
	if err != nil {
		return spec, err
	}
	highest, err := s.flags.number("max", -1)
	if err != nil {
		return spec, err
	}
	percent, err := s.flags.number("cpu-percent", -1)
	switch {
	case err != nil:
		return spec, err
	case highest < 1:
		return spec, plain("--max=MAXPODS is required and must be at least 1, max: " + num(highest))
	case highest < lowest:
		return spec, plain("--max=MAXPODS must be larger or equal to --min=MINPODS, max: " + num(highest) + ", min: " + num(lowest))
	case percent > 0 && s.flags.text("cpu") != "":
		return spec, plain("--cpu-percent and --cpu are mutually exclusive")
	}
	spec.MaxReplicas = int32(highest)
	if lowest > 0 {
		n := int32(lowest)
		spec.MinReplicas = &n
	}
	if n := int32(percent); percent > 0 {
		spec.Metrics = append(spec.Metrics, resourceMetric("cpu", api.MetricTarget{Type: "Utilization", AverageUtilization: &n}))
	}
	for _, name := range []string{"cpu", "memory"} {
		if s.flags.text(name) == "" {
			continue
		}
		t, err := metricTarget(s.flags.text(name), name)
		if err != nil {
			return spec, err
		}
		spec.Metrics = append(spec.Metrics, resourceMetric(name, t))
	}
	return spec, nil
}

func resourceMetric(name string, t api.MetricTarget) api.MetricSpec {
	return api.MetricSpec{Type: "Resource", Resource: &api.ResourceMetricSource{Name: name, Target: t}}
}

// metricTarget reads 70% as utilization and everything else as an amount, a bare
// number in thousandths of a CPU or in MiB (parseResourceInput).
func metricTarget(text, name string) (t api.MetricTarget, err error) {
	text = strings.TrimSpace(text)
	if share, ok := strings.CutSuffix(text, "%"); ok {
		n, err := strconv.ParseInt(share, 10, 32)
		if err != nil || n < 0 {
			return t, plain("invalid percentage value: " + share)
		}
		percent := int32(n)
		return api.MetricTarget{Type: "Utilization", AverageUtilization: &percent}, nil
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		text = strconv.FormatFloat(f, 'g', -1, 64) + map[string]string{"cpu": "m", "memory": "Mi"}[name]
	}
	q, err := api.ParseQuantity(text)
	if err != nil {
		return t, plain("invalid resource " + name + " value: " + text)
	}
	return api.MetricTarget{Type: "AverageValue", AverageValue: &q}, nil
}

func (s *session) autoscaleOne(i *item, spec api.HorizontalPodAutoscalerSpec) error {
	if !contains([]string{"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"}, i.kind.Kind) {
		return plain("cannot autoscale a " + i.kind.Name() + ": could not find scale subresource for " + i.kind.Group + "/" + i.kind.Version +
			", Resource=" + i.kind.Plural + " in discovery information")
	}
	spec.ScaleTargetRef = api.CrossVersionObjectReference{APIVersion: i.kind.APIVersion(), Kind: i.kind.Kind, Name: i.name}
	h := &api.HorizontalPodAutoscaler{ObjectMeta: named(or(s.flags.text("name"), i.name)), Spec: spec}
	if s.dryRunClient() {
		return s.sendNew("HorizontalPodAutoscaler", h)
	}
	err := s.sendNewAs("HorizontalPodAutoscaler", h, "autoscaled")
	if _, refused := err.(*refusal); refused && s.flags.text("cpu") == "" {
		return plain(fallback + "empty input")
	}
	return err
}
