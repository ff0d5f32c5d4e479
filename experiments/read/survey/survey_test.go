package survey

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
)

// made is the small experiment on 24 cores with the kernels and times (ns, around which each has 8
// repetitions) of its four schedulers, on a machine of some prices.
func made(prices string, kernels map[string][4]int64) *dataset.Experiment {
	e := datasettest.Small()
	small := slices.DeleteFunc(slices.Clone(e.Cells), func(c dataset.Cell) bool {
		return c.Result.Cores != 24
	})
	e.Cells, e.Plan = nil, nil
	for _, name := range []string{"lu", "sor", "triad"} {
		times, ok := kernels[name]
		for i := range small {
			if !ok || times[i] == 0 { // it was not run
				continue
			}
			c, r := small[i], *small[i].Result
			r.Kernel, r.Params = name, kernel.Params{}
			if prices != "" {
				r.Machine.Name += "-prices-" + prices
			}
			r.Repetitions = slices.Clone(r.Repetitions)
			var ns []float64
			for j := range r.Repetitions {
				r.Repetitions[j].TimeNS = times[i] + int64(10*j)
				ns = append(ns, float64(times[i]+int64(10*j)))
			}
			r.Summary.TimeNS = r.Quantity(ns)
			c.ID, c.Result = fmt.Sprint(prices, name, i), &r
			e.Cells = append(e.Cells, c)
		}
	}
	return e
}

// The best of a row is told where Holm's correction over the rows leaves its test with the next,
// and stays where the other prices tell the same one.
func TestOf(t *testing.T) {
	own := made("", map[string][4]int64{
		"lu": {1000, 2000, 3000, 4000}, "sor": {1000, 2000, 3000, 4000},
		"triad": {1000, 1000, 4000, 4000}})
	other := made("others", map[string][4]int64{
		"lu": {1000, 2000, 3000, 4000}, "sor": {3000, 2000, 1000, 4000},
		"triad": {4000, 1000, 4000, 4000}})
	r, err := Of([]*dataset.Experiment{own, other})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Places) != 1 || len(r.Places[0].Prices) != 2 {
		t.Fatalf("%d places: %+v", len(r.Places), r.Places)
	}
	p := r.Places[0]
	if p.Prices[0].Name != "" || p.Prices[1].Name != "others" || p.Cores != 24 {
		t.Errorf("%+v", p)
	}
	got := map[string]string{}
	for i, v := range p.Prices {
		for _, row := range v.Rows {
			got[fmt.Sprint(row.Kernel, i)] = fmt.Sprintf("%s %v %s", row.Best, row.Told,
				strings.Join(row.Tied, " "))
		}
	}
	for _, h := range p.Held {
		got[h.Kernel] = h.Best
	}
	for name, want := range map[string]string{
		"lu0": "workfirst true ", "lu1": "workfirst true ", "lu": "workfirst",
		"sor0": "workfirst true ", "sor1": "shepherd-core true ", "sor": "",
		"triad0": "workfirst false helpfirst", "triad1": "helpfirst true ", "triad": "",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, expected %q", name, got[name], want)
		}
	}
	// 8 against 8, all below: 2 / C(16, 8), and the two smallest of three tests
	row := p.Prices[0].Rows[0]
	if v := row.P.Float(); v < 1.55e-4 || v > 1.56e-4 {
		t.Errorf("p of lu: %v, expected 2 of 12870", v)
	}
	if h := row.HolmP.Float() / row.P.Float(); h < 2.999 || h > 3.001 {
		t.Errorf("Holm's p of lu is %v of p, expected 3 of it", h)
	}
	if lead := row.Lead.Float(); lead < 1.9 || lead > 2 {
		t.Errorf("lead of lu: %v, expected the medians 2035 over 1035", lead)
	}
	share := p.Prices[0].Schedulers[0]
	if share.Scheduler != "workfirst" || share.Mean.Float() != 1 || share.Best != 2 ||
		share.Rows != 3 {
		t.Errorf("the first: %+v", share)
	}
	for _, name := range Tables {
		if n := len(r.Table(name).Rows); n != map[string]int{"rows": 6, "schedulers": 8}[name] {
			t.Errorf("table %s: %d rows", name, n)
		}
	}
	var b strings.Builder
	page := doc.NewPage(&b, 100)
	if err := errors.Join(r.View().Text(page), page.Close()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"own prices", "prices of others", "workfirst", "+1",
		"SIMULATED"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

// No row and no scheduler is lost that the first prices do not have, and what two experiments have
// counts once.
func TestNothingLost(t *testing.T) {
	own := made("", map[string][4]int64{"lu": {1000, 2000, 3000, 4000}})
	other := made("others", map[string][4]int64{"lu": {1000, 2000, 3000, 4000},
		"sor": {1000, 2000, 3000, 4000}})
	own.Cells = own.Cells[:2] // two of the schedulers
	again := made("", map[string][4]int64{"lu": {4000, 3000, 2000, 1000}})
	r, err := Of([]*dataset.Experiment{own, other, again})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Places[0]
	if len(p.Prices[0].Rows) != 1 || p.Prices[0].Rows[0].Best != "workfirst" ||
		!strings.Contains(r.Warnings[0], "several experiments have it") {
		t.Errorf("a row of two experiments: %+v, %q", p.Prices[0].Rows, r.Warnings)
	}
	if len(p.Held) != 2 || p.Held[1].Kernel != "sor" || p.Held[1].Best != "" {
		t.Errorf("rows %+v, expected that of the second prices too", p.Held)
	}
	if n := len(p.shares().Rows); n != 4 {
		t.Errorf("%d schedulers, expected those of all prices, 4", n)
	}
}

// A kernel without data is of the placement that the others of its experiment have.
func TestPlaces(t *testing.T) {
	var list []*dataset.Experiment
	for _, numa := range []request.NUMAPolicy{request.NUMANode0, request.NUMADealt} {
		e := made("", map[string][4]int64{"lu": {1000, 2000, 3000, 4000},
			"triad": {1000, 2000, 3000, 4000}})
		for i := range e.Cells {
			r := e.Cells[i].Result
			if r.Kernel == "triad" { // has data
				r.Settings.NUMA, r.LLCModel = numa, &result.LLCModel{}
			}
		}
		list = append(list, e)
	}
	r, err := Of(list)
	if err != nil {
		t.Fatal(err)
	}
	if _, limits := r.Apart(); len(r.Places) != 2 || len(limits) != 0 {
		t.Fatalf("%d places, %q", len(r.Places), r.Warnings)
	}
	for _, p := range r.Places {
		if len(p.Prices[0].Rows) != 2 {
			t.Errorf("%s: %d rows, expected 2", p.Pages, len(p.Prices[0].Rows))
		}
	}
}

// Too few repetitions tell nothing, and one scheduler is no survey.
func TestUntold(t *testing.T) {
	e := made("", map[string][4]int64{"lu": {1000, 2000, 3000, 4000}})
	for i := range e.Cells {
		r := e.Cells[i].Result
		r.Repetitions = r.Repetitions[:3]
		ns := float64(r.Repetitions[0].TimeNS)
		r.Summary.TimeNS = r.Quantity([]float64{ns, ns + 10, ns + 20})
	}
	r, err := Of([]*dataset.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	if row := r.Places[0].Prices[0].Rows[0]; row.Told || row.P != (result.Number{}) || len(row.Tied) != 0 ||
		len(row.Few) != 3 || row.Seen.Known() || row.HolmP != (units.Number{}) || len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], "too few to tell: 3 repetitions, 6 needed: --reps 6") {
		t.Errorf("3 repetitions: %+v, %q", row, r.Warnings)
	}
	e.Cells = e.Cells[:1]
	_, err = Of([]*dataset.Experiment{e})
	if _, ok := errors.AsType[*NothingError](err); !ok || failure.Of(err) != failure.Data {
		t.Errorf("one scheduler: %v", err)
	}
}

