package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"krdlab/kernels"
	"krdlab/krd/plot"
	"krdlab/runtimes"
)

// A source is a file of Go or Markdown.
type source struct {
	name, text string // from the root
	fset       *token.FileSet
	syntax     *ast.File // nil for Markdown
	test       bool
}

// load reads the files below root, hidden folders and testdata apart.
func load(root string) (files []*source, err error) {
	return files, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		isGo := strings.HasSuffix(name, ".go")
		if !isGo && !strings.HasSuffix(name, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		s := &source{name: filepath.ToSlash(rel), text: string(text), fset: token.NewFileSet(),
			test: strings.HasSuffix(name, "_test.go")}
		if isGo {
			s.syntax, err = parser.ParseFile(s.fset, path, text, parser.ParseComments|
				parser.SkipObjectResolution)
		}
		files = append(files, s)
		return err
	})
}

var loaded = sync.OnceValues(func() ([]*source, error) { return load("../../..") })

// tree returns the files of the repository, which are read once.
func tree(t *testing.T) []*source {
	t.Helper()
	files, err := loaded()
	if err != nil || len(files) < 1000 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// rules are about code that may stand in some places only. find returns where it stands in a file.
var rules = []struct {
	name, instead string
	roots         []string // top folders; nil: all
	may           []string // files and folders; each has it
	find          func(s *source) []string
}{
	// The tables themselves, claims of papers, which are about their schedulers and kernels, data
	// for tests, packages that run the go command, the classes of loops (one is serial), and
	// programs that import nothing of krdlab and have names of their own.
	{"NoNames", "is a name of a table: what is asked for is a field of its line", nil, []string{
		"runtimes/table.go", "kernels/", "experiments/papers/kernelreuse/",
		"experiments/papers/virda/", "experiments/papers/skadu/", "experiments/papers/regression/",
		"experiments/papers/study/worker.go", "experiments/test/datasettest/", "loi/front/build/",
		"krd/analysis/regions/class.go", "examples/",
	}, named},
	// The description of a run is in fields. Two files print the command, two hand it on.
	{"NobodyReadsArgv", "what a run was is in fields", nil, []string{
		"experiments/show/report/command.go", "experiments/goprogram/again.go", "experiments/sweep/run.go",
		"experiments/papers/study/worker.go"}, selected("Argv")},
	// Counts of a histogram, its validity, and the bins of figures (krd/plot) stand elsewhere.
	{"SharesInCatalogue", "ask experiments/run/stats", []string{"experiments", "cmd"}, []string{
		"experiments/test/datasettest/simulated.go", // makes them
		"experiments/run/dataset/valid.go",          // adds up
		"experiments/goprogram/write.go",            // which columns are all zeros
		"experiments/run/stats/share.go",
	}, matched(`\.(AtLeast|Infinite|Below)\(|\b32 ?<< ?20\b`)},
	{"TablesInDoc", "make a doc.Table", []string{"experiments", "cmd", "krd"}, []string{
		"krd/doc/data.go", "krd/doc/layout.go",
	}, matched(`\bcsv\.NewWriter\(|go-pretty/v6/table|text/tabwriter|parquet\.New`)},
}

// Code that breaks a rule is found where it may not stand, and where it may: so a rule can fail.
func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			used := map[string]bool{}
			for _, s := range tree(t) {
				if root, _, _ := strings.Cut(s.name, "/"); s.syntax == nil || s.test ||
					r.roots != nil && !slices.Contains(r.roots, root) {
					continue
				}
				i := slices.IndexFunc(r.may, func(p string) bool { return strings.HasPrefix(s.name, p) })
				for _, found := range r.find(s) {
					if i < 0 {
						t.Errorf("%s:%s: %s", s.name, found, r.instead)
					} else {
						used[r.may[i]] = true
					}
				}
			}
			for _, p := range r.may {
				if !used[p] {
					t.Errorf("%s has nothing of the kind any more", p)
				}
			}
		})
	}
}

// named finds texts that are a scheduler or a kernel.
func named(s *source) (found []string) {
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil && tableNames()[text] {
				found = append(found, strconv.Itoa(s.fset.Position(l.Pos()).Line)+": "+text)
			}
		}
		return true
	})
	return found
}

var tableNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, s := range runtimes.Schedulers {
		names[s.Name] = !slices.Contains(plot.Formats, s.Name) // pdf is a format of figures, too
	}
	for _, k := range kernels.Table {
		names[k.Name] = k.Name != string(plot.Heat) // a kind of panel, too
	}
	return names
})

// selected finds a field or method by its name.
func selected(name string) func(s *source) []string {
	return func(s *source) (found []string) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok && x.Sel.Name == name {
				found = append(found, strconv.Itoa(s.fset.Position(x.Pos()).Line)+": "+name)
			}
			return true
		})
		return found
	}
}

// matched finds lines of code.
func matched(code string) func(s *source) []string {
	kind := regexp.MustCompile(code)
	return func(s *source) (found []string) {
		for i, line := range strings.Split(s.text, "\n") {
			if kind.MatchString(line) {
				found = append(found, strconv.Itoa(i+1)+": "+strings.TrimSpace(line))
			}
		}
		return found
	}
}
