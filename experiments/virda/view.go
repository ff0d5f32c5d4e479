package virda

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"krdlab/experiments/reproduce"
	"krdlab/experiments/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// names are columns of words, whose keys are given, then their heads.
func words(t *doc.Table, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		t.Columns = append(t.Columns, doc.Column{Key: pairs[i], Head: pairs[i+1]})
	}
}

func numbers(t *doc.Table, kind doc.Kind, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		t.Columns = append(t.Columns, doc.Column{Key: pairs[i], Head: pairs[i+1], Kind: kind})
	}
}

// shiftWords prints shifts as the paper says them.
func shiftWords(list []float64) string {
	var text []string
	for _, v := range list {
		if v == 0 {
			text = append(text, "fixed")
		} else {
			text = append(text, fmt.Sprintf("+%g", v))
		}
	}
	if text == nil {
		return "none"
	}
	return strings.Join(text, " ")
}

func sizeWords(list []float64) string {
	var text []string
	for _, v := range list {
		text = append(text, fmt.Sprintf("%.0f", v))
	}
	return strings.Join(text, ", ")
}

// round keeps three digits.
func percent(n doc.Number) any {
	if !n.Known() {
		return doc.Missing("there is nothing to compare")
	}
	return doc.Digits(n.Float(), 3)
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "no"
}

