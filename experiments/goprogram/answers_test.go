package goprogram_test

import (
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

import "sync"

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
	var done sync.WaitGroup
	for range 4 {
		done.Add(1)
		go locked(&done, 10+int(s))
	}
	done.Wait()
}
`

// A loop that walks across rows is an answer where its lines do not stay in L1, and nothing else is. What
// goroutines wait for is told of the same run, and changes none of its distances.
func TestAcross(t *testing.T) {
	topology, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	dir := corpus.Lay(t, "walks", map[string][]byte{"go.mod": []byte("module p\n\ngo 1.26\n"),
		"main.go": []byte(walks)})
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
			if e, _ := f.Code.In(); e.Level == doc.Answer && f.Code == "across_rows" {
				name, _, _ := strings.Cut(f.Subject, " ")
				found = append(found, name+" "+doc.Args(f.Args).Text(4))
			}
		}
		slices.Sort(found)
		if want := []string{"main.columns main.rows", "main.flat main.along"}; !slices.Equal(found, want) {
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
			if f.Name != "main.locked" { // of which goroutine comes first
				parts[f.Name] = f
			}
		}
		return parts
	}
	if a, b := of(without), of(with); !reflect.DeepEqual(a, b) {
		t.Errorf("%v with waits, %v without", b, a)
	}
}