// Schedulers that were run on other kernels are compared over the rows that all have: helpfirst is the
// better one of lu, and what it has beside is its worst, workfirst's a tie.
func TestUnlikeRows(t *testing.T) {
	const slow = 4000
	for _, c := range []struct {
		kernels map[string][4]int64
		rows    int
		warning string
	}{
		{map[string][4]int64{"lu": {3000, 2000, 1000, slow}, "sor": {1000, 0, 1000, slow},
			"triad": {0, slow, 1000, slow}}, 1, "compared over 1 of 3 rows"},
		{map[string][4]int64{"lu": {1000, 0, 2000, slow}, "sor": {0, 1000, 2000, slow}}, 0, "over 0 of 2 rows"},
	} {
		r, err := Of([]*dataset.Experiment{made("", c.kernels)})
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]Share{}
		for _, s := range r.Places[0].Prices[0].Schedulers {
			of[s.Scheduler] = s
		}
		hf, wf := of["helpfirst"], of["workfirst"]
		if hf.Rows != c.rows || wf.Rows != c.rows || hf.Mean.Known() != (c.rows > 0) ||
			c.rows > 0 && hf.Mean.Float() <= wf.Mean.Float() {
			t.Errorf("helpfirst %+v, workfirst %+v, expected %d rows of both", hf, wf, c.rows)
		}
		if !strings.Contains(strings.Join(r.Warnings, "\n"), c.warning) {
			t.Errorf("%q, expected %q", r.Warnings, c.warning)
		}
	}
}
