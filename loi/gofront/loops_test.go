package gofront_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/loi/collect"
	"krdlab/loi/gofront"
)

// accesses lists what a program accesses: the line and the words of each site, and the place from
// that of the site's first access.
type accesses struct {
	sites  []gofront.Site
	reader *collect.Reader
	first  map[int]uint64
	list   []string
}

func (a *accesses) Batch(b *collect.Batch) error {
	for i, p := range b.Places {
		n := a.reader.Groups[b.Groups[i]].Site
		s := &a.sites[n-1]
		if _, ok := a.first[n]; !ok {
			a.first[n] = p
		}
		a.list = append(a.list, fmt.Sprintf("%s:%d %s of %d at %d", filepath.Base(s.File), s.Line,
			s.What(), b.Bytes[i], int64(p-a.first[n])))
	}
	return nil
}

// TestLoops compares what is read of a program whose steady loops are events of their own with what
// is read where each access is one, as it is beside regions; and what it prints, with what it prints
// as it stands.
func TestLoops(t *testing.T) {
	dir, err := filepath.Abs("testdata/loops")
	if err != nil {
		t.Fatal(err)
	}
	var lists [2][]string
	var printed [2]string
	for i := range lists {
		built, err := gofront.Build(t.Context(), gofront.BuildOptions{Dir: dir, Path: ".",
			Regions: i == 1}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if len(built.Failed) > 0 {
			t.Fatal(built.Failed[0].Why)
		}
		a := &accesses{sites: built.Sites, first: map[int]uint64{}}
		program, r := traced(t, built, a)
		a.reader = r
		var out bytes.Buffer
		program.Stdout = &out
		run(t, program, built, r, false)
		lists[i], printed[i] = a.list, out.String()
	}
	plain := exec.Command("go", "run", ".")
	plain.Dir = dir
	want, err := plain.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, how := range gofront.Variants(nil) {
		built, err := gofront.Build(t.Context(), gofront.BuildOptions{Dir: dir, Path: ".",
			Stack: how.Stack, Regions: how.Regions, Sync: how.Sync, Values: how.Values}, t.TempDir())
		if err != nil || len(built.Failed) > 0 {
			t.Fatal(err, built)
		}
		program, r := traced(t, built, &nesting{open: map[uint64][]uint32{}})
		r.Stack = how.Stack
		var out bytes.Buffer
		program.Stdout = &out
		if run(t, program, built, r, how.Sync); out.String() != string(want) {
			t.Errorf("%s prints\n%s\nexpected\n%s", name, out.String(), want)
		}
	}
	for i, text := range printed {
		if text != string(want) {
			t.Errorf("program %d prints\n%s\nexpected\n%s", i, text, want)
		}
	}
	if len(lists[1]) < 10_000 {
		t.Errorf("%d accesses", len(lists[1]))
	}
	for i := range min(len(lists[0]), len(lists[1])) {
		if lists[0][i] != lists[1][i] {
			from := max(0, i-5)
			t.Fatalf("access %d:\n%s\nexpected\n%s", i, strings.Join(lists[0][from:i+1], "\n"),
				strings.Join(lists[1][from:i+1], "\n"))
		}
	}
	if len(lists[0]) != len(lists[1]) {
		t.Errorf("%d accesses, expected %d", len(lists[0]), len(lists[1]))
	}
}

// TestTrips compares the agent's count of iterations with loops of 8 bits, for all beginnings, ends
// and some steps.
func TestTrips(t *testing.T) {
	src, err := os.ReadFile("_agent/agent.go")
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	part := func(from, to string) string {
		i := strings.Index(text, from)
		j := strings.Index(text[i:], to)
		return text[i : i+j+len(to)]
	}
	dir := t.TempDir()
	program := "package main\n" + part("type integer interface", "\n}\n") +
		part("func T[I integer]", "\n}\n") + part("const (\n\ttripLess", "\n)\n") + trips
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module trips\n\ngo 1.26\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644)); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", "run", ".")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil || string(out) != "1572864 loops\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// trips runs each loop for as long as its index does not wrap around: then, and where it does not
// begin, T is 0.
const trips = `
func naive[I integer](i, e, step I, op int) (n uint64) {
	for ; n < 300; n++ {
		goes := false
		switch op {
		case tripLess:
			goes = i < e
		case tripLessOrEqual:
			goes = i <= e
		case tripNotEqual, tripNotEqualDown:
			goes = i != e
		case tripMore:
			goes = i > e
		case tripMoreOrEqual:
			goes = i >= e
		}
		if !goes {
			return n
		}
		next := i + step
		if op >= tripMore {
			next = i - step
		}
		if op < tripMore && next < i || op >= tripMore && next > i {
			return 0
		}
		i = next
	}
	return 0
}

func all[I integer](low I) (n int) {
	for _, step := range []I{1, 3} {
		for op := tripLess; op <= tripNotEqualDown; op++ {
			step := step
			if op == tripNotEqual || op == tripNotEqualDown {
				step = 1
			}
			for i := range 256 {
				for e := range 256 {
					from, to := low+I(i), low+I(e)
					if got, want := T(from, to, step, op), naive(from, to, step, op); got != want {
						println("from", from, "to", to, "step", step, "op", op, ":", got, "expected", want)
						panic("")
					}
					n++
				}
			}
		}
	}
	return n
}

func main() {
	n := all[int8](-128)
	println(n+all[uint8](0), "loops")
}
`
