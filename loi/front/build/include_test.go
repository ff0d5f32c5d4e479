package build

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"krdlab/loi/front"
)

// Patterns take some packages of a program, and leave others.
func TestPick(t *testing.T) {
	some := func(paths string) map[string]*packages.Package {
		all := map[string]*packages.Package{}
		for p := range strings.FieldsSeq(paths) {
			all[p] = nil
		}
		return all
	}
	in := &imported{own: some("me me/a me/a/b"), foreign: some("other me/sub/x"),
		standard: some("sync/atomic encoding encoding/json internal/poll runtime/debug strings")}
	for _, c := range []struct{ include, exclude, want, left string }{
		{"", "", "me me/a me/a/b", ""},
		{"me/a/...", "", "me/a me/a/b", ""},
		{"me/a/...", "me/a/b", "me/a", ""},
		{"other", "", "me me/a me/a/b other", ""},
		{"other", "me/...", "other", ""},
		{"other me", "", "me other", ""},
		{"me/...", "", "me me/a me/a/b me/sub/x", ""},
		{"me/sub/...", "", "me me/a me/a/b me/sub/x", ""},
		{"...", "", "me me/a me/a/b me/sub/x other", ""},
		{"... std:strings", "other", "me me/a me/a/b me/sub/x strings", ""},
		{"std:encoding/json", "me/a/...", "encoding/json me", ""},
		{"std:encoding/...", "std:encoding/json", "encoding me me/a me/a/b", ""},
		{"std:encoding/...", "encoding/json", "encoding encoding/json me me/a me/a/b", ""},
		{"std:...", "me...", "encoding encoding/json strings", "runtime/debug internal/poll sync/atomic"},
		{"std:...", "me... std:internal/... std:run...", "encoding encoding/json strings", "sync/atomic"},
	} {
		q := Request{Exclude: strings.Fields(c.exclude), Include: strings.Fields(c.include)}
		if c.include == "" {
			q.Include = nil
		}
		names, left, err := given(t, q).pick(in)
		if got := strings.Join(names, " "); err != nil || got != c.want {
			t.Errorf("%q without %q: %q, %v; expected %q", c.include, c.exclude, got, err, c.want)
		}
		for _, l := range left {
			if !l.Whole() || l.Why == "" {
				t.Errorf("left: %+v", l)
			}
		}
		for _, p := range strings.Fields(c.left) {
			if !slices.ContainsFunc(left, func(l front.Left) bool { return strings.Contains(l.What, p) }) {
				t.Errorf("%q: %s is not left: %v", c.include, p, left)
			}
		}
		if c.left == "" && len(left) > 0 {
			t.Errorf("%q: left %v", c.include, left)
		}
	}
}

// The agent imports what stays as it is, and nothing else; so do the packages that are patched.
func TestBelowAgent(t *testing.T) {
	below, err := given(t, Request{}).belowAgent()
	if err != nil {
		t.Fatal(err)
	}
	agent, err := fs.Glob(sources, "_agent/*.go")
	if err != nil || len(agent) == 0 {
		t.Fatalf("%v, %v", agent, err)
	}
	for _, name := range agent {
		text, err := sources.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if p, _ := strconv.Unquote(i.Path.Value); !below[p] {
				t.Errorf("%s imports %s, which may be rewritten", name, p)
			}
		}
	}
	for _, p := range slices.Concat(patches, syncPatches) {
		if in := path.Dir(p.file); standsBelow(in, below) == "" {
			t.Errorf("%s is patched, and may be rewritten", in)
		}
	}
	for _, p := range []string{"encoding/json", "strings", "testing", "vendor/golang.org/x/net/idna"} {
		if why := standsBelow(p, below); why != "" {
			t.Errorf("%s: %s", p, why)
		}
	}
}
