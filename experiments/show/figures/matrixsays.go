package figures

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/estimate"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// winners returns which schedulers are the best of which rows.
func winners(p *plot.Panel) string {
	rows := map[string][]string{} // by scheduler
	var names, undecided []string
	for _, s := range slices.Backward(p.Series) {
		if !slices.ContainsFunc(s.Points, func(v plot.Point) bool { return v.Mark != "" }) &&
			slices.ContainsFunc(s.Points, func(v plot.Point) bool { return v.Y.Known() }) {
			undecided = append(undecided, s.Name)
		}
		for _, v := range s.Points {
			switch v.Mark {
			case "":
				continue
			case plot.MarkBest:
				if rows[v.At] == nil {
					names = append(names, v.At)
				}
				rows[v.At] = append(rows[v.At], s.Name)
			default:
				if !slices.Contains(undecided, s.Name) {
					undecided = append(undecided, s.Name)
				}
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(rows[b]) - len(rows[a]) })
	var words []string
	for _, name := range names {
		words = append(words, name+" for "+strings.Join(rows[name], ", "))
	}
	text := ""
	if len(words) > 0 {
		text = "The best, told from all others: " + strings.Join(words, "; ") + ". "
	}
	if len(undecided) > 0 {
		text += "No single best is shown for " + strings.Join(undecided, ", ") + "."
	}
	return strings.TrimSpace(text)
}

// says is the caption of a matrix.
func (m *matrix) says(part *matrixPart, p *plot.Panel, unsure int) []string {
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
	better := "highest"
	if part.lowest() {
		better = "lowest"
	}
	frames := "Solid frame: the " + better + " of its row, told from all others: their 95\u00a0% " +
		"intervals do not overlap. Dashed: the " + better + ", and what cannot be told from it; " +
		"none where nothing in the row is told from it. An exact value is an interval of no width."
	if unsure > 0 {
		frames += fmt.Sprintf(" In %s fewer than %d repetitions of some give no interval: the "+
			"dashed frame is around the %s median there, which is not shown to be the best.",
			plural(unsure, "row"), estimate.MinSample, better)
	}
	source := where + ". Rows, with parameters that are not the defaults: " +
		strings.Join(rows, "; ") + "."
	list := []string{source}
	if best := winners(p); best != "" {
		list = append(list, best)
	}
	list = append(list, fields+". "+part.shade+" "+frames)
	if m.disturbed[0] > 0 {
		list = append(list, fmt.Sprintf("Other programs, or the machine, disturbed repetitions "+
			"behind %d of the %s.", m.disturbed[0], plural(m.disturbed[1], "number")))
	}
	return append(list, m.missing...)
}
