package dataset_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
)

var small = sync.OnceValue(datasettest.Small) // nobody changes it

// written is the made experiment on disk.
func written(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "exp")
	if err := datasettest.Write(small(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func load(t *testing.T, dir string) *dataset.Experiment {
	t.Helper()
	e, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Written data is read back: all numbers, and the keys that group them.
func TestRoundTrip(t *testing.T) {
	want, got := datasettest.Small(), load(t, written(t))
	if len(got.Problems) > 0 || len(got.Cells) != len(want.Cells) || got.Info == nil ||
		!got.Info.Created.Equal(datasettest.Created) {
		t.Fatalf("%d cells of %d, problems %v, info %+v", len(got.Cells), len(want.Cells),
			got.Problems, got.Info)
	}
	for i := range want.Cells {
		a, err := json.Marshal(want.Cells[i].Result)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(got.Cells[i].Result)
		if err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			n := 0
			for n < min(len(a), len(b)) && a[n] == b[n] {
				n++
			}
			t.Errorf("cell %s, %s: %.80s\nread as %.80s", want.Cells[i].ID,
				want.Cells[i].Result.Scheduler, a[n:], b[n:])
		}
		if !reflect.DeepEqual(got.Cells[i].Result.Params, want.Cells[i].Result.Params) {
			t.Errorf("parameters %#v, expected %#v", got.Cells[i].Result.Params,
				want.Cells[i].Result.Params)
		}
	}
	groups := got.Groups()
	if len(groups) != 1 || !reflect.DeepEqual(groups[0].Schedulers(), datasettest.Schedulers) ||
		!reflect.DeepEqual(groups[0].Cores(), datasettest.Cores) {
		t.Errorf("groups %+v", groups)
	}
	if key := groups[0].String(); key != "matmul n=512 leaf=32x32x64 layout=tiled isa=auto "+
		"inputs=integers, simulated on made-4s, cache model blocks" {
		t.Errorf("key %q", key)
	}
	if len(got.Rows()) != len(want.Cells)*datasettest.Reps {
		t.Errorf("%d rows", len(got.Rows()))
	}
	for _, r := range got.Rows() {
		if n := float64(r.Cell.Result.Cores) / (r.OVR.Float() * r.WTI.Float()); n/r.Speedup.Float()-1 > 1e-12 || n/r.Speedup.Float()-1 < -1e-12 {
			t.Errorf("speed-up %v, N / (OVR x WTI) %v", r.Speedup, n)
		}
	}
}

// Whatever is wrong with a cell is said, and the others are used.
func TestProblems(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(dir, cell string) error
		kind dataset.ProblemKind
		text string
		left int // cells
	}{
		"missing": {func(_, cell string) error { return os.RemoveAll(cell) }, dataset.Missing,
			"not been run", 12},
		"partial": {func(_, cell string) error { return os.Rename(cell, cell+".partial") },
			dataset.Partial, "did not finish", 12},
		"failed": {func(_, cell string) error {
			return errors.Join(os.RemoveAll(cell), os.WriteFile(cell+".failed.json",
				[]byte(`{"schema_version":1,"error":"no room","exit_code":1}`), 0o666))
		}, dataset.Failed, "no room", 12},
		"cut": {func(_, cell string) error {
			return os.Truncate(filepath.Join(cell, "result.json"),
				1000)
		}, dataset.Unreadable, "result.json: ", 12},
		"newer": {func(_, cell string) error {
			return edit(cell, `"schema_version": 1,`,
				`"schema_version": 2,`)
		}, dataset.Unreadable,
			"workfirst: schema version 2, expected 1", 15},
		"older": {func(_, cell string) error {
			return edit(cell, `"schema_version": 1,`,
				`"schema_version": 0,`)
		}, dataset.Unreadable,
			"schema version 0, expected 1", 15},
		"version is a text": {func(_, cell string) error {
			return edit(cell, `"schema_version": 1,`,
				`"schema_version": "1",`)
		}, dataset.Unreadable,
			"result 1: json: cannot unmarshal string into Go", 15},
		"node": {func(_, cell string) error {
			return edit(cell, `"node": 0,`,
				`"node": -1,`)
		}, dataset.Unreadable, "worker 0 is on node -1", 15},
		"large node": {func(_, cell string) error {
			return edit(cell, `"node": 0,`,
				`"node": 999999999,`)
		}, dataset.Unreadable, "worker 0 is on node 999999999", 15},
		"no source": {func(_, cell string) error {
			return edit(cell, `"llc_source": "model"`,
				`"llc_source": null`)
		}, dataset.Unreadable, "its llc_source is null", 15},
		"no kernel": {func(_, cell string) error {
			return edit(cell, `"kernel": "matmul"`,
				`"kernel": ""`)
		}, dataset.Unreadable, "names no kernel", 15},
		"no substrate": {func(_, cell string) error { return edit(cell, `"simulated"`, `"both"`) },
			dataset.Unreadable, "substrate is \"both\"", 15},
		"no cores": {func(_, cell string) error {
			return edit(cell, `"cores": 6,`,
				`"cores": 0,`)
		}, dataset.Unreadable, "it has 0 cores", 15},
		"negative": {func(_, cell string) error {
			return edit(cell, `"tasks": `,
				`"tasks": -`)
		}, dataset.Unreadable, "tasks is -", 15},
		"sum of bins": {func(_, cell string) error { return edit(cell, `"cold": `, `"cold": 1`) },
			dataset.Unreadable, "add up to", 15},
		"other cores": {func(_, cell string) error {
			return edit(cell, `"cores": 6,`,
				`"cores": 7,`)
		}, dataset.Unreadable, "workfirst is on 7 cores, planned are 6; not used", 15},
		"manifest of another version": {func(_, cell string) error {
			path := filepath.Join(cell, result.ManifestFile)
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, bytes.Replace(b, []byte(`"schema_version": 1,`),
				[]byte(`"schema_version": 2,`), 1), 0o666)
		}, dataset.Unreadable, "manifest.json: schema version 2, expected 1; the results are used", 16},
		"other seed": {func(_, cell string) error {
			return edit(cell, `"seed": 1,`,
				`"seed": 2,`)
		}, dataset.Unreadable, "workfirst has the seed 2, planned is 1", 15},
		"other kernel": {func(_, cell string) error {
			return edit(cell, `"kernel": "matmul"`,
				`"kernel": "fmm"`)
		}, dataset.Unreadable, "is of the kernel fmm", 15},
		"traced misses": {func(_, cell string) error {
			return edit(cell, `"llc_model": null,
    "krd"`, `"llc_model": {"traced": [null]},
    "krd"`)
		}, dataset.Unreadable, "workfirst: llc_model: traced repetition 1 is null", 15},
		"other size": {func(_, cell string) error {
			return edit(cell, `"n": 512`, `"n": 513`)
		}, dataset.Unreadable, "workfirst has n 513, planned is 512; not used", 15},
		"no parameters": {func(_, cell string) error {
			return edit(cell, `"params": {`, `"params": null, "were": {`)
		}, dataset.Unreadable, "workfirst has inputs none, planned is integers; not used", 15},
		"other settings": {func(_, cell string) error {
			return edit(cell, `"warmup": `, `"warmup": 1`)
		}, dataset.Unreadable, "workfirst has warmup 1", 15},
		"other substrate": {func(_, cell string) error {
			return edit(cell, `"substrate": "simulated"`, `"substrate": "native"`)
		}, dataset.Unreadable, "workfirst is native, planned is made-4s; not used", 15},
		"no manifest": {func(_, cell string) error {
			return os.Remove(filepath.Join(cell,
				"manifest.json"))
		}, dataset.Unreadable, "manifest.json is not there; the results are used", 16},
	} {
		dir := written(t)
		if err := test.do(dir, filepath.Join(dir, dataset.CellsDir, "0001-matmul-c6")); err != nil {
			t.Fatal(err)
		}
		e := load(t, dir)
		if len(e.Problems) != 1 || e.Problems[0].Kind != test.kind ||
			e.Problems[0].Cell != "0001-matmul-c6" || !strings.Contains(e.Problems[0].Detail,
			test.text) {
			t.Errorf("%s: problems %v", name, e.Problems)
		}
		if len(e.Cells) != test.left {
			t.Errorf("%s: %d cells can be used, expected %d", name, len(e.Cells), test.left)
		}
		lacking := test.kind == dataset.Unreadable && test.left < 16
		if unused := e.Unused(); lacking != (len(unused) == 1) ||
			lacking != (e.Plan[1].Unused(dir, nil) != nil) {
			t.Errorf("%s: not used: %v", name, unused)
		}
	}
}

