package report

import (
	"fmt"
	"slices"

	"krdlab/experiments/correlate"
	"krdlab/experiments/dataset"
	"krdlab/loi"
)

// A family is the part of the page on how reuse goes with misses and work time inflation.
type family struct {
	Title     string
	Simulated bool
	Answers   []answer
	Scopes    []scope
}

// An answer says for one question what goes best with each outcome.
type answer struct {
	Question string
	Texts    []string
}

type scope struct {
	Title    string
	Outcomes []outcome
}

type outcome struct {
	Title string
	Best  string
	Table table
	Notes []string
}

// correlations returns what `krdlab correlate` finds for configurations taken all together, within
// one size, and with cores and size held equal. Its other scopes are for its own output.
func correlations(e *dataset.Experiment) (list []family) {
	for _, f := range correlate.Of(e).Families {
		x := family{Title: f.String(), Simulated: f.Substrate == loi.Simulated}
		for _, a := range f.Answers {
			if n := len(x.Answers); n == 0 || x.Answers[n-1].Question != a.Question {
				x.Answers = append(x.Answers, answer{Question: a.Question})
			}
			last := &x.Answers[len(x.Answers)-1]
			last.Texts = append(last.Texts, a.Text)
		}
		for _, s := range f.Scopes {
			if !slices.Contains([]correlate.Kind{correlate.AllConfigurations, correlate.OneSize,
				correlate.EqualCores}, s.Kind) {
				continue
			}
			part := scope{Title: s.Name}
			for i := range s.Associations {
				part.Outcomes = append(part.Outcomes, outcomeOf(&s.Associations[i]))
			}
			x.Scopes = append(x.Scopes, part)
		}
		if len(x.Scopes) > 0 {
			list = append(list, x)
		}
	}
	return list
}

func outcomeOf(a *correlate.Association) outcome {
	o := outcome{Title: "against " + a.Outcome.String(), Notes: a.Notes}
	if a.MissSource != nil {
		o.Title += " (" + *a.MissSource + ")"
	}
	if a.BestSpearman != nil {
		o.Best = "By Spearman's coefficient: " + a.BestSpearman.String()
	}
	t := table{Head: []column{{Text: "share of accesses", Name: true}, {Text: "Pearson"},
		{Text: "p"}, {Text: "Spearman"}, {Text: "p"}},
		Caption: fmt.Sprintf("n = %d pairs, of which %d count as independent. Below each "+
			"coefficient its 95 %% interval (Pearson: Fisher's transformation; "+
			"Spearman: bootstrap); p is two-sided%s.", a.N, a.Units, method(a))}
	var b block
	for _, c := range a.Coefficients {
		cells := []cell{header(c.Point)}
		for _, k := range []correlate.Coefficient{c.Pearson, c.Spearman} {
			cells = append(cells, t.coefficient(k), t.probability(k))
		}
		b.Rows = append(b.Rows, row{Cells: cells})
	}
	if len(b.Rows) > 0 {
		t.Blocks = []block{b}
	}
	o.Table = t
	return o
}

func method(a *correlate.Association) string {
	switch a.PMethod {
	case correlate.PExact:
		return ", from all permutations"
	case correlate.PStudent:
		return ", by Student's t"
	}
	return ""
}

func (t *table) coefficient(k correlate.Coefficient) cell {
	if !k.Value.Known() {
		return t.missing(why(k))
	}
	c := name(fmt.Sprintf("%+.3f", k.Value.Float()))
	if k.Low.Known() && k.High.Known() {
		c.Interval = fmt.Sprintf("%+.3f to %+.3f", k.Low.Float(), k.High.Float())
	}
	return c
}

func (t *table) probability(k correlate.Coefficient) cell {
	switch p := k.P; {
	case !k.Value.Known():
		return t.missing(why(k))
	case !p.Known():
		return name("–")
	case p.Float() < 0.0001:
		return name("< 0.0001")
	default:
		return name(fmt.Sprintf("%.4f", p.Float()))
	}
}

func why(k correlate.Coefficient) string {
	if k.Why != "" {
		return k.Why
	}
	return "not known"
}
