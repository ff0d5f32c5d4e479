package show

import "testing"

func TestColumns(t *testing.T) {
	got := Columns(1, []string{"name", "n\nof it"}, [][]string{{"a", "1\n1-2"}, {"longer", "12"}}).Render(0)
	want := "            n\nname    of it\n-------------\na           1\n          1-2\nlonger     12\n"
	if got != want {
		t.Errorf("%q, expected %q", got, want)
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
