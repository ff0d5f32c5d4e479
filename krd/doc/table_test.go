package doc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestColumns(t *testing.T) {
	table := Texts(1, []string{"name", "n\nof it"}, [][]string{{"a", "1\n1-2"}, {"longer", "12"}})
	got := table.grid(new(notes)).render(0)
	want := "            n\nname    of it\n-------------\na           1\n          1-2\nlonger     12\n"
	if got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}

// Where a table is too wide, heads are broken first, then prose, then it goes on below with its keys
// and the first line of a group's head, and in the end each row is a list.
func TestTableFits(t *testing.T) {
	table := NewTable(1, "name", "far\nfrom here", "\nto there", "what it is")
	table.Prose(3)
	table.Row("a", "1.5", "22", "a sentence that is longer than all else in the table")
	table.Row("b", "11", "2", "a word")
	for columns, want := range map[int]string{
		0: `            far
name  from here  to there  what it is
-------------------------------------------------------------------------------
a           1.5        22  a sentence that is longer than all else in the table
b            11         2  a word
`, 43: `       far
      from     to
name  here  there  what it is
-------------------------------------------
a      1.5     22  a sentence that is
                   longer than all else in
                   the table
b       11      2  a word
`, 30: `            far
name  from here  to there
-------------------------
a           1.5        22
b            11         2

name  what it is
------------------------------
a     a sentence that is
      longer than all else in
      the table
b     a word
`, 10: `a
  far from
    here:
    1.5
  to
    there:
    22
  what it
    is: a
    sentence
    that
    is
    longer
    than
    all
    else
    in the
    table
b
  far from
    here:
    11
  to
    there:
    2
  what it
    is: a
    word
`} {
		if got := table.grid(new(notes)).render(columns); got != want {
			t.Errorf("%d columns: got\n%swant\n%s", columns, got, want)
		}
	}
	// the head of a group is said again where its columns are torn apart
	group := NewTable(1, "name", "group\nleft", "\nright")
	group.Row("longname", "123456", "123456")
	if got, want := group.grid(new(notes)).render(16), "           group\nname        left\n"+
		"----------------\nlongname  123456\n\n           group\nname       right\n"+
		"----------------\nlongname  123456\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A page keeps to its width: sentences hang by two columns, entries below their text, and spaces
// within a line stay.
func TestPage(t *testing.T) {
	var b strings.Builder
	p := NewPage(&b, 20)
	fmt.Fprint(p, "one two three four five six\n  id  one two three four\nshort  ")
	fmt.Fprint(p, " line\n/a/path/that/has/no/space\nno end")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	want := "one two three four\n  five six\n  id  one two three\n      four\nshort   line\n" +
		"/a/path/that/has/no/space\nno end"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s    string
		want string
	}{{"one two three", "one two\n  three"}, {"", ""}, {"muchtoolong a", "muchtoolong\n  a"},
		{"seven77", "seven77"}} {
		if got := Wrap(c.s, 7, 2); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

// A table as JSON is an array of its rows, with null where there is no value.
func TestTableJSON(t *testing.T) {
	x := &Table{Columns: []Column{{Key: "a"}, {Head: "for people"}, {Key: "n", Kind: Real}}}
	for _, want := range []string{"[]", `[{"a":"x","n":1.5}]`, `[{"a":"x","n":1.5},{"a":"y","n":null}]`} {
		if got, err := json.Marshal(x); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
		if len(x.Rows) == 0 {
			x.Row("x", "seen", Some(1.5))
		} else {
			x.Row("y", "seen", Missing("lost"))
		}
	}
}
