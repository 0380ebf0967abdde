package codec

import (
	"math"
	"strconv"
)

// ToNode turns v into a tree without marks, fields sorted.
func ToNode(v any) Node {
	switch x := v.(type) {
	case Node:
		return x
	case *Node:
		return *x
	case map[string]any, []any, string, int64, float64, bool, nil:
		return fromValue(v)
	}
	r := jsonReader{text: ToJSON(v), line: 1}
	n := r.value()
	clearMarks(&n)
	return n
}

// fromValue makes the tree of a generic value.
func fromValue(v any) Node {
	switch x := v.(type) {
	case map[string]any:
		n := Node{Kind: Map, Fields: make([]Field, 0, len(x))}
		for _, k := range sortedKeys(x) {
			n.Fields = append(n.Fields, Field{Key: k, Value: fromValue(x[k])})
		}
		return n
	case []any:
		n := Node{Kind: List, Items: make([]Node, len(x))}
		for i := range x {
			n.Items[i] = fromValue(x[i])
		}
		return n
	case string:
		return Node{Kind: String, Text: x}
	case bool:
		return Node{Kind: Bool, Text: strconv.FormatBool(x)}
	case int64:
		return Node{Kind: Number, Text: strconv.FormatInt(x, 10)}
	case float64:
		return Node{Kind: Number, Text: string(appendFloat(nil, x))}
	case nil:
		return Node{}
	}
	return ToNode(v)
}

func clearMarks(n *Node) {
	n.Mark = Mark{}
	for i := range n.Items {
		clearMarks(&n.Items[i])
	}
	for i := range n.Fields {
		n.Fields[i].Mark = Mark{}
		clearMarks(&n.Fields[i].Value)
	}
}

// ToValue turns v into generic values: map[string]any, []any, string, int64,
// float64, bool and nil. The caller may change them.
func ToValue(v any) any {
	n := ToNode(v)
	return n.Value()
}

// Value returns the generic value of the tree: map[string]any, []any, string,
// int64, float64, bool or nil.
func (n *Node) Value() any {
	switch n.Kind {
	case Null:
		return nil
	case Bool:
		return n.Text == "true"
	case String:
		return n.Text
	case Number:
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return i
		}
		f, err := strconv.ParseFloat(n.Text, 64)
		if err != nil {
			return math.Copysign(math.MaxFloat64, f)
		}
		return f
	case List:
		list := make([]any, len(n.Items))
		for i := range n.Items {
			list[i] = n.Items[i].Value()
		}
		return list
	}
	m := make(map[string]any, len(n.Fields))
	for i := range n.Fields {
		m[n.Fields[i].Key] = n.Fields[i].Value.Value()
	}
	return m
}
