package virda

import (
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/hw/cachemodel"
	"krdlab/krd/analysis"
	"krdlab/loi"
)

// A sweep over an array has known misses: one that fits misses the first time only, one that is
// larger than the cache misses each line each time.
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

// Accesses left out change no cache: loops and single accesses miss as each access alone does.
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
	for range 120 {
		var list []analysis.Strided
		for range 1 + draw.IntN(12) {
			list = append(list, analysis.Strided{Place: draw.Uint64N(bytes/2) &^ 7, Bytes: 8, Mode: loi.In,
				Step: []int64{0, 8, 16, 64, 4096}[draw.IntN(5)]})
		}
		const times = 257
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

// Loops part where the original ones miss more from there on: not at a shorter array, and not where
// the longest miss alike.
func TestPart(t *testing.T) {
	points := func(original ...uint64) (list []missPoint) {
		for i, n := range original {
			list = append(list, missPoint{bytes: 1 << (20 + i), misses: [2]*Missed{
				{Operations: 1000, Misses: []uint64{n, n}}, {Operations: 1000, Misses: []uint64{10, 10}}}})
		}
		return list
	}
	for _, c := range []struct {
		misses []uint64 // of arrays from 1 MiB on
		at     uint64
		part   claims.Verdict
		grow   claims.Verdict
	}{
		{[]uint64{10, 10, 11, 12, 40}, 8 << 20, claims.Agree, claims.Agree},
		{[]uint64{10, 30, 11, 30, 40}, 8 << 20, claims.Agree, claims.Agree},
		{[]uint64{10, 10, 30, 30, 40}, 4 << 20, claims.Disagree, claims.Agree},
		{[]uint64{10, 10, 10, 10, 11}, 0, claims.Disagree, claims.Agree},
		{[]uint64{10, 10, 10, 30, 10}, 0, claims.Disagree, claims.CannotTell},
		{[]uint64{10, 10, 10}, 0, claims.OtherSize, claims.OtherSize},
	} {
		r, list := &result{Outcome: &study.Outcome{}}, points(c.misses...)
		if r.part(list); parted(list, 1) != c.at || r.Claims[0].Verdict != c.part || r.Claims[1].Verdict != c.grow {
			t.Errorf("%v: %d, %+v", c.misses, parted(list, 1), r.Claims)
		}
	}
}

// Misses of counted operations refute the paper's of instructions where they are fewer; those of
// another size tell nothing.
func TestTable2(t *testing.T) {
	missed := func(list ...uint64) (all []*Missed) {
		for _, n := range list {
			all = append(all, &Missed{Operations: 100_000, Misses: []uint64{n, n}})
		}
		return all
	}
	p := &programs[0]
	for _, c := range []struct {
		misses uint64
		n      int
		want   claims.Verdict
	}{{4216, p.large, claims.CannotTell}, {9000, p.large, claims.CannotTell}, {3700, p.large, claims.Disagree},
		{9000, p.large / 2, claims.OtherSize}} {
		r := &result{Outcome: &study.Outcome{}}
		if v := r.mpki(p, missed(c.misses)[0], c.n); v != string(c.want) {
			t.Errorf("%+v: %s", c, v)
		}
	}
	for _, c := range []struct {
		found []*Missed
		large bool
		want  claims.Verdict
	}{{missed(400, 200, 210, 90), true, claims.Agree}, {missed(400, 210, 200, 90), true, claims.Agree},
		{missed(400, 200, 210, 300), true, claims.Disagree}, {missed(400, 200, 210, 90), false, claims.OtherSize}} {
		r := &result{Outcome: &study.Outcome{}}
		if r.order(c.found, c.large); r.Claims[0].Verdict != c.want {
			t.Errorf("%+v", r.Claims[0])
		}
	}
}
