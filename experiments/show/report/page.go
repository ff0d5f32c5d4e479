package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/stats"
	"krdlab/experiments/show/figures"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// Write writes the page of an experiment. at is the file that it will be, from which links go out;
// the same experiment and place give the same bytes. Traces of the experiment are read by the
// analyses; the page has the error of one that cannot be.
//
// Errors: those of w, and figures that cannot be drawn. Cost: about a second for a hundred cells,
// and the reading of their traces.
func Write(w io.Writer, e *dataset.Experiment, at string) error {
	d, err := document(e, at)
	if err == nil {
		err = d.Standalone(w)
	}
	if err != nil {
		return fmt.Errorf("report of %s: %w", e.Dir, err)
	}
	return nil
}

// document returns the page of an experiment.
func document(e *dataset.Experiment, at string) (*doc.Doc, error) {
	l, err := newLinker(filepath.Dir(at), e.Dir)
	if err != nil {
		return nil, err
	}
	found, parts := section("found", "What was found"), []doc.Part(nil)
	groups := e.Groups()
	if matrices := figures.Matrices(e); len(matrices) > 0 {
		d := section("matrix", "Kernels and schedulers")
		for _, m := range matrices {
			d.Add(m.Figure.Part("m-" + m.Prefix + m.ID))
			if m.Headline {
				found.Say("%s on %s: %s.", m.Title, m.Machine, strings.Join(doc.Sentences(m.Findings), "; "))
			}
		}
		parts = append(parts, d)
	}
	if len(groups) == 0 {
		found.Say("No cell of this experiment can be used, so that nothing was found.")
	}
	for i := range groups {
		d, said := group(e, &groups[i], fmt.Sprintf("g%d", i+1), len(groups) <= fewGroups)
		parts = append(parts, d)
		if len(groups) > 1 {
			found.Add(&doc.Doc{Title: groups[i].String(), Parts: []doc.Part{said}})
			continue
		}
		found.Parts = append(found.Parts, said)
	}
	trust(found, e)
	if len(groups) > 0 {
		explained, err := models(e)
		if err != nil {
			return nil, err
		}
		parts = append(parts, correlations(e)...)
		parts = append(parts, explained...)
	}
	d := &doc.Doc{Title: e.Name, Parts: append([]doc.Part{found}, parts...)}
	d.Add(environment(e))
	d.Add(warned(e))
	d.Add(files(e, l, filepath.Base(at)))
	d.Add(repeated(e))
	return d, nil
}

func section(id, title string) *doc.Doc { return &doc.Doc{ID: id, Title: title} }

// fewGroups is of how many groups a page has all figures: of more those of [leading], since it
// would be too large for a browser.
const fewGroups = 6

// leading are the families of figures that a page of many groups has.
var leading = []string{"speedup", "ovr", "wti", "far"}

// openFigures is how many figures of a group are open when the page is.
const openFigures = 3

// group returns the section of a group, and what was found.
func group(e *dataset.Experiment, g *dataset.Group, anchor string, few bool) (d *doc.Doc, said doc.Paragraph) {
	d = section(anchor, g.String())
	var ids []string
	if !few {
		ids = leading
	}
	drawn, without := figures.Of(g, ids)
	found := brief.Conclude(g.Results())
	for i := range drawn {
		found.Conclude(drawn[i].Findings...)
		said := doc.Sentences(drawn[i].Findings) // above
		drawn[i].Caption = slices.DeleteFunc(slices.Clone(drawn[i].Caption), func(s string) bool {
			return slices.ContainsFunc(said, func(f string) bool { return strings.TrimSuffix(s, ".") == f })
		})
	}
	first, rest := found.Apart()
	said = append(first, rest...)
	if len(said) > 0 {
		word := "Measured: "
		if g.Substrate == loi.Simulated {
			word = "SIMULATED: "
		}
		said[0] = word + said[0]
	}
	all, most := shared(drawn)
	if len(all) > 0 {
		d.Say("%s", strings.Join(all, " "))
	}
	if len(most) > 0 {
		d.Say("Most figures: %s", strings.Join(most, " "))
	}
	said = append(said, drawings(d, anchor, drawn, without, few)...)
	d.Add(&doc.Doc{Title: "Times and ratios", Parts: []doc.Part{timesTable(g)}})
	reuse := &doc.Doc{Title: "Data reuse"}
	if t := reuseTable(g); t != nil {
		reuse.Add(t)
	} else {
		reuse.Say("There are no reuse distances: %s.", stats.WhyNoKRD(g.Cells[0].Result))
	}
	d.Add(reuse)
	if t := kernelTable(g); t != nil {
		d.Add(&doc.Fold{Doc: doc.Doc{Title: "Times of kernels", Parts: []doc.Part{t}}})
	}
	for _, x := range tracedRuns(e, g) {
		d.Add(x)
	}
	return d, said
}

