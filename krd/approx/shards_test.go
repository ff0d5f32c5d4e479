package approx

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/smith"
	"krdlab/krd/stack"
)

func run(t testing.TB, opt Options, keys, sizes []uint64) *Shards {
	t.Helper()
	s, err := NewShards(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Keys(keys, sizes); err != nil {
		t.Fatal(err)
	}
	return s
}

// Nothing is estimated when every block is followed, be it by the rate or by a bound that is not
// reached.
func TestShardsOfEverythingAreExact(t *testing.T) {
	keys := append(loop(2000, 2000), scans(28000, 2000, 1)...)
	caches := []uint64{0, 1, 4096, 1 << 17, 1 << 20, 1 << 40}
	want := exactly(keys, mixed)
	for _, opt := range []Options{{Rate: 1, Caches: caches}, {MaxKeys: 2000, Caches: caches},
		{Rate: 1, MaxKeys: 5000, Caches: caches}} {
		e := run(t, opt, keys, sizesOf(keys, mixed)).Estimate()
		if e.Rate != 1 || e.Adjusted != 0 || e.HiddenBelowBytes != 0 || e.Hidden != 0 ||
			e.Cold != float64(want.cold) ||
			e.Sampled != 30000 || e.Accesses != 30000 || e.Keys != 2000 {
			t.Errorf("%+v: %+v, expected %d cold and nothing adjusted or hidden", opt, e, want.cold)
		}
		for n, b := range e.Bins {
			if b.Count != float64(want.bins[n]) {
				t.Errorf("%+v: bin %d [%d, %d) has %v, expected %d", opt, n, b.FromBytes, b.ToBytes,
					b.Count, want.bins[n])
			}
		}
		for i, c := range e.Caches {
			misses := want.misses(keys, mixed, caches[i])
			if c.Bytes != caches[i] || c.Misses != misses || *c.MissRatio != misses/30000 {
				t.Errorf("%+v: cache %+v, expected %v misses", opt, c, misses)
			}
		}
	}
}

// accuracyStreams are the streams on which errors are measured: 20 000 blocks (matmul: 12 288) of 4
// KiB.
var accuracyStreams = []struct {
	name string
	keys []uint64
}{
	{"zipf", zipf(200000, 20000, 1)},
	{"uniform", uniform(200000, 20000, 1)},
	{"scans", scans(200000, 20000, 1)},
	{"loop", loop(200000, 20000)},
	{"matmul", matmul(64)},
}

// The error of the miss ratio at a cache of C bytes, mean over 5 or 10 seeds and the cache sizes
// 1/16, 2/16 ... 14/16 of all blocks.
//
// The bound. With k blocks in the sample, the number of them is off by 1/sqrt(k) relative, one
// standard deviation, and with it the distances and, by the correction for the number of accesses,
// the misses, all in the same direction. Miss ratios fall by at most 1 over the sizes, so that the
// error at one size is about 1/sqrt(k) or less if they fall evenly (uniform: just that, at all
// sizes together). The mean of 10 absolute values of normal deviates is 0.8 +- 0.19: 2/sqrt(k)
// bounds it generously, and 5/sqrt(k) the largest. Where miss ratios fall in steps (scans: the
// passes over the second half; a loop, whose step is at 16/16, which is why sizes end before), the
// error at a size within 1/sqrt(k) of the step is the height of the step, at others nothing: the
// mean over the sizes keeps the bound, the largest does not.
func TestShardsAccuracy(t *testing.T) {
	for _, s := range accuracyStreams {
		blocks := slices.Max(s.keys) + 1
		var caches []uint64
		for i := range uint64(14) {
			caches = append(caches, (i+1)*blocks*4096/16)
		}
		ex := exactly(s.keys, even)
		var truth []float64
		for _, c := range caches {
			truth = append(truth, ex.misses(s.keys, even, c)/float64(len(s.keys)))
		}
		for _, o := range []struct {
			name string
			opt  Options
			k    float64
		}{
			{"rate 0.05", Options{Rate: 0.05}, 0.05 * float64(blocks)},
			{"rate 0.2", Options{Rate: 0.2}, 0.2 * float64(blocks)},
			{"1024 keys", Options{MaxKeys: 1024}, 1024},
			{"4096 keys", Options{Rate: 0.5, MaxKeys: 4096}, 4096},
		} {
			var sum, worst float64
			seeds := long.Or[uint64](5, 10)
			for seed := range seeds {
				o.opt.Caches, o.opt.Seed = caches, seed
				e := run(t, o.opt, s.keys, []uint64{4096}).Estimate()
				for i, c := range e.Caches {
					diff := math.Abs(*c.MissRatio - truth[i])
					sum += diff
					worst = max(worst, diff)
				}
			}
			mean, bound := sum/float64(seeds)/float64(len(caches)), 1/math.Sqrt(o.k)
			t.Logf("%-8s %-10s mean absolute error of the miss ratio %.4f, largest %.4f; "+
				"1/sqrt(k) = %.4f", s.name, o.name, mean, worst, bound)
			if mean > 2*bound || worst > 5*bound && s.name != "scans" {
				t.Errorf(
					"%s, %s: mean absolute error %.4f, largest %.4f, expected at most %.4f, %.4f",
					s.name, o.name, mean, worst, 2*bound, 5*bound)
			}
		}
	}
}

// Over the seeds, the estimates of cold accesses and of the histogram's total have no bias: the
// mean of 200 is within 5 standard errors.
func TestShardsAreUnbiased(t *testing.T) {
	keys := zipf(20000, 3000, 4)
	ex := exactly(keys, mixed)
	for _, opt := range []Options{{Rate: 0.1}, {MaxKeys: 200}} {
		const n = 200
		var cold, cold2, all, all2 float64
		for seed := range uint64(n) {
			opt.Seed = seed
			e := run(t, opt, keys, sizesOf(keys, mixed)).Estimate()
			total := float64(e.Accesses) - e.Adjusted
			cold, cold2 = cold+e.Cold/n, cold2+e.Cold*e.Cold/n
			all, all2 = all+total/n, all2+total*total/n
		}
		check := func(what string, mean, square, want float64) {
			stderr := math.Sqrt((square - mean*mean) / (n - 1))
			t.Logf("%+v: %s %.1f +- %.1f, exactly %v", opt, what, mean, stderr, want)
			if math.Abs(mean-want) > 5*stderr {
				t.Errorf("%+v: mean of %s is %.1f +- %.1f, expected %v", opt, what, mean, stderr,
					want)
			}
		}
		check("cold", cold, cold2, float64(ex.cold))
		check("accesses", all, all2, 20000)
	}
}

// With a bound of k, at all times the blocks followed are those with the k smallest hashes seen,
// and the rate is the next one.
func TestFixedSizeKeepsTheSmallestHashes(t *testing.T) {
	const k = 100
	s := run(t, Options{MaxKeys: k}, nil, []uint64{8})
	var seen []uint64
	bytes := map[uint64]uint64{} // by hash
	for i, key := range zipf(30000, 5000, 3) {
		if err := s.Keys([]uint64{key}, []uint64{mixed(key)}); err != nil {
			t.Fatal(err)
		}
		h := s.mix.hash(key)
		if at, found := slices.BinarySearch(seen, h); !found {
			seen, bytes[h] = slices.Insert(seen, at, h), mixed(key)
		}
		rate := 1.0
		if len(seen) > k {
			rate = float64(seen[k]) / (1 << 64)
		}
		if math.Abs(s.rate()-rate) > 1e-12*rate || s.weight != 1/s.rate() {
			t.Fatalf("after %d accesses: rate %v, weight %v, expected %v", i+1, s.rate(), s.weight,
				rate)
		}
		if i%97 != 0 {
			continue
		}
		var got []uint64
		for _, e := range s.units.entries {
			if e.unit != 0 {
				got = append(got, e.hash)
				if s.hashes[e.unit-1] != e.hash || s.bytes[e.unit-1] != bytes[e.hash] {
					t.Fatalf("after %d accesses: unit %d is another block's", i+1, e.unit-1)
				}
			}
		}
		slices.Sort(got)
		want := seen[:min(k, len(seen))]
		if !slices.Equal(got, want) {
			t.Fatalf("after %d accesses: %d blocks followed, expected the %d smallest hashes", i+1,
				len(got), len(want))
		}
		var sum uint64
		for _, h := range want {
			sum += bytes[h]
		}
		if s.engine.Live() != len(got) || s.engine.Bytes() != sum {
			t.Fatalf("after %d accesses: %d blocks of %d bytes in the stack, expected %d of %d",
				i+1, s.engine.Live(), s.engine.Bytes(), len(got), sum)
		}
		if len(s.bytes) > k || len(s.units.entries) > 4*k || len(s.top.units) > k ||
			len(s.free) > k {
			t.Fatalf("after %d accesses: %d units, table of %d, %d in the heap, %d free; "+
				"expected at most %d, %d, %d, %d",
				i+1, len(s.bytes), len(s.units.entries), len(s.top.units), len(s.free), k, 4*k, k,
				k)
		}
	}
}

// The seed, and neither chance nor how the stream is cut, decides.
func TestShardsDeterminism(t *testing.T) {
	keys := zipf(50000, 5000, 1)
	sizes := sizesOf(keys, mixed)
	for _, opt := range []Options{{Rate: 0.1, Seed: 1}, {MaxKeys: 300, Seed: 1}} {
		opt.Caches = []uint64{1 << 20}
		want := run(t, opt, keys, sizes).Estimate()
		r := rand.New(rand.NewPCG(1, 1))
		cut := run(t, opt, nil, []uint64{1})
		for at := 0; at < len(keys); {
			n := min(r.IntN(3*batch), len(keys)-at)
			if err := cut.Keys(keys[at:at+n], sizes[at:at+n]); err != nil {
				t.Fatal(err)
			}
			at += n
		}
		if got := cut.Estimate(); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, cut: %+v, expected %+v", opt, got, want)
		}
		opt.Seed = 2
		if got := run(t, opt, keys, sizes).Estimate(); got.Sampled == want.Sampled &&
			got.Cold == want.Cold {
			t.Errorf("%+v: another seed took the same sample", opt)
		}
	}
}

