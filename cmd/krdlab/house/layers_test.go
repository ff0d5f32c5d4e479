package house

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// layers records what the packages under each folder may import of krdlab, beside packages of the
// folder itself. Analysis (krd) works offline on traces and imports no runtimes; only experiments
// and cmd import both.
//
// A violation is a mistake in the importing package. Do not add to this table to make the test
// pass.
var layers = map[string][]string{
	"hw":          {},
	"loi":         {"hw"},
	"krd":         {"hw", "loi"},
	"runtimes":    {"hw", "loi"},
	"kernels":     {"hw", "loi", "runtimes"},
	"experiments": {"hw", "loi", "krd", "runtimes", "kernels", "examples"},
	"cmd":         {"hw", "loi", "krd", "runtimes", "kernels", "experiments"},
	"examples":    {"hw"}, // its tests: which shape they have
}

// inside is the order of what a folder holds: each may import only those before it. "." is the
// folder's own package, "*" all that is not named, which may import each other. Folders that are
// not here have no order, but no circle either. External tests (package x_test) are free of it, and
// so are imports of what only tests use (testOnly).
var inside = map[string]string{
	"hw":                 "failure ops textfile units scratch asmgen . hwtest machine cachemodel",
	"loi":                ". agent dag front imports collect native exports",
	"krd":                "doc plot stack smith atoms causes coherence approx . analysis",
	"krd/analysis":       ". distances flow races shadow * analyses",
	"kernels":            "isa kernel * .",
	"experiments":        "run . doctor goprogram sweep read show papers",
	"experiments/run":    "estimate request result dataset stats replay measure loss brief",
	"experiments/read":   "compare correlate survey model",
	"experiments/show":   "scene figures over view report",
	"experiments/papers": "claims study * .",
}

// testOnly are the folders of what only tests use.
var testOnly = []string{"hw/hwtest", "loi/front/corpus", "experiments/test", "krd/stack/stacktest"}

const module = "krdlab"

// violations returns the imports that go the wrong way and what escapes the table, and how many
// packages there are. Test files count too.
func violations(files []*source) (found []string, packages int) {
	edges, seen := map[edge]bool{}, map[string]bool{}
	for _, s := range files {
		dir := path.Dir(s.name)
		if s.syntax == nil || strings.Contains("/"+dir, "/_") {
			continue
		}
		seen[dir] = true
		external := strings.HasSuffix(s.syntax.Name.Name, "_test")
		for _, x := range s.syntax.Imports {
			path := strings.Trim(x.Path.Value, "\"`")
			v := violation(dir, path)
			if v == "" && !external && upwards(dir, path) {
				v = dir + " imports " + path
			}
			if v != "" && !slices.Contains(found, v) {
				found = append(found, v)
			}
			if to, own := strings.CutPrefix(path, module+"/"); own && !s.test {
				edges[edge{dir, to}] = true
			}
		}
	}
	return append(found, circles(edges)...), len(seen)
}

// An edge is an import: from a folder to another.
type edge struct{ from, to string }

// circles returns the folders that import each other, of each folder those that it holds, with all
// that is below them.
func circles(edges map[edge]bool) (found []string) {
	levels := map[string]map[edge]bool{}
	for e, own := range edges {
		if in, from, to := siblings(e.from, e.to); own && from != to {
			if levels[in] == nil {
				levels[in] = map[edge]bool{}
			}
			levels[in][edge{from, to}] = true
		}
	}
	for in, graph := range levels {
		for grown := true; grown; { // whatever a folder reaches
			grown = false
			for a := range graph {
				for b := range graph {
					if x := (edge{a.from, b.to}); a.to == b.from && !graph[x] {
						graph[x], grown = true, true
					}
				}
			}
		}
		for e := range graph {
			if e.from < e.to && graph[edge{e.to, e.from}] {
				found = append(found, in+": "+e.from+" and "+e.to+" import each other")
			}
		}
	}
	slices.Sort(found)
	return found
}

// siblings returns the innermost folder that two folders lie in, and which of its folders they lie
// in; "." is the folder itself.
func siblings(a, b string) (in, x, y string) {
	p, q := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < min(len(p), len(q)) && p[n] == q[n] {
		n++
	}
	name := func(list []string) string {
		if n == len(list) {
			return "."
		}
		return list[n]
	}
	return strings.Join(p[:n], "/"), name(p), name(q)
}

