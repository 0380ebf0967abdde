package validation

import (
	"strconv"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// podPart checks what comes through the subresources resize and
// ephemeralcontainers.
func (c *check) podPart(o, old api.Object, sub string) {
	p, ok := o.(*api.Pod)
	if !ok {
		return
	}
	if sub == "resize" {
		c.asNew(p)
	} else {
		c.updating = true
		c.pod(p)
	}
	was := old.(*api.Pod)
	if _, mirror := was.Annotations["kubernetes.io/config.mirror"]; mirror {
		c.errs = nil
		c.forbidden(field.NewPath(""), map[string]string{"resize": "static pods cannot be resized",
			"ephemeralcontainers": "static pods do not support ephemeral containers"}[sub])
		return
	}
	if sub == "resize" {
		c.resize(p, was)
		return
	}
	c.ephemeral(&p.Spec, &was.Spec)
}

// ephemeral keeps the ephemeral containers that are there
// (ValidatePodEphemeralContainersUpdate).
func (c *check) ephemeral(s, old *api.PodSpec) {
	at := specPath.Child("ephemeralContainers")
	for i := range old.EphemeralContainers {
		was := &old.EphemeralContainers[i]
		now := ephemeralNamed(s.EphemeralContainers, was.Name)
		switch {
		case now == nil:
			c.forbidden(at, "existing ephemeral containers "+strconv.Quote(was.Name)+" may not be removed\n")
		case !api.Equal(now, was):
			c.forbidden(at, "existing ephemeral containers "+strconv.Quote(was.Name)+" may not be changed\n"+changedSpec(was, now))
		}
	}
}

func ephemeralNamed(list []api.EphemeralContainer, name string) *api.EphemeralContainer {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// resize lets only CPU and memory of containers change, and not so far that the
// pod gets another class; its status holds the class it would have
// (ValidatePodResize).
func (c *check) resize(p, was *api.Pod) {
	if was.Spec.OS != nil && was.Spec.OS.Name == "windows" {
		c.errs = nil
		c.forbidden(field.NewPath(""), "windows pods cannot be resized")
		return
	}
	if p.Status.QOSClass != was.Status.QOSClass {
		c.invalid(specPath, was.Status.QOSClass, "Pod QOS Class may not change as a result of resizing")
	}
	s, old := &p.Spec, &was.Spec
	same := c.sameOrder(s.Containers, old.Containers, "containers")
	if !c.sameOrder(s.InitContainers, old.InitContainers, "initContainers") || !same {
		return
	}
	c.resizeList(s.InitContainers, old.InitContainers, specPath.Child("initContainers"))
	c.resizeList(s.Containers, old.Containers, specPath.Child("containers"))
	if !otherSame(s.Containers, old.Containers) || !otherSame(s.InitContainers, old.InitContainers) {
		c.forbidden(specPath, "only cpu and memory resources are mutable")
	}
}

// sameOrder reports whether the containers can be compared one by one.
func (c *check) sameOrder(list, old []api.Container, name string) bool {
	p, before := specPath.Child(name), len(c.errs)
	if len(list) != len(old) {
		c.forbidden(p, name+" may not be added or removed on resize")
		return false
	}
	for i := range list {
		if list[i].Name != old[i].Name {
			c.forbidden(p.Index(i).Child("name"), name+" may not be renamed or reordered on resize")
		}
	}
	return len(c.errs) == before
}

// resizeList refuses to take away what a container has (validateContainerResize).
func (c *check) resizeList(list, old []api.Container, p *field.Path) {
	for i := range list {
		r, was, at := &list[i].Resources, &old[i].Resources, p.Index(i).Child("resources")
		c.keepsAll(r.Requests, was.Requests, at.Child("requests"), "resource requests cannot be removed")
		c.keepsAll(r.Limits, was.Limits, at.Child("limits"), "resource limits cannot be removed")
	}
}

func (c *check) keepsAll(list, old map[string]api.Quantity, p *field.Path, text string) {
	for _, k := range sorted(old) {
		if _, ok := list[k]; !ok {
			c.forbidden(p, text)
			return
		}
	}
}

// otherSame reports whether resources beside CPU and memory are as they were.
func otherSame(list, old []api.Container) bool {
	for i := range list {
		r, was := list[i].Resources, old[i].Resources
		a := api.ResourceRequirements{Claims: r.Claims, Requests: without(r.Requests), Limits: without(r.Limits)}
		b := api.ResourceRequirements{Claims: was.Claims, Requests: without(was.Requests), Limits: without(was.Limits)}
		if !api.Equal(&a, &b) {
			return false
		}
	}
	return true
}

func without(list map[string]api.Quantity) map[string]api.Quantity {
	out := map[string]api.Quantity{}
	for k, q := range list {
		if k != "cpu" && k != "memory" {
			out[k] = q
		}
	}
	return out
}
