package validation

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/api/field"
	"podwalk/core/validation/timezone"
)

// maxCronName leaves room for the time that names of the Jobs end with.
const maxCronName = 52

func (c *check) cronJob(j *api.CronJob, old *api.CronJobSpec) {
	c.meta(&j.ObjectMeta, true, isSubdomain)
	c.cronSpec(&j.Spec, old)
	if len(j.Name) > maxCronName {
		c.invalid(metaPath.Child("name"), j.Name, "must be no more than 52 characters")
	}
}

func (c *check) cronSpec(s, old *api.CronJobSpec) {
	if p := specPath.Child("schedule"); s.Schedule == "" {
		c.last(func() { c.required(p, "") })
	} else {
		c.schedule(s, old != nil && strings.Contains(old.Schedule, "TZ"), p)
	}
	if n := s.StartingDeadlineSeconds; n != nil {
		c.nonNegative(specPath.Child("startingDeadlineSeconds"), *n)
	}
	c.timeZone(s.TimeZone, specPath.Child("timeZone"))
	c.oneOf(specPath.Child("concurrencyPolicy"), s.ConcurrencyPolicy, "Allow", "Forbid", "Replace")
	p := specPath.Child("jobTemplate", "spec")
	c.jobSpec(&s.JobTemplate.Spec, p)
	if sel := s.JobTemplate.Spec.Selector; sel != nil {
		c.invalid(p.Child("selector"), sel, "`selector` will be auto-generated")
	}
	if m := s.JobTemplate.Spec.ManualSelector; m != nil && *m {
		c.unsupported(p.Child("manualSelector"), true, "nil", "false")
	}
	c.count(s.SuccessfulJobsHistoryLimit, specPath.Child("successfulJobsHistoryLimit"))
	c.count(s.FailedJobsHistoryLimit, specPath.Child("failedJobsHistoryLimit"))
}

func (c *check) schedule(s *api.CronJobSpec, hadZone bool, p *field.Path) {
	if err := checkSchedule(s.Schedule); err != nil {
		c.invalid(p, s.Schedule, err.Error())
	}
	switch zone := strings.Contains(s.Schedule, "TZ"); {
	case zone && hadZone && s.TimeZone != nil:
		c.invalid(p, s.Schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")
	case zone && !hadZone:
		c.invalid(p, s.Schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
	}
}

// timeZone checks a zone's name.
func (c *check) timeZone(zone *string, p *field.Path) {
	if zone == nil {
		return
	}
	if *zone == "" {
		c.invalid(p, "", "timeZone must be nil or non-empty string")
		return
	}
	for _, part := range strings.Split(*zone, "/") {
		ok := part != "" && len(part) <= 14 && part != "." && part != ".." && part[0] != '-' &&
			every(part, func(b byte) bool { return alnum(b) || strings.IndexByte(".-_+", b) >= 0 })
		if !ok {
			c.invalid(p, *zone, "unknown time zone "+*zone)
			return
		}
	}
	if strings.EqualFold(*zone, "Local") {
		c.invalid(p, *zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")
		if *zone == "Local" {
			return
		}
	}
	if _, err := timezone.Load(*zone); err != nil {
		c.invalid(p, *zone, err.Error())
	}
}

// cronField is one of the five parts of a schedule.
type cronField struct {
	min, max int
	names    []string // names[i] stands for min+i
}

var cronFields = [...]cronField{
	{0, 59, nil}, {0, 23, nil}, {1, 31, nil},
	{1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	{0, 6, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

var descriptors = []string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}

// checkSchedule says what is wrong with a schedule, in the words of
// github.com/robfig/cron.
func checkSchedule(s string) error {
	if strings.HasPrefix(s, "TZ=") || strings.HasPrefix(s, "CRON_TZ=") {
		_, rest, ok := strings.Cut(s, " ")
		if !ok {
			return errors.New("invalid schedule format")
		}
		s = strings.TrimSpace(rest)
	}
	if strings.HasPrefix(s, "@") {
		return checkDescriptor(s)
	}
	parts := strings.Fields(s)
	if len(parts) != len(cronFields) {
		return fmt.Errorf("expected exactly %d fields, found %d: %s", len(cronFields), len(parts), parts)
	}
	for i, part := range parts {
		for _, expr := range strings.FieldsFunc(part, func(r rune) bool { return r == ',' }) {
			if err := cronFields[i].check(expr); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkDescriptor(s string) error {
	if every, ok := strings.CutPrefix(s, "@every "); ok {
		if _, err := time.ParseDuration(every); err != nil {
			return fmt.Errorf("failed to parse duration %s: %s", s, err)
		}
		return nil
	}
	if contains(descriptors, s) {
		return nil
	}
	return errors.New("unrecognized descriptor: " + s)
}

func (f *cronField) check(expr string) error {
	rangeAndStep := strings.Split(expr, "/")
	bounds := strings.Split(rangeAndStep[0], "-")
	start, end, err := f.bounds(expr, bounds)
	if err != nil {
		return err
	}
	step := 1
	switch len(rangeAndStep) {
	case 1:
	case 2:
		if step, err = cronNumber(rangeAndStep[1]); err != nil {
			return err
		}
		if len(bounds) == 1 {
			end = f.max
		}
	default:
		return errors.New("too many slashes: " + expr)
	}
	switch {
	case start < f.min:
		return fmt.Errorf("beginning of range (%d) below minimum (%d): %s", start, f.min, expr)
	case end > f.max:
		return fmt.Errorf("end of range (%d) above maximum (%d): %s", end, f.max, expr)
	case start > end:
		return fmt.Errorf("beginning of range (%d) beyond end of range (%d): %s", start, end, expr)
	case step == 0:
		return errors.New("step of range should be a positive number: " + expr)
	}
	return nil
}

func (f *cronField) bounds(expr string, bounds []string) (start, end int, err error) {
	if bounds[0] == "*" || bounds[0] == "?" {
		return f.min, f.max, nil
	}
	if start, err = f.number(bounds[0]); err != nil {
		return 0, 0, err
	}
	switch len(bounds) {
	case 1:
		return start, start, nil
	case 2:
		end, err = f.number(bounds[1])
		return start, end, err
	}
	return 0, 0, errors.New("too many hyphens: " + expr)
}

func (f *cronField) number(s string) (int, error) {
	for i, n := range f.names {
		if strings.EqualFold(n, s) {
			return f.min + i, nil
		}
	}
	return cronNumber(s)
}

func cronNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("failed to parse int from %s: %s", s, err)
	}
	if n < 0 {
		return 0, fmt.Errorf("negative number (%d) not allowed: %s", n, s)
	}
	return n, nil
}
