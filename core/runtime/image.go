package runtime

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"podwalk/core/sim"
	"podwalk/core/trace"
	"podwalk/core/workload"
)

// local is an image in a machine's store.
type local struct {
	image *workload.Image
	names []string // as node.status.images shows them
	size  int64
}

// ImageInfo is an image in the store, as the CRI reports it.
type ImageInfo struct {
	Names []string // digest first, then tag
	Size  int64
	Ref   string // name@digest
	Image *workload.Image
}

// platform is what the machines are.
const platform = "linux/amd64"

// preload puts an image into the store that the node's status claims.
func (m *Machine) preload(h HostImage) {
	for _, name := range h.Names {
		ref, err := workload.ParseReference(name)
		if err != nil {
			continue
		}
		img := m.rt.cfg.Catalogue.Resolve(ref, platform).Image
		if img == nil {
			img = m.rt.cfg.Catalogue.Resolve(unknown(ref), platform).Image
		}
		if img == nil {
			continue
		}
		l := &local{image: img, names: h.Names, size: h.Size}
		if l.size == 0 {
			l.size = img.Size
		}
		m.images[ref.String()] = l
	}
}

// unknown names an image that no registry has but the node claims to hold: the
// catalogue assumes one for any repository of a user.
func unknown(ref workload.Reference) workload.Reference {
	return workload.Reference{Domain: "docker.io", Path: "assumed/" + ref.Path[strings.LastIndexByte(ref.Path, '/')+1:], Tag: "latest"}
}

// info returns what the CRI says of an image in the store.
func (l *local) info(ref workload.Reference) ImageInfo {
	digest := l.image.Digest
	if ref.Digest != "" {
		digest = ref.Digest
	}
	by := ref.Name() + "@" + digest
	info := ImageInfo{Names: []string{by}, Size: l.size, Ref: by, Image: l.image}
	if ref.Tag != "" {
		info.Names = append(info.Names, ref.Name()+":"+ref.Tag)
	}
	return info
}

// ImageStatus looks an image up in the machine's store.
func (m *Machine) ImageStatus(c Call, ref workload.Reference) (ImageInfo, bool) {
	l, ok := m.images[ref.String()]
	if !ok {
		c.note(trace.Pulled, "ImageStatus", nil, "not present", trace.Detail{Name: "image", Value: ref.String()})
		return ImageInfo{}, false
	}
	c.note(trace.Pulled, "ImageStatus", nil, "present", trace.Detail{Name: "image", Value: ref.String()})
	return l.info(ref), true
}

// Pull is a pull that has been asked for: what it will answer, and how long that
// takes once it is its turn.
type Pull struct {
	Ref  workload.Reference
	Took sim.Time
	Info ImageInfo
	Err  *Error

	outcome workload.PullOutcome
	local   *local
}

// StartPull asks the registry for an image. Credentials says whether the pod has
// any for that registry.
func (m *Machine) StartPull(ref workload.Reference, credentials bool) Pull {
	lat := &m.rt.cfg.Latency
	out := m.rt.cfg.Catalogue.Resolve(ref, platform)
	p := Pull{Ref: ref, Took: lat.PullResolve, outcome: out}
	if err := m.unreachable(ref); err != nil {
		p.Err, p.Took = err, registryTimeout
		return p
	}
	if out.Image == nil {
		p.Err = &Error{Code: out.Code, Desc: out.Message}
	} else {
		p.local = &local{image: out.Image, size: out.Image.Size}
		p.Info = p.local.info(ref)
		if _, have := m.images[ref.String()]; !have && lat.PullPerSecond > 0 {
			p.Took += sim.Time(float64(out.Image.Size) / float64(lat.PullPerSecond) * float64(sim.Second))
		}
	}
	switch {
	case out.Slower:
		p.Took = sim.Time(out.Slow)
	case lat.Pull > 0:
		p.Took = lat.Pull
	}
	return p
}

// PullImage ends a pull: the image is in the store, or the error is returned.
func (m *Machine) PullImage(c Call, p Pull) (ImageInfo, error) {
	detail := []trace.Detail{{Name: "image", Value: p.Ref.String()}, {Name: "took", Value: p.Took.String()}}
	if p.Err != nil {
		c.note(trace.Pulled, "PullImage", p.Err, "", detail...)
		return ImageInfo{}, p.Err
	}
	p.local.names = p.Info.Names
	m.images[p.Ref.String()] = p.local
	detail = append(detail, trace.Detail{Name: "size", Value: strconv.FormatInt(p.Info.Size, 10)}, trace.Detail{Name: "imageRef", Value: p.Info.Ref})
	c.note(trace.Pulled, "PullImage", nil, "pulled", detail...)
	if a := p.Info.Image.Assumed; a != "" && c.Record != nil {
		c.Record(trace.Record{At: c.Now, Source: "runtime", Stage: trace.Pulled, Ref: c.Ref, Verdict: trace.Assumed, Reason: "Image", Message: p.Ref.String() + ": " + a})
	}
	return p.Info, nil
}

// ListImages returns the images of the machine, the largest first, as
// node.status.images does.
func (m *Machine) ListImages() []ImageInfo {
	list := make([]ImageInfo, 0, len(m.images))
	for _, k := range sortedKeys(m.images) {
		l := m.images[k]
		list = append(list, ImageInfo{Names: l.names, Size: l.size, Image: l.image})
	}
	slices.SortStableFunc(list, func(a, b ImageInfo) int { return cmpDesc(a.Size, b.Size) })
	return list
}

func cmpDesc(a, b int64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
