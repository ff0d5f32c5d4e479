package report

import (
	"html/template"
	"slices"

	"krdlab/experiments/read/correlate"
	"krdlab/experiments/run/dataset"
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
	Table template.HTML
}

// correlations returns what `krdlab correlate` finds for configurations taken all together, within
// one size, and with cores and size held equal. Its other scopes are for its own output.
func correlations(e *dataset.Experiment) (list []family, err error) {
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
				o, err := outcomeOf(&s.Associations[i], &s)
				if err != nil {
					return nil, err
				}
				part.Outcomes = append(part.Outcomes, o)
			}
			x.Scopes = append(x.Scopes, part)
		}
		if len(x.Scopes) > 0 {
			list = append(list, x)
		}
	}
	return list, nil
}

func outcomeOf(a *correlate.Association, s *correlate.Scope) (o outcome, err error) {
	o = outcome{Title: "against " + a.Outcome.String()}
	if a.MissSource != nil {
		o.Title += " (" + *a.MissSource + ")"
	}
	if a.BestSpearman != nil {
		o.Best = "By Spearman's coefficient: " + a.BestSpearman.String()
	}
	o.Table, err = a.View(s).HTML(5)
	return o, err
}
