package reproduce

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"krdlab/experiments/dataset"
	"krdlab/experiments/dataset/datasettest"
	"krdlab/experiments/result"
	"krdlab/experiments/show"
)

func iv(low, mid, high float64) interval {
	return interval{mid: mid, low: low, high: high, n: 10, known: true, sure: true}
}

func guess(mid float64) interval { return interval{mid: mid, n: 3, known: true} }

// The judges tell agreement, disagreement and doubt apart.
func TestJudges(t *testing.T) {
	for i, test := range []struct{ got, want Verdict }{
		{within(iv(1, 2, 3), 0, 4), Agree}, {within(iv(1, 2, 3), 4, 5), Disagree},
		{within(iv(1, 2, 3), 2, 5), CannotTell},
		{within(iv(1, 2, 3), -2, 0.5), Disagree}, {within(guess(2), 0, 4), CannotTell},
		{within(interval{}, 0, 4), NotRun},
		{near(iv(20, 21, 22), 21, 0.1), Agree}, {near(iv(24, 25, 26), 21, 0.1), Disagree},
		{near(iv(22, 23, 24), 21, 0.1), CannotTell},
		{less(iv(1, 2, 3), iv(4, 5, 6)), Agree}, {less(iv(4, 5, 6), iv(1, 2, 3)), Disagree},
		{less(iv(1, 2, 3), iv(3, 4, 5)), CannotTell},
		{less(iv(1, 1, 1), iv(1, 1, 1)), CannotTell}, {less(guess(1), iv(4, 5, 6)), CannotTell},
		{less(interval{}, iv(4, 5, 6)), NotRun},
		{ascending(iv(1, 1, 1), iv(2, 2, 2), iv(3, 3, 3)), Agree},
		{ascending(iv(1, 1, 1), iv(3, 3, 3), iv(2, 2, 2)), Disagree},
		{ascending(iv(1, 1, 2), iv(2, 2, 2), iv(3, 3, 3)), CannotTell},
		{ascending(iv(1, 1, 2), iv(2, 2, 3), iv(1, 1, 1)), Disagree},
		{below(iv(1, 1, 1), iv(2, 2, 2), iv(3, 3, 3)), Agree},
		{below(iv(2, 2, 2), iv(1, 1, 1), iv(3, 3, 3)), Disagree},
		{all(Agree, NotRun, Disagree), NotRun}, {all(), Agree},
	} {
		if test.got != test.want {
			t.Errorf("judgement %d: %s, expected %s", i, test.got, test.want)
		}
	}
	r := ratio(iv(2, 3, 4), iv(1, 2, 2))
	if r.mid != 1.5 || r.low != 1 || r.high != 4 {
		t.Errorf("ratio %+v", r)
	}
	if r := ratio(iv(2, 3, 4), iv(-1, 2, 2)); r.sure {
		t.Errorf("a ratio to what may be 0 has an interval: %+v", r)
	}
	if r := ratio(iv(-1, 1, 3), iv(2, 2, 4)); r.low != -0.5 || r.high != 1.5 {
		t.Errorf("a ratio of what may be negative: %+v", r)
	}
	for _, zero := range []interval{ratio(iv(0, 0, 0), iv(0, 0, 0)),
		ratio(iv(1, 2, 3), iv(0, 0, 1))} {
		if zero.known || zero.sure || zero.show(2) != "n/a" || within(zero, 0, 9) != NotRun {
			t.Errorf("a ratio to 0 is %s, %+v", zero.show(2), zero)
		}
	}
	if q := lossToWTI(
		&result.Result{Summary: result.Summary{WTI: result.Quantity{Median: result.Some(
			0)}}}); q.known {
		t.Errorf("the loss to an inflation of 0 is %s", q.show(1))
	}
	if d := minus(iv(2, 3, 4), iv(1, 2, 2)); d.mid != 1 || d.low != 0 || d.high != 3 {
		t.Errorf("difference %+v", d)
	}
	if s := named(1, []string{"a", "b", "c", "d"}, []interval{iv(3, 3, 3), {}, iv(1, 1, 2),
		guess(2)}); s != "c 1.0 (1.0 to 2.0), d 2.0, a 3.0, b n/a" {
		t.Errorf("named: %s", s)
	}
}

