package front

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// declarations are used by the pairs; their statements stand in a function that has the variables
// of parameters.
const (
	declarations = `
type Basket struct {
	ctr int; a, b *Basket; in struct{ u, v int8 }; Emb; *Ptr; s []int; arr [4]int; f func() int; mm map[int]int; put func(int)
}
type Emb struct{ e int }
type Ptr struct{ q int }
func (Emb) Val() int { return 0 }
func (*Ptr) Ref() int { return 0 }
type Empty struct{}
type hash int
var global int
var table [4]int
func g(...int) int { return 0 }
func h(...any) int { return 0 }
func h2() []int { return nil }
var _ atomic.Int64
`
	parameters = "p, q *Basket, bs []*Basket, s []int, i, j int, l [4]int, v Basket, str string, " +
		"m map[string]int, anys map[any]int, k string, empty *Empty, x *atomic.Int64, ch chan int"
)

// pairFlags are the options of the pairs in files that begin so, and in sections of the same names.
var pairFlags = []struct {
	file string
	how  Options
}{{"atomics", Options{Sync: true}}, {"regions", Options{Regions: true, Iterations: true}},
	{"returns", Options{Regions: true, Iterations: true}},
	{"value", Options{Regions: true, Iterations: true, Stack: true, Values: true}},
	{"sampled", Options{Sample: true}},
	{"try", Options{Tries: map[string][]Removal{"main.f:2": nil}}}}

// A pair is a source and its rewriting: A is the agent, B the buffer, D the depth.
type pair struct{ file, before, after string }

// TestPairs rewrites the examples in the comments of this package, before => after, and those of
// testdata/pairs.txt, which are longer than a line. One goes on over several lines as long as the braces of before are open, or
// where before is empty.
func TestPairs(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []pair
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			all = append(all, commentPairs(t, name)...)
		}
	}
	if n := len(all); n < 60 {
		t.Errorf("only %d pairs in comments", n)
	}
	text, err := os.ReadFile("testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	file := ""
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		if section, ok := strings.CutPrefix(block, "# "); ok {
			file = section
			continue
		}
		before, after, ok := strings.Cut(block, "\n=>\n")
		if !ok {
			t.Fatalf("pairs.txt: %q has no line =>", block)
		}
		all = append(all, pair{file, before, after})
	}
	for _, p := range all {
		if got, want := words(p.rewritten(t)), words(p.after); got != want {
			t.Errorf("%s: %s\nbecomes  %s\nexpected %s", p.file, p.before, got, want)
		}
	}
}

// commentPairs are the pairs in the comments of a file.
func commentPairs(t *testing.T, name string) (all []pair) {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range f.Comments {
		open := 0
		for _, c := range g.List {
			line, code := strings.CutPrefix(c.Text, "//\t")
			before, after, ok := strings.Cut(line, " => ")
			if !code || !ok {
				open = 0
				continue
			}
			if more := strings.TrimSpace(before) == ""; open > 0 || more {
				p := &all[len(all)-1]
				if !more {
					p.before += "\n" + before
				}
				p.after += "\n" + after
			} else {
				all = append(all, pair{name, before, after})
			}
			open += strings.Count(before, "{") - strings.Count(before, "}")
		}
	}
	return all
}

var position = regexp.MustCompile(`/\*line :[0-9:]+\*/`)

var madeUp = regexp.MustCompile(`^ *(B := A\.B\(\);|var krd[0-9]+ A\.U;)`)

// rewritten returns the rewriting of a pair.
func (p pair) rewritten(t *testing.T) string {
	text, begin := p.before, ""
	if !strings.HasPrefix(text, "func ") {
		begin = "func f(" + parameters + ") {"
		text = begin + text + " }"
	}
	var how Options
	for _, x := range pairFlags {
		if strings.HasPrefix(p.file, x.file) {
			how = x.how
		}
	}
	out := rewriteText(t, "package main; import \"sync/atomic\"\n"+text+"\n"+declarations, how)
	_, got, _ := strings.Cut(out, "\n")
	got, _, _ = strings.Cut(got, "\n\n")
	got = strings.NewReplacer("krdA.", "A.", "krdB", "B", "krdD", "D").Replace(got)
	got = position.ReplaceAllString(got, "/*line*/")
	if begin == "" {
		return got
	}
	got = strings.TrimPrefix(got, begin)
	for madeUp.MatchString(got) {
		got = madeUp.ReplaceAllString(got, "")
	}
	return strings.TrimSuffix(got, " }")
}

// words is text with one space where some stands.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }
