package codec

// NodeKind is the JSON type of a value.
type NodeKind uint8

// The kinds of a Node.
const (
	Null NodeKind = iota
	Bool
	Number
	String
	List
	Map
)

// Mark is a place in the file: line and columns count from 1, columns in
// characters; EndColumn is just behind the last one on that line. The zero Mark
// is "nowhere".
type Mark struct{ Line, Column, EndColumn int32 }

// Node is a value as kubectl sees it after it has turned YAML into JSON: YAML's
// aliases, merge keys, tags and 1.1 scalars are resolved. A Node is a value; its
// slices must not be changed.
type Node struct {
	Kind NodeKind
	// Text is the string, the JSON literal of a number, or "true" or "false".
	Text  string
	Items []Node // of a List
	// Fields of a Map. From YAML they are sorted and unique (of duplicate keys the
	// last has won), as kubectl sends them; from ParseJSON they stand as written.
	Fields []Field
	Mark   Mark
}

// Field is one entry of a map.
type Field struct {
	Key   string
	Mark  Mark // of the key
	Value Node
}

// Get returns the value at a path of map keys, or nil where there is none.
func (n *Node) Get(path ...string) *Node {
	for _, key := range path {
		if n = n.field(key); n == nil {
			return nil
		}
	}
	return n
}

// field returns the last entry with that key, or nil.
func (n *Node) field(key string) *Node {
	if n.Kind != Map {
		return nil
	}
	for i := len(n.Fields) - 1; i >= 0; i-- {
		if n.Fields[i].Key == key {
			return &n.Fields[i].Value
		}
	}
	return nil
}

// Str returns the string at a path, or "" where there is none.
func (n *Node) Str(path ...string) string {
	if n = n.Get(path...); n != nil && n.Kind == String {
		return n.Text
	}
	return ""
}
