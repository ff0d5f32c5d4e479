package dependences

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A Document is the JSON form, and its own result.
type Document struct {
	SchemaVersion int      `json:"schema_version"`
	Without       []string `json:"without"` // what is removed by these is left out
	Loops         []Loop   `json:"loops"`   // that were executed, in the order of the source's
	// Functions are those with parameters that began, in the order of the source's.
	Functions []Function `json:"functions"`
	// Between are the dependences between goroutines, which no loop carries, most frequent first.
	Between []Crossing `json:"between_goroutines"`
	doc.Concluded
}

// A Function is one with parameters. Its arguments are not known where it was called with constants
// alone, by a function that is not rewritten, or behind a call that may be another's.
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
	// Class is doall, reduction or ordered; null: it had less than three iterations each time, or nothing
	// that was seen is left but it does what is not seen, as Unseen.
	Class  *string `json:"class"`
	Unseen *Point  `json:"unseen"`
	// Distance is the least of dependences not removed, in iterations of the loop; null: there is
	// none.
	Distance *int64          `json:"distance"`
	Removed  []loops.Removal `json:"removed"`
	// Carried are the dependences that it carries, those that nothing removes first.
	Carried []Dependence `json:"carried"`
	LeftOut uint64       `json:"left_out"` // so many were met that Without leaves out
}

// A Dependence is one of an operation on another, or on itself.
type Dependence struct {
	Order   string `json:"order"` // RAW, WAR or WAW
	From    Point  `json:"from"`
	To      Point  `json:"to"`
	Through string `json:"through"` // the variable, or what the datum is part of
	Kind    string `json:"kind"`    // data or control
	Removed string `json:"removed"` // by what; "": by nothing
	// Distance is how many iterations are between, for each loop of the function from the outermost
	// around this one on to the innermost that both are in. null: any but those that stand by
	// themselves, which are the first 8 that were met.
	Distance []int64 `json:"distance"`
	Times    uint64  `json:"times"` // met
}

// A Point is an operation; without a line, accesses of a function that no operation has.
type Point struct {
	Function string `json:"function"`
	Line     uint32 `json:"line"`
	Name     string `json:"name"`
}

func (p Point) String() string {
	if p.Line == 0 {
		return p.Function + " " + p.Name
	}
	return fmt.Sprintf("%s:%d %s", p.Function, p.Line, p.Name)
}

// End makes the document.
func (s *sink) End() (analysis.Result, error) {
	r := &s.in.Header.Registry
	d := &Document{SchemaVersion: 2, Without: append([]string{}, s.opt.Without...), Loops: []Loop{},
		Functions: []Function{}, Between: []Crossing{}}
	d.Conclude(s.in.Warnings...)
	verdicts := s.loops.Verdicts()
	index := map[loi.RegionID]int{}
	for i := range verdicts {
		v := &verdicts[i]
		index[v.Loop] = i
		l := Loop{Name: r.Regions[v.Loop].Name, Entered: v.Count.Entered, Iterations: v.Count.Iterations,
			Removed: []loops.Removal{}, Carried: []Dependence{}}
		if v.Class != "" {
			l.Class = &v.Class
		}
		if v.Unseen != nil {
			p, o := s.point(*v.Unseen), &r.Operations[v.Unseen.Operation]
			p.Name = cmp.Or(o.Values[v.Unseen.Value].Name, p.Name)
			l.Unseen = &p
		}
		if v.Distance > 0 {
			l.Distance = &v.Distance
		}
		l.Removed = append(l.Removed, v.Removed...)
		d.Loops = append(d.Loops, l)
	}
	for _, f := range slices.Sorted(maps.Keys(s.loops.Flow.Functions)) {
		x := s.loops.Flow.Functions[f]
		d.Functions = append(d.Functions, Function{r.Regions[f].Name, x.Begun, x.Known})
	}
	crossed := map[Crossing]*uint64{}
	for _, k := range s.loops.Order {
		if loop, ok := k.Carrier(); ok {
			i := index[loop]
			s.add(&d.Loops[i], &verdicts[i], k)
		} else if k.Other {
			x := s.crossing(k)
			n := crossed[x]
			if n == nil {
				d.Between = append(d.Between, x)
				n = new(uint64)
				crossed[x] = n
			}
			*n += s.loops.Kinds[k].N
		}
	}
	for i, x := range d.Between {
		d.Between[i].Times = *crossed[x]
	}
	for i := range d.Loops {
		slices.SortStableFunc(d.Loops[i].Carried, func(a, b Dependence) int {
			return cmp.Or(min(len(a.Removed), 1)-min(len(b.Removed), 1), cmp.Compare(a.Order[1:], b.Order[1:]),
				cmp.Compare(b.Times, a.Times))
		})
	}
	slices.SortStableFunc(d.Between, func(a, b Crossing) int {
		return cmp.Compare(b.Times, a.Times)
	})
	return d, nil
}

