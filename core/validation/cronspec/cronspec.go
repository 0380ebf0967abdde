// Package cronspec reads the schedules of CronJobs and finds the times that suit
// them. Package validation judges whether a schedule is well formed, in the
// server's words; this one only has to agree. Start reading at Parse.
// Upstream: github.com/robfig/cron/v3 (parser.go, spec.go, constantdelay.go).
package cronspec

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"podwalk/core/validation/timezone"
)

// Schedule says when the next time after an instant is.
type Schedule struct {
	every                         time.Duration // of @every, else 0
	minute, hour, dom, month, dow uint64        // bit n: the value n suits
	anyDay                        bool          // one of the two kinds of days is *
	zone                          *time.Location
}

// part is one field of a schedule.
type part struct {
	min, max int
	names    string // of the values from min on, three letters each
}

var (
	minutePart = part{0, 59, ""}
	hourPart   = part{0, 23, ""}
	domPart    = part{1, 31, ""}
	monthPart  = part{1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"}
	dowPart    = part{0, 6, "sunmontuewedthufrisat"}
)

// macros are the descriptors, written out.
var macros = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// Parse reads a schedule of five fields, a macro such as @daily, or @every with a
// duration, in a zone unless it names one itself.
func Parse(text string, zone *time.Location) (*Schedule, error) {
	if strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ=") {
		_, rest, _ := strings.Cut(text, "=")
		name, spec, ok := strings.Cut(rest, " ")
		var err error
		if zone, err = timezone.Load(name); err != nil || !ok {
			return nil, errors.New("provided bad location " + name + ": unknown time zone " + name)
		}
		text = strings.TrimSpace(spec)
	}
	if d, ok := strings.CutPrefix(text, "@every "); ok {
		every, err := time.ParseDuration(d)
		if err != nil {
			return nil, errors.New("failed to parse duration " + text + ": " + err.Error())
		}
		return &Schedule{every: max(every, time.Second).Truncate(time.Second)}, nil
	}
	if m, ok := macros[text]; ok {
		text = m
	}
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return nil, errors.New("expected exactly 5 fields, found " + strconv.Itoa(len(fields)) + ": [" + strings.Join(fields, " ") + "]")
	}
	s := &Schedule{zone: zone}
	var star [5]bool
	for i, f := range []struct {
		part *part
		set  *uint64
	}{{&minutePart, &s.minute}, {&hourPart, &s.hour}, {&domPart, &s.dom}, {&monthPart, &s.month}, {&dowPart, &s.dow}} {
		var err error
		if *f.set, star[i], err = f.part.parse(fields[i]); err != nil {
			return nil, err
		}
	}
	s.anyDay = star[2] || star[4]
	return s, nil
}

// parse reads the ranges of a field. star says that one of them is * without a step.
func (p *part) parse(text string) (set uint64, star bool, err error) {
	for r := range strings.SplitSeq(text, ",") {
		if r == "" {
			continue
		}
		b, all, err := p.rangeOf(r)
		if err != nil {
			return 0, false, err
		}
		set, star = set|b, star || all
	}
	return set, star, nil
}

// rangeOf reads N, N-M, * or ?, each with /STEP.
func (p *part) rangeOf(text string) (set uint64, star bool, err error) {
	bad := errors.New("bad range: " + text)
	ends, steps, stepped := strings.Cut(text, "/")
	low, high, ranged := strings.Cut(ends, "-")
	from, to, step := p.min, p.max, 1
	if low != "*" && low != "?" {
		if from, err = p.value(low); err != nil {
			return 0, false, err
		}
		switch {
		case ranged:
			if to, err = p.value(high); err != nil {
				return 0, false, err
			}
		case !stepped:
			to = from
		}
	} else {
		star = true
	}
	if stepped {
		if step, err = strconv.Atoi(steps); err != nil || step < 1 {
			return 0, false, bad
		}
		star = star && step == 1
	}
	if from < p.min || to > p.max || from > to {
		return 0, false, bad
	}
	for v := from; v <= to; v += step {
		set |= 1 << v
	}
	return set, star, nil
}

func (p *part) value(text string) (int, error) {
	if len(text) == 3 {
		if i := strings.Index(p.names, strings.ToLower(text)); i >= 0 && i%3 == 0 {
			return p.min + i/3, nil
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, errors.New("failed to parse int from " + text + ": " + err.Error())
	}
	return n, nil
}

// Next returns the first instant after t that suits, in UTC. It looks five years
// ahead; the zero time means that there is none.
func (s *Schedule) Next(t time.Time) time.Time {
	if s.every > 0 {
		return t.Truncate(time.Second).Add(s.every)
	}
	if s.month == 0 || s.hour == 0 || s.minute == 0 || s.dom|s.dow == 0 {
		return time.Time{}
	}
	t = t.In(s.zone).Truncate(time.Second).Add(time.Second)
	if t.Second() != 0 {
		t = t.Truncate(time.Minute).Add(time.Minute)
	}
	aligned := false // t is the beginning of a day, or whole hours after it
	for limit := t.Year() + 5; t.Year() <= limit; {
		switch {
		case s.month>>t.Month()&1 == 0:
			aligned = true
			t = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, s.zone)
		case !s.day(t):
			aligned = true
			t = nextDay(t, s.zone)
		case s.hour>>t.Hour()&1 == 0:
			if !aligned {
				t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), 0, 0, 0, s.zone)
			}
			aligned = true
			t = t.Add(time.Hour)
		case s.minute>>t.Minute()&1 == 0:
			t = t.Truncate(time.Minute).Add(time.Minute)
		default:
			return t.UTC()
		}
	}
	return time.Time{}
}

// nextDay is the first moment of the day after t, also where midnight is left out.
func nextDay(t time.Time, zone *time.Location) time.Time {
	n := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, zone).AddDate(0, 0, 1)
	switch h := n.Hour(); {
	case h > 12:
		n = n.Add(time.Duration(24-h) * time.Hour)
	case h > 0:
		n = n.Add(time.Duration(-h) * time.Hour)
	}
	if !n.After(t) {
		return n.Add(time.Hour)
	}
	return n
}

// day reports whether the day suits: by both kinds of days if one of them is *,
// else by either.
func (s *Schedule) day(t time.Time) bool {
	dom, dow := s.dom>>t.Day()&1 == 1, s.dow>>int(t.Weekday())&1 == 1
	if s.anyDay {
		return dom && dow
	}
	return dom || dow
}
