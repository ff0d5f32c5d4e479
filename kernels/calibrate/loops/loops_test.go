package loops

import (
	"slices"
	"testing"

	"krdlab/hw/ops"
	"krdlab/kernels/isa"
)

// There is one loop for each kind, in their order, with operations to divide by and a name.
func TestEachKind(t *testing.T) {
	list := New()
	if len(list) != int(ops.Kinds) {
		t.Fatalf("%d loops, want %d", len(list), ops.Kinds)
	}
	for i, l := range list {
		if l.Kind != ops.Kind(i) || l.Ops == 0 || l.How == "" {
			t.Errorf("loop %d: %+v", i, l)
		}
		l.Run(3)
		if l.Less != nil {
			l.Less(3)
		}
	}
}

// A round of double computes its number of elements, by all instruction sets; the portable single
// does two operations for each. (The others of assembly write nothing.)
func TestPacked(t *testing.T) {
	for _, s := range isa.Supported() {
		p := packedOf(s)
		x := make([]float64, 2*elements)
		for i := range x {
			x[i] = float64(i % 7)
		}
		before := slices.Clone(x)
		p.double(1, &x[0])
		changed := 0
		for i := range x {
			if x[i] != before[i] {
				changed++
			}
		}
		if n := int(p.vectors * p.floats / 2); changed < n/2 || changed > n {
			t.Errorf("%v: %d elements changed of the %d that a round computes", s, changed, n)
		}
	}
	y := make([]float32, elements)
	y[3], y[elements/2] = 3, 3
	compiled.single(1, &y[0])
	if y[0] != 0.5 || y[3] != 2 || y[elements/2-1] != 0.5 || y[elements/2] != 3 {
		t.Errorf("%v", y[:8])
	}
}

// The scalar loops compute what the kinds of operations are.
func TestScalar(t *testing.T) {
	y, x := []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{1, 1, 1, 1, 2, 2, 2, 2}
	addTimes(y, 10, x)
	if y[0] != 11 || y[7] != 28 {
		t.Errorf("%v", y)
	}
	if got := sumOf(1, x); got != 13 {
		t.Errorf("the sum is %v", got)
	}
	if got := divide(4, 3); got != 2/(2/(2/4.0)) {
		t.Errorf("three divisions give %v", got)
	}
	// Numbers are the same whatever is decided by them, and chance decides about half.
	if jumps(100, 0) == jumps(100, 1<<40) {
		t.Error("no jump depends on the bit")
	}
}

// BenchmarkLoops measures the rate of each kind; the time of Less is not in that of branch.
func BenchmarkLoops(b *testing.B) {
	for _, l := range New() {
		b.Run(l.Kind.String(), func(b *testing.B) {
			l.Run(b.N)
			b.ReportMetric(float64(l.Ops)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gop/s")
		})
	}
}
