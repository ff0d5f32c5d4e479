package regions

import (
	"context"
	"fmt"
	"krdlab/krd/analysis"
	"krdlab/loi/front/corpus"
	"slices"
	"strings"
	"testing"
)

// An expected loop has its self-parallelism, from and to, and its class.
type expected struct {
	from, to float64
	class    string
}

// parallelism lists by hand the self-parallelism of the loops of the case values, by the function
// and its how-manyeth loop.
var parallelism = map[string]expected{
	"main/1":      {9, 10, "doall"},
	"chain/1":     {1, 1, "serial"},
	"doall/1":     {9, 10, "doall"},
	"sum/1":       {9, 10, "reduction"},
	"doacross/1":  {2, 2, "doacross"},
	"main/2":      {9, 10, "doall"},
	"wavefront/1": {81. / 17, 81. / 17, "doacross"},
	"wavefront/2": {1, 1, "serial"},
	"called/1":    {1, 1, "serial"},
	// all compare, 4; a chain through the four of ten iterations that write, 4 more, and another
	// comparison
	"conditional/1": {56. / 36, 56. / 36, "doacross"},
	"least/1":       {8.1, 9, "reduction"},
	"search/1":      {1, 1, "serial"},
	"list/1":        {5.4, 6, "doacross"}, // what is stored is a copy, at no cost
	"list/2":        {1.5, 2, "doacross"}, // of a load and a comparison, and a load and an addition
	"cell/1":        {2.7, 3, "doall"},
	"cell/2":        {9, 10, "reduction"},
	"nested/1":      {9, 10, "reduction"},
	"nested/2":      {9, 10, "reduction"},
}

// known lists the right self-parallelism of the loops of the case paths, to 10 %.
var known = map[string]expected{
	"main/1": {45, 50, "doall"}, "chain/1": {1, 1.05, "serial"}, "second/1": {1.8, 2.2, "doacross"},
	"wavefront/1": {81. / 17 * 0.9, 81. / 17 * 1.1, "doacross"}, "wavefront/2": {1, 1.05, "serial"},
	// of unlike length: their sum over the longest
	"triangle/1": {51. / 2 * 0.9, 51. / 2 * 1.1, "doall"}, "triangle/2": {1, 1.05, "serial"},
	// only the inner one is a reduction
	"sums/1": {23, 50, "doall"}, "sums/2": {15, 51. / 2 * 1.1, "reduction"},
	// those that stop by what they find
	"search/1": {1, 1.05, "serial"}, "find/1": {1, 1.05, "serial"}, "tries/1": {1, 1.05, "serial"},
	"walk/1":  {1, 1.05, "serial"},
	"count/1": {1, 1.05, "serial"}, "walked/1": {1.8, 2.2, "doacross"},
	// updates that are not associative, in the loop and in a function that it calls
	"hash/1": {1, 1.05, "serial"}, "horner/1": {1, 1.05, "serial"}, "alternate/1": {1, 1.05, "serial"},
	"alternateInts/1": {1, 1.05, "serial"}, "plain/1": {1, 1.05, "serial"},
	"called/1": {1, 1.05, "serial"}, "largest/1": {1, 1.05, "serial"},
	// sums: of a local variable, of its field, of a field by a pointer, and of an element
	"sum/1": {45, 50, "reduction"}, "value/1": {45, 50, "reduction"}, "field/1": {45, 50, "reduction"},
	"first/1": {45, 50, "reduction"},
	// and of two fields; of one that the loop reads it is none, but what is read overlaps
	"both/1": {45, 50, "reduction"}, "mean/1": {1.8, 2, "doacross"},
}

// pathsOf returns the critical paths of the recorded trace of a case with its values, for some
// options.
func pathsOf(t *testing.T, name string, list ...func(*Options)) (documents []*Document) {
	t.Helper()
	var asked []analysis.Asked
	for _, set := range list {
		o := Analysis.New().(*Options)
		set(o)
		asked = append(asked, analysis.Asked{Analysis: Analysis, Options: o})
	}
	tr := corpus.Open(t, corpus.Recording{Case: name, Values: true})
	results, err := analysis.Run(context.Background(), tr, asked, analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		d := r.Document().(*Document)
		corpus.AsMain(name, d)
		documents = append(documents, d)
		sound(t, documents[0], d)
	}
	return documents
}

// sound checks what holds in any program: no path is longer than the work, nor shorter than that of a
// region within, a region has a self-parallelism of at least 1, and of what is in it there is no more
// than it has. least has the same program without dependences that d keeps.
func sound(t *testing.T, least, d *Document) {
	t.Helper()
	var around []*Region
	left := map[*Region]uint64{} // work in no region within
	for i := range d.Regions {
		r := &d.Regions[i]
		around = append(around[:len(r.Path)-1], r)
		left[r] = r.Work
		path, self := *r.CriticalPath, r.SelfParallelism
		if path > r.Work || path < *least.Regions[i].CriticalPath || !slices.Equal(r.Path,
			least.Regions[i].Path) {
			t.Errorf("%v: a path of %d, work of %d", r.Path, path, r.Work)
		}
		if (self == nil) != (path == 0) || self != nil && *self < 1-1e-9 {
			t.Errorf("%v: self-parallelism %v, a path of %d", r.Path, self, path)
		}
		if len(around) == 1 {
			continue
		}
		outer := around[len(around)-2]
		if mean := float64(path) / float64(r.Instances); mean > float64(*outer.CriticalPath) {
			t.Errorf("%v: a mean path of %g, %d around it", r.Path, mean, *outer.CriticalPath)
		}
		if r.Work > left[outer] {
			t.Errorf("%v: work of %d, %d left of that around it", r.Path, r.Work, left[outer])
		}
		left[outer] -= min(left[outer], r.Work)
	}
}