// violation returns what is wrong with a package in folder dir (relative to the module) importing
// path, "" if nothing is.
func violation(dir, path string) string {
	from, _, _ := strings.Cut(dir, "/")
	allowed, known := layers[from]
	switch {
	case !known:
		return dir + " is in no layer of the table"
	case path == "C":
		return dir + " uses cgo"
	case path == module:
		return dir + " imports " + path
	case !strings.HasPrefix(path, module+"/"):
		return ""
	}
	to, _, _ := strings.Cut(strings.TrimPrefix(path, module+"/"), "/")
	if to != from && !slices.Contains(allowed, to) {
		return dir + " imports " + path
	}
	return ""
}

// upwards reports whether the package in folder dir comes before what it imports in the order of the
// folder that both lie in, or one of them is not in it.
func upwards(dir, path string) bool {
	path, own := strings.CutPrefix(path, module+"/")
	in, from, to := siblings(dir, path)
	order, ok := inside[in]
	only := func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") }
	if !own || !ok || from == to || slices.ContainsFunc(testOnly, only) ||
		slices.ContainsFunc(testOnly, func(p string) bool { return strings.HasPrefix(dir, p) }) {
		return false
	}
	place := func(name string) int {
		list := strings.Fields(order)
		if i := slices.Index(list, name); i >= 0 {
			return i
		}
		return slices.Index(list, "*")
	}
	i, j := place(from), place(to)
	return i < 0 || j < 0 || j > i
}

func TestLayers(t *testing.T) {
	found, packages := violations(tree(t))
	for _, v := range found {
		t.Error(v)
	}
	if packages < len(layers) {
		t.Errorf("only %d packages were seen", packages)
	}
}

// The test must be able to fail.
func TestLayersSeesViolations(t *testing.T) {
	var files []*source
	for name, imports := range map[string]string{
		"krd/a.go":          `"krdlab/runtimes"`,
		"krd/sub/a_test.go": `"krdlab/kernels/matmul"`,
		"hw/a_linux.go":     `"C"`,
		"hw/a_darwin.go":    `"krdlab/loi"`,
		"loi/a.go":          `"krdlab/hw"`,
		"util/a.go":         `"fmt"`,
		"runtimes/a.go":     `"krdlab/runtimes/deque"`,
		"kernels/a_test.go": `"krdlab"`,

		"experiments/run/result/a.go":               `"krdlab/experiments/run/request"`,
		"experiments/run/request/a_test.go":         `"krdlab/experiments/run/result"`,
		"experiments/run/brief/a.go":                `"krdlab/experiments"`,
		"experiments/sweep/a.go":                    `"krdlab/experiments"`,
		"experiments/a.go":                          `"krdlab/experiments/run/brief"`,
		"experiments/test/made/a.go":                `"krdlab/experiments/papers/study"`,
		"krd/analysis/a/a.go":                       `"krdlab/krd/analysis/flow"`,
		"krd/analysis/flow/a.go":                    `"krdlab/krd/analysis/a/b"`,
		"krd/analysis/b/x_test.go":                  `"krdlab/krd/analysis/analyses"`,
		"experiments/run/dataset/a_test.go":         `"krdlab/experiments/read/compare"`,
		"experiments/stray/a.go":                    `"krdlab/experiments/run/request"`,
		"experiments/papers/kernelreuse/sub/sub.go": `"krdlab/experiments/show/report"`,
	} {
		kind := "package p\n\nimport _ "
		f, err := parser.ParseFile(token.NewFileSet(), name, kind+imports, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, &source{name: name, syntax: f, test: strings.HasSuffix(name, "_test.go")})
	}
	found, _ := violations(files)
	slices.Sort(found)
	want := []string{
		": hw and loi import each other",
		"experiments/run/brief imports krdlab/experiments",
		"experiments/run/dataset imports krdlab/experiments/read/compare",
		"experiments/run/request imports krdlab/experiments/run/result",
		"experiments/stray imports krdlab/experiments/run/request",
		"experiments: . and run import each other",
		"hw imports krdlab/loi", "hw uses cgo", "kernels imports krdlab", "krd imports krdlab/runtimes",
		"krd/analysis/b imports krdlab/krd/analysis/analyses",
		"krd/analysis/flow imports krdlab/krd/analysis/a/b",
		"krd/analysis: a and flow import each other",
		"krd/sub imports krdlab/kernels/matmul", "util is in no layer of the table",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}
