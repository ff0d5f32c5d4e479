package kernelreuse

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
)

// markdownHead are the first two lines of a table of findings.
const markdownHead = "| verdict | the paper | ours | test |\n| --- | --- | --- | --- |\n"

var folder = flag.String("folder", "", "the folder of the run of krdlab reproduce that "+
	"docs/reproduction.md is made from: its claims are compared too")

// The table of docs/reproduction.md is as reproduce writes it, its claims, values and thresholds are
// those of this program, and the numbers of verdicts that the page and README begin with are those
// of its rows. What ours are only the folder knows: -folder DIR compares.
func TestDocsClaims(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	text := read("../../../docs/reproduction.md")
	i := strings.Index(text, markdownHead)
	if i < 0 {
		t.Fatal("no table of claims in docs/reproduction.md")
	}
	shown, _, _ := strings.Cut(text[i:], "\n\n")
	shown += "\n"

	var list []Finding
	rows := strings.Split(strings.TrimSuffix(strings.TrimPrefix(shown, markdownHead), "\n"), "\n")
	for n, row := range rows {
		cells := strings.Split(row, " | ")
		if len(cells) != 4 || n >= len(Claims) {
			t.Fatalf("row %d of %d claims: %s", n+1, len(Claims), row)
		}
		c := &Claims[n]
		f := Finding{Where: c.Where, Quote: c.Quote, Says: c.Says, Paper: c.Paper, Test: c.Test,
			Basis: c.Basis, Ours: cells[2]}
		verdict, bySeeds, _ := strings.Cut(strings.TrimPrefix(cells[0], "| "),
			"; by seeds alone: ")
		verdict, _, _ = strings.Cut(verdict, ", ")
		f.Verdict, f.BySeeds = claims.Verdict(verdict), claims.Verdict(verdict)
		if bySeeds != "" {
			f.BySeeds = claims.Verdict(bySeeds)
		}
		list = append(list, f)
	}
	if len(list) != len(Claims) {
		t.Errorf("%d claims in docs/reproduction.md, %d in the program", len(list), len(Claims))
	}
	var want bytes.Buffer
	if err := study.PageTable(list).Markdown(&want); err != nil {
		t.Fatal(err)
	}
	for n, line := range strings.Split(want.String(), "\n") {
		if got := strings.Split(shown, "\n"); n >= len(got) || got[n] != line {
			t.Errorf("docs/reproduction.md, line %d of the table:\n%s\nexpected\n%s", n+1,
				got[min(n, len(got)-1)], line)
		}
	}

	c := study.CountOf(list)
	if c.Of[claims.OtherSize] > 0 {
		t.Errorf("verdicts that the page cannot have: %+v", c)
	}
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	counts := fmt.Sprintf("Of %d claims that nothing was fitted to, %s", c.Of.Judged(), c.Of)
	if n := c.Of[claims.NotRun]; n > 0 {
		counts += fmt.Sprintf("; %d were not run", n)
	}
	if !strings.Contains(words(read("../../../docs/reproduction.md")), counts) {
		t.Errorf("docs/reproduction.md does not say: %s", counts)
	}
	if *folder == "" {
		return
	}
	var o study.Outcome
	if err := json.Unmarshal([]byte(read(filepath.Join(*folder, study.ResultJSON))), &struct {
		Claims *[]study.Claim `json:"claims"`
	}{&o.Claims}); err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	if err := study.PageTable(o.Claims).Markdown(&made); err != nil {
		t.Fatal(err)
	}
	if made.String() != shown {
		t.Errorf("the table of docs/reproduction.md is not that of %s:\n%s", *folder, &made)
	}
}
