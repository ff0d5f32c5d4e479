package report

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/hwtest/long"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
)

// What the page carries is the file that the npm package echarts 6.1.0 has as dist/echarts.min.js,
// with its licences.
func TestECharts(t *testing.T) {
	r, err := gzip.NewReader(bytes.NewReader(echarts))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	if got, want := hex.EncodeToString(sum[:]), echartsSHA256; got != want {
		t.Errorf("SHA-256 %s, expected %s", got, want)
	}
	if !bytes.Contains(b, []byte(`"`+echartsVersion+`"`)) || !bytes.Contains(b[:1000],
		[]byte("Apache License")) {
		t.Errorf("not ECharts %s with its notice: %.200s", echartsVersion, b)
	}
	page := render(t, loaded(t, nil))
	for _, want := range []string{"The Apache Software Foundation (https://www.apache.org/)",
		"TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
		"Copyright (c) 2017, Baidu Inc.", "Copyright 2010-2016 Mike Bostock"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q of the licences", want)
		}
	}
}

// ranked is a group whose schedulers have speed-ups with intervals as given.
func ranked(values map[string][3]float64) []standing {
	var all []standing
	for _, s := range slices.Sorted(mapKeys(values)) {
		v := values[s]
		r := &result.Result{Scheduler: s,
			Repetitions: []result.Repetition{{TimeNS: int64(1e9 / v[0])}}}
		r.Summary.Speedup = result.Quantity{Median: result.Some(v[0]),
			Low: result.Some(v[1]), High: result.Some(v[2]), N: 6}
		if v[1] == 0 {
			r.Summary.Speedup.Low, r.Summary.Speedup.High = result.Number{},
				result.Number{}
		}
		r.Summary.TimeNS = result.Quantity{Median: result.Some(1e9 / v[0]), N: 6}
		if v[1] != 0 {
			r.Summary.TimeNS.Low, r.Summary.TimeNS.High = result.Some(1e9/v[2]), result.Some(1e9/v[1])
		}
		all = append(all, standing{scheduler: s, result: r})
	}
	return all
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// A winner is named only where its interval is clear of all others.
func TestSpeed(t *testing.T) {
	for _, c := range []struct {
		values map[string][3]float64
		want   string
	}{
		{map[string][3]float64{"a": {4, 3.9, 4.1}, "b": {5, 4.2, 5.1}},
			"On 6 cores, b is the fastest: it runs 5.0 (4.2–5.1) times as fast as the " +
				"serial program. The next, a, takes 25.0\u00a0% longer."},
		{map[string][3]float64{"a": {4, 3.9, 4.2}, "b": {5, 4.2, 5.1}, "c": {1, 0.9, 1.1}},
			"On 6 cores, no scheduler can be called the fastest: b has the least median " +
				"time, but its interval overlaps with that of a. Their speed-ups: b 5.0 " +
				"(4.2–5.1), a 4.0 (3.9–4.2)."},
		// One that is not the next may overlap too.
		{map[string][3]float64{"a": {4, 3.9, 4.1}, "b": {5, 4.2, 5.1}, "c": {1, 0.9, 9}},
			"On 6 cores, no scheduler can be called the fastest: b has the least median " +
				"time, but its interval overlaps with that of c. Their speed-ups: b 5.0 " +
				"(4.2–5.1), c 1.0 (0.9–9.0)."},
		{map[string][3]float64{"a": {4, 0, 0}, "b": {5, 4.2, 5.1}},
			"On 6 cores, the highest median speed-up is that of b, 5.0 (4.2–5.1), but " +
				"fewer than 6 repetitions give no interval, so that no scheduler is called the " +
				"fastest."},
		{map[string][3]float64{"a": {4, 0, 0}}, "On 6 cores, a runs 4.00 times as fast as the " +
			"serial program; there is no other scheduler to compare it with."},
		{nil, "No speed-up is known on 6 cores."},
	} {
		if got := speed(ranked(c.values), 6); got != c.want {
			t.Errorf("%v:\n%s\nexpected\n%s", c.values, got, c.want)
		}
	}
	r := &result.Result{Serial: result.Serial{TimeNS: result.Some(0)}}
	r.Summary.TimeNS = result.Quantity{Median: result.Some(2e9)}
	if got := speed([]standing{{scheduler: "a", result: r}},
		2); got != "No speed-up is known on 2 cores: the serial run takes no time on this "+
		"machine. Times: a 2.00\u00a0s." {
		t.Error(got)
	}
}

// Those with one share are named together, and only others can overlap with them.
func TestReuseOfEqual(t *testing.T) {
	of := func(name string, cold uint64) standing {
		r := &result.Result{Scheduler: name}
		for i := range uint64(6) {
			h := krd.Histogram{Accesses: 100, Cold: cold + i, Far: new(uint64)}
			r.Repetitions = append(r.Repetitions, result.Repetition{KRD: &h})
		}
		return standing{scheduler: name, result: r}
	}
	both := "On 6 cores, a and b have the smallest share of accesses to data beyond the last-level " +
		"cache (far or cold), 12\u00a0% (10–15)"
	for want, others := range map[string][]standing{
		both + ".": {of("c", 40)},
		both + ", but the interval of a overlaps with that of c.": {of("c", 12), of("d", 40)},
	} {
		if got := reuse(append([]standing{of("a", 10), of("b", 10)}, others...), 6); got != want {
			t.Errorf("%s\nexpected\n%s", got, want)
		}
	}
}

// Reuse: the smallest share is the best, and none is named where intervals overlap.
func TestReuse(t *testing.T) {
	e := example()
	g := e.Groups()[0]
	if got := findings(&g)[1]; !strings.HasPrefix(got, "shepherd-socket reuses best: "+
		"11.43\u00a0% (11.40–11.45) of its accesses") {
		t.Errorf("%s", got)
	}
	for _, c := range g.Cells { // workfirst now varies over all of the others
		if c.Result.Scheduler == "workfirst" {
			for i := range c.Result.Repetitions {
				h := *c.Result.Repetitions[i].KRD
				h.Cold = uint64(500 + 200*i)
				c.Result.Repetitions[i].KRD = &h
			}
		}
	}
	if got := findings(&g)[1]; !strings.Contains(got, "the smallest share, but its interval "+
		"overlaps with that of workfirst") {
		t.Errorf("%s", got)
	}
}

// The interval of a ratio of medians: covers the ratio of the populations about as often as it
// claims.
func TestRatioCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 20
	trials := long.Or(60, 300)
	covered := 0
	for range trials {
		var a, b []float64
		for range n {
			a, b = append(a, 3+rng.NormFloat64()*0.2), append(b, 2+rng.NormFloat64()*0.1)
		}
		q := ratioOf(result.Sample{Values: a}, result.Sample{Values: b})
		if q.Low.Float() <= 1.5 && 1.5 <= q.High.Float() {
			covered++
		}
	}
	if share := float64(covered) / float64(trials); share < 0.90 || share > 0.995 {
		t.Errorf("%.3f of the intervals hold the ratio, expected about 0.95", share)
	}
	if q := ratioOf(result.Sample{Values: []float64{3, 3, 3}},
		result.Sample{Values: []float64{2, 2, 2}}); q.Median.Float() != 1.5 ||
		q.Low.Known() {
		t.Errorf("of three values: %+v, expected 1.5 without an interval", q)
	}
	// The extremes of 6 values hold the median with 1 - 2/2^6.
	if q := result.QuantityOf([]float64{6, 1, 5, 2, 4, 3}); q.Median.Float() != 3.5 || q.Low.Float() != 1 ||
		q.High.Float() != 6 || q.Confidence.Float() != 1-2.0/64 {
		t.Errorf("median of 1 to 6: %+v", q)
	}
}

