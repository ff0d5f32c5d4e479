package kernelreuse

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
)

func iv(low, mid, high float64) result.Quantity { return result.Ranged(mid, low, high, true, 10) }

func guess(mid float64) result.Quantity { return result.Ranged(mid, 0, 0, false, 3) }

// Numbers made of intervals are as far apart as these allow.
func TestQuantities(t *testing.T) {
	for name, test := range map[string]struct{ got, want result.Quantity }{
		"ratio": {ratio(iv(2, 3, 4), iv(1, 2, 2)), iv(1, 1.5, 4)},
		// to what may be 0
		"no interval":             {ratio(iv(2, 3, 4), iv(-1, 2, 2)), result.Ranged(1.5, 0, 0, false, 10)},
		"of what may be negative": {ratio(iv(-1, 1, 3), iv(2, 2, 4)), iv(-0.5, 0.5, 1.5)},
		"0 over 0":                {ratio(iv(0, 0, 0), iv(0, 0, 0)), result.Quantity{}},
		"over 0":                  {ratio(iv(1, 2, 3), iv(0, 0, 1)), result.Quantity{}},
		"difference":              {minus(iv(2, 3, 4), iv(1, 2, 2)), iv(0, 1, 3)},
		"distance":                {distance(iv(-0.9, -0.5, -0.4)), iv(0.4, 0.5, 0.9)},
		"larger":                  {larger(iv(0.1, 0.2, 0.3), iv(0.4, 0.5, 0.9)), iv(0.4, 0.5, 0.9)},
		"exact":                   {minus(claims.Exactly(3), claims.Exactly(1)), claims.Exactly(2)},
		"percent": {mapped(guess(2), func(v float64) float64 { return 100 * v }),
			guess(200)},
		"unknown": {mapped(iv(0, 0, 1), func(v float64) float64 { return 1 / v }),
			result.Quantity{}},
	} {
		if test.got != test.want {
			t.Errorf("%s: %+v, expected %+v", name, test.got, test.want)
		}
	}
	for want, q := range map[string]result.Quantity{"n/a": {}, "2.0": guess(2),
		"1.50":                   claims.Exactly(1.5),
		"21.99 (21.90 to 22.05)": iv(21.9, 21.99, 22.05)} {
		_, decimals, _ := strings.Cut(strings.Fields(want)[0], ".")
		if got := show(q, len(decimals)); got != want {
			t.Errorf("%+v is %q, expected %q", q, got, want)
		}
	}
}

// Every claim is complete, and an experiment without its runs leaves it open.
func TestClaimsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Claims {
		if seen[c.ID] || c.ID == "" || c.Where == "" || c.Quote == "" || c.Says == "" ||
			c.Test == "" || c.Basis == "" || len(c.meanings) == 0 {
			t.Errorf("claim %+v", c)
		}
		if (len(c.On) == 0) != (c.Basis == Measured) {
			t.Errorf("%s is about %v, %s", c.ID, c.On, c.Basis)
		}
		seen[c.ID] = true
		about := map[string]bool{}
		for _, m := range c.meanings {
			names := map[string]bool{}
			for _, p := range m.parts {
				if names[p.name] || p.name == "" || len(p.terms) == 0 {
					t.Errorf("%s: part %q", c.ID, p.name)
				}
				names[p.name] = true
				for _, term := range p.terms {
					about[term.kernel] = true
				}
			}
		}
		for _, k := range c.On {
			if !about[k] {
				t.Errorf("%s is said to be about %s, and no part is", c.ID, k)
			}
		}
	}
	for _, f := range Judge(&dataset.Experiment{}, nil) {
		if f.Verdict != claims.NotRun || f.BySeeds != claims.NotRun || f.Ours != "n/a" ||
			len(f.Readings) == 0 {
			t.Errorf("%s: %s, %s, without any run", f.ID, f.Verdict, f.Ours)
		}
	}
}

