package result

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/experiments/run/estimate"
)

func TestQuantity(t *testing.T) {
	for _, test := range []struct {
		name   string
		values []float64
		want   Quantity
	}{
		{"none", nil, Quantity{}},
		{"1", []float64{7}, Quantity{Median: Some(7), N: 1, Reason: TooFew}},
		{"5 have no interval", []float64{5, 1, 4, 2, 3}, Quantity{Median: Some(3), N: 5,
			Reason: TooFew}},
		{"6 equal ones are one", []float64{7, 7, 7, 7, 7, 7}, Quantity{Median: Some(7), N: 6,
			Reason: Deterministic}},
		{"5 equal ones are few", []float64{7, 7, 7, 7, 7}, Quantity{Median: Some(7), N: 5,
			Reason: TooFew}},
		// With 6 values the whole range misses the median with probability 2/64.
		{"6", []float64{6, 1, 5, 2, 4, 3}, Quantity{Median: Some(3.5), Low: Some(1), High: Some(6),
			Confidence: Some(1 - 2.0/64), N: 6}},
		// With 10, from the 2nd to the 9th: 1 - 2 (1 + 10)/1024. An outlier moves neither the
		// median nor the interval.
		{"10 with an outlier", []float64{10, 1e9, 20, 30, 90, 40, 60, 50, 80, 70},
			Quantity{Median: Some(55), Low: Some(20), High: Some(90),
				Confidence: Some(1 - 22.0/1024), N: 10}},
	} {
		before := slices.Clone(test.values)
		got := QuantityOf(test.values)
		if math.Abs(got.Confidence.Float()-test.want.Confidence.Float()) < 1e-12 {
			got.Confidence = test.want.Confidence
		}
		if got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
		if !slices.Equal(before, test.values) {
			t.Errorf("%s: the sample was changed", test.name)
		}
	}
}

// sample makes up n serial repetitions of about 1 s and n parallel ones on 4 cores of about 0.3 s
// with 5 % more work, noise in the per cent, skewed as timings are.
func sample(n int, seed uint64) *ratioSample {
	rng := rand.New(rand.NewPCG(seed, 1))
	noise := func() float64 { return 1 + 0.02*rng.ExpFloat64() }
	s := &ratioSample{cores: 4, seed: 1}
	for range n {
		f, g := noise(), noise()
		s.serialTime = append(s.serialTime, 1e9*f)
		s.serialWork = append(s.serialWork, 0.95e9*f)
		s.parTime = append(s.parTime, 0.3e9*g)
		s.parWork = append(s.parWork, 0.95*1.05e9*g*noise())
	}
	return s
}

// Ratios of repetitions that are all equal are one value; where any of them varies they are not.
func TestRatiosOfEqualRepetitions(t *testing.T) {
	of := func(v float64) []float64 { return slices.Repeat([]float64{v}, estimate.MinSample) }
	s := ratioSample{cores: 4, serialTime: of(8), parTime: of(4), serialWork: of(6), parWork: of(9)}
	for _, varied := range [][]float64{nil, s.serialTime, s.parTime, s.serialWork, s.parWork} {
		if varied != nil {
			varied[1]++
		}
		speedup, ovr, wti := s.quantities()
		for _, q := range []Quantity{speedup, ovr, wti} {
			if fixed := q.Reason == Deterministic; fixed != (varied == nil) ||
				fixed == q.Low.Known() || q.N != estimate.MinSample {
				t.Errorf("%v: %+v", varied, q)
			}
		}
		if varied != nil {
			varied[1]--
		}
	}
}

func TestIdentity(t *testing.T) {
	for _, n := range []int{1, 5, 6, 9, 10} {
		for seed := range uint64(20) {
			s := sample(n, seed)
			speedup, ovr, wti := s.quantities()
			if got, want := speedup.Median.Float(),
				4/(ovr.Median.Float()*wti.Median.Float()); math.Abs(got-want) > 1e-12*want {
				t.Fatalf("n = %d: speed-up %v, but cores / (OVR x WTI) = %v", n, got, want)
			}
			for _, q := range []Quantity{speedup, ovr, wti} {
				if q.N != n || q.Low.Known() != (n >= 6) || q.High.Known() != (n >= 6) ||
					q.Confidence.Known() != (n >= 6) {
					t.Fatalf("n = %d: %+v", n, q)
				}
				if n >= 6 && !(q.Low.Float() <= q.Median.Float() &&
					q.Median.Float() <= q.High.Float()) {
					t.Fatalf("n = %d: the interval leaves out the median: %+v", n, q)
				}
			}
		}
	}
}

func TestRatiosByHand(t *testing.T) {
	s := &ratioSample{cores: 2, seed: 1, // T_s = 100, W_s = 80, T_p = 60, W_p = 100
		serialTime: []float64{100, 90, 110}, serialWork: []float64{80, 70, 90},
		parTime: []float64{60, 50, 900}, parWork: []float64{100, 90, 110}}
	speedup, ovr, wti := s.quantities()
	for name, q := range map[string]struct{ got, want float64 }{
		"speed-up": {speedup.Median.Float(), 100.0 / 60},
		"WTI":      {wti.Median.Float(), 1.25},
		"OVR":      {ovr.Median.Float(), 2 * 60 * 80 / (100.0 * 100)}, // N T_p W_s / (W_p T_s)
	} {
		if math.Abs(q.got-q.want) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, q.got, q.want)
		}
	}
	s.serialWork, s.parWork = nil, nil
	speedup, ovr, wti = s.quantities()
	if !speedup.Median.Known() || ovr != (Quantity{}) || wti != (Quantity{}) {
		t.Errorf("without work: speed-up %+v, OVR %+v, WTI %+v; want only the first", speedup, ovr,
			wti)
	}
}

