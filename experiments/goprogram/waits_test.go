package goprogram

import (
	"path/filepath"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/front/corpus"
)

// openTrace runs a program and opens its trace, with regions and what goroutines wait for.
func openTrace(t *testing.T, name string, args ...string) *loi.Trace {
	t.Helper()
	return openTraceOf(t, name, true, args...)
}

// openTraceOf is openTrace with regions, or those alone that the source names kernels.
func openTraceOf(t *testing.T, name string, regions bool, args ...string) *loi.Trace {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.loi")
	_, out, err := trace(t, Data, name, func(r *Request) {
		r.Trace, r.Args, r.Build.Sync = file, args, true
		r.Build.Regions, r.Build.Iterations = regions, regions
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tr, err := loi.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	corpus.AsMain(name, &tr.Header.Registry)
	return tr
}

// Kernels are named in the source, by comments or labels, with all that they call; otherwise they
// are functions.
func TestNamedKernels(t *testing.T) {
	tr := openTrace(t, "named")
	got := map[string]int{}
	for e, err := range tr.Ordered(loi.Order{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range e.Accesses() {
			if strings.HasPrefix(tr.Header.Registry.Objects[a.Object].Name, "int,") {
				got[tr.Header.Registry.Kernels[e.Kernel].Name]++
			}
		}
	}
	for name, n := range map[string]int{"main.leaf": 2, "by comment": 2, "a label": 2, "loop": 3} {
		if got[name] != n {
			t.Errorf("%s has %d accesses, expected %d", name, got[name], n)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("beside these: %v", got)
	}
}

// TestKernelsThatPanic has a kernel that panics end where that is recovered.
func TestKernelsThatPanic(t *testing.T) {
	for _, regions := range []bool{false, true} {
		tr := openTraceOf(t, "panicking", regions)
		got := map[string]int{}
		for e, err := range tr.Ordered(loi.Order{}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range e.Accesses() {
				if strings.HasPrefix(tr.Header.Registry.Objects[a.Object].Name, "int,") {
					got[tr.Header.Registry.Kernels[e.Kernel].Name]++
				}
			}
		}
		if got["broken"] != 5 || got["main.main"] != 5 {
			t.Errorf("accesses %v with regions %t, expected 5 and 5", got, regions)
		}
	}
}

// TestDeepRecursion has 200 000 regions open at once: what an event costs does not depend on that.
func TestDeepRecursion(t *testing.T) {
	tr := openTrace(t, "deep")
	begins, ends, own := 0, 0, 0
	for e, err := range tr.Ordered(loi.Order{Events: true}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Type == loi.EventRecord && e.Event == loi.EventRegion:
			begins++
			if strings.HasPrefix(tr.Header.Registry.Regions[e.Args[0]].Name, "main.") {
				own++
			}
		case e.Type == loi.EventRecord && e.Event == loi.EventRegionEnd:
			ends++
		}
	}
	if own != 200003 || ends != begins {
		t.Errorf("%d regions begin, %d of them the case's, and %d end, expected 200 003 "+
			"with main.main of the program", begins,
			own, ends)
	}
}
