package virda

import (
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/hw/cachemodel"
	"krdlab/krd/analysis"
	"krdlab/loi"
)

// What a sweep over an array misses, whose misses are known: of one that fits the first time only,
// of one that is larger than the cache each line each time.
func TestMissed(t *testing.T) {
	for _, c := range []struct {
		bytes, sweeps, misses uint64 // of the fully associative cache
	}{
		{4 << 20, 4, 4 << 20 / lineBytes},
		{8 << 20, 4, 4 * 8 << 20 / lineBytes},
	} {
		r, err := newReplayed(c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		for range c.sweeps {
			if err := r.Loop(0, c.bytes/8, []analysis.Strided{{Step: 8, Bytes: 8, Mode: loi.InOut}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.End(); err != nil {
			t.Fatal(err)
		}
		if r.Operations != 2*c.sweeps*c.bytes/8 || r.Misses[1] != c.misses {
			t.Errorf("%d bytes: %+v, expected %d misses", c.bytes, r.Missed, c.misses)
		}
		// the sets of pseudo-random pages are not filled evenly
		if r.Misses[0] < c.bytes/lineBytes || r.Misses[0] > c.sweeps*c.bytes/lineBytes {
			t.Errorf("%d bytes, by sets: %+v", c.bytes, r.Missed)
		}
		if err := r.Accesses(0, []uint64{c.bytes + 2*lineBytes}, []uint32{8}, []loi.Mode{loi.In}); err == nil {
			t.Error("a line beyond the layout is taken")
		}
	}
}

// What is left out changes no cache: loops and single accesses miss as each access alone does.
func TestLeftOut(t *testing.T) {
	const bytes = 16 << 20
	r, err := newReplayed(bytes)
	if err != nil {
		t.Fatal(err)
	}
	all, err := newReplayed(bytes)
	if err != nil {
		t.Fatal(err)
	}
	each := func(place uint64) {
		for _, m := range all.models {
			m.Kernel(0, 0, 0, 0, []cachemodel.Access{{Block: uint32(place / lineBytes)}})
		}
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var list []analysis.Strided
		for range 1 + draw.IntN(12) {
			list = append(list, analysis.Strided{Place: draw.Uint64N(bytes/2) &^ 7, Bytes: 8, Mode: loi.In,
				Step: []int64{0, 8, 16, 64, 4096}[draw.IntN(5)]})
		}
		const times = 1 + 512
		if err := r.Loop(0, times, list); err != nil {
			t.Fatal(err)
		}
		for n := range uint64(times) {
			for _, a := range list {
				each(a.Place + n*uint64(a.Step))
			}
		}
		place := draw.Uint64N(bytes) &^ 7
		for range 3 {
			if err := r.Accesses(0, []uint64{place}, []uint32{8}, []loi.Mode{loi.In}); err != nil {
				t.Fatal(err)
			}
			each(place)
		}
	}
	for _, x := range []*replayed{r, all} {
		if _, err := x.End(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(r.Misses, all.Misses) {
		t.Errorf("%d misses, expected %d", r.Misses, all.Misses)
	}
}