func TestBootstrapIsDeterministic(t *testing.T) {
	a, _, _ := sample(10, 1).quantities()
	b, _, _ := sample(10, 1).quantities()
	if a != b {
		t.Errorf("the same sample and seed gave %+v and %+v", a, b)
	}
	s := sample(10, 1)
	s.seed = 2
	if c, _, _ := s.quantities(); c.Median != a.Median || c == a {
		t.Errorf("another seed gave %+v after %+v, want the same median and another interval", c, a)
	}
}

// The intervals must vary with the serial runs as well as with the parallel ones.
func TestBootstrapResamplesBoth(t *testing.T) {
	for name, fix := range map[string]func(s *ratioSample){
		"serial alike": func(s *ratioSample) {
			fill(s.serialTime, 1e9)
			fill(s.serialWork,
				0.95e9)
		},
		"parallel alike": func(s *ratioSample) { fill(s.parTime, 0.3e9); fill(s.parWork, 1e9) },
	} {
		s := sample(10, 3)
		fix(s)
		speedup, _, wti := s.quantities()
		if speedup.Low == speedup.High || wti.Low == wti.High {
			t.Errorf("%s: speed-up %+v, WTI %+v: no width though the other sample varies", name,
				speedup, wti)
		}
	}
	s := sample(10, 3)
	fill(s.serialTime, 1e9)
	fill(s.parTime, 0.3e9)
	if speedup, _, _ := s.quantities(); speedup.Low != speedup.High {
		t.Errorf("speed-up %+v has a width though no time varies", speedup)
	}
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// The nominal 95 % should be about what is attained. The true ratios are those of the medians that
// the samples are drawn from.
func TestBootstrapCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("400 bootstraps")
	}
	for _, n := range []int{6, 10} {
		const trials = 200
		// The median of 1 + 0.02 Exp is 1 + 0.02 ln 2, the same on both sides.
		want, hit := 1e9/0.3e9, 0
		for seed := range uint64(trials) {
			speedup, _, _ := sample(n, seed).quantities()
			if speedup.Low.Float() <= want && want <= speedup.High.Float() {
				hit++
			}
		}
		t.Logf("n = %d: %.1f %% of %d intervals hold the true speed-up", n, 100*float64(hit)/trials,
			trials)
		if hit < trials*90/100 {
			t.Errorf("n = %d: only %d of %d intervals hold the true speed-up", n, hit, trials)
		}
	}
}

func TestNumberJSON(t *testing.T) {
	for want, n := range map[string]Number{
		"null": {}, "0": Some(0), "1.5": Some(1.5), "3145728": Some(3145728),
	} {
		got, err := json.Marshal(n)
		if err != nil || string(got) != want {
			t.Errorf("Marshal(%v) = %s, %v, want %s", n, got, err, want)
		}
		var back Number
		if err := json.Unmarshal(got, &back); err != nil || back != n {
			t.Errorf("Unmarshal(%s) = %v, %v, want %v", got, back, err, n)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if Some(v).Known() {
			t.Errorf("Some(%v) is known", v)
		}
	}
	if !math.IsNaN(Number{}.Float()) {
		t.Error("what was not measured has a value")
	}
	if b, _ := json.Marshal(Quantity{}); string(
		b) != `{"median":null,"low":null,"high":null,"confidence":null,"n":0,"reason":null}` {
		t.Errorf("an empty quantity is %s", b)
	}
	var typ Quantity
	if err := json.Unmarshal([]byte(`{"median":"x"}`), &typ); err == nil {
		t.Error("a quantity that is a string was read")
	}
}

// A serial run that took no time, as of a program without work in virtual time, gives no speed-up,
// and not 0.
func TestSerialTimeOfZero(t *testing.T) {
	s := ratioSample{cores: 2, serialTime: make([]float64, 8), parTime: []float64{1, 2, 3, 4, 5, 6,
		7, 8}}
	if sp, o, w := s.quantities(); sp != (Quantity{}) || o != (Quantity{}) || w != (Quantity{}) {
		t.Errorf("speed-up %+v, OVR %+v, WTI %+v", sp, o, w)
	}
}

// Runs of different inputs are not drawn for one another: where each is the same every time, so is
// the ratio of them all.
func TestStrata(t *testing.T) {
	s := ratioSample{cores: 1}
	for range 6 {
		s.serialTime, s.parTime = append(s.serialTime, 100), append(s.parTime, 100)
		s.serialWork, s.parWork = append(s.serialWork, 90), append(s.parWork, 90)
	}
	for range 6 {
		s.serialTime, s.parTime = append(s.serialTime, 200), append(s.parTime, 200)
		s.serialWork, s.parWork = append(s.serialWork, 180), append(s.parWork, 180)
	}
	if _, _, w := s.quantities(); w.Low == w.High {
		t.Error("as one run of one input they vary, which this test depends on")
	}
	s.strata = strata{[]int{6, 6}, []int{6, 6}}
	if sp, o, w := s.quantities(); sp.Low != sp.High || o.Low != o.High || w.Low != Some(1) ||
		w.High != Some(1) {
		t.Errorf("speed-up %+v, OVR %+v, WTI %+v", sp, o, w)
	}
}