// bins prints a range of them.
func bins(from, to int) string {
	if from == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

// View is what people read.
func (r *Result) View() *doc.Doc {
	d := &doc.Doc{Title: "The virda paper's evaluation, scale " + string(r.Scale)}
	d.Say("%d of %d judgements agree. Thresholds: equal shifts, an error of at most %d %%, shares "+
		"within %d points, loops that part between half and twice the LLC.", r.Agree, r.Judged,
		leastError, withinPoints)
	if r.Scale == reproduce.Smoke {
		d.Say("The programs of this scale are so small that nothing can be told from them.")
	}
	for _, t := range r.Tables() {
		d.Add(t)
	}
	d.Warnings = r.warnings()
	return d
}

func (r *Result) warnings() (list []string) {
	for _, p := range r.Predictions {
		for _, w := range p.Warnings {
			list = append(list, fmt.Sprintf("%s at %.0f: %s", p.Kernel, p.At, w))
		}
	}
	if r.Timing.Agrees == nil {
		list = append(list, "the LLC of this computer is not known: give it with --caches in a new "+
			"folder")
	}
	return list
}

// Tables returns what is data, by name.
func (r *Result) Tables() []*doc.Table {
	shift := &doc.Table{Name: "predictions", Keys: 2,
		Title: "Components and predictions by datum (4.2, 4.3.1 to 4.3.4)"}
	words(shift, "kernel", "kernel", "sizes", "from", "at", "at", "paper_shifts",
		"bins a doubling, paper", "shifts", "ours", "shifts_agree", "agrees", "moving_agree",
		"of those that move")
	numbers(shift, doc.Real, "paper_error_percent", "error at LARGE, paper, %", "error_percent",
		"ours, %", "error_percent_with_cold", "with cold, %")
	words(shift, "error_agrees", "agrees")
	for _, p := range r.Predictions {
		shift.Row(p.Kernel, sizeWords(p.Sizes), fmt.Sprintf("%.0f", p.At), shiftWords(p.PaperShifts),
			shiftWords(p.Shifts), yes(p.ShiftsAgree), yes(p.MovingAgree), doc.Some(p.PaperError),
			p.Error, p.ErrorWithCold, yes(p.ErrorAgrees))
	}
	cause := &doc.Table{Name: "causes", Keys: 2, Title: "Functions that cause a component"}
	words(cause, "kernel", "kernel", "component", "component", "bins", "bins", "paper_function",
		"paper", "paper_percent", "of it, %", "function", "ours")
	numbers(cause, doc.Real, "percent", "of it, %")
	words(cause, "agrees", "agrees")
	for _, c := range r.Causes {
		theirs := c.PaperWords
		if theirs == "" {
			theirs = fmt.Sprint(c.PaperPercent.Float())
		}
		cause.Row(c.Kernel, c.Component, bins(c.FromBin, c.ToBin), c.PaperFunction, theirs, c.Function,
			c.Percent, yes(c.Agrees))
	}
	inter := &doc.Table{Name: "interchange",
		Title: "FFT by lines, before and after its loops are interchanged (figures 8 and 10)"}
	words(inter, "array_length", "array", "middle_bins", "middle bins")
	numbers(inter, doc.Real, "paper_middle_percent", "they hold, paper, %", "before_percent",
		"before, %", "after_percent", "after, %", "before_bin_7_percent", "bin 7 before, %",
		"after_bin_7_percent", "after, %")
	words(inter, "paper_last_bin", "last bin, paper")
	numbers(inter, doc.Real, "paper_last_percent", "holds, paper, %")
	words(inter, "last_bin", "ours")
	numbers(inter, doc.Real, "last_percent", "holds, %")
	words(inter, "agrees", "agrees")
	for _, x := range r.Interchange {
		inter.Row(fmt.Sprint(x.Length), bins(middleFrom, x.MiddleTo), doc.Some(x.PaperMid),
			doc.Some(x.Before.Middle), doc.Some(x.After.Middle), doc.Some(x.Before.Bin7),
			doc.Some(x.After.Bin7), fmt.Sprint(x.PaperLast), doc.Some(paperLast),
			fmt.Sprint(x.Before.LastBin), doc.Some(x.Before.Last), yes(x.Agrees))
	}
	return []*doc.Table{shift, cause, inter, r.Timing.table(), r.part(), r.simulated()}
}

func (t *Timing) table() *doc.Table {
	x := &doc.Table{Name: "timing", Title: "FFT's best time for an access (figure 9 b)"}
	words(x, "numbers", "numbers", "array", "array")
	numbers(x, doc.Real, "original_ns", "original, ns", "interchanged_ns", "interchanged, ns", "ratio",
		"ratio")
	numbers(x, doc.Whole, "runs", "runs")
	for _, p := range t.Points {
		x.Row(fmt.Sprint(p.Numbers), units.Bytes(p.ArrayBytes), doc.Some(p.Original),
			doc.Some(p.Interchanged), doc.Some(p.Ratio), p.Runs)
	}
	return x
}

// part says where the loops part.
func (r *Result) part() *doc.Table {
	t := &r.Timing
	x := &doc.Table{Name: "part", Title: fmt.Sprintf("The array from which the original loops take "+
		"%g times as long or more at every larger one", partRatio)}
	words(x, "computer", "computer", "llc", "LLC", "from", "from", "agrees", "agrees")
	x.Row("the paper's, Core 2 Quad Q9550", units.Bytes(t.PaperLLC), units.Bytes(t.PaperPart), "")
	from, agrees := any("none"), any(doc.Missing("the LLC is not known"))
	if t.PartBytes != nil {
		from = units.Bytes(*t.PartBytes)
	}
	if t.Agrees != nil {
		agrees = yes(*t.Agrees)
	}
	x.Row(r.Computer.Name, t.LLCBytes.String(), from, agrees)
	return x
}

func (r *Result) simulated() *doc.Table {
	x := &doc.Table{Name: "simulated", Keys: 2, Title: fmt.Sprintf("krdlab's kernels, simulated on "+
		"%d cores of %s: by blocks", simulatedCores, simulatedMachine)}
	words(x, "kernel", "kernel", "scheduler", "scheduler", "sizes", "sizes", "shifts",
		"bins a doubling", "scimark_shifts", "SciMark's, by datum", "same", "the same move")
	numbers(x, doc.Real, "unexplained", "unexplained, %")
	x.Columns[len(x.Columns)-1].Unit = doc.PerCent
	for _, s := range r.Simulated {
		x.Row(s.Kernel, s.Scheduler, sizeWords(s.Sizes), shiftWords(s.Shifts), shiftWords(s.Theirs),
			yes(s.Same), doc.Some(s.Unexplained))
	}
	return x
}

// Names of what [Folder.Write] leaves.
const (
	ReportHTML = "report.html"
	ReportText = "report.txt"
	ResultJSON = "result.json"
	FiguresDir = "figures"
)

// Write writes into the folder what follows from the steps: text, page, JSON, a CSV file for each
// table and the figures. Errors: those of writing and drawing.
func (f *Folder) Write(r *Result) error {
	if err := os.MkdirAll(filepath.Join(f.Dir, FiguresDir), 0o777); err != nil {
		return err
	}
	write := func(name string, to func(io.Writer) error) error {
		return result.Rewrite(filepath.Join(f.Dir, name), to)
	}
	for _, x := range r.figures {
		err := write(filepath.Join(FiguresDir, x.name+".svg"),
			func(w io.Writer) error { return x.Draw(w, "svg") })
		if err != nil {
			return err
		}
	}
	for _, t := range r.Tables() {
		if err := write(t.Name+".csv", t.CSV); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(f.Dir, ResultJSON), r); err != nil {
		return err
	}
	view := r.View()
	if err := write(ReportText, func(w io.Writer) error { return view.Text(doc.NewPage(w, 0)) }); err != nil {
		return err
	}
	return write(ReportHTML, func(w io.Writer) error { return r.page(w, view) })
}

// page writes tables and figures as one page without links.
func (r *Result) page(w io.Writer, view *doc.Doc) error {
	body, err := view.HTML(1)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "<!doctype html>\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"generator\" content=\"krdlab\">\n<title>%s</title>\n"+
		"<style>body{font-family:sans-serif;max-width:80em;margin:2em auto}"+
		"table{border-collapse:collapse;margin:1.5em 0}caption{text-align:left;padding:.3em 0}"+
		"td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}"+
		".name{text-align:left}svg{max-width:100%%;height:auto}</style>\n%s\n", view.Title, body)
	for _, x := range r.figures {
		fmt.Fprintf(w, "<h2>%s</h2>\n", x.title)
		if err := x.Draw(w, "svg"); err != nil {
			return err
		}
	}
	return nil
}