// Sums that were changed in a document, against which no checksum is kept, have no effect.
func TestChangedSums(t *testing.T) {
	dir := written(t)
	want := load(t, dir)
	for from, to := range map[string]string{`"median": `: `"median": 1`, `"n": 8`: `"n": 9`,
		`"mean_ns": `: `"mean_ns": 1`, `"interrupted": false`: `"interrupted": true`} {
		if err := edit(filepath.Join(dir, dataset.CellsDir, "0001-matmul-c6"), from,
			to); err != nil {
			t.Fatal(err)
		}
		if got := load(t, dir); len(got.Problems) > 0 || !reflect.DeepEqual(got.Cells,
			want.Cells) {
			t.Errorf("%s: problems %v, or other results", to, got.Problems)
		}
	}
}

// edit replaces the first from in the results of a cell.
func edit(cell, from, to string) error {
	path := filepath.Join(cell, "result.json")
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !strings.Contains(string(b), from) {
		return errors.New(from + " is not there")
	}
	return os.WriteFile(path, []byte(strings.Replace(string(b), from, to, 1)), 0o666)
}

// A plan that cannot be read, and folders that are no experiments, are errors that say where and
// what.
func TestNothingToLoad(t *testing.T) {
	empty := t.TempDir()
	if _, err := dataset.Load(empty); !errors.Is(err, dataset.ErrNotAnExperiment) {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := dataset.Load(filepath.Join(empty, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	for text, want := range map[string]string{
		"{\n": "plan.jsonl:1: ", `{"schema_version":7,"id":"a"}`: "plan.jsonl:1: schema version 7, expected 1",
		`{"schema_version":1,"index":1,"id":"a"}`:    "index 1, expected 0",
		`{"schema_version":1,"index":0,"id":"../a"}`: "without slashes",
		`{"schema_version":1,"index":0,"id":".."}`:   "no name of a folder",
		`{"schema_version":1,"index":0,"id":"a"}` + "\r\n\r\n" +
			`{"schema_version":1,"index":1,"id":"a"}`: `plan.jsonl:3: the cell's id "a" is that of line 1 too`,
	} {
		dir := written(t)
		if err := os.WriteFile(filepath.Join(dir, "plan.jsonl"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := dataset.Load(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("plan %q: %v, expected %q", text, err, want)
		}
	}
}

// A run directory is an experiment of its own.
func TestSingleRun(t *testing.T) {
	cell := filepath.Join(written(t), dataset.CellsDir, "0002-matmul-c12")
	e := load(t, cell)
	if len(e.Cells) != 4 || e.Info != nil || len(e.Problems) > 0 || e.Name != "0002-matmul-c12" {
		t.Errorf("%d cells, %v", len(e.Cells), e.Problems)
	}
	if r := e.Groups()[0].At("helpfirst", 12); r == nil || r.Summary.Speedup.N != datasettest.Reps {
		t.Errorf("helpfirst at 12 cores: %+v", r)
	}
}

// Cells of several seeds are one sample.
func TestPool(t *testing.T) {
	e := datasettest.Small()
	r := e.Cells[0].Result
	p := result.Pool([]*result.Result{r, r})
	if p.Summary.WTI.N != 2*datasettest.Reps ||
		p.Summary.LLCMissesPerCore.N != 2*datasettest.Reps ||
		p.Summary.WTI.Median != r.Summary.WTI.Median ||
		p.Summary.LLCMissesPerCore.Median != r.Summary.LLCMissesPerCore.Median {
		t.Errorf("pooled %+v, alone %+v", p.Summary, r.Summary)
	}
	other := *r
	perf := "perf_event"
	other.LLCSource = &perf
	if p := result.Pool([]*result.Result{r, &other}); p.LLCSource != nil ||
		p.Summary.LLCMissesPerCore.N != 0 || p.Summary.WTI.N != 2*datasettest.Reps {
		t.Errorf("misses of the model and of hardware were pooled, or WTI was lost: %+v", p.Summary)
	}
}

// A result of another scheduler in the place of a planned one: what came twice is used once, and
// what is lost is said.
func TestTwice(t *testing.T) {
	dir := written(t)
	cell := filepath.Join(dir, dataset.CellsDir, "0001-matmul-c6")
	if err := edit(cell, `"scheduler": "workfirst"`, `"scheduler": "helpfirst"`); err != nil {
		t.Fatal(err)
	}
	e := load(t, dir)
	text := fmt.Sprint(e.Problems)
	if len(e.Cells) != 15 || !strings.Contains(text, "helpfirst comes twice") ||
		!strings.Contains(text, "no result of workfirst") {
		t.Errorf("%d cells, problems %s", len(e.Cells), text)
	}
}

// Documents with a byte order mark, other ends of lines and blanks at them are read as without;
// bytes in another encoding are told with file and line, and no name is read as another.
func TestEncodings(t *testing.T) {
	clean := load(t, written(t))
	cell := filepath.Join(dataset.CellsDir, "0001-matmul-c6")
	for file, left := range map[string]int{dataset.PlanFile: 0, dataset.InfoFile: 16,
		filepath.Join(cell, result.ResultFile): 12, filepath.Join(cell, result.ManifestFile): 16} {
		dir := written(t)
		path := filepath.Join(dir, file)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		write := func(text string) (*dataset.Experiment, error) {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			return dataset.Load(dir)
		}
		e, err := write("\ufeff" + strings.ReplaceAll(text, "\n", " \r\n") + "\r\n \n")
		if err != nil || len(e.Problems) > 0 || len(e.Cells) != len(clean.Cells) ||
			fmt.Sprint(e.Plan) != fmt.Sprint(clean.Plan) ||
			(e.Info == nil) != (clean.Info == nil) {
			t.Errorf("%s with a mark, CRLF and blanks: %+v, %v", file, e, err)
		}
		at := strings.LastIndex(text, `"kernel"`)
		if file == dataset.InfoFile {
			at = strings.LastIndex(text, `"kind"`)
		}
		line := 1 + strings.Count(text[:at], "\n")
		for bad, want := range map[string]string{
			text[:at+2] + "\xe9" + text[at+2:]: fmt.Sprintf("%s:%d: found bytes that are no UTF-8",
				path, line),
			"\xff\xfe{\x00": path + ":1: found UTF-16, expected UTF-8",
		} {
			e, err := write(bad)
			said, cells := fmt.Sprint(err), 0
			if err == nil {
				said, cells = fmt.Sprint(e.Problems), len(e.Cells)
			}
			if !strings.Contains(said, want) || cells != left {
				t.Errorf("%s: %s, %d cells, want %s and %d", file, said, cells, want, left)
			}
		}
	}
}

// A result with fewer repetitions than planned has a warning, is used, and is no damage.
func TestInterrupted(t *testing.T) {
	e := datasettest.Small()
	r := e.Cells[0].Result
	short := result.Summarise(request.Asked{Kernel: r.Kernel, Params: r.Params, Seed: r.Seed,
		Settings: r.Settings}, &result.Measured{Scheduler: r.Scheduler, Workers: r.Cores,
		Substrate: r.Substrate, Machine: r.Machine, LLCSource: *r.LLCSource, KRD: r.KRD,
		Serial: r.Serial.Repetitions, Repetitions: r.Repetitions[:datasettest.Reps-1]})
	e.Cells[0].Result = &short
	dir := filepath.Join(t.TempDir(), "exp")
	if err := datasettest.Write(e, dir); err != nil {
		t.Fatal(err)
	}
	got := load(t, dir)
	if len(got.Problems) != 1 || got.Problems[0].Kind != dataset.Interrupted ||
		!strings.Contains(got.Problems[0].Detail, "7 of 8 repetitions") ||
		len(got.Cells) != len(e.Cells) || len(got.Unused()) != 0 {
		t.Errorf("%d cells, not used %v, problems %v", len(got.Cells), got.Unused(), got.Problems)
	}
}