// drawings adds the figures of a group, all but the first few folded, with the reasons for those that
// are not drawn. It returns sentences on commands that compute what takes long.
func drawings(d *doc.Doc, anchor string, drawn []plot.Figure, without []figures.Skipped, few bool) (next []string) {
	more := &doc.Fold{Doc: doc.Doc{Title: "More figures"}}
	for i := range drawn {
		part := drawn[i].Part(anchor + "-" + drawn[i].ID)
		if i < openFigures {
			d.Add(part)
			continue
		}
		if i == openFigures {
			more.Title += ": "
		} else {
			more.Title += ", "
		}
		more.Title += drawn[i].ID
		more.Add(part)
	}
	if !few {
		more.Say("Not drawn: other families than %s, since the page has more than %d kernels, sizes and "+
			"machines; krdlab plot has all.", strings.Join(leading, ", "), fewGroups)
	}
	reasons, order := map[string][]string{}, []string(nil)
	for _, s := range without {
		if s.Next != "" {
			next = append(next, "what each loses its time to: "+s.Next)
			continue
		}
		if reasons[s.Reason] == nil {
			order = append(order, s.Reason)
		}
		reasons[s.Reason] = append(reasons[s.Reason], s.ID)
	}
	for _, reason := range order {
		more.Say("Not drawn: %s: %s.", strings.Join(reasons[reason], ", "), reason)
	}
	if len(more.Parts) > 0 {
		d.Add(more)
	}
	return next
}

// shared takes the sentences that all or most captions have, such as where the numbers are from, out
// of them, and returns them.
func shared(list []plot.Figure) (all, most []string) {
	if len(list) < 2 {
		return nil, nil
	}
	times, order := map[string]int{}, []string(nil)
	for i := range list {
		own := map[string]bool{}
		for _, text := range list[i].Caption {
			for _, s := range sentences(text) {
				if times[s] == 0 {
					order = append(order, s)
				}
				if !own[s] {
					own[s] = true
					times[s]++
				}
			}
		}
	}
	for _, s := range order {
		switch {
		case times[s] == len(list):
			all = append(all, s)
		case times[s] > len(list)/2:
			most = append(most, s)
		}
	}
	for i := range list {
		var own []string
		for _, text := range list[i].Caption {
			rest := slices.DeleteFunc(sentences(text), func(s string) bool { return times[s] > len(list)/2 })
			if len(rest) > 0 {
				own = append(own, strings.Join(rest, " "))
			}
		}
		list[i].Caption = own
	}
	return all, most
}

// sentences splits a text behind full stops that a capital follows.
func sentences(text string) (list []string) {
	from := 0
	for i := range len(text) - 2 {
		if text[i] == '.' && text[i+1] == ' ' && text[i+2] >= 'A' && text[i+2] <= 'Z' {
			list, from = append(list, text[from:i+1]), i+2
		}
	}
	return append(list, text[from:])
}

// trust adds whether what was found can be trusted: a line, the doubts, and all checks folded.
func trust(d *doc.Doc, e *dataset.Experiment) {
	list := validity(e)
	d.Say("Can it be trusted? %s", verdict(e, list))
	table := func(of []judgement) *doc.Table {
		t := doc.NewTable(3, "judgement", "of", "found")
		t.Prose(2)
		for _, j := range of {
			t.Row(j.Level(), j.Subject, j.Text())
		}
		return t
	}
	if bad := slices.DeleteFunc(slices.Clone(list), func(j judgement) bool {
		return j.Level() != doc.Doubt && j.Level() != doc.Fault
	}); len(bad) > 0 {
		d.Add(table(bad))
	}
	if len(list) > 0 {
		d.Add(&doc.Fold{Doc: doc.Doc{Title: "Checks and notes", Parts: []doc.Part{table(list)}}})
	}
	if len(e.Problems) > 0 {
		t := doc.NewTable(1, "cells that are not as planned")
		t.Prose(0)
		for _, x := range e.Problems {
			t.Row(x.String())
		}
		d.Add(t)
	}
	if e.Info != nil {
		for _, note := range e.Info.Notes {
			d.Say("%s", note)
		}
	}
}

// repeated returns how the experiment is done once more.
func repeated(e *dataset.Experiment) *doc.Doc {
	d := section("again", "How to do it again")
	list := commands(e)
	switch {
	case len(list) == 0:
		d.Say("The command is not known: neither experiment.json nor a manifest can be read.")
	case len(e.Plan) > 0:
		d.Add(doc.Listing(list))
		d.Say("In a folder where the experiment is, this goes on with what is missing; elsewhere it begins anew.")
	default:
		d.Add(doc.Listing(list))
		d.Say("Runs are never overwritten: if the folder of an --out exists, choose another.")
	}
	if len(e.Plan) == 0 && len(e.Cells) > 0 {
		r := e.Cells[0].Result
		machine := ""
		if r.Substrate == loi.Simulated {
			machine = "--machine " + r.Machine.Name + ", "
		}
		d.Say("Without flags of its own that was %s--reps %d --seed %d.", machine, r.Settings.Reps, r.Seed)
	}
	for _, m := range manifests(e) {
		if r := m.Build.Revision; r != nil {
			d.Say("With the krdlab of revision %s.", *r)
			break
		}
	}
	return d
}
