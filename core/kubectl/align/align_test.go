package align

import "testing"

func TestColumnsAreAsWideAsTheirNeighboursNeed(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"one block", "a\tb\nlong name\tc\n", "a          b\nlong name  c\n"},
		{"a line without cells ends the block", "a\tb\n--\nlonger\tc\n", "a  b\n--\nlonger  c\n"},
		{"a short line ends the deeper column only", "a\tb\tc\nd\te\nf\tg\th\n", "a  b  c\nd  e\nf  g  h\n"},
		{"what follows the last tab is in no column", "a\tlooooong\nb\tc\td\n", "a  looooong\nb  c  d\n"},
		{"empty cells keep their padding", "Name\t\tx\n", "Name    x\n"},
		{"runes count, not bytes", "é\tx\nab\ty\n", "é   x\nab  y\n"},
	} {
		if got := Text(c.in, 0, 2); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTablesHaveAtLeastSixColumnsAndThreeBlanks(t *testing.T) {
	if got := Text("NAME\tAGE\nw\t1s\n", 6, 3); got != "NAME   AGE\nw      1s\n" {
		t.Errorf("%q", got)
	}
}