// add adds a kind of dependences to a loop that carries it, to those that are the same for people.
func (s *sink) add(l *Loop, v *loops.Verdict, k loops.Kind) {
	t := s.loops.Kinds[k]
	by := v.By[k]
	if by != "" && slices.Contains(s.opt.Without, by) {
		l.LeftOut += t.N
		return
	}
	x := Dependence{Order: k.Order.String(), From: s.point(k.From), To: s.point(k.To), Kind: "data",
		Removed: by, Through: s.through(k)}
	if k.Control {
		x.Kind = "control"
	}
	one := func(distance []int64, n uint64) {
		if n == 0 {
			return
		}
		for i := range l.Carried {
			c := &l.Carried[i]
			if c.Order == x.Order && c.From == x.From && c.To == x.To && c.Kind == x.Kind &&
				c.Through == x.Through && c.Removed == by && (c.Distance == nil) == (distance == nil) &&
				slices.Equal(c.Distance, distance) {
				c.Times += n
				return
			}
		}
		x.Distance, x.Times = distance, n
		l.Carried = append(l.Carried, x)
	}
	outer := make([]int64, outer(&s.in.Header.Registry, v.Loop))
	for _, d := range t.Distances {
		one(slices.Concat(outer, d.Vector), d.N)
	}
	one(nil, t.Others)
}

// outer returns how many loops of its function stand around a loop: a vector has as many zeros
// before the distance of that.
func outer(r *loi.Registry, loop loi.RegionID) (n int) {
	for p := r.Regions[loop].Parent; p != loi.NoRegion; p = r.Regions[p].Parent {
		if r.Regions[p].Kind == loi.Loop {
			n++
		}
	}
	return n
}

// point names the operation of a point.
func (s *sink) point(p loops.Point) Point {
	r := &s.in.Header.Registry
	if n := int(p.Operation) - len(r.Operations); n >= 0 {
		return Point{Function: r.Kernels[n].Name, Name: "(no operation)"}
	}
	o := &r.Operations[p.Operation]
	return Point{r.Kernels[o.Kernel].Name, o.Line, o.Name}
}

// through names what a kind goes through.
func (s *sink) through(k loops.Kind) string {
	if k.Through >= 0 {
		return s.loops.Name(k.Through)
	}
	r := &s.in.Header.Registry
	for _, p := range []loops.Point{k.From, k.To} {
		if k.Order == loops.WAR {
			p = k.To
		}
		if int(p.Operation) < len(r.Operations) {
			o := &r.Operations[p.Operation]
			if v := &o.Values[p.Value]; v.Name != "" && !v.Blind {
				return v.Name
			}
			return o.Name
		}
	}
	return s.loops.Name(k.Through)
}

