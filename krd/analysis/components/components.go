// Package components implements the analysis `components`: it finds the reuse signature of a run
// and the peaks in it (virda: "Virtual reuse distance analysis of SPECjvm2008 data locality",
// sections 2.2 and 4), and what follows from those of several runs: how each component moves with
// the size of the input, and the signature of a larger one.
//
//	Of -> Signature -> Find -> Components
//	Signatures of several sizes -> Predict -> Forecast -> Prediction
//
// # Rejected
//
// Predict searches the moves of all parts of a signature at once, by branch and bound on the share
// of accesses that lies elsewhere: some dozens of steps at four parts. Rejected were one part after
// the other from a start in step, which stopped at moves that explained less; shares as they are,
// as the virda paper keeps them (LU 4.7 % off at 512, in place of 1.4 %); a part that may get
// wider for half a per cent of the accesses (LU's second component was taken for one: 19 % off); and
// to compare shares in place of counts by size, of which a program with more levels has less in each
// (a k-d tree 12.9 % off, in place of 4.1 %).
// Percentiles that each move by a law of their own (Ding and Zhong, PLDI 2003) were not tried:
// shares change with the size, and a percentile at the border of two components belongs to one and
// then to the other.
package components

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/distances"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// Analysis is the line of the table.
var Analysis = &analysis.Analysis{
	Name:    "components",
	Summary: "The reuse signature of a trace and its components",
	Long: "Draw the reuse signature of a trace: shares of all accesses by distance in bytes, in bins " +
		"0, 1, 2 to 3, 4 to 7 and so on, and cold ones. A component is a group of adjacent bins that " +
		"form a peak. `krdlab predict` moves them to inputs of other sizes.",
	Example: "  krdlab components program.loi --plot signature.svg\n" +
		"  krdlab components go ./cmd/server --unit datum",
	Needs: analysis.Needs{Accesses: true},
	New:   func() any { return &options{} },
}

// options are none.
type options struct{}

// Formats implements [analysis.Formatted].
func (*options) Formats() []string { return plot.Formats[:3] }

// TableNames implements [analysis.Tabled].
func (*options) TableNames() []string { return []string{"components", "bins"} }

// SchemaVersion is that of the JSON forms of this package.
const SchemaVersion = 1

// A Document is the JSON form.
type Document struct {
	SchemaVersion int         `json:"schema_version"`
	Unit          string      `json:"unit,omitempty"` // as in [krd.Report]
	Accesses      uint64      `json:"accesses"`
	Bins          []krd.Bin   `json:"bins"`
	Cold          uint64      `json:"cold"`
	Components    []Component `json:"components"`
	Warnings      []string    `json:"warnings"`
}

// A result is the signature of one trace.
type result struct {
	report    *krd.Report
	signature *Signature
	name      string // of its curve
	about     string
}

// Trace implements [analysis.OverTrace].
func (*options) Trace(_ context.Context, t *loi.Trace, in *analysis.Input) (analysis.Result, error) {
	r, err := krd.Analyze(t, krd.Options{AllowLoss: true, Progress: in.Progress})
	if err != nil {
		return nil, err
	}
	s, err := Of(&r.Histogram)
	if err != nil {
		return nil, err
	}
	h := in.Header
	x := &result{report: r, signature: s, name: h.Scheduler, about: h.Kernel}
	for _, p := range h.Params {
		x.about += " " + p.Key + "=" + p.Value
	}
	if h.Substrate == loi.Simulated {
		x.about += "; SIMULATED, not measured"
	}
	return x, nil
}

// ReadDistances implements [analysis.OverDistances].
func (*options) ReadDistances(r io.Reader) (analysis.Result, error) {
	report, _, err := krd.Read(r)
	if err != nil {
		return nil, err
	}
	s, err := Of(&report.Histogram)
	if err != nil {
		return nil, err
	}
	return &result{report: report, signature: s}, nil
}

// Document implements [analysis.Result].
func (x *result) Document() any {
	r := x.report
	return &Document{SchemaVersion, r.Unit, r.Accesses, r.Bins, r.Infinite(), Find(x.signature),
		r.Warnings}
}

