package figures

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/estimate"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// winners names rows, the first at the top, if they have one behind the scheduler that is their best.
func winners(p *plot.Panel, ranks []estimate.Ranking, told bool, rows []int) string {
	of := map[string][]string{} // by scheduler
	var names []string
	for _, i := range slices.Backward(rows) {
		best := ""
		if told {
			best = p.X.Ticks[ranks[i].Order[0]].Label + " for "
		}
		if of[best] == nil {
			names = append(names, best)
		}
		of[best] = append(of[best], p.Series[i].Name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(of[b]) - len(of[a]) })
	for i, name := range names {
		names[i] += strings.Join(of[name], ", ")
	}
	return strings.Join(names, "; ")
}

// says returns the caption of a matrix.
func (m *matrix) says(part *matrixPart, found []doc.Finding) []string {
	where := "Measured on " + m.Machine
	if m.Substrate == loi.Simulated {
		where = "SIMULATED, not measured, on the machine " + m.Machine
	}
	if m.Settings != "" {
		where += "; " + m.Settings
	}
	if m.pages != "" {
		where += ", " + m.pages
	}
	var rows []string
	for _, r := range m.rows {
		if r.says != "" {
			rows = append(rows, r.says)
		}
	}
	counts := counted(m.reps[0], m.reps[1], "repetition")
	fields := "Fields: medians of n\u00a0=\u00a0" + counts
	switch {
	case m.reps[0] == 0:
		fields = "Fields: exact values, nothing is drawn at random"
	case m.fixed:
		fields += "; where nothing is drawn at random, exact values"
	}
	const frames = "Solid frame: the best of its row, told from all others (p below 0.05 after Holm's " +
		"correction over the rows). Dashed: the best, and what it is not told from; none where that is all."
	source := where + ". Rows, with parameters that are not the defaults: " +
		strings.Join(rows, "; ") + "."
	list := append([]string{source}, sentences(found)...)
	list = append(list, fields+". "+part.shade+" "+frames)
	if m.disturbed[0] > 0 {
		list = append(list, fmt.Sprintf("Other programs, or the machine, disturbed repetitions "+
			"behind %d of the %s.", m.disturbed[0], plural(m.disturbed[1], "number")))
	}
	return append(list, m.missing...)
}
