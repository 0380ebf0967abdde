package workload

import (
	"strconv"
	"strings"
	"time"
)

func (r *runner) epoch() time.Time {
	if e := r.p.spec.Epoch; !e.IsZero() {
		return e
	}
	return time.Unix(1767225600, 0).UTC()
}

// cmdDate prints the wall clock, which is UTC as in containers without zone files.
func cmdDate(c *call) (int, bool) {
	o := c.options("ud:Is:r:Rj:f:D:")
	if o.bad != "" && !strings.HasPrefix(o.bad, "--rfc") {
		return c.unknown(o)
	}
	now := c.wall().UTC()
	if text, ok := o.value['d']; ok {
		t, ok := parseDate(text, now)
		if !ok {
			c.errorf("invalid date '" + text + "'")
			return 1, true
		}
		now = t
	}
	if file, ok := o.value['r']; ok {
		info, err := c.w.Stat(c.abs(file))
		if err != nil {
			c.errorf(file + ": " + err.Error())
			return 1, true
		}
		now = c.fileTime(info.ModTime).UTC()
	}
	if _, ok := o.value['s']; ok {
		c.errorf("can't set date: Operation not permitted")
		return 1, true
	}
	format := "+%a %b %e %H:%M:%S UTC %Y"
	switch {
	case len(o.rest) > 0:
		format = o.rest[0]
	case o.flags['R']:
		format = "+%a, %d %b %Y %H:%M:%S +0000"
	case o.flags['I'], o.bad != "":
		format = "+%Y-%m-%d"
		for _, a := range c.args {
			if strings.HasPrefix(a, "-Is") || strings.HasSuffix(a, "=seconds") || strings.HasSuffix(a, "=s") {
				format = "+%Y-%m-%dT%H:%M:%S+00:00"
			}
		}
	}
	if !strings.HasPrefix(format, "+") {
		c.errorf("invalid date '" + format + "'")
		return 1, true
	}
	c.print(strftime(format[1:], now) + "\n")
	return 0, true
}

func strftime(format string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		plain := false
		for i+1 < len(format) && strings.IndexByte("-_0^#", format[i]) >= 0 {
			plain = format[i] == '-'
			i++
		}
		digits := 0
		for i+1 < len(format) && isDigit(format[i]) {
			digits = int(format[i] - '0')
			i++
		}
		text := field(format[i], t)
		if format[i] == 'N' && digits > 0 {
			text = text[:min(digits, 9)]
		}
		if plain {
			text = strings.TrimLeft(text[:len(text)-1], "0 ") + text[len(text)-1:]
		}
		b.WriteString(text)
	}
	return b.String()
}

func field(c byte, t time.Time) string {
	layouts := map[byte]string{'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'e': "_2", 'a': "Mon", 'A': "Monday", 'b': "Jan",
		'h': "Jan", 'B': "January", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'D': "01/02/06", 'I': "03", 'p': "PM", 'c': "Mon Jan _2 15:04:05 2006",
		'x': "01/02/06", 'X': "15:04:05", 'r': "03:04:05 PM", 'N': "000000000", 'l': "_3", 'k': "15"}
	switch c {
	case 'N':
		n := strconv.Itoa(t.Nanosecond())
		return strings.Repeat("0", 9-len(n)) + n
	case 's':
		return strconv.FormatInt(t.Unix(), 10)
	case 'Z':
		return "UTC"
	case 'z':
		return "+0000"
	case 'j':
		n := strconv.Itoa(t.YearDay())
		return strings.Repeat("0", 3-len(n)) + n
	case 'u':
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1)
	case 'w':
		return strconv.Itoa(int(t.Weekday()))
	case 'C':
		return strconv.Itoa(t.Year() / 100)
	case 'V':
		_, week := t.ISOWeek()
		n := strconv.Itoa(week)
		return strings.Repeat("0", 2-len(n)) + n
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '%':
		return "%"
	}
	if layout, ok := layouts[c]; ok {
		return t.Format(layout)
	}
	return "%" + string(rune(c))
}

// parseDate reads what -d takes: @seconds, ISO forms, "now", "1 hour ago".
func parseDate(text string, now time.Time) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if s, ok := strings.CutPrefix(text, "@"); ok {
		n, err := strconv.ParseFloat(s, 64)
		return time.Unix(int64(n), 0).UTC(), err == nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05 MST", "2006-01-02T15:04:05", "2006-01-02 15:04:05",
		"2006-01-02 15:04", "2006-01-02", "200601021504", "15:04:05", "15:04", "Mon Jan _2 15:04:05 MST 2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	words := strings.Fields(strings.ToLower(text))
	t := now
	for i := 0; i < len(words); i++ {
		switch w := words[i]; w {
		case "now", "today":
		case "yesterday":
			t = t.AddDate(0, 0, -1)
		case "tomorrow":
			t = t.AddDate(0, 0, 1)
		default:
			n, err := strconv.Atoi(strings.TrimPrefix(w, "+"))
			if err != nil || i+1 >= len(words) {
				return now, false
			}
			i++
			if i+1 < len(words) && words[i+1] == "ago" {
				n = -n
			}
			if t, err = shiftDate(t, n, strings.TrimSuffix(words[i], "s")); err != nil {
				return now, false
			}
			if i+1 < len(words) && words[i+1] == "ago" {
				i++
			}
		}
	}
	return t, len(words) > 0
}

func shiftDate(t time.Time, n int, unit string) (time.Time, error) {
	switch unit {
	case "second", "sec":
		return t.Add(time.Duration(n) * time.Second), nil
	case "minute", "min":
		return t.Add(time.Duration(n) * time.Minute), nil
	case "hour":
		return t.Add(time.Duration(n) * time.Hour), nil
	case "day":
		return t.AddDate(0, 0, n), nil
	case "week":
		return t.AddDate(0, 0, 7*n), nil
	case "month":
		return t.AddDate(0, n, 0), nil
	case "year":
		return t.AddDate(n, 0, 0), nil
	}
	return t, EINVAL
}
