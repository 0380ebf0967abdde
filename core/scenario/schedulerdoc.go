package scenario

import (
	"strconv"

	"podwalk/core/scheduler"
	"podwalk/core/scheduler/config"
)

// schedulerDoc reads a KubeSchedulerConfiguration. What is wrong with it is told in
// the words with which the real kube-scheduler refuses to start.
func (d *declarations) schedulerDoc(p place) {
	if d.sched != nil {
		d.problem(p, p.node.Mark, "more than one "+config.Kind+": the first is at "+d.sched.file+":"+strconv.Itoa(int(d.sched.node.Mark.Line)))
		return
	}
	d.sched = &p
	c, bad := config.Read(p.node)
	for _, b := range bad {
		mark := b.Mark
		if mark.Line == 0 {
			mark = markAt(p.node, b.Path)
		}
		d.problem(p, mark, b.Message)
	}
	if c != nil {
		d.cfg.Scheduler, d.ignored = scheduler.Of(c), c.NotSimulated
	}
}
