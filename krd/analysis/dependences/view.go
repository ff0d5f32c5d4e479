package dependences

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"krdlab/krd"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A Document is the JSON form, and its own result.
type Document struct {
	SchemaVersion int      `json:"schema_version"`
	Without       []string `json:"without"` // marks that are left out
	Loops         []Loop   `json:"loops"`   // that were executed, in the order of the source's
	// Functions are those with parameters that began, in the order of the source's.
	Functions []Function `json:"functions"`
	// Between are the dependences between goroutines, which no loop carries, most frequent first.
	Between  []Crossing `json:"between_goroutines"`
	Warnings []string   `json:"warnings"`
}

// A Function is one with parameters. What it was passed is not known where it was called with
// constants alone, by a function that is not rewritten, or behind a call that another might be of.
type Function struct {
	Name  string `json:"name"`
	Begun uint64 `json:"begun"`
	Known uint64 `json:"known"` // so often it is known what it was passed
}

// A Crossing is a dependence of an operation of a goroutine on one of another.
type Crossing struct {
	From    Point  `json:"from"`    // what wrote, sent, or started the goroutine
	To      Point  `json:"to"`      // what reads
	Through string `json:"through"` // the channel or the data, or what was passed to the goroutine
	By      string `json:"by"`      // channel, memory or start
	Kind    string `json:"kind"`    // data or control
	Times   uint64 `json:"times"`   // met
}

// A Loop is one of the source.
type Loop struct {
	Name       string `json:"name"`
	Entered    uint64 `json:"entered"`
	Iterations uint64 `json:"iterations"`
	// Carried are the dependences that it carries, most frequent first; none: its iterations can be
	// executed in any order, as far as this run has shown.
	Carried []Dependence `json:"carried"`
	LeftOut uint64       `json:"left_out"` // so many were met that Without leaves out
}

// A Dependence is one of an operation on another, or on itself.
type Dependence struct {
	From    Point  `json:"from"`    // what wrote
	To      Point  `json:"to"`      // what reads
	Through string `json:"through"` // the variable, or what the datum is part of
	Kind    string `json:"kind"`    // data or control
	Mark    string `json:"mark"`    // induction, reduction or none
	// Distance is how many iterations are between, for each loop of the function from the outermost
	// around this one on to the innermost that both are in. null: any but those that stand by
	// themselves, which are the first 8 that were met.
	Distance []int64 `json:"distance"`
	Times    uint64  `json:"times"` // met
}

// A Point is an operation.
type Point struct {
	Function string `json:"function"`
	Line     uint32 `json:"line"`
	Name     string `json:"name"`
}

func (p Point) String() string { return fmt.Sprintf("%s:%d %s", p.Function, p.Line, p.Name) }

