package scheduler

// podHeap is a heap of waiting pods; each knows its index in it.
type podHeap struct {
	pods []*queued
	less func(a, b *queued) bool
}

func (h *podHeap) top() *queued {
	if len(h.pods) == 0 {
		return nil
	}
	return h.pods[0]
}

func (h *podHeap) push(p *queued) {
	p.index = len(h.pods)
	h.pods = append(h.pods, p)
	h.up(p.index)
}

func (h *podHeap) remove(i int) {
	last := len(h.pods) - 1
	h.swap(i, last)
	h.pods[last] = nil
	h.pods = h.pods[:last]
	if i < last {
		h.down(i)
		h.up(i)
	}
}

func (h *podHeap) swap(i, j int) {
	h.pods[i], h.pods[j] = h.pods[j], h.pods[i]
	h.pods[i].index, h.pods[j].index = i, j
}

func (h *podHeap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(h.pods[i], h.pods[parent]) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h *podHeap) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.pods) {
			return
		}
		if child+1 < len(h.pods) && h.less(h.pods[child+1], h.pods[child]) {
			child++
		}
		if !h.less(h.pods[child], h.pods[i]) {
			return
		}
		h.swap(child, i)
		i = child
	}
}
