package engine

import (
	"fmt"
	"strings"
	"testing"
)

// inOrder is n threads that all access the same g objects in the same order.
func inOrder(n, g int) *Program {
	p := &Program{}
	for o := range g {
		p.Objects = append(p.Objects, string(rune('A'+o)))
	}
	for t := range n {
		th := Thread{Name: fmt.Sprint(t + 1)}
		for o := range g {
			th.Code = append(th.Code, Op{Kind: Access, Arg: o})
		}
		p.Threads = append(p.Threads, th)
	}
	return p
}

// counts prints the counts of an object from distance -1 on.
func counts(o *Object) string {
	var words []string
	next := first
	for _, d := range o.Distances {
		for ; next < d.Distance; next++ {
			words = append(words, "0")
		}
		words = append(words, d.Count.String())
		next++
	}
	return strings.Join(words, ",")
}

// Independent results: n threads x g objects, counts of first and last objects, and of those
// between.
func TestInOrder(t *testing.T) {
	for _, x := range []struct {
		n, g   int
		all    string
		counts []string // of the objects from the ends inwards
	}{
		{3, 2, "90", []string{"90,120,60"}},
		{2, 3, "20", []string{"20,12,6,2", "20,8,8,4"}},
		{3, 3, "1680", []string{"1680,2016,990,354", "1680,1344,1416,600"}},
		{3, 4, "34650", []string{"34650,39600,19440,8064,2196", "34650,23760,24768,15552,5220"}},
		{4, 3, "369600", []string{"369600,665280,321408,122112", "369600,443520,479808,185472"}},
		{3, 5, "756756", []string{"756756,840840,413070,181320,64350,13932",
			"756756,480480,500640,331656,157848,42888", "756756,432432,444312,373680,205416,57672"}},
		{5, 3, "168168000", []string{"168168000,403603200,192405600,76663200",
			"168168000,269068800,295809600,107793600"}},
		{5, 5, "623360743125120", nil},
	} {
		r, err := Exact(inOrder(x.n, x.g), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Interleavings.String() != x.all || r.Deadlocks.Sign() != 0 {
			t.Errorf("%d x %d: %v interleavings, %v deadlocks", x.n, x.g, r.Interleavings, r.Deadlocks)
		}
		for i := range r.Objects {
			inwards := min(i, x.g-1-i)
			if inwards < len(x.counts) && counts(&r.Objects[i]) != x.counts[inwards] {
				t.Errorf("%d x %d, object %d: %s, want %s", x.n, x.g, i, counts(&r.Objects[i]),
					x.counts[inwards])
			}
		}
	}
}

func BenchmarkExact(b *testing.B) {
	for _, x := range [][2]int{{5, 3}, {5, 5}} {
		b.Run(fmt.Sprintf("threads=%d/objects=%d", x[0], x[1]), func(b *testing.B) {
			p := inOrder(x[0], x[1])
			for b.Loop() {
				if _, err := Exact(p, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEnumerate(b *testing.B) {
	for _, x := range [][2]int{{3, 4}, {4, 3}, {3, 5}} {
		b.Run(fmt.Sprintf("threads=%d/objects=%d", x[0], x[1]), func(b *testing.B) {
			p, all := inOrder(x[0], x[1]), 0.0
			for b.Loop() {
				r, err := Enumerate(p, Options{})
				if err != nil {
					b.Fatal(err)
				}
				n, _ := r.Interleavings.Float64()
				all += n
			}
			b.ReportMetric(all/b.Elapsed().Seconds()/1e6, "M-interleavings/s")
		})
	}
}