// End makes the document.
func (s *sink) End() (analysis.Result, error) {
	r := &s.in.Header.Registry
	d := &Document{SchemaVersion: 1, Without: append([]string{}, s.opt.Without...), Loops: []Loop{},
		Functions: []Function{}, Between: []Crossing{}, Warnings: []string{}}
	for _, w := range s.in.Warnings {
		d.Warnings = append(d.Warnings, krd.Sentence(w))
	}
	index := map[loi.RegionID]int{}
	for _, l := range slices.Sorted(maps.Keys(s.flow.Loops)) {
		index[l] = len(d.Loops)
		c := s.flow.Loops[l]
		d.Loops = append(d.Loops, Loop{Name: r.Regions[l].Name, Entered: c.Entered,
			Iterations: c.Iterations, Carried: []Dependence{}})
	}
	for _, f := range slices.Sorted(maps.Keys(s.flow.Functions)) {
		x := s.flow.Functions[f]
		d.Functions = append(d.Functions, Function{r.Regions[f].Name, x.Begun, x.Known})
	}
	point := func(n uint32) Point {
		o := &r.Operations[n]
		return Point{r.Kernels[o.Kernel].Name, o.Line, o.Name}
	}
	s.flow.Match()
	for _, e := range s.order {
		l, t := &d.Loops[index[e.loop]], s.found[e]
		if slices.Contains(d.Without, e.mark.String()) {
			l.LeftOut += t.n
			continue
		}
		x := Dependence{From: point(e.from), To: point(e.to), Kind: "data", Mark: e.mark.String(),
			Distance: t.vector, Times: t.n, Through: r.Operations[e.from].Name}
		if e.name != "" {
			x.Through = e.name
		}
		if e.object >= 0 && int(e.object) < len(r.Objects) {
			x.Through = r.Objects[e.object].Name
		}
		if e.control {
			x.Kind = "control"
		}
		l.Carried = append(l.Carried, x)
	}
	for i := range d.Loops {
		slices.SortStableFunc(d.Loops[i].Carried, func(a, b Dependence) int {
			return cmp.Compare(b.Times, a.Times)
		})
	}
	for _, c := range s.crossed {
		x := Crossing{From: point(c.from), To: point(c.to), By: "start", Kind: "data",
			Through: cmp.Or(c.name, r.Operations[c.from].Name), Times: s.between[c]}
		switch {
		case c.channel:
			x.By, x.Through = "channel", "not known"
			if c.object >= 0 && int(c.object) < len(r.Objects) {
				x.Through = r.Objects[c.object].Name
			}
		case c.object >= 0:
			x.By, x.Through = "memory", r.Objects[c.object].Name
		}
		if c.control {
			x.Kind = "control"
		}
		d.Between = append(d.Between, x)
	}
	slices.SortStableFunc(d.Between, func(a, b Crossing) int {
		return cmp.Compare(b.Times, a.Times)
	})
	return d, nil
}

// Document implements [analysis.Result].
func (d *Document) Document() any { return d }

// View implements [analysis.Result].
func (d *Document) View() *doc.Doc {
	t := &doc.Table{Name: "dependences", Title: "Loops and the flow dependences that they carry",
		Columns: []doc.Column{{Key: "loop", Head: "loop"},
			{Key: "iterations", Head: "iterations", Kind: doc.Whole},
			{Key: "times", Head: "times", Kind: doc.Whole}, {Key: "from", Head: "on"},
			{Key: "to", Head: "of"}, {Key: "through", Head: "through"}, {Key: "kind", Head: "kind"},
			{Key: "mark", Head: "mark"}, {Key: "distance", Head: "distance"}}}
	const none = doc.Missing("the loop carries no dependence, but for what is left out")
	for _, l := range d.Loops {
		if len(l.Carried) == 0 {
			t.Row(l.Name, l.Iterations, uint64(0), none, none, none, none, none, none)
		}
		for _, x := range l.Carried {
			var distance any = doc.Missing("others than those that are listed")
			if x.Distance != nil {
				distance = vector(x.Distance)
			}
			t.Row(l.Name, l.Iterations, x.Times, x.From.String(), x.To.String(), x.Through, x.Kind,
				x.Mark, distance)
		}
	}
	v := &doc.Doc{Title: "Dependences carried by loops", Warnings: d.Warnings}
	v.Add(t)
	if len(d.Between) > 0 {
		t := &doc.Table{Name: "between", Title: "Dependences between goroutines",
			Columns: []doc.Column{{Key: "times", Head: "times", Kind: doc.Whole},
				{Key: "from", Head: "on"}, {Key: "to", Head: "of"}, {Key: "through", Head: "through"},
				{Key: "by", Head: "by"}, {Key: "kind", Head: "kind"}}}
		for _, x := range d.Between {
			t.Row(x.Times, x.From.String(), x.To.String(), x.Through, x.By, x.Kind)
		}
		v.Add(t)
	}
	return v
}

// vector prints a distance: "(1,0)".
func vector(list []int64) string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = fmt.Sprint(x)
	}
	return "(" + strings.Join(words, ",") + ")"
}