// As many claims are of each basis as are; what the machine was fitted to is none of the count.
func TestBases(t *testing.T) {
	var fitted int
	for _, f := range Judge(datasettest.Small(), nil) {
		if f.Basis == Fitted {
			fitted++
		}
	}
	c := study.CountOf(Judge(datasettest.Small(), nil))
	sum := fitted
	for _, n := range c.Of {
		sum += n
	}
	if c.Fitted != fitted || sum != len(Claims) {
		t.Errorf("%+v of %d claims, %d fitted", c, len(Claims), fitted)
	}
}

// small is the made experiment as if it were of the paper's size, with the runs of Qthreads whose
// victims are in other lists, which are as those.
func small() *dataset.Experiment {
	e := datasettest.Small()
	for i := range e.Cells {
		c := e.Cells[i]
		c.Result.Params["n"] = paperSizes["matmul"]
		if s := c.Result.Scheduler; s == qtc || s == qts {
			for _, list := range []string{nearRule, overrunRule} {
				r := *e.Cells[i].Result
				r.Scheduler = s + list
				c.Result = &r
				e.Cells = append(e.Cells, c)
			}
		}
	}
	return e
}

// On made numbers the verdicts are those that their formulas give, and change when the numbers do.
func TestMadeExperiment(t *testing.T) {
	verdicts := func(e *dataset.Experiment) map[string]Finding {
		m := map[string]Finding{}
		for _, f := range Judge(e, nil) {
			m[f.ID] = f
		}
		return m
	}
	for id, f := range verdicts(datasettest.Small()) {
		if f.Verdict != claims.OtherSize && f.Verdict != claims.NotRun {
			t.Errorf("%s is judged on another size: %s", id, f.Verdict)
		}
	}
	got := verdicts(small())
	for id, want := range map[string]claims.Verdict{
		"overhead-socket-12": claims.Depends, // 1.287 is within 10 % of table I, not of the text
		"overheads-12":       claims.Agree,
		// 0.0037 and 0.0043 a core, for QTH/Core and TBB, are within the noise of each other
		"wti-order": claims.CannotTell,
		"far-order": claims.CannotTell, "far-16": claims.CannotTell, // pairs by 6 % and less
		"sockets-best": claims.Depends, "misses": claims.Disagree,
		"speedup-fmm": claims.NotRun, "native-tracing": claims.NotRun, "one-core-matmul": claims.NotRun,
	} {
		if got[id].Verdict != want {
			t.Errorf("%s: %s (%s), expected %s", id, got[id].Verdict, got[id].Ours, want)
		}
	}
	// The other way round it is the other way round, and readings may differ.
	e := small()
	for i := range e.Cells {
		switch r := e.Cells[i].Result; r.Scheduler {
		case qtc + nearRule:
			r.Scheduler = qts + nearRule
		case qts + nearRule:
			r.Scheduler = qtc + nearRule
		}
	}
	f := verdicts(e)["socket-best"]
	if f.Verdict != claims.Depends || f.Readings[0].Verdict != claims.Agree ||
		f.Readings[1].Verdict != claims.Disagree {
		t.Errorf("shepherds exchanged: %s, %+v", f.Verdict, f.Readings)
	}
	// The verdicts by each list alone: without the sorted one the claim holds, with it alone it
	// does not.
	list := Judge(e, nil)
	text := func(t *doc.Table) string {
		var b bytes.Buffer
		if err := t.CSV(&b); err != nil {
			panic(err)
		}
		return b.String()
	}
	lists := text(listsTable(list))
	for _, want := range []string{"plain,socket-best,depends on the reading,agree\n",
		"near=1,socket-best,depends on the reading,disagree\n",
		"overrun=1,socket-best,depends on the reading,agree\n"} {
		if !strings.Contains(lists, want) {
			t.Errorf("%q is not in\n%s", want, lists)
		}
	}
	for _, no := range []string{"socket-above-core", "wti-order", "central-far"} {
		if got := text(listsTable(Judge(small(), nil))); strings.Contains(got, no) {
			t.Errorf("lists that are the same change %s:\n%s", no, got)
		}
	}
	// Without intervals nothing can be told.
	e = small()
	for i := range e.Cells {
		s := &e.Cells[i].Result.Summary
		s.OVR.Low, s.OVR.High = result.Number{}, result.Number{}
	}
	if f := verdicts(e)["overheads-12"]; f.Verdict != claims.CannotTell {
		t.Errorf("without intervals: %s, %s", f.Verdict, f.Ours)
	}
}

