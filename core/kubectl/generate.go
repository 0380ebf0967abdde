package kubectl

import (
	"strings"

	"podwalk/core/api"
)

func named(name string) api.ObjectMeta { return api.ObjectMeta{Name: name} }

func labelledApp(name string) api.ObjectMeta {
	return api.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}
}

func (s *session) newNamespace(name string) (api.Object, error) {
	return &api.Namespace{ObjectMeta: named(name)}, nil
}

func (s *session) newServiceAccount(name string) (api.Object, error) {
	return &api.ServiceAccount{ObjectMeta: named(name)}, nil
}

// imageName is the name of a container made from an image
// (kubectl/pkg/cmd/create/create_deployment.go).
func imageName(image string) string {
	name := image[strings.LastIndexByte(image, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	name, _, _ = strings.Cut(name, "@")
	return name
}

func (s *session) newDeployment(name string) (api.Object, error) {
	replicas, err := s.flags.number("replicas", 1)
	if err != nil {
		return nil, err
	}
	port, err := s.flags.number("port", -1)
	if err != nil {
		return nil, err
	}
	images := s.flags.list("image")
	if len(images) > 1 && len(s.command()) > 0 {
		return nil, plain("cannot specify multiple --image options and command")
	}
	count := int32(replicas)
	labels := map[string]string{"app": name}
	d := &api.Deployment{ObjectMeta: labelledApp(name)}
	d.Spec.Replicas = &count
	d.Spec.Selector = &api.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	for _, image := range images {
		c := api.Container{Name: imageName(image), Image: image, Command: s.command()}
		if port >= 0 {
			c.Ports = []api.ContainerPort{{ContainerPort: int32(port)}}
		}
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, c)
	}
	return d, nil
}

func (s *session) jobSpec(name string) api.JobSpec {
	var spec api.JobSpec
	spec.Template.Spec.RestartPolicy = or(s.flags.text("restart"), "Never")
	spec.Template.Spec.Containers = []api.Container{{Name: name, Image: s.flags.text("image"), Command: s.command()}}
	return spec
}

func (s *session) newJob(name string) (api.Object, error) {
	from, image := s.flags.text("from"), s.flags.text("image")
	switch {
	case from == "" && image == "" || from != "" && image != "":
		return nil, plain("either --image or --from must be specified")
	case from != "" && len(s.command()) > 0:
		return nil, plain("cannot specify --from and command")
	case image != "":
		return &api.Job{ObjectMeta: named(name), Spec: s.jobSpec(name)}, nil
	}
	sel, err := s.selectArgs([]string{from}, selectOptions{})
	if err != nil {
		return nil, err
	}
	if err := s.fetch(&sel.items[0]); err != nil {
		return nil, err
	}
	c, ok := sel.items[0].object.(*api.CronJob)
	if !ok {
		return nil, plain("from must be an existing cronjob")
	}
	yes := true
	template := c.Spec.JobTemplate
	j := &api.Job{ObjectMeta: named(name), Spec: template.Spec}
	j.Labels = template.Labels
	j.Annotations = map[string]string{"cronjob.kubernetes.io/instantiate": "manual"}
	for k, v := range template.Annotations {
		j.Annotations[k] = v
	}
	j.OwnerReferences = []api.OwnerReference{{APIVersion: "batch/v1", Kind: "CronJob", Name: c.Name, UID: c.UID, Controller: &yes}}
	return j, nil
}

func (s *session) newCronJob(name string) (api.Object, error) {
	c := &api.CronJob{ObjectMeta: named(name)}
	c.Spec.Schedule = s.flags.text("schedule")
	c.Spec.JobTemplate.Name = name
	c.Spec.JobTemplate.Spec = s.jobSpec(name)
	c.Spec.JobTemplate.Spec.Template.Spec.RestartPolicy = or(s.flags.text("restart"), "OnFailure")
	return c, nil
}

func (s *session) newQuota(name string) (api.Object, error) {
	q := &api.ResourceQuota{ObjectMeta: named(name)}
	for _, pair := range s.flags.list("hard") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, plain("Invalid argument syntax " + pair + ", expected <resource>=<value>")
		}
		amount, err := api.ParseQuantity(value)
		if err != nil {
			return nil, err
		}
		if q.Spec.Hard == nil {
			q.Spec.Hard = map[string]api.Quantity{}
		}
		q.Spec.Hard[key] = amount
	}
	if s.flags.has("scopes") {
		q.Spec.Scopes = s.flags.list("scopes")
	}
	return q, nil
}
