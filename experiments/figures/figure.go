// Package figures draws experiments for print: the figures of the KRD paper, each from the cells of
// one group (one kernel, its parameters, one substrate, one machine), and some that the paper has
// not.
//
// A [Figure] is a description: panels with axes, series, points and their intervals. [Figure.Write]
// draws exactly that, [Figure.Rows] is the same as a table, and a page may chart it in its own way.
// The parts: scaling.go, distances.go, misses.go, workers.go say what is drawn; caption.go and
// notes.go what is said below; draw.go and the files beside it draw, in the look of package krdplot.
package figures

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/hw/failure"
)

// A Figure is one picture of a group.
type Figure struct {
	// "speedup", "krd-bins-24": a word for file names and anchors; unique within the group
	ID    string `json:"id"`
	Title string `json:"title"`
	// paragraphs: where the numbers come from, what points and bars are, n
	Caption []string `json:"caption"`
	Panels  []Panel  `json:"panels"`  // at least one
	Columns int      `json:"columns"` // that the panels are laid out in
}

// A Kind says how a panel is drawn.
type Kind string

// The kinds of panels.
const (
	// points, joined within a series unless the series or the point is apart; bars for intervals
	Lines   Kind = "lines"
	Stacked Kind = "stacked" // bars at each x, the first series at the bottom
	Heat    Kind = "heat"    // series n is row n, from the bottom; x is the column
	// as Heat; fields are as dark as Point.Shade says, and have Point.Label in them
	Matrix Kind = "matrix"
)

