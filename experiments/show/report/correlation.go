package report

import (
	"slices"

	"krdlab/experiments/read/correlate"
	"krdlab/experiments/run/dataset"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// correlations returns what `krdlab correlate` finds for configurations taken all together, within
// one size, and with cores and size held equal: a section, or nothing. The command has its other
// scopes.
func correlations(e *dataset.Experiment) []doc.Part {
	d := section("correlation", "Does reuse explain misses and inflation?")
	for _, f := range correlate.Of(e).Families {
		x, table := &doc.Doc{Title: f.String()}, &doc.Fold{Doc: doc.Doc{Title: "Coefficients"}}
		question := ""
		for _, a := range f.Answers {
			if a.Question != question {
				question = a.Question
				x.Add(doc.Paragraph{question + "."})
			}
			x.Say("%s", a.Text)
		}
		if f.Substrate == loi.Simulated {
			x.Say("SIMULATED: misses and times are those of a model, which has the reuse as its input.")
		}
		for i := range f.Scopes {
			s := &f.Scopes[i]
			if !slices.Contains([]correlate.Kind{correlate.AllConfigurations, correlate.OneSize,
				correlate.EqualCores}, s.Kind) {
				continue
			}
			for k := range s.Associations {
				a := &s.Associations[k]
				title := s.Name + ", against " + a.Outcome.String()
				if a.MissSource != nil {
					title += " (" + *a.MissSource + ")"
				}
				if table.Say("%s.", title); a.BestSpearman != nil {
					table.Say("By Spearman's coefficient: %s", a.BestSpearman)
				}
				table.Add(a.View(s))
			}
		}
		if len(table.Parts) > 0 {
			x.Add(table)
			d.Add(x)
		}
	}
	if len(d.Parts) == 0 {
		return nil
	}
	d.Say("Coefficients of correlation are between KRD shares and the outcome; each scheduler, core count " +
		"and size is one pair, by its medians. krdlab correlate --all has more.")
	return []doc.Part{d}
}
