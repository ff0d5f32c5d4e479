package app

import "testing"

// The command that goes on can be pasted into a shell.
func TestTyped(t *testing.T) {
	for want, argv := range map[string][]string{
		"krdlab reproduce --scale=paper --out a/b-1.2": {"krdlab", "reproduce", "--scale=paper",
			"--out", "a/b-1.2"},
		`krdlab reproduce --out 'my runs'`: {"krdlab", "reproduce", "--out", "my runs"},
		`krdlab --out '' 'it'\''s' '$(x)' 'é'`: {"krdlab", "--out", "", "it's", "$(x)",
			"é"},
	} {
		if got := typed(argv); got != want {
			t.Errorf("%q is typed as %s, expected %s", argv, got, want)
		}
	}
}
