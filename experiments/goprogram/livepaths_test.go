package goprogram

import (
	"reflect"
	"strings"
	"testing"

	observe "krdlab/krd/analysis"
	"krdlab/krd/analysis/regions"
	"krdlab/loi"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
)

// TestLivePaths compares the critical paths of programs that run with those of their recorded traces.
func TestLivePaths(t *testing.T) {
	for _, r := range corpus.Recordings {
		if !r.Values || r.Sync {
			continue
		}
		t.Run(r.Case, func(t *testing.T) {
			o := regions.Analysis.New().(*regions.Options)
			o.Paths, o.Count = true, "none"
			d, out, err := trace(t, Data, r.Case, func(q *Request) {
				q.Build = build.Request{Path: ".", Options: front.Options{Values: true, Regions: true,
					Iterations: true}}
				q.Live = func(h *loi.Header) (observe.Live, error) {
					return o.Live(&observe.Input{Header: h})
				}
			})
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			live := d.Result.(*regions.Document)
			list, err := observe.Run(t.Context(), corpus.Open(t, r), []observe.Asked{{
				Analysis: regions.Analysis, Options: o}}, observe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			recorded := list[0].(*regions.Document)
			corpus.AsMain(r.Case, live)
			corpus.AsMain(r.Case, recorded)
			if len(live.Regions) == 0 || live.Unit != recorded.Unit || live.Regions[0].CriticalPath == nil {
				t.Fatalf("%d regions, of %s", len(live.Regions), live.Unit)
			}
			if len(live.Regions) != len(recorded.Regions) {
				t.Fatalf("%d regions, of the trace %d", len(live.Regions), len(recorded.Regions))
			}
			same := 0
			for i := range live.Regions {
				a, b := &live.Regions[i], &recorded.Regions[i]
				if live.Program.Threads > 1 && (a.Work != b.Work || a.Instances != b.Instances) {
					continue // of a goroutine that main outran
				}
				if same++; !reflect.DeepEqual(a, b) {
					t.Fatalf("region %d: live %v, %d of %d; of the trace %v, %d of %d", i, a.Path,
						*a.CriticalPath, a.Work, b.Path, *b.CriticalPath, b.Work)
				}
			}
			if same*10 < len(live.Regions)*9 {
				t.Errorf("%d of %d regions did the same", same, len(live.Regions))
			}
		})
	}
}

// TestPathsForget has arrays of functions that are new in each of many calls, among them one that
// lasts: the shadow memory is as large after many as after few, and paths through what lasts stay.
func TestPathsForget(t *testing.T) {
	dir := module(t, `package main

import "os"

//go:noinline
func chain(a *[600]int, from int) int {
	a[0] = from
	for i := 1; i < len(a); i++ {
		a[i] = a[i-1]*3 + i
	}
	return a[len(a)-1]
}

func main() {
	var last [600]int
	for i := 1; i <= len(os.Args[1]); i++ {
		var a [600]int
		last[i] = chain(&a, last[i-1])
	}
}
`)
	paths := func(n int) (peak, path uint64) {
		o := regions.Analysis.New().(*regions.Options)
		o.Paths, o.Count, o.Memory = true, "none", true
		d, out, err := asked(t, Data, func(q *Request) {
			q.Build = build.Request{Dir: dir, Path: ".", Options: front.Options{Values: true,
				Regions: true, Iterations: true}}
			q.Args = []string{strings.Repeat("x", n)}
			q.Live = func(h *loi.Header) (observe.Live, error) {
				return o.Live(&observe.Input{Header: h})
			}
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		r := d.Result.(*regions.Document)
		return r.Memory.PeakBytes, *r.Regions[0].CriticalPath
	}
	few, short := paths(20)
	many, long := paths(400)
	if many > few*5/4 {
		t.Errorf("%d bytes of 20 calls, %d of 400", few, many)
	}
	if long < 19*short || long > 21*short {
		t.Errorf("a path of %d of 20 calls in a chain, %d of 400", short, long)
	}
}
