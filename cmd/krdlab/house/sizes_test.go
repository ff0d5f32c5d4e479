package house

import (
	"flag"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateSizes = flag.Bool("update-sizes", false, "write .ci/sizes as the tree is now")

// mostGrown is by how much a folder may be above its line in .ci/sizes.
const mostGrown = 0.03

// A folderSize counts what is in a folder and below it: lines of Go without and with tests, exported
// names outside tests, and words of Markdown. Generated code and testdata do not count.
type folderSize struct{ lines, tests, names, words int }

// list returns the counts with their names.
func (s *folderSize) list() []struct {
	what string
	n    int
} {
	return []struct {
		what string
		n    int
	}{{"lines of Go", s.lines}, {"lines of tests", s.tests}, {"exported names", s.names},
		{"words", s.words}}
}

// TestSizes fails where a folder of the first two levels has grown: who needs more raises its line in
// .ci/sizes by hand (or with -update-sizes) in the same commit, with the reason.
func TestSizes(t *testing.T) {
	sizes := sizesOf(tree(t))
	if n := sizes["krd"].lines; len(sizes) < 40 || n < 10_000 || n <= sizes["krd/stack"].lines {
		t.Fatalf("%d folders, %d lines in krd", len(sizes), n)
	}
	const file = "../../../.ci/sizes"
	if *updateSizes {
		if err := os.WriteFile(file, []byte(sizesText(sizes)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, grown := range grownOf(sizes, string(text)) {
		t.Error(grown)
	}
}

// TestSizesSeeGrowth has a folder that grew by more than mostGrown, and one that has no line.
func TestSizesSeeGrowth(t *testing.T) {
	before := map[string]*folderSize{"a": {1000, 200, 50, 0}, "gone": {5, 5, 5, 5}}
	after := map[string]*folderSize{"a": {1031, 206, 50, 0}, "new": {1, 0, 0, 0}}
	got := grownOf(after, sizesText(before))
	want := []string{"a has 1031 lines of Go, its line in .ci/sizes is 1000",
		"new has no line in .ci/sizes: 1 0 0 0", "gone stands in .ci/sizes and is not there"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}

// sizesText returns the text of .ci/sizes.
func sizesText(sizes map[string]*folderSize) string {
	var b strings.Builder
	b.WriteString("# Folder, lines of Go without tests, of tests, exported names, words of docs (TestSizes).\n")
	for _, name := range sortedKeys(sizes) {
		s := sizes[name]
		fmt.Fprintf(&b, "%s %d %d %d %d\n", name, s.lines, s.tests, s.names, s.words)
	}
	return b.String()
}

func sortedKeys(sizes map[string]*folderSize) (names []string) {
	for name := range sizes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// grownOf returns what is above its line in the text of .ci/sizes, and which lines or folders are
// missing.
func grownOf(sizes map[string]*folderSize, text string) (grown []string) {
	lines := map[string]*folderSize{}
	for line := range strings.Lines(text) {
		var name string
		s := &folderSize{}
		if n, _ := fmt.Sscan(line, &name, &s.lines, &s.tests, &s.names, &s.words); n == 5 {
			lines[name] = s
		}
	}
	for _, name := range sortedKeys(sizes) {
		s, line := sizes[name], lines[name]
		if line == nil {
			grown = append(grown, fmt.Sprintf("%s has no line in .ci/sizes: %d %d %d %d", name, s.lines,
				s.tests, s.names, s.words))
			continue
		}
		for i, x := range s.list() {
			if most := line.list()[i].n; float64(x.n) > float64(most)*(1+mostGrown) {
				grown = append(grown, fmt.Sprintf("%s has %d %s, its line in .ci/sizes is %d", name, x.n,
					x.what, most))
			}
		}
	}
	for _, name := range sortedKeys(lines) {
		if sizes[name] == nil {
			grown = append(grown, name+" stands in .ci/sizes and is not there")
		}
	}
	return grown
}

// sizesOf counts the folders of the first two levels.
func sizesOf(files []*source) map[string]*folderSize {
	sizes := map[string]*folderSize{}
	for _, file := range files {
		one := sizeOf(file)
		elements := strings.Split(file.name, "/")
		for depth := 1; depth <= 2 && depth < len(elements); depth++ {
			name := strings.Join(elements[:depth], "/")
			s := sizes[name]
			if s == nil {
				s = &folderSize{}
				sizes[name] = s
			}
			s.lines, s.tests = s.lines+one.lines, s.tests+one.tests
			s.names, s.words = s.names+one.names, s.words+one.words
		}
	}
	return sizes
}

// sizeOf counts a file.
func sizeOf(file *source) (s folderSize) {
	if file.syntax == nil {
		s.words = len(strings.Fields(file.text))
		return s
	}
	if ast.IsGenerated(file.syntax) {
		return s
	}
	lines := strings.Count(file.text, "\n")
	if file.test {
		s.tests = lines
		return s
	}
	s.lines = lines
	for _, d := range file.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				s.names++
			}
		case *ast.GenDecl:
			for _, x := range d.Specs {
				switch x := x.(type) {
				case *ast.TypeSpec:
					if x.Name.IsExported() {
						s.names++
					}
				case *ast.ValueSpec:
					for _, n := range x.Names {
						if n.IsExported() {
							s.names++
						}
					}
				}
			}
		}
	}
	return s
}