// View implements [analysis.Result].
func (x *result) View() *doc.Doc {
	d := &doc.Doc{Title: "Reuse signature", Warnings: x.report.Warnings}
	d.Say("%s accesses to %s; distances in bytes of what was accessed in between", units.Grouped(
		x.report.Accesses), unitWords(x.report.Unit))
	t := &doc.Table{Name: "components", Title: "components", Keys: 2,
		Columns: append(rangeColumns(), doc.Column{Key: "plateau", Kind: doc.Truth, Data: true})}
	for _, c := range Find(x.signature) {
		t.Row(append(rangeCells(c), c.Plateau)...)
	}
	d.Add(t)
	d.Add(x.signature.table())
	return d
}

// unitWords returns the words for one datum.
func unitWords(unit string) string {
	switch unit {
	case "line":
		return "lines of 64 bytes (block temporal locality)"
	case "datum":
		return "variables, fields and elements (pure temporal locality)"
	}
	return "blocks"
}

// rangeColumns returns the columns of a range of bins and its share.
func rangeColumns() []doc.Column {
	return []doc.Column{{Key: "from_bin", Head: "bin", Kind: doc.Whole},
		{Key: "to_bin", Head: "to", Kind: doc.Whole}, {Key: "from_bytes", Kind: doc.Whole, Data: true},
		{Head: "distance"}, {Key: "share", Head: "share, %", Kind: doc.Real, Unit: doc.PerCent}}
}

func rangeCells(c Component) []any {
	from := lowest(c.FromBin)
	text := units.Bytes(from)
	if c.ToBin > 0 {
		text += " to " + units.Bytes(1<<c.ToBin)
	}
	return []any{c.FromBin, c.ToBin, from, text, doc.Some(c.Share)}
}

// lowest returns the least distance of a bin.
func lowest(bin int) uint64 { return 1 << bin >> 1 }

// table returns the bins from the first to the last that are not empty, and a row for INF.
func (s *Signature) table() *doc.Table {
	t := &doc.Table{Name: "bins", Title: "signature", Columns: []doc.Column{
		{Key: "bin", Head: "bin"}, {Key: "from_bytes", Kind: doc.Whole, Data: true},
		{Head: "from"}, {Key: "share", Head: "share, %", Kind: doc.Real, Unit: doc.PerCent}}}
	top := s.Cold
	for _, v := range s.Share {
		top = max(top, v)
	}
	begun := false
	for k := range s.highest() + 1 {
		if begun = begun || s.Share[k] > 0; begun {
			t.Row(strconv.Itoa(k), lowest(k), units.Bytes(lowest(k)), doc.Some(s.Share[k]))
			t.Bar(s.Share[k] / top)
		}
	}
	t.Row("INF", nil, "cold", doc.Some(s.Cold))
	t.Bar(s.Cold / top)
	return t
}

// Draw implements [analysis.Drawn].
func (x *result) Draw(w io.Writer, format string) error { return several{x}.Draw(w, format) }

// several is the signatures of several traces, which have a figure together, and no view.
type several []*result

func (*options) Together(list []analysis.Result) analysis.Result {
	var all several
	for _, r := range list {
		all = append(all, r.(*result))
	}
	return all
}

// Document implements [analysis.Result].
func (several) Document() any { return nil }

// View implements [analysis.Result].
func (several) View() *doc.Doc { return nil }

// Draw implements [analysis.Drawn].
func (list several) Draw(w io.Writer, format string) error {
	var curves []distances.Curve
	for i, x := range list {
		name := x.name
		if name == "" && len(list) > 1 {
			name = fmt.Sprintf("trace %d", i+1)
		}
		curves = append(curves, distances.Curve{Name: name, Look: solid(i), Histogram: &x.report.Histogram})
	}
	f, err := figure(list[0].report, curves, list[0].about)
	if err != nil {
		return err
	}
	return f.Write(w, format)
}

// figure draws signatures as virda's figures do: shares of all accesses by bin.
func figure(r *krd.Report, curves []distances.Curve, about string) (*plot.Figure, error) {
	f, err := distances.Of(r, curves, "")
	if err != nil {
		return nil, err
	}
	f.ID, f.Title, f.Panels = "signature", "Reuse signature", f.Panels[len(f.Panels)-1:]
	f.Panels[0].Kind = plot.Lines
	f.Caption = []string{"Shares of all accesses to " + unitWords(r.Unit) + "."}
	if about != "" {
		f.Caption = append(f.Caption, about+".")
	}
	return f, nil
}