// Numbers as they are printed.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{count(12), "12"},
		{units.List([]string{"a", "b", "c"}), "a, b and c"},
		{doc.Digits(123456, 4), "123456"},
		{shell([]string{"/a b/krdlab", "run", "it's", "--n=4", "", "$HOME"}),
			`krdlab run 'it'\''s' --n=4 '' '$HOME'`},
	} {
		if c.got != c.want {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
	if sh, err := exec.LookPath("sh"); err == nil {
		words := []string{"krdlab", "%s|", `a'b"c $x \n`, "", "*", "é"}
		out, err := exec.Command(sh, "-c", "krdlab() { printf \"$@\"; }; "+shell(words)).Output()
		if want := strings.Join(words[2:], "|") + "|"; err != nil || string(out) != want {
			t.Errorf("the shell reads %q (%v), expected %q", out, err, want)
		}
	}
}

// The same warning of many results is said once; numbers may differ.
func TestWarnings(t *testing.T) {
	e := example()
	for i, c := range e.Cells {
		c.Result.WarningCodes = []result.Warning{result.Warn(result.Text, "the same"),
			result.Warn(result.Interrupted, i, 99)}
		c.Result.Warnings = doc.Sentences(c.Result.WarningCodes)
	}
	got := warnings(e)
	if len(got) != 2 || got[0].Count != 16 || got[0].Other || len(got[0].Where) != maxWhere ||
		got[0].More != 16-maxWhere || !got[1].Other || got[1].Text != "ended after 0 of 99 repetitions" {
		t.Errorf("%+v", got)
	}
	if got[0].Where[1] != "helpfirst on 1 core" {
		t.Errorf("where: %q", got[0].Where)
	}
}

// A machine's file is shown with its guesses marked, whether it is the experiment's or built in.
func TestMachineFiles(t *testing.T) {
	f := readMachine(t.TempDir(), request.DefaultMachine)
	marked := 0
	for _, l := range f.Lines {
		if l.Guess {
			marked++
		}
	}
	if f.Error != "" || f.Guesses == 0 || f.Guesses != marked || !strings.Contains(f.Origin,
		"as built into") {
		t.Errorf("%d guesses, %d marked, from %q, error %q", f.Guesses, marked, f.Origin, f.Error)
	}
	e := loaded(t, func(dir string) {
		text := []byte("name = \"made-4s\"\nnodes = # estimated\n")
		if err := writeNew(filepath.Join(dir, dataset.MachinesDir, "made-4s.toml"),
			text); err != nil {
			t.Fatal(err)
		}
	})
	files := machineFiles(e)
	if len(files) != 1 || files[0].Error == "" || len(files[0].Lines) != 2 ||
		files[0].Guesses != 0 {
		t.Errorf("a broken file: %+v", files)
	}
	if f := readMachine(e.Dir, "../plan"); f.Error == "" || len(f.Lines) > 0 {
		t.Errorf("a file outside of machines/ is read: %+v", f)
	}
}

// native makes the experiment one that was measured, on a machine whose state is known.
func native(e *dataset.Experiment, governor string, boost bool, load float64) *dataset.Experiment {
	no := false
	for i := range e.Cells {
		c := &e.Cells[i]
		c.Result.Substrate, c.Result.Settings.CacheModel = "native", ""
		m := *c.Manifest
		m.System.Governors, m.System.Boost, m.System.LoadAverage,
			m.System.Virtual = []string{governor}, &boost, &[3]float64{load, load, load}, &no
		c.Manifest = &m
	}
	for i := range e.Plan {
		e.Plan[i].Machine = dataset.Native
	}
	return e
}

// What is known of validity is judged: each doubt has its cause, and without causes there is none.
func TestValidity(t *testing.T) {
	find := func(e *dataset.Experiment, subject string) judgement {
		for _, j := range validity(e) {
			if j.Subject == subject {
				return j
			}
		}
		return judgement{}
	}
	calm := native(example(), "performance", false, 0.3)
	for _, s := range []string{"Load", "Clock frequency", "Disturbed repetitions", "Cells",
		"Repetitions"} {
		if j := find(calm, s); j.Level != fine {
			t.Errorf("%s of a calm machine: %+v", s, j)
		}
	}
	if got := verdict(calm, validity(calm)); !strings.HasPrefix(got, "The numbers were measured "+
		"on a real machine. Nothing that was looked at") {
		t.Errorf("%q", got)
	}
	doubtful := native(example(), "powersave", true, 0.3)
	if got := verdict(doubtful, validity(doubtful)); got != "The numbers were measured on a real "+
		"machine. There is reason to doubt some of them: see below." {
		t.Errorf("%q", got)
	}
	mixed := native(example(), "powersave", true, 14)
	mixed.Cells[0].Result.Substrate = "simulated"
	mixed.Cells[1].Result.Repetitions[2].Flags = []string{"lost 3 records"}
	mixed.Cells[1].Result.Trace = &result.Trace{Records: 1000, Discarded: 24}
	mixed.Cells[2].Result.Check = &result.Check{Passed: false}
	revision := "abc"
	m := *mixed.Cells[3].Manifest
	m.Build.Revision = &revision
	mixed.Cells[3].Manifest = &m
	for subject, want := range map[string]judgement{
		"Load": {doubt, "", "load average 14.00 before the first run, on 24 " +
			"CPUs: other programs ran"},
		"Clock frequency": {doubt, "", "governor powersave, boost on: it may have changed " +
			"during the runs"},
		"Disturbed repetitions": {doubt, "", "1 of 256, serial ones counted: lost N records"},
		"Trace losses":          {fault, "", "24 records of 1\u202f024 were lost"},
		"Numerical check":       {fault, "", "FAILED for shepherd-core on 1 core"},
		"Program": {doubt, "", "krdlab of revision abc and unknown: cells of " +
			"different programs"},
	} {
		if j := find(mixed, subject); j.Level != want.Level || j.Text != want.Text {
			t.Errorf("%s: %+v, expected %+v", subject, j, want)
		}
	}
	warned := native(example(), "powersave", true, 14)
	warned.Cells[3].Result.WarningCodes = []result.Warning{
		result.Warn(result.LostCPU, result.Parallel, 99.0)}
	if j := find(warned, "Disturbed repetitions"); j.Level != doubt ||
		j.Text != "in 1 of 16 results other programs, or the machine, disturbed repetitions or the "+
			"serial run; these results are marked ~" {
		t.Errorf("%+v", j)
	}
	warned.Cells[3].Result.WarningCodes = nil
	warned.Cells[5].Result.Disturbances = &result.Disturbances{SetAside: 2}
	if j := find(warned, "Disturbed repetitions"); j.Level != fine || !strings.HasSuffix(j.Text,
		"2 repetitions done again and set aside; not looked for in 15 results") {
		t.Errorf("%+v", j)
	}
	if got := verdict(mixed, validity(mixed)); !strings.HasPrefix(got,
		"Some of the numbers are measured and some simulated") {
		t.Errorf("%q", got)
	}
}