// A Panel is one plot of a figure.
type Panel struct {
	Title  string   `json:"title,omitempty"` // "" of a single one
	Note   string   `json:"note,omitempty"`  // below the title
	Kind   Kind     `json:"kind"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
	Rules  []Rule   `json:"rules,omitempty"` // lines of reference
}

// An Axis has positions from Min to Max, linear in the picture. Distances in bytes are laid out by
// their log2; only the labels of the ticks and Point.At are in bytes then.
type Axis struct {
	Label string  `json:"label"`          // with the unit in brackets where there is one
	Unit  string  `json:"unit,omitempty"` // "cores", "%", "bytes" (log2 of), "node"; "" of a ratio
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Ticks []Tick  `json:"ticks"`
	// Turned labels are written upwards, so that none is left out.
	Turned bool `json:"turned,omitempty"`
}

// A Tick is a labelled position; one without label is a mark only.
type Tick struct {
	Value float64 `json:"value"`
	Label string  `json:"label"`
}

// A Series is what is drawn in one colour.
type Series struct {
	Name   string `json:"name"`
	Colour string `json:"colour"` // #rrggbb; the same for a scheduler in all figures
	Style  int    `json:"style"`  // number of its look, see [krdplot.LookAt]
	// of that look: SVG path data, in a box from -1.6 to 1.6; points drawn, left out, ...
	Marker string    `json:"marker,omitempty"`
	Dashes []float64 `json:"dashes,omitempty"`
	Apart  bool      `json:"apart,omitempty"`
	Points []Point   `json:"points"`
}

// A Point is a measured value. What is not known is not drawn; what is beyond the axis is drawn at
// its end, as an arrow with the value.
type Point struct {
	X     float64       `json:"x"` // position on the axis
	At    string        `json:"at"`
	Y     result.Number `json:"y"`
	Low   result.Number `json:"low"` // the interval; unknown: none
	High  result.Number `json:"high"`
	XLow  result.Number `json:"x_low"` // and of x where it is measured too
	XHigh result.Number `json:"x_high"`
	// not joined to the others: in a column beside the scale, such as INF
	Apart bool `json:"apart,omitempty"`
	N     int  `json:"n"` // repetitions behind it
	// written beside the marker where there is room, once for those side by side that have the same
	Label     string `json:"label,omitempty"`
	Disturbed bool   `json:"disturbed,omitempty"` // its marker is hollow
	// of a field of a matrix: how dark it is, from 0 to 1; [MarkBest], [MarkTied], [MarkFirst] or ""
	Shade float64 `json:"shade,omitempty"`
	Mark  string  `json:"mark,omitempty"`
}

// A Rule is a straight line of reference from (X1, Y1) to (X2, Y2).
type Rule struct {
	Name   string  `json:"name"`
	X1     float64 `json:"x1"`
	Y1     float64 `json:"y1"`
	X2     float64 `json:"x2"`
	Y2     float64 `json:"y2"`
	Dashed bool    `json:"dashed,omitempty"`
	// named in the legend; otherwise at its upper end, inside the panel
	Legend bool `json:"legend,omitempty"`
}

// A Skipped is a figure that a group has not the numbers for.
type Skipped struct {
	ID     string // of a family, or of one figure of it: "krd", "far-24"
	Reason string
}

func (s Skipped) String() string { return s.ID + ": " + s.Reason }

// Error returns the reason: a maker returns a Skipped as its error where it draws the rest of its
// family.
func (s Skipped) Error() string { return s.Reason }

// Class implements [failure.Classed].
func (Skipped) Class() failure.Class { return failure.Failed }

// Means reports whether id means s, as [Figure.Is] does of a figure.
func (s Skipped) Means(id string) bool { return (&Figure{ID: s.ID}).Is(id) }

// ErrFormat is wrapped by the error of a format that is none of Formats.
var ErrFormat = failure.New(failure.Request, "unknown figure format")

// Formats are those that [Figure.Write] knows.
var Formats = []string{"svg", "pdf", "png", Markdown}

// A maker makes the figures of one family from a group, and says why it cannot, or not all.
type maker struct {
	id    string
	about string
	make  func(*subject) ([]Figure, error)
}

// makers are all families, in the order of the paper.
var makers = []maker{
	{"speedup", "speed-up against cores (KRD paper, figures 1 a, 2 a)", one(speedup)},
	{"ovr", "non-work overhead against cores (1 b, 2 b)", one(overhead)},
	{"wti", "work time inflation against cores", one(inflation)},
	{"speedup-ovr", "speed-up x OVR / N, which is 1 / WTI, against cores (1 c, 2 c)",
		one(inverseWTI)},
	{"factors", "speed-up, OVR and WTI against cores side by side, each on an axis of its own",
		one(factors)},
	{"kernel-wti", "work time inflation of each kernel against cores", one(kernelWTI)},
	{"krd", "reuse distances, cumulative and per bin, on 1 core, 1 node, all nodes (4, 5): " +
		"krd-cumulative-CORES, krd-bins-CORES", distances},
	{"far", "accesses by distance on 2 nodes (6), far-CORES; the share beyond the LLC's size by cores",
		far},
	{"misses", "share of accesses beyond the LLC's size against LLC misses", one(misses)},
	{"shares", "shares of work, scheduling and idling", one(shares)},
	{"steals", "steals by the nodes of thief and victim at the largest core count", one(steals)},
}

func one(f func(*subject) (*Figure, error)) func(*subject) ([]Figure, error) {
	return func(s *subject) ([]Figure, error) {
		fig, err := f(s)
		if err != nil {
			return nil, err
		}
		return []Figure{*fig}, nil
	}
}

// All returns every figure that can be drawn from the group, in the order of the KRD paper, and
// what cannot be and why. The same group gives the same figures on every computer. Cost: a
// bootstrap for each scheduler and core count with several seeds.
func All(g *dataset.Group) (list []Figure, skipped []Skipped) {
	s := newSubject(g)
	for _, m := range makers {
		figs, err := m.make(s)
		errs := []error{err}
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			errs = several.Unwrap()
		}
		for _, err := range errs {
			if one, ok := err.(Skipped); ok {
				skipped = append(skipped, one)
			} else if err != nil {
				skipped = append(skipped, Skipped{m.id, err.Error()})
			}
		}
		for i := range figs {
			figs[i].Caption = slices.Concat([]string{s.source()}, figs[i].Caption, figs[i].notes())
		}
		list = append(list, figs...)
	}
	return list, skipped
}

// Families returns the first words of the IDs of figures, each with what it shows.
func Families() (ids, about []string) {
	for _, m := range makers {
		ids, about = append(ids, m.id), append(about, m.about)
	}
	return append(ids, MatrixID), append(about, matrixAbout)
}

// A subject is a group as the makers read it.
type subject struct {
	*dataset.Group
	schedulers []string
	cores      []int
	results    map[cell]*result.Result
	looks      map[string]int // of schedulers
}

type cell struct {
	scheduler string
	cores     int
}

func newSubject(g *dataset.Group) *subject {
	s := &subject{Group: g, schedulers: g.Schedulers(), cores: g.Cores(),
		results: map[cell]*result.Result{}, looks: map[string]int{}}
	looks := SchedulerLooks(s.schedulers)
	for i, name := range s.schedulers {
		s.looks[name] = looks[i]
		for _, n := range s.cores {
			if r := g.At(name, n); r != nil {
				s.results[cell{name, n}] = r
			}
		}
	}
	return s
}

// at returns a result, nil where there is none.
func (s *subject) at(scheduler string, cores int) *result.Result {
	return s.results[cell{scheduler, cores}]
}

// machine is where the numbers come from, the same for all cells but for what names do not tell.
func (s *subject) machine() *result.Machine { return &s.Cells[0].Result.Machine }

// several refuses figures against cores where there is one core count only.
func (s *subject) several() error {
	if len(s.cores) < 2 {
		return fmt.Errorf("one core count only (%d); it is drawn against cores", s.cores[0])
	}
	return nil
}

// A Row is one point of a figure in a table.
type Row struct {
	Panel, Series string
	At            string  // x in words: "12", "[32 MiB, 64 MiB)", "INF"
	X             float64 // its position on the axis
	Y, Low, High  result.Number
	Unit          string // of y
	N             int
}

// Rows is the figure as a table.
func (f *Figure) Rows() []Row {
	var rows []Row
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, v := range s.Points {
				rows = append(rows, Row{p.Title, s.Name, v.At, v.X, v.Y, v.Low, v.High, p.Y.Unit,
					v.N})
			}
		}
	}
	return rows
}

// Is says whether id means f: its own ID or, unless that is a family's own, the beginning of it:
// "krd" and "krd-bins" mean "krd-bins-24".
func (f *Figure) Is(id string) bool {
	if f.ID == id {
		return true
	}
	family := slices.ContainsFunc(makers, func(m maker) bool { return m.id == f.ID })
	return !family && strings.HasPrefix(f.ID, id+"-")
}