// Every claim says all that it must, and an experiment without its runs leaves it open.
func TestClaimsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Claims {
		if seen[c.ID] || c.ID == "" || c.Where == "" || c.Says == "" || c.Test == "" ||
			c.test == nil {
			t.Errorf("claim %+v", c)
		}
		seen[c.ID] = true
	}
	for _, f := range Judge(&dataset.Experiment{}) {
		if f.Verdict != NotRun || f.Ours != "n/a" {
			t.Errorf("%s: %s, %s, without any run", f.ID, f.Verdict, f.Ours)
		}
	}
}

// On made numbers the verdicts are those that their formulas give, and change when the numbers do.
func TestMadeExperiment(t *testing.T) {
	verdicts := func(e *dataset.Experiment) map[string]Finding {
		m := map[string]Finding{}
		for _, f := range Judge(e) {
			m[f.ID] = f
		}
		return m
	}
	small := func() *dataset.Experiment { // as if it were of the paper's size
		e := datasettest.Small()
		for i := range e.Cells {
			e.Cells[i].Result.Params["n"] = paperSizes["matmul"]
		}
		return e
	}
	for id, f := range verdicts(datasettest.Small()) {
		if f.Verdict != OtherSize && f.Verdict != NotRun {
			t.Errorf("%s is judged on another size: %s", id, f.Verdict)
		}
	}
	got := verdicts(small())
	for id, want := range map[string]Verdict{
		"socket-core-matmul": Agree, // overheads 0.0164 and 0.0261 a core
		"tbb-socket-matmul":  Disagree, "tbb-scale-matmul": Disagree,
		// 0.0037 and 0.0043 a core, for QTH/Core and TBB, are within the noise of each other
		"wti-order":  CannotTell,
		"cold-grows": Agree, "far-order": Agree, "speedup-fmm": NotRun, "native-tracing": NotRun,
		"speedup-matmul": Agree,
	} {
		if got[id].Verdict != want {
			t.Errorf("%s: %s (%s), expected %s", id, got[id].Verdict, got[id].Ours, want)
		}
	}
	// The other way round it is the other way round.
	e := small()
	for i := range e.Cells {
		r := e.Cells[i].Result
		switch r.Scheduler {
		case qtc:
			r.Scheduler = qts
		case qts:
			r.Scheduler = qtc
		}
	}
	if f := verdicts(e)["socket-core-matmul"]; f.Verdict != Disagree {
		t.Errorf("shepherds exchanged: %s, %s", f.Verdict, f.Ours)
	}
	// Without intervals nothing can be told.
	e = small()
	for i := range e.Cells {
		s := &e.Cells[i].Result.Summary
		s.OVR.Low, s.OVR.High = result.Number{}, result.Number{}
	}
	if f := verdicts(e)["socket-core-matmul"]; f.Verdict != CannotTell {
		t.Errorf("without intervals: %s, %s", f.Verdict, f.Ours)
	}
}

// The table holds every claim, in lines that a terminal shows, and counts what it holds.
func TestWriteText(t *testing.T) {
	list := Judge(datasettest.Small())
	var b bytes.Buffer
	if err := WriteText(show.NewPage(&b, 0), list); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if len([]rune(line)) > 140 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	c := CountOf(list)
	if n := c.Agree + c.Disagree + c.CannotTell + c.NotRun + c.OtherSize +
		c.Fitted; n != len(Claims) {
		t.Errorf("%+v of %d claims", c, len(Claims))
	}
	if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), c.String()) {
		t.Errorf("the count %s is not in the text", c)
	}
	if math.Abs(float64(strings.Count(b.String(), "fitted"))-float64(c.Fitted+1)) > 0 {
		t.Errorf("%d claims are fitted, and the text says so %d times", c.Fitted,
			strings.Count(b.String(), "fitted")-1)
	}
}
