package report

import (
	"fmt"
	"slices"

	"krdlab/experiments/read/model"
	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/stats"
	"krdlab/krd/doc"
)

// leastRows is the number of configurations below which a page has no model.
const leastRows = 30

// models explains work time inflation and core time, as `krdlab model --select bic` does, by the
// configurations of each machine that has enough of them: a section, or nothing.
func models(e *dataset.Experiment) ([]doc.Part, error) {
	d := section("model", "What explains time, and in which company?")
	for i, t := range model.Places(e) {
		if t.Frame.N < leastRows {
			continue
		}
		for _, response := range []string{stats.WTI.Key, stats.CoreTime.Key} {
			own := *t
			own.Warnings, own.Findings = slices.Clip(t.Warnings), slices.Clip(t.Findings)
			part := &doc.Fold{Doc: doc.Doc{Title: fmt.Sprintf("%s, %s", response, own.Experiment)}}
			d.Add(part)
			r, err := model.Of(&own, model.Options{Response: response, Folds: 10, Seed: 1,
				Select: regress.BIC, LeaveOne: []string{"scheduler"}})
			if err != nil {
				part.Say("No model: %v.", err)
				continue
			}
			part.Add(r.View(false))
			for _, name := range []string{"coefficients", "held-out"} {
				if f, err := r.Figure(name); err == nil { // else it has nothing to show
					part.Add(f.Part(fmt.Sprintf("model%d-%s-%s", i+1, response, f.ID)))
				}
			}
		}
	}
	if len(d.Parts) == 0 {
		return nil, nil
	}
	d.Say("Linear models with products of two, the terms chosen stepwise. krdlab model has more.")
	return []doc.Part{d}, nil
}
