package goprogram_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/goprogram"
	"krdlab/hw"
	"krdlab/krd/doc"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
)

const walks = `package main

import (
	"fmt"
	"sync"
)

const n = 800

func columns(a [][]float64) (s float64) {
	for j := range n {
		for i := range n {
			s += a[i][j]
		}
	}
	return s
}

func rows(a [][]float64) (s float64) {
	for i := range n {
		for j := range n {
			s += a[i][j]
		}
	}
	return s
}

func flat(a []float64) (s float64) {
	for j := 0; j < n; j++ {
		for i := 0; i < n; i++ {
			s += a[i*n+j]
		}
	}
	return s
}

func along(a []float64) (s float64) {
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			s += a[i*n+j]
		}
	}
	return s
}

func small(a [][]float64) (s float64) {
	for range 400 {
		for j := range 40 {
			for i := range 40 {
				s += a[i][j]
			}
		}
	}
	return s
}

type item struct {
	used  int64
	never [7]int64
}

type whole struct{ a, b, c, d, e, f, g, h int64 }

type inner struct{ v int64 }

type nested struct {
	a int64
	i inner
	b [6]int64
}

type printed struct {
	a int64
	b [7]int64
}

type node struct {
	next *node
	v    int
}

func items(a []item, rounds int) (s int64) {
	for range rounds {
		for i := range a {
			s += a[i].used
		}
	}
	return s
}

func wholes(a []whole) (s int64) {
	for range 50 {
		for i := range a {
			x := &a[i]
			s += x.a + x.b + x.c + x.d + x.e + x.f + x.g + x.h
		}
	}
	return s
}

func nesteds(a []nested) (s int64) {
	for range 50 {
		for i := range a {
			x := a[i].i
			s += a[i].a + x.v
		}
	}
	return s
}

func printeds(a []printed) (s int64) {
	for range 50 {
		for i := range a {
			s += a[i].a
		}
	}
	fmt.Sprint(a[:1])
	return s
}

func list(n, rounds int) (s int) {
	var first *node
	for i := range n {
		first = &node{first, i}
	}
	for range rounds {
		for x := first; x != nil; x = x.next {
			s += x.v
		}
	}
	return s
}

var mu sync.Mutex
var total int

func locked(done *sync.WaitGroup, rounds int) {
	defer done.Done()
	for i := range rounds {
		mu.Lock()
		for k := range 300 {
			total += k ^ i
		}
		mu.Unlock()
	}
}

func main() {
	a, b := make([][]float64, n), make([]float64, n*n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	s := columns(a) + rows(a) + flat(b) + along(b) + small(a)
	s += float64(items(make([]item, 2000), 50) + wholes(make([]whole, 2000)) +
		nesteds(make([]nested, 2000)) + printeds(make([]printed, 2000)) + int64(list(2000, 50)+list(100, 500)))
	var done sync.WaitGroup
	for range 4 {
		done.Add(1)
		go locked(&done, 10+int(s)&1)
	}
	done.Wait()
}
`

// A loop that walks across rows is an answer where its lines do not stay in L1, and nothing else
// is. Waits of goroutines are recorded in the same run, and change none of its distances.
func TestAcross(t *testing.T) {
	topology, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	dir := corpus.Lay(t, "walks", map[string][]byte{"go.mod": []byte("module p\n\ngo 1.26\n"),
		"main.go": []byte(walks)})
	// The goroutines of locked share total and wait for mu: how much, and whether at all, is of the run.
	ofTheRun := []doc.Code{"lock_waited_for", "true_sharing"}
	var documents []*goprogram.Document
	for _, waits := range []bool{false, true} {
		d, err := goprogram.Run(t.Context(), &goprogram.Request{Build: build.Request{Dir: dir, Path: "."},
			Unit: goprogram.Lines, Waits: waits, Out: t.TempDir() + "/run"}, []string{"krdlab"}, topology)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, d)
		var found []string
		for _, f := range d.Findings {
			if e, _ := f.Code.In(); e.Level != doc.Answer || slices.Contains(ofTheRun, f.Code) {
				continue
			}
			name, _, _ := strings.Cut(f.Subject, " ")
			args := doc.Args(f.Args)
			switch f.Code {
			case "across_rows":
				name += " " + args.Text(4)
			case "unused_field":
				name += fmt.Sprintf(" %s beside %s: %d", args.Text(0), args.Text(1), args.Whole(2))
			}
			found = append(found, name)
		}
		slices.Sort(found)
		if want := []string{"main.columns main.rows", "main.flat main.along",
			"main.item .used beside .never[0], .never[1], .never[2], 4 more: 8", "main.list"}; !slices.Equal(found, want) {
			t.Errorf("%q, expected %q of %q", found, want, d.Warnings)
		}
	}
	without, with := documents[0], documents[1]
	if with.Waits == nil || with.Waits.Goroutines == nil || with.Waits.Goroutines.Count != 5 {
		t.Fatalf("waits: %+v, expected those of 5 goroutines", with.Waits)
	}
	of := func(d *goprogram.Document) map[string]goprogram.Part {
		parts := map[string]goprogram.Part{}
		for _, f := range d.Functions {
			if f.Name != "main.locked" { // depends on which goroutine comes first
				parts[f.Name] = f
			}
		}
		return parts
	}
	if a, b := of(without), of(with); !reflect.DeepEqual(a, b) {
		t.Errorf("%v with waits, %v without", b, a)
	}
}
