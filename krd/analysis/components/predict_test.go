package components

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"krdlab/krd"
)

// measured are the histograms of examples/scimark as krdlab trace go counts them, by unit, kernel and
// size: go run ./cmd/krdlab trace go ./examples/scimark --unit UNIT --json -- KERNEL -n SIZE (sparse
// with -nz 20 times SIZE), 10 iterations.
func measured(t testing.TB, unit, kernel string, size int) Input {
	t.Helper()
	text, err := os.ReadFile("testdata/scimark.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct {
		Cold   uint64
		Counts []uint64
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%s/%s/%d", unit, kernel, size)
	x, ok := all[name]
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	h := krd.Histogram{Cold: x.Cold, Accesses: x.Cold}
	for k, n := range x.Counts {
		h.Bins = append(h.Bins, krd.Bin{FromBytes: 1 << k >> 1, ToBytes: 1 << k, Count: n})
		h.Accesses += n
	}
	s, err := Of(&h)
	if err != nil {
		t.Fatal(err)
	}
	return Input{name, float64(size), s}
}

func TestTry(t *testing.T) {
	for _, x := range []struct {
		unit, kernel string
		sizes        []int
		at           int
	}{{"datum", "fft", []int{4096, 8192}, 131072}, {"datum", "lu", []int{64, 128}, 512},
		{"datum", "sparse", []int{1562, 3125}, 25000}, {"datum", "sor", []int{128, 256}, 1024},
		{"datum", "sor", []int{128, 256}, 2048}, {"datum", "sparse", []int{1562, 3125}, 200000},
		{"datum", "lu", []int{64, 128, 256}, 512},
		{"line", "fft", []int{4096, 8192}, 131072}, {"line", "lu", []int{64, 128}, 512},
		{"line", "lu", []int{64, 128, 256}, 512},
		{"line", "sparse", []int{1562, 3125}, 25000}, {"line", "sor", []int{128, 256}, 1024},
	} {
		var in []Input
		for _, n := range x.sizes {
			in = append(in, measured(t, x.unit, x.kernel, n))
		}
		f := Predict(in, float64(x.at))
		e, all := Errors(&f.Signature, measured(t, x.unit, x.kernel, x.at).Signature)
		t.Logf("%v: %.2f %.2f unexplained %.2f", x, 100*e, 100*all, 100*f.Unexplained)
		for _, c := range f.Components {
			s := -1.0
			if c.Shift != nil {
				s = *c.Shift
			}
			t.Logf("  %d-%d %.2f %v %v", c.FromBin, c.ToBin, 100*c.Share, s, c.Plateau)
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	for _, kernel := range []string{"fft", "lu"} {
		b.Run(kernel, func(b *testing.B) {
			sizes := map[string][]int{"fft": {4096, 8192}, "lu": {64, 128}}[kernel]
			in := []Input{measured(b, "datum", kernel, sizes[0]), measured(b, "datum", kernel, sizes[1])}
			for b.Loop() {
				Predict(in, 1<<20)
			}
			b.ReportMetric(float64(2*b.N)/b.Elapsed().Seconds()/1000, "histograms/ms")
		})
	}
}