// crossing returns a dependence between goroutines, without how often.
func (s *sink) crossing(k loops.Kind) Crossing {
	r := &s.in.Header.Registry
	x := Crossing{From: s.point(k.From), To: s.point(k.To), By: "start", Kind: "data",
		Through: s.through(k)}
	if int(k.To.Operation) < len(r.Operations) {
		v := &r.Operations[k.To.Operation].Values[k.To.Value]
		if int(k.Operand) < len(v.Operands) && v.Operands[k.Operand].From.Kind == loi.Channel {
			x.By, x.Through = "channel", cmp.Or(s.loops.Name(k.Through), "not known")
		}
	}
	if x.By == "start" && k.Through >= 0 {
		x.By = "memory"
	}
	if k.Control {
		x.Kind = "control"
	}
	return x
}

// Document implements [analysis.Result].
func (d *Document) Document() any { return d }

// View implements [analysis.Result]. Dependences that induction removes are left out.
func (d *Document) View() *doc.Doc {
	v := &doc.Doc{Title: "What the iterations of loops depend on each other by", Warnings: d.Warnings}
	for _, t := range d.tables(false) {
		v.Add(t)
	}
	return v
}

// Tables implements [analysis.Data].
func (d *Document) Tables() []*doc.Table { return d.tables(true) }

func (d *Document) tables(all bool) []*doc.Table {
	c := &doc.Table{Name: "classes", Title: "Loops", Columns: []doc.Column{{Key: "loop", Head: "loop"},
		{Key: "iterations", Head: "iterations", Kind: doc.Whole}, {Key: "class", Head: "class"},
		{Key: "distance", Head: "distance", Kind: doc.Whole}, {Key: "removed", Head: "removed by"}}}
	const few = doc.Missing("less than three iterations each time it was entered")
	const unseen = doc.Missing("what it does is not seen, where that is told")
	const nothing = doc.Missing("nothing is left")
	t := &doc.Table{Name: "dependences", Title: "What they carry",
		Columns: []doc.Column{{Key: "loop", Head: "loop"}, {Key: "order", Head: "order"},
			{Key: "times", Head: "times", Kind: doc.Whole}, {Key: "from", Head: "on"},
			{Key: "to", Head: "of"}, {Key: "through", Head: "through"}, {Key: "kind", Head: "kind"},
			{Key: "removed", Head: "removed by"}, {Key: "distance", Head: "distance"}}}
	left := 0
	for _, l := range d.Loops {
		var class, distance any = few, nothing
		words := loops.Words(l.Removed)
		if l.Class != nil {
			class = *l.Class
		} else if l.Unseen != nil {
			class, words = unseen, "not seen: "+l.Unseen.String()
		}
		if l.Distance != nil {
			distance = uint64(*l.Distance)
		}
		c.Row(l.Name, l.Iterations, class, distance, words)
		for _, x := range l.Carried {
			if x.Removed == loops.Induction && !all {
				left++
				continue
			}
			var distance any = doc.Missing("others than those that are listed")
			if x.Distance != nil {
				distance = vector(x.Distance)
			}
			t.Row(l.Name, x.Order, x.Times, x.From.String(), x.To.String(), x.Through, x.Kind, x.Removed,
				distance)
		}
	}
	if left > 0 {
		t.Remarks = []string{fmt.Sprintf("and %d that induction removes: --csv or --json", left)}
	}
	list := []*doc.Table{c, t}
	if len(d.Between) > 0 {
		t := &doc.Table{Name: "between", Title: "Dependences between goroutines",
			Columns: []doc.Column{{Key: "times", Head: "times", Kind: doc.Whole},
				{Key: "from", Head: "on"}, {Key: "to", Head: "of"}, {Key: "through", Head: "through"},
				{Key: "by", Head: "by"}, {Key: "kind", Head: "kind"}}}
		for _, x := range d.Between {
			t.Row(x.Times, x.From.String(), x.To.String(), x.Through, x.By, x.Kind)
		}
		list = append(list, t)
	}
	return list
}

// vector prints a distance: "(1,0)".
func vector(list []int64) string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = fmt.Sprint(x)
	}
	return "(" + strings.Join(words, ",") + ")"
}
