package textfile

import (
	"fmt"
	"testing"
)

// Keys have the line of their text and the table that they are in, and errors their line.
func TestTOML(t *testing.T) {
	text := "\ufeffa.b = 1\r\n\n[x.\"y.z\"] # table\nlist = [\n 1, {n = 2}]\nin = {c.d = 1}\n[[q]]\ne = 3\n"
	_, keys, err := TOML([]byte(text))
	got := ""
	for _, k := range keys {
		got += fmt.Sprintf("%d %q %q; ", k.Line, k.Table, k.Names)
	}
	want := `1 [] ["a" "b"]; 3 [] ["x" "y.z"]; 4 ["x" "y.z"] ["list"]; 6 ["x" "y.z"] ["in"]; ` +
		`6 ["x" "y.z" "in"] ["c" "d"]; 7 [] ["q"]; 8 ["q"] ["e"]; `
	if err != nil || got != want {
		t.Errorf("%s, %v, expected %s", got, err, want)
	}
	for text, want := range map[string]string{
		"a = 1\na = 2":  "2: key a is already defined, TOML",
		"a = 1\n\nb = ": "3: ",
		"a = 1\n\xff":   `2: bytes that are no UTF-8 in "\xff", UTF-8`,
	} {
		_, _, err := TOML([]byte(text))
		e, ok := err.(*Error)
		if !ok || fmt.Sprintf("%d: %s, %s", e.Line, e.Found, e.Want)[:len(want)] != want {
			t.Errorf("%q: %+v, expected %s", text, err, want)
		}
	}
}
