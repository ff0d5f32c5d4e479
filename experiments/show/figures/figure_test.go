package figures

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/plot"
)

var update = flag.Bool("update", false, "write the golden files anew")

// small returns the made experiment with its kernel's work divided between two kernels, so that one
// suffers more.
func small(t *testing.T) *dataset.Group {
	t.Helper()
	e := datasettest.Small()
	for i := range e.Cells {
		r := e.Cells[i].Result
		split(r.Serial.Repetitions, 0)
		split(r.Repetitions, 0.004*float64(r.Cores-1))
		r.Kernels = nil
		for _, name := range []string{"m2l", "p2p"} {
			wti := mean(r.Repetitions, name) / mean(r.Serial.Repetitions, name)
			r.Kernels = append(r.Kernels, result.KernelSummary{Name: name,
				WTI: result.Some(wti), SampledEvery: 1})
		}
	}
	groups := e.Groups()
	if len(groups) != 1 {
		t.Fatalf("%d groups", len(groups))
	}
	return &groups[0]
}

// split makes two kernels of the work of repetitions; the first takes a quarter, and so much more.
func split(reps []result.Repetition, more float64) {
	for i := range reps {
		work := *reps[i].WorkNS
		first := int64(float64(work/4) * (1 + more))
		second := work - first
		n := *reps[i].Kernels
		reps[i].KernelTimes = []result.KernelTime{{Name: "m2l", Count: n / 2, TotalNS: &first},
			{Name: "p2p", Count: n / 2, TotalNS: &second}}
	}
}

func mean(reps []result.Repetition, name string) float64 {
	var ns, count float64
	for _, t := range kernelTotals(reps, name) {
		ns, count = ns+float64(t.ns), count+float64(t.count)
	}
	return ns / count
}

// The figures of a small experiment: their numbers, and what is written in their pictures. One
// picture stands for where all is drawn, byte for byte. FIGURES_OUT=folder keeps PNGs, to be looked
// at.
func TestGolden(t *testing.T) {
	list, skipped := All(small(t))
	if len(skipped) != 4 || skipped[0].ID != whyID || skipped[1].ID != mapID || skipped[2].ID != timelineID ||
		skipped[3].ID != arcsID { // it has no traces, and several core counts
		t.Errorf("skipped: %v", skipped)
	}
	var ids []string
	for _, f := range list {
		ids = append(ids, f.ID)
		t.Run(f.ID, func(t *testing.T) {
			var svg bytes.Buffer
			if err := f.Write(&svg, "svg"); err != nil {
				t.Fatal(err)
			}
			if f.ID == "speedup-ovr" {
				golden(t, f.ID+".svg", svg.Bytes())
			}
			golden(t, f.ID+".tsv", append(table(&f), words(svg.Bytes())...))
			if dir := os.Getenv("FIGURES_OUT"); dir != "" {
				var b bytes.Buffer
				if err := f.Write(&b, "png"); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, f.ID+".png"), b.Bytes(),
					0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	want := []string{
		"speedup", "ovr", "wti", "speedup-ovr", "factors", "kernel-wti", "krd-cumulative-1",
		"krd-bins-1",
		"krd-cumulative-6", "krd-bins-6", "krd-cumulative-24",
		"krd-bins-24", "far-12", "far", "misses", "shares", "steals",
	}
	if !slices.Equal(ids, want) {
		t.Errorf("figures %q, expected %q", ids, want)
	}
}

var written = regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)

// words returns the texts in a picture, in the order of drawing, and how often something else is
// drawn.
func words(svg []byte) []byte {
	var b bytes.Buffer
	for _, m := range written.FindAllSubmatch(svg, -1) {
		fmt.Fprintf(&b, "text\t%s\n", m[1])
	}
	fmt.Fprintf(&b, "paths\t%d\n", bytes.Count(svg, []byte("<path")))
	return b.Bytes()
}

// table is the caption and the rows of a figure.
func table(f *plot.Figure) []byte {
	var b bytes.Buffer
	for _, c := range append([]string{f.Title}, f.Caption...) {
		fmt.Fprintf(&b, "# %s\n", c)
	}
	fmt.Fprintln(&b, "panel\tseries\tat\tx\ty\tlow\thigh\tunit\tn")
	number := func(n result.Number) string {
		if !n.Known() {
			return "n/a"
		}
		return fmt.Sprintf("%.6g", n.Float())
	}
	for _, r := range f.Rows() {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%.6g\t%s\t%s\t%s\t%s\t%d\n", r.Panel, r.Series, r.At, r.X,
			number(r.Y), number(r.Low), number(r.High), r.Unit, r.N)
	}
	return b.Bytes()
}

var decimals = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// golden compares with a file of testdata. Where the processor fuses multiplications and additions,
// coordinates of the drawing library may differ in their last digit: there numbers may differ by
// that.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same := bytes.Equal(got, want)
	if !same && runtime.GOARCH != "amd64" {
		same = nearly(got, want)
	}
	if !same {
		g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Fatalf("%s:%d: got %q\nwant %q\n(go test -update writes it anew; look at the "+
					"picture then)", path, i+1, g[i], w[i])
			}
		}
		t.Fatalf("%s: %d lines, expected %d", path, len(g), len(w))
	}
}

func nearly(got, want []byte) bool {
	g, w := decimals.FindAll(got, -1), decimals.FindAll(want, -1)
	if len(g) != len(w) || !bytes.Equal(decimals.ReplaceAll(got, nil), decimals.ReplaceAll(want,
		nil)) {
		return false
	}
	for i := range g {
		a, errA := strconv.ParseFloat(string(g[i]), 64)
		b, errB := strconv.ParseFloat(string(w[i]), 64)
		if errA != nil || errB != nil || math.Abs(a-b) > 1e-3*math.Max(1, math.Abs(b)) {
			return false
		}
	}
	return true
}

// The comparison for other processors accepts a last digit and nothing more.
func TestNearly(t *testing.T) {
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"M1.0001,2L3,4", "M1.0002,2L3,4", true}, {"M1.1,2", "M1,2", false},
		{"M1,2L3", "M1,2M3", false}, {"M1,2", "M1,2,3", false},
	} {
		if nearly([]byte(c.got), []byte(c.want)) != c.same {
			t.Errorf("%s and %s: expected %v", c.got, c.want, c.same)
		}
	}
}

// Figures that were asked for are those of all, and no others are made.
func TestOf(t *testing.T) {
	g := &datasettest.Small().Groups()[0]
	all, _ := All(g)
	for _, ids := range [][]string{{"ovr"}, {"krd-cumulative-1", "wti"}, {"nothing"}} {
		list, skipped := Of(g, ids)
		var want []string
		for _, f := range all {
			if slices.ContainsFunc(ids, func(id string) bool {
				return strings.HasPrefix(f.ID, strings.SplitN(id, "-", 2)[0])
			}) {
				want = append(want, f.ID)
			}
		}
		var got []string
		for _, f := range list {
			got = append(got, f.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %v, expected %v (skipped %v)", ids, got, want, skipped)
		}
	}
}
