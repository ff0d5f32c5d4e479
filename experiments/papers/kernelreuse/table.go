package kernelreuse

import (
	"fmt"
	"slices"

	"krdlab/experiments/papers/claims"
	"krdlab/krd/doc"
)

// Count sums up findings: how many have each verdict of those that the machine was not fitted to,
// how many were fitted, and how many that agree were not seen before.
type Count struct {
	Of                claims.Counts
	Fitted, Predicted int
}

// CountOf counts findings.
func CountOf(list []Finding) Count {
	c := Count{Of: claims.Counts{}}
	for _, f := range list {
		if f.Fitted {
			c.Fitted++
			continue
		}
		if c.Of.Add(f.Verdict) == claims.Agree && f.Basis == Predicted {
			c.Predicted++
		}
	}
	return c
}

func (c Count) String() string {
	s := fmt.Sprintf("claims: %s; %d that agree were predicted", c.Of, c.Predicted)
	if n := c.Of[claims.NotRun]; n > 0 {
		s += fmt.Sprintf(", %d not run", n)
	}
	if n := c.Of[claims.OtherSize]; n > 0 {
		s += fmt.Sprintf(", %d run on another size than the paper's", n)
	}
	return s + fmt.Sprintf("; %d more are what the simulated machine was fitted to and prove "+
		"nothing", c.Fitted)
}

// pageColumns is how wide the table of claims is where no terminal says.
const pageColumns = 130

// Text returns the findings for a person, and what they sum up to.
func Text(list []Finding) *doc.Doc {
	d := &doc.Doc{Parts: []doc.Part{findings(list), doc.Paragraph{CountOf(list).String() + "."},
		doc.Paragraph{"Ours: medians and 95 % intervals over seeds, of the simulated machine unless " +
			"a claim says otherwise. In brackets: readings, near=1 with Qthreads' victims sorted by " +
			"distance and exafmm with FMM's tasks by the rule of exaFMM; a claim agrees if it does " +
			"under all. A value agrees within 10 % of the print, of a ratio near 1 of what exceeds " +
			"1, an order by more than 10 %. Seen: it had been seen when a parameter or rule was " +
			"changed."}}}
	if len(list) > 0 {
		d.Add(doc.Paragraph{frozenText(list[0].MachineHash)})
	}
	return d
}

// findings has a row for each finding, in a few words for people.
func findings(list []Finding) *doc.Table {
	t := &doc.Table{Name: "claims", Rules: true, Most: pageColumns, Columns: slices.Concat(
		[]doc.Column{{Head: "verdict"}, {Head: "claim"}, hidden("id"), hidden("where"),
			hidden("claim")}, named(2, "paper", "test"), []doc.Column{hidden("fitted")},
		named(1, "ours"), []doc.Column{hidden("verdict"), hidden("basis"),
			hidden("verdict_by_seeds"), hidden("quote"),
			hidden("machine_hash"), hidden("frozen")})}
	t.Prose(0, 1, 5, 6, 8)
	for _, f := range list {
		t.Row(f.verdict(), f.Says+" ["+f.Where+"]", f.ID, f.Where, f.Says, f.Paper, f.Test, f.Fitted,
			f.Ours, string(f.Verdict), string(f.Basis), string(f.BySeeds), f.Quote,
			f.MachineHash, f.Frozen)
	}
	return t
}

// page returns the findings as the table that docs/reproduction.md shows.
func page(list []Finding) *doc.Table {
	t := doc.NewTable(4, "verdict", "the paper", "ours", "test")
	for _, f := range list {
		t.Row(f.verdict(), f.paper(), f.Ours, f.Test)
	}
	return t
}

// paper is the section, its words and what they come to.
func (f *Finding) paper() string {
	return fmt.Sprintf("%s: \u201c%s\u201d (%s)", f.Where, f.Quote, join(f.Says, f.Paper))
}

// verdict is the word for the finding with its basis, and that of seeds alone where it is another.
func (f *Finding) verdict() string {
	s := string(f.Verdict) + ", " + string(f.Basis)
	if f.BySeeds != f.Verdict {
		s += "; by seeds alone: " + string(f.BySeeds)
	}
	return s
}