// All accesses are in the cold ones, the hidden and the shown bins; the hidden ones are closer than
// a sampled block stands for.
func TestHiddenBins(t *testing.T) {
	keys := zipf(200000, 20000, 1)
	e := run(t, Options{Rate: 1.0 / 64}, keys, []uint64{4096}).Estimate()
	sum := e.Cold + e.Hidden
	for i, b := range e.Bins {
		sum += b.Count
		if b.ToBytes != 2*b.FromBytes || i > 0 && b.FromBytes != e.Bins[i-1].ToBytes {
			t.Errorf("bin [%d, %d)", b.FromBytes, b.ToBytes)
		}
	}
	if math.Abs(sum-200000) > 1e-6*200000 {
		t.Errorf("cold %v + hidden %v + bins = %v accesses, expected 200000", e.Cold, e.Hidden, sum)
	}
	if e.HiddenBelowBytes != 64*4096 || e.Bins[0].FromBytes != e.HiddenBelowBytes {
		t.Errorf("hidden below %d, first bin %+v; expected 64 blocks of 4096 bytes",
			e.HiddenBelowBytes, e.Bins[0])
	}
}

// Sampled accesses feed Smith's model: the same prediction as from exact distances, but for the
// error of the sample.
func TestShardsFeedSmith(t *testing.T) {
	keys := matmul(32)
	m, err := smith.NewModel(smith.Cache{Bytes: 1 << 20, Ways: 8})
	if err != nil {
		t.Fatal(err)
	}
	want := smith.NewPredictor(m)
	for _, d := range exactly(keys, even).dist {
		if d == stack.Cold {
			want.Cold(4096, 1)
		} else {
			want.Add(d, 4096, 1)
		}
	}
	const seeds = 10
	mean := 0.0
	for seed := range uint64(seeds) {
		got := smith.NewPredictor(m)
		s := run(t, Options{Rate: 0.2, Seed: seed, Each: func(distance, bytes uint64,
			weight float64) {
			if distance == stack.Cold {
				got.Cold(bytes, weight)
			} else {
				got.Add(distance, bytes, weight)
			}
		}}, keys, []uint64{4096})
		got.Hit(s.Estimate().Adjusted, 64*s.Estimate().Adjusted)
		p := got.Prediction()
		if math.Abs(p.Accesses-float64(len(keys))) > 1e-6*p.Accesses {
			t.Errorf("seed %d: prediction of %v accesses, expected %d", seed, p.Accesses, len(keys))
		}
		mean += p.MissRatio() / seeds
	}
	// 614 blocks a sample: 1/sqrt(614) = 0.04 for one, 0.013 for the mean of 10.
	if r := want.Prediction().MissRatio(); math.Abs(mean-r) > 0.05 || r < 0.05 || r > 0.95 {
		t.Errorf("miss ratio %.4f, mean of %d samples %.4f", r, seeds, mean)
	}
}

