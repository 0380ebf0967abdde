package kubectl

import (
	"strings"

	"podwalk/core/codec"
)

const versionFlags = ` client output,o= short`

// Version is the version of Kubernetes that is simulated.
const Version = "v1.37.2"

// built is what the programs say about themselves, in order.
type built [][2]string

func clientVersion() built {
	return built{{"major", "1"}, {"minor", "37"}, {"gitVersion", Version}, {"gitCommit", "oracle"}, {"gitTreeState", "clean"},
		{"buildDate", "2026-11-30T00:00:00Z"}, {"goVersion", "go1.26.8"}, {"compiler", "gc"}, {"platform", "linux/amd64"}}
}

func serverVersion() built {
	more := built{{"emulationMajor", "1"}, {"emulationMinor", "37"}, {"minCompatibilityMajor", "1"}, {"minCompatibilityMinor", "36"}}
	v := clientVersion()
	return append(append(append(built{}, v[:2]...), more...), v[2:]...)
}

// json prints it as an indented object, without a newline.
func (v built) json(indent string) string {
	var lines []string
	for _, f := range v {
		lines = append(lines, indent+string(codec.ToJSON(f[0]))+": "+string(codec.ToJSON(f[1])))
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n" + strings.TrimPrefix(indent, "  ") + "}"
}

func (v built) value() map[string]any {
	out := map[string]any{}
	for _, f := range v {
		out[f[0]] = f[1]
	}
	return out
}

func (s *session) version() error {
	form, client := s.flags.text("output"), s.flags.bool("client")
	switch {
	case len(s.args) > 0:
		return plain("extra arguments: [" + strings.Join(s.args, " ") + "]")
	case form != "" && form != "yaml" && form != "json":
		return plain("--output must be 'yaml' or 'json'")
	case form == "yaml":
		v := map[string]any{"clientVersion": clientVersion().value(), "kustomizeVersion": "v5.8.1"}
		if !client {
			v["serverVersion"] = serverVersion().value()
		}
		s.print(codec.ToYAML(v))
		return nil
	case form == "json":
		text := "{\n  \"clientVersion\": " + clientVersion().json("    ") + ",\n  \"kustomizeVersion\": \"v5.8.1\""
		if !client {
			text += ",\n  \"serverVersion\": " + serverVersion().json("    ")
		}
		s.print(text, "\n}\n")
		return nil
	}
	s.print("Client Version: ", Version, "\nKustomize Version: v5.8.1\n")
	if client {
		return nil
	}
	if err := s.asked(); err != nil {
		return err
	}
	s.print("Server Version: ", Version, "\n")
	return nil
}
