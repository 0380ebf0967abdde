package cluster

import (
	"strconv"
	"testing"

	"podwalk/core/api"
	"podwalk/core/sim"
	"podwalk/core/store"
)

func cronJobJSON(schedule, rest string, seconds int) string {
	return `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"tick"},"spec":{"schedule":"` + schedule + `",` + rest +
		`"jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":1,"containers":[{"name":"work","image":"busybox:1.36",
		"command":["sh","-c","sleep ` + strconv.Itoa(seconds) + `"]}]}}}}}}`
}

// In random CronJobs a Job is made for each minute of the schedule, under the name
// of that minute and 100 ms after it (with Forbid when the one before has ended);
// with Forbid and Replace never two run, and no more finished ones are kept than the
// limit.
func TestRandomCronJobsMakeTheJobsOfTheirTimes(t *testing.T) {
	for seed := range uint64(100) {
		r := &roller{t: t, c: New(Config{Seed: seed}), seed: seed}
		every, policy := 1+r.of(3), []string{"Allow", "Forbid", "Replace"}[r.of(3)]
		seconds, keep := []int{1, 30, 90, 200}[r.of(4)], r.of(3)
		r.c.Run(Until{At: sim.Time(r.of(60)) * sim.Second})
		r.create("CronJob", cronJobJSON("*/"+strconv.Itoa(every)+" * * * *", `"concurrencyPolicy":"`+policy+`","successfulJobsHistoryLimit":`+strconv.Itoa(keep)+`,`, seconds))
		r.c.Run(Until{At: 20*sim.Minute + 30*sim.Second})
		r.cronTimes(every, policy, keep)
		if bad := r.c.Invariants(); bad != nil {
			t.Errorf("seed %d: %v", seed, bad)
		}
		if t.Failed() {
			return
		}
	}
}

func (r *roller) cronTimes(every int, policy string, keep int) {
	changes, err := r.c.Changes(store.FirstRev)
	if err != nil {
		r.t.Fatal(err)
	}
	made, running, done := map[sim.Time]bool{}, map[string]bool{}, map[string]bool{}
	first := sim.Never
	for _, ch := range changes {
		if _, ok := ch.New.(*api.CronJob); ok && ch.Old == nil {
			first = ch.At
		}
		j, ok := ch.Object().(*api.Job)
		if !ok {
			continue
		}
		delete(running, j.Name)
		delete(done, j.Name)
		if c := conditionsOf(j); ch.New != nil && j.DeletionTimestamp == nil {
			(map[bool]map[string]bool{true: done, false: running})[c["Complete"] != ""][j.Name] = true
		}
		if ch.Old == nil {
			minute := ch.At / sim.Minute * sim.Minute
			if made[minute] = true; policy != "Forbid" && (ch.At-minute < 100*sim.Millisecond || ch.At-minute > 110*sim.Millisecond) {
				r.t.Errorf("seed %d: %s is made at %v", r.seed, j.Name, ch.At)
			}
			if want := "tick-" + strconv.FormatInt((r.c.Start()+int64(ch.At))/60e9, 10); policy != "Forbid" && j.Name != want {
				r.t.Errorf("seed %d: %s is made at %v, want %s", r.seed, j.Name, ch.At, want)
			}
		}
		if policy != "Allow" && len(running) > 1 {
			r.t.Errorf("seed %d: %d Jobs run at %v", r.seed, len(running), ch.At)
		}
	}
	if len(done) > keep {
		r.t.Errorf("seed %d: %d finished Jobs are kept, %d allowed", r.seed, len(done), keep)
	}
	for m := sim.Minute * sim.Time(every); m < 20*sim.Minute && policy != "Forbid"; m += sim.Minute * sim.Time(every) {
		if m > first && !made[m] {
			r.t.Errorf("seed %d: no Job for %v", r.seed, m)
		}
	}
}

// A time that came while the CronJob was suspended is made up for within the
// starting deadline only (cronjob_controllerv2.go).
func TestATimeIsMissedAfterItsDeadline(t *testing.T) {
	for _, c := range []struct {
		deadline int
		jobs     int
		event    string
	}{{200, 1, "SuccessfulCreate"}, {20, 0, ""}} {
		r := &roller{t: t, c: New(Config{}), seed: 1}
		r.create("CronJob", cronJobJSON("1 * * * *", `"suspend":true,"startingDeadlineSeconds":`+strconv.Itoa(c.deadline)+`,`, 1))
		r.c.Run(Until{At: 2 * sim.Minute})
		r.patch("CronJob", "tick", `{"spec":{"suspend":false}}`)
		r.c.Run(Until{At: 3 * sim.Minute})
		events := ""
		r.c.Latest().Each("Event", "default", func(o api.Object) bool {
			if e := o.(*api.Event); e.InvolvedObject.Kind == "CronJob" && e.Reason == c.event {
				events = e.Reason
			}
			return true
		})
		if n := len(r.c.Latest().List("Job", "default")); n != c.jobs || events != c.event {
			t.Errorf("deadline %d s: %d Jobs, event %q", c.deadline, n, events)
		}
	}
}