func TestShardsErrors(t *testing.T) {
	for _, opt := range []Options{{}, {Rate: -0.1}, {Rate: 1.01}, {Rate: math.NaN()}, {MaxKeys: -1},
		{Rate: 0.1, MaxKeys: math.MaxInt32}} {
		if _, err := NewShards(opt); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: %v, expected an error that wraps ErrOption", opt, err)
		}
	}
	s := run(t, Options{Rate: 1}, loop(3000, 1000), []uint64{64})
	err := s.Keys([]uint64{1, 2, 3}, []uint64{64, 64, 65})
	var se *SizeError
	if !errors.As(err, &se) || *se != (SizeError{3002, 3, 64, 65}) || !errors.Is(err, ErrSize) ||
		!strings.Contains(err.Error(), "key 0x3 had 64 bytes, now 65") {
		t.Errorf("%v, expected that access 3002 changed key 3 from 64 to 65 bytes", err)
	}
	if e := s.Estimate(); e.Accesses != 3002 || e.Sampled != 3002 {
		t.Errorf("%d accesses, %d sampled after the error, expected 3002", e.Accesses, e.Sampled)
	}
	err = s.Keys([]uint64{5}, []uint64{1})
	if !errors.As(err, &se) || se.Key != 5 || se.Access != 3002 {
		t.Errorf("%v, expected that access 3002 changed key 5", err)
	}
	if e := run(t, Options{Rate: 0.5, Caches: []uint64{1}}, nil,
		[]uint64{1}).Estimate(); e.Caches[0].MissRatio != nil || len(e.Bins) != 0 {
		t.Errorf("of nothing: %+v, expected no miss ratio and no bins", e)
	}
}
