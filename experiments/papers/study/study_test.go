package study

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/papers/claims"
)

// Programs of the smallest scale say nothing about a claim, unless they are as large as any; fitted
// claims are counted apart.
func TestJudge(t *testing.T) {
	for _, x := range []struct {
		tiny  bool
		scale Scale
		want  claims.Verdict
	}{{true, Smoke, claims.OtherSize}, {true, Quick, claims.Agree}, {false, Smoke, claims.Agree}} {
		o := &Outcome{Tiny: x.tiny, Scale: x.scale}
		if got := o.Judge(Claim{Verdict: claims.Agree}); got != string(x.want) {
			t.Errorf("%+v: %s", x, got)
		}
	}
	c := CountOf([]Claim{{Verdict: claims.Agree, Basis: Fitted}, {Verdict: claims.Agree, Basis: Predicted},
		{Verdict: claims.Disagree}, {Verdict: claims.NotRun}})
	if c.Fitted != 1 || c.Predicted != 1 || c.Of.Judged() != 2 || c.Of[claims.NotRun] != 1 {
		t.Errorf("%+v", c)
	}
}

// The index has each claim of each paper with its command and the figure that there is; a paper that
// failed is told.
func TestIndex(t *testing.T) {
	a, b := &Study{Name: "a", Paper: "A & B"}, &Study{Name: "b", Paper: "C"}
	x := &Index{Scale: Quick}
	x.Add(a, &Outcome{Claims: []Claim{{ID: "one", Where: "2", Says: "x < y", Verdict: claims.Agree, Figure: "f"},
		{ID: "two", Verdict: claims.Disagree}}})
	x.Add(b, nil)
	dir := filepath.Join(t.TempDir(), "all")
	if err := x.Write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, IndexHTML))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`href="a/figures/f.svg"`, "A &amp; B", "x &lt; y", "it failed",
		"krdlab reproduce a --scale quick"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Count(string(text), "figure</a>") != 1 {
		t.Errorf("a claim without a figure has a link")
	}
	file, err := os.Open(filepath.Join(dir, IndexCSV))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][2] != "one" || rows[2][7] != "disagree" {
		t.Errorf("%q, %v", rows, err)
	}
}
