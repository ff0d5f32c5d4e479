package gotrace

import (
	"encoding/json"
	"strings"
	"testing"
)

// sampled is a request for a sample.
func sampled(r *Request) { r.Build.Sample = true }

// The accesses that a sample has and those that it has not are together those of the program,
// whatever its mode is while they are made.
func TestSampleCounts(t *testing.T) {
	for _, c := range []struct {
		name, text string
	}{
		{"rows", `package main

var row, col = make([]int, 1001), make([]int, 5000)
var x = make([]int, 5000)

func main() {
	for r := 0; r < 1000; r++ {
		row[r+1] = row[r] + r%9
	}
	for i := range col {
		col[i] = i * 7 % len(x)
	}
	sum := 0
	for k := 0; k < 250; k++ {
		for r := 0; r < 1000; r++ {
			for i := row[r]; i < row[r+1]; i++ {
				sum += x[i]
			}
			for i := row[r+1] - 1; i >= row[r]; i-- {
				x[col[i]] += k
			}
			for i := range x[row[r]:row[r+1]] {
				sum += x[i] + x[col[i]]
			}
		}
	}
	println(sum)
}
`},
		{"goroutines", `package main

import "sync"

type node struct {
	v    int
	next *node
}

func main() {
	var all sync.WaitGroup
	for k := 0; k < 200; k++ {
		for g := 0; g < 20; g++ {
			all.Go(func() {
				var list *node
				for i := 0; i < 50+g; i++ {
					list = &node{i, list}
				}
				s := make([]int, 300)
				for n := list; n != nil; n = n.next {
					for i := 0; i < n.v; i++ {
						s[i] += n.v
					}
				}
			})
		}
		all.Wait()
	}
}
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			exact, _, err := trace(t, Lines, c.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			sample, _, err := trace(t, Lines, c.text, sampled)
			if err != nil {
				t.Fatal(err)
			}
			if exact.Accesses < 4_000_000 || sample.Accesses != exact.Accesses {
				t.Errorf("%d accesses, expected %d", sample.Accesses, exact.Accesses)
			}
			if sample.Sampling == nil || sample.Sampling.Bursts < 2 || sample.OddEvents > 0 {
				t.Fatalf("%+v, %d odd events", sample.Sampling, sample.OddEvents)
			}
			if sample.KRD.Shared != nil {
				t.Errorf("%d are shared, which a sample does not have", *sample.KRD.Shared)
			}
			sum := sample.KRD.Cold
			for _, b := range sample.KRD.Bins {
				sum += b.Count
			}
			if sum != exact.Accesses {
				t.Errorf("the bins have %d accesses, expected %d", sum, exact.Accesses)
			}
		})
	}
}

// A program that ends before anything follows from the sample has no distances, not some of 0.
func TestSampleTooShort(t *testing.T) {
	d, _, err := trace(t, Lines, `package main

var x = make([]int, 10)

func main() {
	for i := range x {
		x[i] = i
	}
}
`, sampled)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if d.Accesses == 0 || d.KRD != nil || !strings.Contains(string(text), `"krd":null`) ||
		!strings.Contains(string(text), `"bins":[]`) || len(d.Sampling.doubts()) == 0 {
		t.Errorf("%s", text)
	}
}