// A reading looks at the runs of its rule of FMM's tasks and at no others; what is of matmul is the
// same in all.
func TestReadings(t *testing.T) {
	e := small()
	for i, p := range []kernel.Params{{}, {"tasks": exaTasks, "cutoff": literalCutoff},
		{"tasks": exaTasks, "cutoff": 1500}} {
		for _, c := range datasettest.Small().Cells {
			c.Result.Kernel = "fmm"
			c.Result.Params = kernel.Params{"bodies": paperSizes["fmm"]}
			maps.Copy(c.Result.Params, p)
			q := &c.Result.Summary.Speedup
			for _, n := range []*result.Number{&q.Median, &q.Low, &q.High} {
				*n = result.Some(float64(15 + 3*i))
			}
			e.Cells = append(e.Cells, c)
		}
	}
	found := map[string]Finding{}
	for _, f := range Judge(e, nil) {
		found[f.ID] = f
	}
	f := found["speedup-fmm"]
	want := "[plain: disagree] FMM on 24 cores: MTH 15.00 [exafmm, 300 bodies: agree] FMM on 24 " +
		"cores: MTH 18.00 [exafmm, 3.25 us a spawn: disagree] FMM on 24 cores: MTH 21.00"
	if f.Verdict != claims.Depends || f.Ours != want {
		t.Errorf("%s, %s, expected %s", f.Verdict, f.Ours, want)
	}
	// Of Qthreads' runs with sorted victims FMM has none.
	if f := found["qthreads-one-socket"]; f.Verdict != claims.NotRun ||
		f.Readings[1].Verdict != claims.NotRun || f.Readings[0].Verdict == claims.NotRun {
		t.Errorf("without runs of near=1: %s, %+v", f.Verdict, f.Readings)
	}
	if f := found["overhead-mth"]; !strings.Contains(f.Ours, "FMM on 24") ||
		strings.Count(f.Ours, "matmul on 24 cores: MTH") != 1 {
		t.Errorf("matmul is not said once: %s", f.Ours)
	}
}

// Draws widen the interval of what is compared, draw by draw: what moves both sides cancels out,
// and what a draw lacks is judged by the seeds alone.
func TestJudgedByBands(t *testing.T) {
	values := func(shift float64) (rows []drawn) {
		for i, s := range papers {
			for _, n := range []int{1, 6, 12, 24} {
				for _, m := range []string{"ovr", "wti", "beyond_32mib"} {
					rows = append(rows, drawn{Kernel: "matmul", Cores: n, Scheduler: s, Measure: m,
						Value: 1.1 + 0.04*float64(i) + shift, Hash: "h"})
				}
				rows = append(rows, drawn{Kernel: "matmul", Cores: n, Scheduler: s,
					Measure: qFinite.id, Value: float64(5-i) * (1 + shift), Hash: "h"})
			}
		}
		return rows
	}
	judge := func(shifts ...float64) map[string]Finding {
		var rows []drawn
		for i, s := range shifts {
			for _, r := range values(s) {
				r.Draw = i
				rows = append(rows, r)
			}
		}
		b, err := newBands(rows)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]Finding{}
		for _, f := range Judge(small(), b) {
			m[f.ID] = f
		}
		return m
	}
	same, wide := judge(0, 0.005), judge(0, 5)
	if f := wide["overheads-12"]; f.Verdict != claims.CannotTell || f.BySeeds != claims.Agree ||
		!f.Readings[0].Parts[0].Banded {
		t.Errorf("draws of 6 times the overhead: %s, by seeds %s", f.Verdict, f.BySeeds)
	}
	if f := judge(5, 0)["overheads-12"]; f.Verdict != claims.CannotTell {
		t.Errorf("the first draw is the greatest: %s", f.Verdict)
	}
	if f := same["overheads-12"]; f.Verdict != claims.Agree || f.BySeeds != claims.Agree {
		t.Errorf("draws as the machine: %s, by seeds %s", f.Verdict, f.BySeeds)
	}
	// All schedulers move together: their order is that of each draw.
	for shift, want := range map[float64]claims.Verdict{5: claims.Agree, -3: claims.CannotTell} {
		r := judge(0, shift)["sockets-best"].Readings[len(victims)]
		if r.Verdict != want || r.BySeeds != claims.Agree || !r.Parts[0].Banded {
			t.Errorf("an order of draws with %v: %+v, expected %s", shift, r, want)
		}
	}
	if f := wide["far-128"]; f.Readings[0].Parts[0].Banded || f.Verdict != f.BySeeds {
		t.Errorf("what is in no draw has a band: %+v", f)
	}
}

