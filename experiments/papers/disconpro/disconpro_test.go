package disconpro

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/sweep"
	"krdlab/hw"
	"krdlab/hw/hwtest/long"
)

// Tables 5 and 6 come out as the paper has them, where it has an end, and no sampler shows a
// distance that the exact answer has not.
func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	f, _, err := Study.Open(dir, study.Smoke)
	if err == nil {
		err = f.Run(t.Context(), sweep.Options{}, func(int, int, string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := outcomeOf(f)
	if err != nil {
		t.Fatal(err)
	}
	c := study.CountOf(r.Claims)
	if n := c.Of.Judged(); n != 2+3+4+5+len(settings) || c.Of[claims.Agree] != n {
		t.Errorf("of %d %s", n, c)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Table6 []struct {
			Interleavings string
			Paths         string   `json:"paper_paths"`
			NS            *float64 `json:"enumeration_ns"`
		}
		Ranges []map[string]*string
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	timed := 0
	for _, x := range d.Table6 {
		if x.NS != nil {
			timed++
		}
	}
	if last := d.Table6[6]; timed != 4 || last.Interleavings != "168168000" || last.Paths != ">200000" {
		t.Errorf("%d rows are enumerated; %+v", timed, last)
	}
	if len(d.Ranges) < 7 {
		t.Errorf("ranges %v", d.Ranges)
	}
	for _, row := range d.Ranges {
		low, high, _ := strings.Cut(*row["all"], " to ")
		for name, v := range row {
			if v == nil || name == "program" || name == "object" {
				continue
			}
			if a, b, _ := strings.Cut(*v, " to "); a < low || b > high {
				t.Errorf("%s %s: %s has %s, all have %s", *row["program"], *row["object"], name, *v,
					*row["all"])
			}
		}
	}
	if err := f.Write(r); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{study.ReportHTML, "table5.csv", "ranges.csv", "claims.csv",
		"figures/table4.svg"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRecordings has each program of examples/concurrent recorded once: no group has a distance that all of them
// have not, and schedules have others than the recorded run.
func TestRecordings(t *testing.T) {
	long.Only(t, "it builds and records four programs")
	dir := filepath.Join(t.TempDir(), "d")
	host, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := Study.Open(dir, study.Quick)
	if err == nil {
		err = f.Run(t.Context(), sweep.Options{Argv: []string{"krdlab"}, Host: host}, func(int, int, string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	wider := 0
	for _, r := range recordings {
		list, err := study.Load[[]ranged](f, r.step())
		if err != nil || len(*list) == 0 {
			t.Fatalf("%s: %v, %v", r.program, list, err)
		}
		for _, x := range *list {
			all := x.Spans[len(x.Spans)-1]
			for _, s := range x.Spans {
				if s != nil && (s[0] < all[0] || s[1] > all[1]) {
					t.Errorf("%s, %s: %v, all have %v", r.program, x.Object, *s, *all)
				}
			}
			if one := x.Spans[0]; one != nil && *one != *all {
				wider++
			}
		}
	}
	if wider < 3 {
		t.Errorf("%d objects have other distances than in the recorded run", wider)
	}
}
