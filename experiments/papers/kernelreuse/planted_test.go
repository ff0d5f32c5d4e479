package kernelreuse

import (
	"maps"
	"slices"
	"testing"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/show/figures"
	"krdlab/experiments/test/datasettest"
	"krdlab/kernels/kernel"
	"krdlab/krd"
)

// twoPrograms is [small] with the same runs as FMM's.
func twoPrograms() *dataset.Experiment {
	e := small()
	for _, c := range datasettest.Small().Cells {
		c.Result.Kernel, c.Result.Params = "fmm", kernel.Params{"bodies": paperSizes["fmm"]}
		e.Cells = append(e.Cells, c)
	}
	return e
}

// Each conclusion holds on runs where it is true, and not on runs where the contrary is.
func TestPlanted(t *testing.T) {
	summary := func(set func(s *result.Summary, v float64), values map[string]float64) func(*result.Result) {
		return func(r *result.Result) {
			if v, ok := values[r.Scheduler]; ok {
				set(&r.Summary, v)
			}
		}
	}
	exact := func(v float64) result.Quantity { return claims.Exactly(v) }
	speedup := func(values map[string]float64) func(*result.Result) {
		return summary(func(s *result.Summary, v float64) { s.Speedup = exact(v) }, values)
	}
	misses := func(values map[string]float64) func(*result.Result) {
		return summary(func(s *result.Summary, v float64) { s.LLCMissesPerCore = exact(v * 1e6) }, values)
	}
	work := func(values map[string]float64) func(*result.Result) {
		return summary(func(s *result.Summary, v float64) { s.WTI, s.KernelNS = exact(v), exact(v*17e3) }, values)
	}
	ovr := func(values map[string]float64) func(*result.Result) {
		return summary(func(s *result.Summary, v float64) { s.OVR = exact(v) }, values)
	}
	// a scheduler's time, and the share of all cores' time that is in kernels
	time := func(by, ofKernels func(i int) float64) func(*result.Result) {
		return func(r *result.Result) {
			i := float64(slices.Index(papers, r.Scheduler))
			if i < 0 {
				return
			}
			for k := range r.Repetitions {
				p := &r.Repetitions[k]
				p.TimeNS = int64(1e6 * by(int(i)))
				own := int64(float64(p.TimeNS) * ofKernels(int(i)))
				for w := range p.Workers {
					p.Workers[w].WorkNS, p.Workers[w].IdleNS = new(own), new((p.TimeNS-own)/3)
				}
				p.WorkNS = new(own * int64(r.Cores))
			}
		}
	}
	constant := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	line := func(at, by float64) func(int) float64 {
		return func(i int) float64 { return at + by*float64(i) }
	}
	// far and cold accesses, of a million
	shares := func(of func(i, cores float64) (far, cold float64)) func(*result.Result) {
		return func(r *result.Result) {
			i := slices.Index(papers, r.Scheduler)
			if i < 0 {
				return
			}
			far, cold := of(float64(i), float64(r.Cores))
			h := krd.Histogram{Accesses: 1e6, AccessCount: 1e6, Cold: uint64(1e4 * cold)}
			n := uint64(1e4 * far)
			h.Bins = []krd.Bin{{FromBytes: 512, ToBytes: 1024, Count: 1e6 - h.Cold - n},
				{FromBytes: 64 << 20, ToBytes: 128 << 20, Count: n}}
			for k := range r.Repetitions {
				r.Repetitions[k].KRD = &h
			}
		}
	}
	farOf := func(of func(i, cores float64) float64) func(*result.Result) {
		return shares(func(i, cores float64) (far, cold float64) { return of(i, cores), 0 })
	}
	coldOf := func(of func(i, cores float64) float64) func(*result.Result) {
		return shares(func(i, cores float64) (far, cold float64) { return 3, of(i, cores) })
	}
	// how many remote steals and misses a worker has
	counts := func(of func(i int) float64) func(*result.Result) {
		return func(r *result.Result) {
			i := slices.Index(papers, r.Scheduler)
			for k := range r.Repetitions {
				if i < 0 {
					return
				}
				p, n := &r.Repetitions[k], int64(of(i))
				p.LLCMissesPerCore = result.SomeInt(new(n))
				for w := range p.Workers {
					p.Workers[w].StealsRemote = new(n)
				}
			}
		}
	}
	all := func(list ...func(*result.Result)) func(*result.Result) {
		return func(r *result.Result) {
			for _, f := range list {
				f(r)
			}
		}
	}
	number := func(i, _ float64) float64 { return i }
	for _, c := range []struct {
		id        string
		is, isNot func(*result.Result)
		reading   int
	}{
		{"runtime-matters", speedup(map[string]float64{mth: 21, tbb: 15, qtc: 18, qts: 17}),
			speedup(map[string]float64{mth: 21, tbb: 15, qtc: 18, qts: 24}), 0},
		{"overheads-decide", time(line(1, 0.1), line(0.9, -0.1)), time(line(1, 0.1), line(0.6, 0.1)), 0},
		{"overheads-until-12", ovr(map[string]float64{mth: 1.04, tbb: 1.14}),
			ovr(map[string]float64{mth: 1.04, tbb: 1.16}), 0},
		{"central-far", farOf(func(i, _ float64) float64 { return 4 + i }),
			farOf(func(i, _ float64) float64 { return 5 + i }), 0},
		{"central-misses", misses(map[string]float64{mth: 2, tbb: 3.06}),
			misses(map[string]float64{mth: 2, tbb: 2.4}), 0},
		{"central-wti", work(map[string]float64{mth: 1.025, tbb: 1.025 * 1.027}),
			work(map[string]float64{mth: 1.025, tbb: 1.025 * 1.02}), 0},
		{"central-wti", work(map[string]float64{mth: 1.025, tbb: 1.025 * 1.02}),
			work(map[string]float64{mth: 1.025, tbb: 1.025 * 1.027}), 1},
		{"queue-functions", time(constant(1), constant(0.75)), time(constant(1), constant(0.9)), 0},
		{"queue-functions", time(constant(1), constant(0.25)), time(constant(1), constant(0.1)), 0},
		{"cold-steals", all(coldOf(number), counts(line(0, 1000))),
			all(coldOf(number), counts(line(5000, -1000))), 0},
		{"indicators", all(coldOf(number), counts(line(1e5, 1e4)), time(constant(1), line(0.5, 0.1))),
			all(coldOf(number), counts(line(1e5, -1e4)), time(constant(1), line(0.5, 0.1))), 0},
		{"differences-grow", farOf(func(i, cores float64) float64 { return i * cores / 24 }),
			farOf(func(i, cores float64) float64 { return 12 * i / cores }), 0},
		{"socket-emerge", farOf(func(i, cores float64) float64 { return i * (cores - 1) / 6 }),
			farOf(func(i, cores float64) float64 { return 6 * i / cores }), 0},
		{"socket-worst", farOf(func(i, _ float64) float64 { return 6 - i*i/3 }),
			farOf(func(i, _ float64) float64 { return 6 + i }), 0},
		{"conclusion-impact", farOf(func(i, cores float64) float64 { return i + cores/6 }),
			farOf(func(i, _ float64) float64 { return 5 + i/10 }), 0},
		{"sockets-similar", farOf(func(i, cores float64) float64 { return i + cores/100 }),
			farOf(func(i, cores float64) float64 { return i + cores/4 }), 0},
	} {
		for i, change := range []func(*result.Result){c.is, c.isNot} {
			e := twoPrograms()
			for j := range e.Cells {
				change(e.Cells[j].Result)
			}
			k := slices.IndexFunc(Claims, func(x Claim) bool { return x.ID == c.id })
			want := []claims.Verdict{claims.Agree, claims.Disagree}[i]
			if c.id == "queue-functions" && i == 0 { // results only bound it
				want = claims.CannotTell
			}
			if r := Claims[k].judge(newView(e), nil).Readings[c.reading]; r.Verdict != want {
				t.Errorf("%s is %s, expected %s: %s", c.id, r.Verdict, want, r.Ours)
			}
		}
	}
}

// Each figure that a claim names is one of those that are drawn of runs of both programs.
func TestClaimsHaveFigures(t *testing.T) {
	drawn := map[string]bool{}
	for name, g := range groupsNamed(twoPrograms()) {
		list, _ := figures.All(g) // those left out have a reason
		for i := range list {
			drawn[name+"-"+list[i].ID] = true
		}
	}
	shown := 0
	for i := range Claims {
		if name := Claims[i].Figure; name != "" && name != ofM2L { // the made runs are of one kernel
			if shown++; !drawn[name] {
				t.Errorf("%s: no figure %s among %v", Claims[i].ID, name, slices.Sorted(maps.Keys(drawn)))
			}
		}
	}
	if shown < 50 {
		t.Errorf("%d claims have a figure", shown)
	}
}