// The table holds every claim, in lines that a terminal shows, and their count.
func TestText(t *testing.T) {
	list := Judge(datasettest.Small(), nil)
	o := &study.Outcome{Claims: list, Scale: study.Quick}
	var b bytes.Buffer
	if err := o.View().Text(doc.NewPage(&b, 0)); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if len([]rune(line)) > 140 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	words := strings.Join(strings.Fields(b.String()), " ")
	if want := study.CountOf(list).String(); !strings.Contains(words, want) {
		t.Errorf("%q is not in the text", want)
	}
}

// Ratios near 1 are judged by what exceeds 1, what is made of them or of others as it stands.
func TestBase(t *testing.T) {
	fixed := func(q quantity, v float64) term {
		t := on12(q, mth)
		t.kernel = "" // of no size
		t.of = func(*view) result.Quantity { return claims.Exactly(v) }
		return t
	}
	wti := func(v float64) term { return fixed(qWTI, v) }
	ovr := func(v float64) term { return fixed(qOVR, v) }
	misses := func(v float64) term { return fixed(qMisses, v) }
	for name, test := range map[string]struct {
		part part
		want claims.Verdict
	}{
		"wti":           {printed(wti(1.0274), 1.025, 0.0001), claims.Agree},
		"wti beyond":    {printed(wti(1.0276), 1.025, 0.0001), claims.Disagree},
		"misses":        {printed(misses(2.01), 1.829, 0.001), claims.Agree},
		"misses beyond": {printed(misses(2.02), 1.829, 0.001), claims.Disagree},
		"%":             {printed(percent(wti(1.094)), 10, 1), claims.Agree},
		"% beyond":      {printed(percent(wti(1.111)), 10, 1), claims.Disagree},
		"order":         {ranks(wti(1.02), wti(1.0221)), claims.Agree},
		"order unsure":  {ranks(wti(1.02), wti(1.0219)), claims.CannotTell},
		"reversed":      {ranks(ovr(1.0221), ovr(1.02)), claims.Disagree},
		"misses unsure": {ranks(misses(1), misses(1.09)), claims.CannotTell},
		"excess":        {ranks(excess(ovr(1.2)), excess(ovr(1.23))), claims.Agree},
		"nearer":        {nearer(misses(2), misses(1), misses(3.2)), claims.Agree},
		"nearer unsure": {nearer(misses(2), misses(1), misses(3.05)), claims.CannotTell},
		"nearer b":      {nearer(misses(2), misses(1), misses(2.5)), claims.Disagree},
		"a ratio": {ranks(over(misses(2), misses(2), 2), over(misses(2.1), misses(2), 2)),
			claims.CannotTell},
	} {
		if f := test.part.judge(&view{}, nil); f.Verdict != test.want {
			t.Errorf("%s: %s, expected %s", name, f.Verdict, test.want)
		}
	}
}
