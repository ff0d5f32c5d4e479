package dataset

import (
	"strings"

	"krdlab/experiments/result"
)

// Documents of earlier versions lack fields. What those say is found out here, and nowhere else: in
// the rest of krdlab nobody reads commands and sentences.

// mergedNote begins the note that names an experiment that was merged into another.
const mergedNote = "merged from "

// Merge notes that the experiment of that name was merged into this one.
func (i *Info) Merge(name string) {
	i.Notes, i.Merged = append(i.Notes, mergedNote+name), append(i.Merged, name)
}

// upgradeInfo finds what was merged in the notes.
func upgradeInfo(i *Info) {
	if i.Merged != nil {
		return
	}
	for _, n := range i.Notes {
		if name, ok := strings.CutPrefix(n, mergedNote); ok {
			i.Merged = append(i.Merged, name)
		}
	}
}

// upgradeManifest knows the elements of job arrays by their command.
func upgradeManifest(m *result.Manifest) {
	if a := m.Argv; len(a) > 2 && a[1] == "sweep" && a[2] == "exec" {
		m.Element = true
	}
}

// upgradeResult gives each warning a code: where there are none, that of a mere sentence.
func upgradeResult(r *result.Result) {
	if len(r.WarningCodes) == len(r.Warnings) {
		return
	}
	r.WarningCodes = nil
	for _, text := range r.Warnings {
		r.WarningCodes = append(r.WarningCodes, result.Warn(result.Text, text))
	}
}
