package kernelreuse

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
)

// markdownHead are the first two lines of a table of findings.
const markdownHead = "| verdict | the paper | ours | test |\n| --- | --- | --- | --- |\n"

var folder = flag.String("folder", "", "the folder of the run of krdlab reproduce krd that the last table "+
	"of docs/reproduction.md is made from: what it shows is compared too")

// The tables of docs/reproduction.md hold each claim once, with the words and thresholds of this program,
// and the numbers of verdicts that the page begins with are those of the first. Our numbers are in
// a folder only: -folder DIR compares the last table.
func TestDocsClaims(t *testing.T) {
	b, err := os.ReadFile("../../../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(b), markdownHead)
	if len(parts) < 2 {
		t.Fatal("no table of claims in docs/reproduction.md")
	}
	seen := map[string]bool{}
	var list []Finding
	for k, part := range parts[1:] {
		list = nil
		shown, _, _ := strings.Cut(part, "\n\n")
		shown = strings.TrimSuffix(shown, "\n")
		for n, row := range strings.Split(shown, "\n") {
			f, err := findingOf(row)
			if err != nil || seen[f.ID] {
				t.Fatalf("table %d, row %d: %v, there already %t: %s", k+1, n+1, err, seen[f.ID], row)
			}
			seen[f.ID], list = true, append(list, f)
		}
		if got := markdown(t, list); got != markdownHead+shown+"\n" {
			t.Errorf("docs/reproduction.md, table %d:\n%s\nexpected\n%s", k+1, shown, got)
		}
		c := study.CountOf(list)
		if c.Of[claims.OtherSize] > 0 {
			t.Errorf("verdicts that the page cannot have: %+v", c)
		}
		counts := fmt.Sprintf("Of %d claims that nothing was fitted to, %s", c.Of.Judged(), c.Of)
		if !strings.Contains(strings.Join(strings.Fields(string(b)), " "), counts) {
			t.Errorf("docs/reproduction.md does not say: %s", counts)
		}
	}
	for _, c := range Claims {
		if !seen[c.ID] && !slices.Contains(notShown, c.ID) {
			t.Errorf("docs/reproduction.md has no row of %s", c.ID)
		}
	}
	if *folder == "" {
		return
	}
	if b, err = os.ReadFile(filepath.Join(*folder, study.ResultJSON)); err != nil {
		t.Fatal(err)
	}
	var o struct{ Claims []study.Claim }
	if err := json.Unmarshal(b, &o); err != nil {
		t.Fatal(err)
	}
	o.Claims = slices.DeleteFunc(o.Claims, func(c study.Claim) bool {
		return !slices.ContainsFunc(list, func(f Finding) bool { return f.ID == c.ID })
	})
	if got, want := markdown(t, list), markdown(t, o.Claims); got != want {
		t.Errorf("the last table of docs/reproduction.md is not that of %s:\n%s", *folder, want)
	}
}

// notShown are claims that the page has no row of, as no run of the paper's size has been made of them.
var notShown = []string{"runtime-matters", "overheads-decide", "m2l-above-matmul", "socket-emerge",
	"sockets-similar", "differences-grow", "cold-steals", "conclusion-impact"}

// findingOf reads a row of a table: its claim is the one of those words.
func findingOf(row string) (f Finding, err error) {
	cells := strings.Split(row, " | ")
	if len(cells) != 4 {
		return f, fmt.Errorf("%d cells", len(cells))
	}
	verdict, bySeeds, _ := strings.Cut(strings.TrimPrefix(cells[0], "| "), "; by seeds alone: ")
	verdict, _, _ = strings.Cut(verdict, ", ")
	for i := range Claims {
		c := &Claims[i]
		if !strings.HasPrefix(cells[1], c.Where+": \u201c"+c.Quote) || !strings.Contains(cells[1], "("+c.Says) {
			continue
		}
		f = Finding{ID: c.ID, Where: c.Where, Quote: c.Quote, Says: c.Says, Paper: c.Paper, Test: c.Test,
			Basis: c.Basis, Ours: cells[2], Verdict: claims.Verdict(verdict),
			BySeeds: claims.Verdict(cmp.Or(bySeeds, verdict))}
		return f, nil
	}
	return f, errors.New("of no claim")
}

func markdown(t *testing.T, list []Finding) string {
	t.Helper()
	var b bytes.Buffer
	if err := study.PageTable(list).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
