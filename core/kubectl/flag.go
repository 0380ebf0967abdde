package kubectl

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A set of flags is written as words: "output,o=" takes a value, "watch,w" is a
// switch, "dry-run*unchanged" takes a value only behind an equals sign and has that
// one otherwise.
const globalFlags = ` namespace,n= as= as-group= as-uid= as-user-extra= help,h request-timeout= v,v= warnings-as-errors cache-dir= match-server-version` +
	` certificate-authority= insecure-skip-tls-verify tls-server-name= proxy-url= disable-compression kuberc= log-flush-frequency= vmodule= profile= profile-output=` + elsewhereFlags

// elsewhereFlags choose another cluster or user than the simulated ones.
const elsewhereFlags = ` kubeconfig= context= cluster= user= server,s= token= username= password= client-certificate= client-key=`

// printFlags are those of the commands that print objects.
const printFlags = ` output,o= show-managed-fields template= allow-missing-template-keys`

// flags are the values given, by long name.
type flags map[string][]string

func (f flags) has(name string) bool { return len(f[name]) > 0 }

func (f flags) text(name string) string {
	if v := f[name]; len(v) > 0 {
		return v[len(v)-1]
	}
	return ""
}

func (f flags) bool(name string) bool { return f.text(name) == "true" }

// list returns the values of a flag that may be repeated or hold commas.
func (f flags) list(name string) []string {
	var out []string
	for _, v := range f[name] {
		out = append(out, strings.Split(v, ",")...)
	}
	return out
}

type flagDefinition struct {
	name, short string
	value       bool
	optional    string // the value of the flag without one; "" if it needs one
}

func definitions(spec string) []flagDefinition {
	var out []flagDefinition
	for _, w := range strings.Fields(spec) {
		var d flagDefinition
		w, d.optional, _ = strings.Cut(w, "*")
		if cut, ok := strings.CutSuffix(w, "="); ok || d.optional != "" {
			w, d.value = cut, true
		}
		d.name, d.short, _ = strings.Cut(w, ",")
		out = append(out, d)
	}
	return out
}

func takesValue(spec, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return slices.ContainsFunc(definitions(spec), func(d flagDefinition) bool {
		return d.value && d.optional == "" && (d.name == name || d.short == name)
	})
}

// parseFlags separates flags and arguments; its errors are pflag's.
func parseFlags(spec string, argv []string) (flags, []string, error) {
	defs, f := definitions(spec), flags{}
	var args []string
	for i := 0; i < len(argv); i++ {
		arg := argv[i]
		switch {
		case arg == "--":
			f["--"] = []string{strconv.Itoa(len(args))}
			return f, append(args, argv[i+1:]...), nil
		case strings.HasPrefix(arg, "--"):
			used, err := f.long(defs, arg, argv[i+1:])
			if err != nil {
				return nil, nil, err
			}
			i += used
		case len(arg) > 1 && arg[0] == '-':
			used, err := f.short(defs, arg, argv[i+1:])
			if err != nil {
				return nil, nil, err
			}
			i += used
		default:
			args = append(args, arg)
		}
	}
	return f, args, nil
}

func (f flags) long(defs []flagDefinition, arg string, rest []string) (used int, err error) {
	name, value, given := strings.Cut(arg[2:], "=")
	i := slices.IndexFunc(defs, func(d flagDefinition) bool { return d.name == name })
	if i < 0 {
		return 0, errors.New("unknown flag: --" + name)
	}
	d := defs[i]
	switch {
	case given:
	case !d.value:
		value = "true"
	case d.optional != "":
		value = d.optional
	case len(rest) > 0:
		value, used = rest[0], 1
	default:
		return 0, errors.New("flag needs an argument: --" + name)
	}
	return used, f.set(d, value, "--"+name)
}

func (f flags) short(defs []flagDefinition, arg string, rest []string) (used int, err error) {
	for letters := arg[1:]; letters != ""; {
		letter := letters[:1]
		letters = letters[1:]
		i := slices.IndexFunc(defs, func(d flagDefinition) bool { return d.short == letter })
		if i < 0 {
			return 0, errors.New("unknown shorthand flag: '" + letter + "' in " + arg)
		}
		d := defs[i]
		if value, ok := strings.CutPrefix(letters, "="); ok {
			return 0, f.set(d, value, "-"+d.short+", --"+d.name)
		}
		if !d.value || d.optional != "" {
			f[d.name] = append(f[d.name], or(d.optional, "true"))
			continue
		}
		switch {
		case letters != "":
			return 0, f.set(d, letters, "")
		case len(rest) > 0:
			return 1, f.set(d, rest[0], "")
		}
		return 0, errors.New("flag needs an argument: '" + letter + "' in " + arg)
	}
	return 0, nil
}

func (f flags) set(d flagDefinition, value, shown string) error {
	if !d.value {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return errors.New("invalid argument " + strconv.Quote(value) + " for " + strconv.Quote(shown) + " flag: " + err.Error())
		}
		value = strconv.FormatBool(b)
	}
	f[d.name] = append(f[d.name], value)
	return nil
}

// number reads an integer flag, or returns none where it is not given.
func (f flags) number(name string, none int64) (int64, error) {
	if !f.has(name) {
		return none, nil
	}
	n, err := strconv.ParseInt(f.text(name), 0, 64)
	if err != nil {
		return 0, plain("invalid argument " + strconv.Quote(f.text(name)) + " for \"--" + name + "\" flag: " + err.Error())
	}
	return n, nil
}

func (f flags) duration(name string) (time.Duration, error) {
	if !f.has(name) {
		return 0, nil
	}
	d, err := time.ParseDuration(f.text(name))
	if err != nil {
		return 0, plain("invalid argument " + strconv.Quote(f.text(name)) + " for \"--" + name + "\" flag: " + err.Error())
	}
	return d, nil
}
