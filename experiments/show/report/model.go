package report

import (
	"fmt"
	"html/template"
	"slices"

	"krdlab/experiments/read/model"
	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/stats"
)

// A modelPart is the part of the page on what explains a response on one machine.
type modelPart struct {
	Title    string
	Text     template.HTML
	Why      string // there is none
	Pictures []picture
}

// leastRows is how few configurations are worth no model.
const leastRows = 30

// models explains work time inflation and core time, as `krdlab model --select bic` does, by the
// configurations of each machine that has enough of them.
func models(e *dataset.Experiment, number *int, classes *styles) (list []modelPart, err error) {
	for i, t := range model.Places(e) {
		if t.Frame.N < leastRows {
			continue
		}
		for _, response := range []string{stats.WTI.Key, stats.CoreTime.Key} {
			own := *t
			own.Warnings, own.Findings = slices.Clip(t.Warnings), slices.Clip(t.Findings)
			part := modelPart{Title: fmt.Sprintf("%s, %s", response, own.Experiment)}
			r, err := model.Of(&own, model.Options{Response: response, Folds: 10, Seed: 1,
				Select: regress.BIC, LeaveOne: []string{"scheduler"}})
			if err != nil {
				part.Why = err.Error()
				list = append(list, part)
				continue
			}
			view := r.View(false)
			if part.Text, err = view.HTML(4); err != nil {
				return nil, err
			}
			for _, name := range []string{"coefficients", "held-out"} {
				f, err := r.Figure(name)
				if err != nil {
					continue // it has nothing to show
				}
				p, err := newPicture(f, fmt.Sprintf("model%d-%s-", i+1, response), number, classes)
				if err != nil {
					return nil, err
				}
				part.Pictures = append(part.Pictures, *p)
			}
			list = append(list, part)
		}
	}
	return list, nil
}
