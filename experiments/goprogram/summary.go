package goprogram

import (
	"krdlab/krd/doc"
)

// Summary returns the table of several programs, in their order: how each ended, its accesses, which share of
// them is beyond each cache, and how many findings it has. Nothing is said of one that is nil; names are theirs.
func Summary(names []string, docs []*Document) *doc.Table {
	t := &doc.Table{Name: "packages", Keys: 1, Columns: []doc.Column{{Key: "package", Head: "package"},
		{Key: "exit_code", Head: "exit", Kind: doc.Whole}, {Key: "accesses", Head: "accesses", Kind: doc.Whole}}}
	var levels []Level
	for _, d := range docs {
		if d != nil && len(d.Levels) > len(levels) {
			levels = d.Levels
		}
	}
	for _, l := range levels {
		t.Columns = append(t.Columns, doc.Column{Key: word(l.Name) + "_share", Head: "beyond " + l.Name, Kind: doc.Real,
			Known: true})
	}
	t.Columns = append(t.Columns, doc.Column{Key: "findings", Head: "findings", Kind: doc.Whole},
		doc.Column{Key: "folder", Head: "folder"})
	for i, d := range docs {
		if d == nil {
			continue
		}
		row := []any{names[i], d.ExitCode, count(d.Accesses)}
		for _, l := range levels {
			far := uint64(0)
			if d.KRD != nil {
				for _, b := range d.KRD.Bins {
					if b.FromBytes >= l.From {
						far += b.Count
					}
				}
			}
			row = append(row, doc.Share{Part: float64(far), Whole: float64(d.Accesses)})
		}
		answers, _ := d.Apart()
		t.Row(append(row, len(answers), d.Dir)...)
	}
	return t
}
