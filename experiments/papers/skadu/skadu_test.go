package skadu

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/sweep"
	"krdlab/hw"
	"krdlab/hw/hwtest/long"
	"krdlab/loi/front/corpus"
)

// TestMain links programs by package corpus.
func TestMain(m *testing.M) {
	if err := corpus.Linking(); err != nil {
		panic(err)
	}
	m.Run()
}

// once is one iteration of sor, with more data than scale smoke has: the shortest program for which
// BulkTV takes less than SlimTV.
var once = program{name: "sor-once", source: scimark, args: "sor -iterations 1",
	paths: inputs{smoke: "-n 180"}}

// some opens a folder with some of the steps of scale smoke and of once.
func some(t *testing.T, names ...string) *study.Folder {
	t.Helper()
	all := plan(study.Smoke, append(slices.Clone(programs), once))
	list := slices.DeleteFunc(all, func(s study.Step) bool {
		return !slices.Contains(names, s.Name)
	})
	if len(list) != len(names) {
		t.Fatalf("%d steps of %q", len(list), names)
	}
	f, _, err := study.Open(filepath.Join(t.TempDir(), "s"), Study.Name, study.Smoke, list)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func run(t *testing.T, f *study.Folder) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	host, err := hw.Host()
	if err == nil {
		err = f.Run(t.Context(), sweep.Options{Host: host, Argv: []string{"krdlab"}}, func(int, int, string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func load[T any](t *testing.T, f *study.Folder, name string) *T {
	t.Helper()
	x, err := study.Load[T](f, name)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The bytes computed from SlimTV are those of the baseline, for a Go program and for a kernel.
func TestBaselineBytes(t *testing.T) {
	f := some(t, "lu-slim", "lu-baseline", "heat-slim", "heat-baseline")
	run(t, f)
	for _, name := range []string{"lu", "heat"} {
		slim, base := load[Sample](t, f, name+"-slim"), load[Sample](t, f, name+"-baseline")
		if got, want := slim.baselineBytes(&footprints), base.VersionBytes+base.TableBytes; got != want ||
			slim.Depth < 3 || slim.VersionBytes == 0 {
			t.Errorf("%s: computed %d bytes, the baseline has %d; %+v", name, got, want, slim)
		}
		if slim.PeakBytes >= base.PeakBytes || slim.DataBytes != base.DataBytes ||
			slim.WholeNS <= 0 || (slim.OwnNS == nil) != (name == "heat") {
			t.Errorf("%s: %+v, the baseline %+v", name, slim, base)
		}
	}
	// lu has a matrix of 32 x 32 and what it was
	if x := load[Sample](t, f, "lu-slim"); x.DataBytes < 8*32*32 || x.DataBytes > 1<<20 {
		t.Errorf("lu touched %v bytes", x.DataBytes)
	}
}

// TestPathsOfBaseline has the same for critical paths. Techniques differ in what they take alone.
func TestPathsOfBaseline(t *testing.T) {
	name := long.Or("sor-once", "nas-is")
	f := some(t, name+"-paths-slim", name+"-paths-bulk", name+"-paths-compressed",
		name+"-paths-baseline")
	run(t, f)
	slim, base := load[Sample](t, f, name+"-paths-slim"), load[Sample](t, f, name+"-paths-baseline")
	bulk := load[Sample](t, f, name+"-paths-bulk")
	if got, want := slim.baselineBytes(&hcpa), base.TagBytes+base.VersionBytes+base.TableBytes; got <
		want*9/10 || got > want*11/10 || base.VersionBytes != base.TagBytes {
		t.Errorf("computed %d bytes, the baseline has %d; %+v", got, want, base)
	}
	// whole tables of tags, of the deepest levels too, for the matrix, or for the keys and the ranks
	// of class S
	if slim.PeakBytes >= base.PeakBytes || bulk.PeakBytes >= slim.PeakBytes ||
		bulk.PeakBytes < 8*uint64(long.Or(180*180, 65536+2048)) {
		t.Errorf("baseline %d bytes, SlimTV %d, BulkTV %d", base.PeakBytes, slim.PeakBytes,
			bulk.PeakBytes)
	}
	for _, x := range []*Sample{slim, base, bulk} {
		if x.Depth != slim.Depth || x.Depth < 4 || x.DataBytes != 0 || x.OwnNS == nil || *x.OwnNS <= 0 ||
			x.WholeNS <= 0 {
			t.Errorf("%+v", x)
		}
	}
}

// Where the libraries cannot be had the other programs are measured, and the folder has the reason;
// with them it goes on.
func TestNoNetwork(t *testing.T) {
	f := some(t, "fft-native", "flate-native")
	names := []string{"GOMODCACHE", "GOPROXY", "GOFLAGS"}
	before := map[string]string{}
	for _, name := range names {
		before[name] = os.Getenv(name)
	}
	for i, value := range []string{t.TempDir(), "off", "-modcacherw"} {
		t.Setenv(names[i], value)
	}
	run(t, f)
	if why := f.Left("flate-native"); !strings.Contains(why, "module lookup disabled") {
		t.Errorf("left out: %q", why)
	}
	fft := load[Native](t, f, "fft-native")
	if len(fft.TimesNS) != nativeRuns || fft.TimesNS[0] <= 0 || fft.PeakBytes < 1<<20 {
		t.Errorf("%+v", fft)
	}
	for name, value := range before {
		t.Setenv(name, value)
	}
	large := make([]byte, 200<<20)
	for i := range large {
		large[i] = 1
	}
	run(t, f)
	if why := f.Left("flate-native"); why != "" {
		t.Errorf("left out still: %q", why)
	}
	// the peak is that of the program, not of this process
	if x := load[Native](t, f, "flate-native"); x.PeakBytes < 1<<20 || x.PeakBytes > 100<<20 {
		t.Errorf("%+v", x)
	}
	runtime.KeepAlive(large)
}

// The packages of others are observed: their functions and loops nest deeper than the program that
// calls them.
func TestLibraries(t *testing.T) {
	names := long.Or([]string{"toml"}, []string{"flate", "toml", "table"})
	var list []string
	for _, name := range names {
		list = append(list, name+"-bulk", name+"-compressed")
	}
	f := some(t, list...)
	run(t, f)
	for _, name := range names {
		x, packed := load[Sample](t, f, name+"-bulk"), load[Sample](t, f, name+"-compressed")
		if x.Depth < 9 || x.DataBytes < 4096 || x.Observed == nil || *x.Observed < 0.3 ||
			*x.Observed > 1 || x.PeakBytes == 0 ||
			math.Abs(x.DataBytes-packed.DataBytes) > 0.02*x.DataBytes { // maps have no order
			t.Errorf("%s: %+v, compressed %+v", name, x, packed)
		}
	}
}

// put writes what steps left.
func put(t *testing.T, f *study.Folder, name string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(f.Path(name), text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The tables of made-up steps: what is divided by what, what is null and why.
func TestResult(t *testing.T) {
	f, _, err := Study.Open(filepath.Join(t.TempDir(), "s"), study.Quick)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(f.Dir, study.Dir), 0o777); err != nil {
		t.Fatal(err)
	}
	large := uint64(8 << 30)
	for i := range programs {
		p := &programs[i]
		for _, by := range profilers {
			if !by.has(p, study.Quick) {
				continue
			}
			put(t, f, nativeName(by, p), &Native{1e6, []float64{9e6, 1e6, 2e6}})
			for k, technique := range by.measured() {
				own := float64(4e6)
				s := &Sample{Depth: 5, DataBytes: 1e5, PeakBytes: 1e6 * uint64(k), OwnNS: &own,
					WholeNS: 8e6}
				switch {
				case p.source == kernels:
					s.OwnNS = nil
				case p.name == "lu" && technique.name == "baseline":
					s = &Sample{NotRunBytes: &large}
				}
				put(t, f, measuredName(p, technique), s)
			}
		}
		put(t, f, measuredName(p, &deepest), &Sample{Depth: 7})
	}
	if err := os.Remove(f.Path("toml-bulk")); err != nil {
		t.Fatal(err)
	}
	if _, err := outcomeOf(f); !os.IsNotExist(err) {
		t.Errorf("a step that is not there: %v", err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir, study.Dir, "toml-bulk.left.txt"),
		[]byte("left out: no network"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := outcomeOf(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(r); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Programs []struct {
			Depth   *int `json:"depth"`
			Deepest *int `json:"depth_iterations"`
		}
		Techniques []struct {
			Program, Technique, Computed string
			Expansion, Reduction         *float64
			Own                          *float64 `json:"own_slowdown"`
			Whole                        *float64 `json:"whole_slowdown"`
			Shadow                       *float64 `json:"shadow_bytes"`
		}
		Means []struct {
			Quantity, Technique string
			Paper, Ours         *float64
			Verdict             *string
			Programs            int
			With                *float64 `json:"with_kernels"`
			All                 int      `json:"all_programs"`
		}
		Paper           []any
		PathsPrograms   []any `json:"paths_programs"`
		PathsTechniques []any `json:"paths_techniques"`
		Compression     []struct {
			Program                        string
			Without, With, Saved, Slowdown *float64
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Programs) != 16 || len(d.Techniques) != 64 || len(d.Means) != 24 || len(d.Paper) != 12 ||
		len(d.PathsPrograms) != 12 || len(d.PathsTechniques) != 48 || len(d.Compression) != 12 {
		t.Fatalf("%d programs, %d rows, %d means, %d of the paper; %d, %d and %d of critical paths",
			len(d.Programs), len(d.Techniques), len(d.Means), len(d.Paper), len(d.PathsPrograms),
			len(d.PathsTechniques), len(d.Compression))
	}
	// of 1 MB the program has, BulkTV takes another one, with compression another two
	if x := d.Compression[0]; *x.Without != 2 || *x.With != 3 || *x.Saved != -0.5 || *x.Slowdown != 1 {
		t.Errorf("compression: %+v", x)
	}
	say := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.4g", *v)
	}
	got := map[string]string{}
	for _, x := range d.Techniques {
		got[x.Program+" "+x.Technique] = strings.Join([]string{say(x.Shadow), x.Computed,
			say(x.Expansion), say(x.Own), say(x.Whole), say(x.Reduction)}, " ")
	}
	for name, want := range map[string]string{
		"fft SlimTV":           "0 no 1 2 4 4",
		"fft with compression": "2e+06 no 3 2 4 1.333",
		"fft baseline":         "3e+06 no 4 2 4 1",
		"lu SlimTV + BulkTV":   "1e+06 no 2 2 4 -",
		"lu baseline":          "8.59e+09 yes - - - -",
		"toml SlimTV + BulkTV": "- no - - - -",
		"matmul SlimTV":        "0 no 1 - 4 4",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, expected %s", name, got[name], want)
		}
	}
	seen := 0
	for _, x := range d.Means {
		want, n, all := 0.0, 0, 0
		switch x.Quantity + ", " + x.Technique {
		case "memory expansion, SlimTV + BulkTV": // not of toml
			want, n, all = 2, 11, 15
		case "memory expansion, baseline": // not of lu
			want, n, all = 4, 11, 15
		case "slowdown of the whole run, with compression":
			want, n, all = 4, 12, 12
		default:
			continue
		}
		if seen++; math.Abs(*x.Ours-want) > 1e-9 || math.Abs(*x.With-want) > 1e-9 ||
			x.Programs != n || x.All != all || (x.Paper == nil) != (n == 12) || (x.Verdict == nil) != (n == 12) ||
			x.Verdict != nil && *x.Verdict != string(claims.Disagree) { // 1.4 and 17.8
			t.Errorf("%+v, expected %v of %d and %d", x, want, n, all)
		}
	}
	if seen != 3 {
		t.Errorf("%d means", seen)
	}
	if p := d.Programs; *p[0].Depth != 5 || *p[0].Deepest != 7 || p[12].Deepest != nil {
		t.Errorf("levels: %+v", p)
	}
	page, err := os.ReadFile(filepath.Join(f.Dir, study.ReportText))
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"left out: no network", "it would take more than 4 GiB",
		"tasks have no iterations"} {
		if !strings.Contains(string(page), words) {
			t.Errorf("the page has no %q", words)
		}
	}
}

// Steps have names of their own, with a plain run and all techniques for each program.
func TestPlan(t *testing.T) {
	for _, scale := range study.Scales {
		seen := map[string]bool{}
		for _, s := range plan(scale, programs) {
			if seen[s.Name] {
				t.Errorf("%s: %s twice", scale, s.Name)
			}
			seen[s.Name] = true
		}
		paths := 12
		if scale == study.Smoke { // FT has no small class
			paths = 11
		}
		if n := (16+paths)*(1+4) + 12; len(seen) != n {
			t.Errorf("%s: %d steps, expected %d", scale, len(seen), n)
		}
		for i := range programs {
			if p := &programs[i]; p.source == kernels {
				if _, err := p.request(scale); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
