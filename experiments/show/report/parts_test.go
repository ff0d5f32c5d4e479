package report

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/hwtest/long"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

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
		q := result.RatioOfMedians(result.Sample{Values: a}, result.Sample{Values: b}, 1, estimate.Resamples)
		if q.Low.Float() <= 1.5 && 1.5 <= q.High.Float() {
			covered++
		}
	}
	if share := float64(covered) / float64(trials); share < 0.90 || share > 0.995 {
		t.Errorf("%.3f of the intervals hold the ratio, expected about 0.95", share)
	}
	if q := result.RatioOfMedians(result.Sample{Values: []float64{3, 3, 3}},
		result.Sample{Values: []float64{2, 2, 2}}, 1, estimate.Resamples); q.Median.Float() != 1.5 ||
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
		{result.Shell([]string{"/a b/krdlab", "run", "it's", "--n=4", "", "$HOME"}),
			`krdlab run 'it'\''s' --n=4 '' '$HOME'`},
	} {
		if c.got != c.want {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
	if sh, err := exec.LookPath("sh"); err == nil {
		words := []string{"krdlab", "%s|", `a'b"c $x \n`, "", "*", "é"}
		out, err := exec.Command(sh, "-c", "krdlab() { printf \"$@\"; }; "+result.Shell(words)).Output()
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
		if strings.Contains(l, "# "+machine.Estimated) || strings.Contains(l, "# "+machine.NotCalibrated) {
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

// Validity is judged: each doubt has its cause, and without causes there is none.
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
		if j := find(calm, s); j.Level() != doc.Good {
			t.Errorf("%s of a calm machine: %+v", s, j)
		}
	}
	if got := verdict(calm, validity(calm)); !strings.HasPrefix(got, "The numbers were measured "+
		"on a real machine. All 7 checks passed.") {
		t.Errorf("%q", got)
	}
	doubtful := native(example(), "powersave", true, 0.3)
	if got := verdict(doubtful, validity(doubtful)); got != "The numbers were measured on a real "+
		"machine. Some of them are doubtful: see below." {
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
	for subject, want := range map[string]struct {
		level doc.Level
		text  string
	}{
		"Load": {doc.Doubt, "load average 14.00 before the first run, on 24 " +
			"CPUs: other programs ran"},
		"Clock frequency": {doc.Doubt, "governor powersave, boost on: it may have changed " +
			"during the runs"},
		"Disturbed repetitions": {doc.Doubt, "1 of 256, serial ones counted: lost N records"},
		"Trace losses":          {doc.Fault, "24 records of 1\u202f024 were lost"},
		"Numerical check":       {doc.Fault, "FAILED for shepherd-core on 1 core"},
		"Program": {doc.Doubt, "krdlab of revision abc and unknown: cells of " +
			"different programs"},
	} {
		if j := find(mixed, subject); j.Level() != want.level || j.Text() != want.text {
			t.Errorf("%s: %+v, expected %+v", subject, j, want)
		}
	}
	warned := native(example(), "powersave", true, 14)
	warned.Cells[3].Result.WarningCodes = []result.Warning{
		result.Warn(result.LostCPU, result.Parallel, 99.0)}
	if j := find(warned, "Disturbed repetitions"); j.Level() != doc.Doubt ||
		j.Text() != "in 1 of 16 results other programs, or the machine, disturbed repetitions or the "+
			"serial run; these results are marked ~" {
		t.Errorf("%+v", j)
	}
	warned.Cells[3].Result.WarningCodes = nil
	warned.Cells[5].Result.Disturbances = &result.Disturbances{SetAside: 2}
	if j := find(warned, "Disturbed repetitions"); j.Level() != doc.Good || !strings.HasSuffix(j.Text(),
		"2 repetitions done again and set aside; not looked for in 15 results") {
		t.Errorf("%+v", j)
	}
	if got := verdict(mixed, validity(mixed)); !strings.HasPrefix(got,
		"Some of the numbers are measured and some simulated") {
		t.Errorf("%q", got)
	}
}

// Sentences of all captions, and of most, stand once; the others stay where they are.
func TestShared(t *testing.T) {
	list := []plot.Figure{{Caption: []string{"From here. Bars: 95 %.", "Own one."}},
		{Caption: []string{"From here.", "Bars: 95 %. Own two."}}, {Caption: []string{"From here. Another."}}}
	all, most := shared(list)
	if !slices.Equal(all, []string{"From here."}) || !slices.Equal(most, []string{"Bars: 95 %."}) {
		t.Errorf("%q, %q", all, most)
	}
	for i, want := range []string{"Own one.", "Own two.", "Another."} {
		if !slices.Equal(list[i].Caption, []string{want}) {
			t.Errorf("caption %d is %q", i, list[i].Caption)
		}
	}
	if all, most = shared(list[:1]); all != nil || most != nil || len(list[0].Caption) != 1 {
		t.Errorf("of one figure %q, %q", all, most)
	}
}