// loopsOf returns the loops of a document, named as in parallelism, in the order of the source's.
func loopsOf(t *testing.T, d *Document) map[string]Region {
	t.Helper()
	if d.Unit != "instructions" {
		t.Errorf("work in %s", d.Unit)
	}
	lines, loops := map[string][]int{}, map[string]Region{}
	line := func(r *Region) (function string, n int) {
		function, at, _ := strings.Cut(strings.TrimPrefix(r.Path[len(r.Path)-1], "main."), ":")
		if _, err := fmt.Sscan(at, &n); err != nil {
			t.Fatal(err)
		}
		return function, n
	}
	for i := range d.Regions {
		if r := &d.Regions[i]; r.Kind == "loop" {
			f, n := line(r)
			lines[f] = append(lines[f], n)
		}
	}
	for i := range d.Regions {
		r := &d.Regions[i]
		if r.CriticalPath == nil || r.Work > 0 && (*r.CriticalPath == 0 || r.SelfParallelism == nil) {
			t.Errorf("no critical path of %v", r.Path)
			continue
		}
		if r.Kind != "loop" {
			if r.Class != nil {
				t.Errorf("%v has class %s", r.Path, *r.Class)
			}
			continue
		}
		f, n := line(r)
		at := 1
		for _, other := range lines[f] {
			if other < n {
				at++
			}
		}
		loops[fmt.Sprintf("%s/%d", f, at)] = *r
	}
	return loops
}

func compare(t *testing.T, loops map[string]Region, want map[string]expected) {
	t.Helper()
	for name, x := range want {
		r, ok := loops[name]
		if !ok || r.Class == nil {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		if sp := *r.SelfParallelism; sp < x.from || sp > x.to || *r.Class != x.class {
			t.Errorf("%s: self-parallelism %.3f, %s, expected %.3f to %.3f, %s", name, sp, *r.Class,
				x.from, x.to, x.class)
		}
	}
}

// TestValuePaths checks the self-parallelism of loops whose dependences are known (carried).
func TestValuePaths(t *testing.T) {
	d := pathsOf(t, "values", func(*Options) {},
		func(o *Options) { o.KeepReductions = true },
		func(o *Options) { o.KeepInduction = true })
	loops := loopsOf(t, d[0])
	compare(t, loops, parallelism)
	if len(loops) != len(parallelism) {
		t.Errorf("%d loops, expected %d", len(loops), len(parallelism))
	}
	// sums are chains then: of what an iteration takes, over all iterations of both
	compare(t, loopsOf(t, d[1]), map[string]expected{"sum/1": {1, 1.1, "reduction"},
		"cell/2": {1, 10. / 9, "reduction"}, "nested/1": {1, 1.1, "reduction"},
		"doall/1": {9, 10, "doall"}, "cell/1": {2.7, 3, "doall"}})
	// an iteration of 11 begins 2 cycles after the one before, by its addition and its condition; the
	// first adds nothing
	compare(t, loopsOf(t, d[2]), map[string]expected{"doall/1": {109. / 28, 109. / 28, "doall"}})
}

// TestKnownPaths checks loops whose self-parallelism is known without the costs of operations, and
// a function that waits for the condition of its call.
func TestKnownPaths(t *testing.T) {
	d := pathsOf(t, "paths", func(*Options) {})[0]
	compare(t, loopsOf(t, d), known)
	found := false
	for _, r := range d.Regions {
		if n := len(r.Path); r.Kind == "iteration" && strings.HasPrefix(r.Path[n-1], "main.late:") {
			// a division, a comparison, a load, a multiplication and a store, one after the other
			if found = true; r.Instances != 50 || *r.CriticalPath != 50*(15+4+4+4+1) {
				t.Errorf("%d iterations that call under a condition have a path of %d", r.Instances,
					*r.CriticalPath)
			}
		}
	}
	if !found {
		t.Error("no iteration of late")
	}
}

// TestSerialPaths checks chains that are no reduction, and those that end in another function.
func TestSerialPaths(t *testing.T) {
	d := pathsOf(t, "chains", func(*Options) {})
	loops := loopsOf(t, d[0])
	compare(t, loops, map[string]expected{"continued/1": {1, 1.1, "serial"},
		"passed/1": {1, 1.1, "serial"}, "scaled/1": {18, 20, "reduction"},
		"each/1": {18, 20, "doall"}})
	if r := loops["once/1"]; r.Class != nil || r.Instances != 1 {
		t.Errorf("a loop of one iteration: %+v", r)
	}
	if r := loops["recursive/1"]; r.Instances != 1 || *r.SelfParallelism > 2 {
		t.Errorf("a recursive loop: %+v", r)
	}
}
