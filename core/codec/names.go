package codec

import "strings"

// typeErrorText is encoding/json's message for a value of the kind what at the
// end of a path, which should have been a t.
func typeErrorText(path []step, what string, t *typeInfo) string {
	levels := 0
	for i := len(path) - 1; i >= 0; i-- {
		s := path[i]
		if s.field == nil {
			levels++
			continue
		}
		if typ := nameFact(s.owner, s.field.name).typ; typ != "" {
			return typeErrorIn(path, what, elemOf(typ, levels))
		}
		break
	}
	return typeErrorIn(path, what, goType(t))
}

// elemOf is the type of the elements of lists and maps, so many levels deep.
func elemOf(typ string, levels int) string {
	for ; levels > 0; levels-- {
		if rest, found := strings.CutPrefix(typ, "map["); found {
			_, typ, _ = strings.Cut(rest, "]")
		} else {
			typ = strings.TrimPrefix(typ, "[]")
		}
		typ = strings.TrimPrefix(typ, "*")
	}
	return typ
}

// typeErrorIn is the message for a value that does not fit the Go type named.
func typeErrorIn(path []step, what, goType string) string {
	owner := ""
	var names []string
	for _, s := range path {
		if s.field == nil {
			continue
		}
		owner = structName(s.owner)
		if len(s.field.index) > 1 {
			names = append(names, "TypeMeta")
		} else if embedded := nameFact(s.owner, s.field.name).embedded; embedded != "" {
			names = append(names, embedded)
		}
		names = append(names, s.field.name)
	}
	text := "json: cannot unmarshal " + what + " into Go "
	if owner == "" {
		return text + "value of type " + goType
	}
	return text + "struct field " + owner + "." + strings.Join(names, ".") + " of type " + goType
}

// goType is the name of the type in the real server, as far as it follows from
// ours; the exceptions stand in nameFacts.
func goType(t *typeInfo) string {
	switch t.shape {
	case shapePointer:
		return goType(t.elem)
	case shapeBytes:
		return "[]uint8"
	case shapeList:
		return "[]" + goType(t.elem)
	case shapeMap:
		return "map[string]" + goType(t.elem)
	case shapeStruct:
		return "v1." + structName(t)
	case shapeQuantity:
		return "resource.Quantity"
	case shapeIntOrString:
		return "intstr.IntOrString"
	case shapeTime, shapeMicroTime:
		return "v1." + t.rtype.Name()
	case shapeRaw:
		return "runtime.RawExtension"
	}
	return t.rtype.Kind().String()
}

// structName is the name of the struct in the real server.
func structName(t *typeInfo) string {
	if f := factLine(t.rtype.Name()); f != "" {
		return f
	}
	return t.rtype.Name()
}

// fact is what our structs do not tell of the real ones: the type of a field, and
// the struct it is embedded through.
type fact struct{ typ, embedded string }

func nameFact(owner *typeInfo, field string) fact {
	typ, embedded, _ := strings.Cut(factLine(owner.rtype.Name()+"."+field), "@")
	return fact{typ, embedded}
}

// factLine finds a line of nameFacts. It is used for messages only.
func factLine(key string) string {
	i := strings.Index(nameFacts, "\n"+key+"=")
	if i < 0 {
		return ""
	}
	line, _, _ := strings.Cut(nameFacts[i+len(key)+2:], "\n")
	return line
}
