package graph

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// A Waiting is that a goroutine waited for another: its operation began before the one that let it
// go on. Goroutines are named by number and by what they ran first.
type Waiting struct {
	Goroutine string     `json:"goroutine"`
	For       string     `json:"for"`
	Operation string     `json:"operation"` // that waited
	By        string     `json:"by"`        // that let it go on
	Object    string     `json:"object"`    // "": not known
	Times     uint64     `json:"times"`
	Time      doc.Number `json:"time"` // from begin to end, all together; ns, or ticks
}

// A Stretch is the part of the longest path that one goroutine and function, or kernel, has.
type Stretch struct {
	Goroutine string     `json:"goroutine"`
	Function  string     `json:"function"` // "": not known
	Weight    doc.Number `json:"weight"`   // in the unit of the document
	Pieces    uint64     `json:"pieces"`
	HandedOn  []Handed   `json:"handed_on"` // the most frequent first
}

// A Handed is an operation by which the path goes on to another goroutine.
type Handed struct {
	Operation string `json:"operation"`
	Times     uint64 `json:"times"`
}

// Goroutines is the part of a document on goroutines. Its nodes are those that ran the same first;
// Waits is how often one of a node waited for one of another.
type Goroutines struct {
	Count      uint64    `json:"count"`
	Operations uint64    `json:"operations"`
	Waits      []Waiting `json:"waits"` // the longest first
	Path       []Stretch `json:"path"`  // the heaviest first
	Begun      []Begun   `json:"begun"` // when the program ended
	Circles    []Circle  `json:"circles"`
	Deadlock   bool      `json:"deadlock"` // the program ended since all were waiting for each other
	// Of those that had not ended: in no operation, and those whose operation the trace does not tell.
	Running uint64 `json:"running"`
	// AtOne are Waits with those in one operation of one object together.
	AtOne  []Waiting `json:"waits_at_one"`
	Untold uint64    `json:"untold"`

	Timeline *Timeline `json:"timeline"` // null: no time passes
}

// goroutineSink makes documents of traces of goroutines.
type goroutineSink struct {
	*sink
	g *dag.Goroutines
	d *Document
}

// isGoroutines reports whether an event is of a goroutine.
func isGoroutines(e *loi.Event) bool {
	if e.Type != loi.EventRecord {
		return false
	}
	k := e.Record.Event
	return k == loi.EventGo || k == loi.EventStart || k == loi.EventEnd || k == loi.EventSync ||
		k == loi.EventBegun
}

// end makes the document of d, which has what both kinds of traces have.
func (s *goroutineSink) end() (*result, error) {
	d := s.d
	if s.unit == "" {
		if s.unit = unitTime; s.executed > 0 {
			s.unit = unitKernels
		}
	}
	scale := s.scale(d)
	if s.unit == unitKernels {
		d.Unit = unitAccesses
	}
	l := s.g.Longest(s.weigh)
	d.Goroutines = &Goroutines{Operations: uint64(len(s.g.Ops))}
	for i := range s.g.Goroutines {
		if s.g.Goroutines[i].Ops > 0 {
			d.Goroutines.Count++
		}
	}
	for i := range s.g.Ops {
		if s.g.Ops[i].Kind == 0 {
			d.Goroutines.Operations--
		}
	}
	s.sums(d, l.Work, l.Span, scale)
	s.begun()
	s.conclude()
	s.doubts()
	s.waits()
	d.Goroutines.Timeline = s.timeline()
	s.path(l, scale)
	s.nodes(scale)
	return &result{d, s.in.Header}, nil
}

// weigh returns the weight of an operation's piece.
func (s *goroutineSink) weigh(o *dag.Op) uint64 {
	switch {
	case s.unit == unitKernels:
		return o.Kernels
	case s.unit == unitTime:
		return o.Ticks
	case o.Kind == loi.EventStart:
		return 0 // nothing is before it
	}
	return 1
}

// doubts adds warnings on faults of the trace.
func (s *goroutineSink) doubts() {
	g, d := s.g, s.d
	if d.Goroutines.Deadlock {
		d.Find(deadlock)
	}
	for _, c := range d.Goroutines.Circles {
		d.Find(map[bool]doc.Code{true: lockCircle, false: waitCircle}[c.Sure], strings.Join(c.Steps, "; "))
	}
	for _, op := range slices.Sorted(maps.Keys(g.Missing)) {
		d.Find(nothingBefore, g.Missing[op], op)
	}
	for _, x := range []struct {
		code doc.Code
		n    uint64
	}{{backInTime, g.Dropped}, {startedTwice, g.Twice}, {orphans, g.Orphans}, {unstarted, g.Unstarted},
		{untold, d.Goroutines.Untold}} {
		if x.n > 0 {
			d.Find(x.code, x.n)
		}
	}
	if s.unit == unitTime && s.executed > 0 && d.Goroutines.Count > 1 {
		d.Find(slowedDown)
	}
	if g.Ordered {
		d.Find(thisRunsOrder)
	}
}

// who names the goroutine of a worker.
func (s *goroutineSink) who(worker int32) string {
	x := &s.g.Goroutines[worker]
	name := "goroutine " + strconv.FormatUint(uint64(x.Number), 10)
	if x.Number == 0 {
		name = "worker " + strconv.Itoa(int(worker)) + ", without a start"
	}
	if first := s.g.Name(x.Name); first != "" {
		name += ", " + first
	}
	return name
}

// operation names an operation.
func operation(o *dag.Op) string {
	if o.Kind == loi.EventSync {
		return o.Sync.String()
	}
	return o.Kind.String()
}

// waits adds up who waited for whom.
func (s *goroutineSink) waits() {
	type key struct {
		worker, of int32
		op, by     string
		object     loi.ObjectID
	}
	type sum struct {
		times uint64
		ticks int64
		first int
	}
	all := map[key]*sum{}
	for i := range s.g.Ops {
		o := &s.g.Ops[i]
		ticks, waited := s.g.Waited(o)
		if !waited {
			continue
		}
		by := &s.g.Ops[o.Partner]
		k := key{o.Worker, by.Worker, operation(o), operation(by), o.Object}
		if all[k] == nil {
			all[k] = &sum{first: i}
		}
		all[k].times++
		all[k].ticks += ticks
	}
	keys := slices.SortedFunc(maps.Keys(all), func(a, b key) int {
		return cmp.Or(cmp.Compare(all[b].ticks, all[a].ticks), cmp.Compare(all[a].first, all[b].first))
	})
	s.d.Goroutines.Waits = make([]Waiting, 0, len(keys))
	one := map[key]int{} // by operation and object: the row
	var workers, of []map[int32]bool
	var ticks []int64
	for _, k := range keys {
		w := Waiting{s.who(k.worker), s.who(k.of), k.op, k.by, s.g.Object(&s.g.Ops[all[k].first]), all[k].times,
			doc.Some(float64(all[k].ticks) * s.tick())}
		s.d.Goroutines.Waits = append(s.d.Goroutines.Waits, w)
		at := key{op: k.op, by: k.by, object: k.object}
		i, ok := one[at]
		if !ok {
			i = len(workers)
			one[at] = i
			workers, of = append(workers, map[int32]bool{}), append(of, map[int32]bool{})
			ticks = append(ticks, 0)
			s.d.Goroutines.AtOne = append(s.d.Goroutines.AtOne, w)
		} else {
			s.d.Goroutines.AtOne[i].Times += w.Times
		}
		ticks[i] += all[k].ticks
		workers[i][k.worker], of[i][k.of] = true, true
	}
	for i := range workers {
		x := &s.d.Goroutines.AtOne[i]
		x.Goroutine, x.For, x.Time = s.all(workers[i]), s.all(of[i]), doc.Some(float64(ticks[i])*s.tick())
	}
}

// all names goroutines: one by itself, several by how many they are and what they ran first, if it is one.
func (s *goroutineSink) all(workers map[int32]bool) string {
	some, names := int32(0), map[int]bool{}
	for w := range workers {
		some, names[s.g.Goroutines[w].Name] = w, true
	}
	if len(workers) == 1 {
		return s.who(some)
	}
	n := units.Count(len(workers), "goroutine")
	if first := s.g.Name(s.g.Goroutines[some].Name); first != "" && len(names) == 1 {
		n += ", " + first
	}
	return n
}

// path folds the longest path.
func (s *goroutineSink) path(l *dag.Longest, scale float64) {
	type key struct{ worker, name int32 }
	type sum struct {
		weight, pieces uint64
		handed         map[string]uint64
		first          int
	}
	all := map[key]*sum{}
	for p := range l.Path() {
		o := &s.g.Ops[p.Op]
		k := key{o.Worker, o.Name}
		if all[k] == nil {
			all[k] = &sum{handed: map[string]uint64{}}
		}
		x := all[k]
		x.weight += p.Weight
		x.pieces++
		if x.first = p.Op; p.To >= 0 {
			x.handed[operation(o)]++
		}
	}
	keys := slices.SortedFunc(maps.Keys(all), func(a, b key) int {
		return cmp.Or(cmp.Compare(all[b].weight, all[a].weight), cmp.Compare(all[a].first, all[b].first))
	})
	s.d.Goroutines.Path = make([]Stretch, 0, len(keys))
	for _, k := range keys {
		x := all[k]
		if x.weight == 0 && len(x.handed) == 0 {
			continue
		}
		handed := make([]Handed, 0, len(x.handed))
		for op, n := range x.handed {
			handed = append(handed, Handed{op, n})
		}
		slices.SortFunc(handed, func(a, b Handed) int {
			return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Operation, b.Operation))
		})
		s.d.Goroutines.Path = append(s.d.Goroutines.Path, Stretch{s.who(k.worker),
			s.g.Name(int(k.name)), doc.Some(float64(x.weight) * scale), x.pieces, handed})
	}
}

// nodes folds goroutines that ran the same first; from the most work on, those beyond the limit go
// into the last node. An edge leads from those that were waited for to those that waited.
func (s *goroutineSink) nodes(scale float64) {
	d, g := s.d, s.g
	type group struct{ count, kernels, work uint64 }
	groups := map[int]*group{}
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Kind != 0 {
			name := g.Goroutines[o.Worker].Name
			if groups[name] == nil {
				groups[name] = &group{}
			}
			groups[name].work += s.weigh(o)
			groups[name].kernels += o.Kernels
			if o.Previous < 0 {
				groups[name].count++
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(groups), func(a, b int) int {
		return cmp.Or(cmp.Compare(groups[b].work, groups[a].work), cmp.Compare(a, b))
	})
	d.Folded = len(names) > readable
	of := map[int]int{}
	work := uint64(0)
	for i, name := range names {
		x := groups[name]
		if of[name] = min(i, readable-1); i < readable {
			d.Nodes, work = append(d.Nodes, Node{Task: true, Kernel: g.Name(name)}), 0
		}
		n := &d.Nodes[of[name]]
		if i >= readable {
			n.Kernel = ""
		}
		work += x.work
		n.Count += x.count
		n.Kernels += x.kernels
		n.Work = doc.Some(float64(work) * scale)
	}
	count := map[[2]int]*Edge{}
	node := func(o *dag.Op) int { return of[g.Goroutines[o.Worker].Name] }
	for i := range g.Ops {
		o := &g.Ops[i]
		if _, waited := g.Waited(o); waited || o.Kind == loi.EventStart && o.Partner >= 0 {
			by := &g.Ops[o.Partner]
			k := [2]int{node(by), node(o)}
			if count[k] == nil {
				count[k] = &Edge{From: k[0], To: k[1]}
			}
			if waited {
				count[k].Count++
			} else {
				count[k].Starts++
			}
		}
	}
	for _, e := range count {
		d.Edges = append(d.Edges, *e)
	}
	slices.SortFunc(d.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	s.depths()
}

// drawn reports whether an edge is drawn: one that only starts goroutines is, where none let those
// go on.
func (d *Document) drawn(e *Edge) bool {
	return e.Count > 0 || e.From != e.To && !slices.ContainsFunc(d.Edges, func(x Edge) bool {
		return x.To == e.To && x.From != x.To && x.Count > 0
	})
}

// depths sets the length of the longest path that leads to a node from one that none started, by
// edges that do not lead back on it.
func (s *goroutineSink) depths() {
	d := s.d
	next := make([][]int, len(d.Nodes))
	started := make([]bool, len(d.Nodes))
	for _, e := range d.Edges {
		started[e.To] = started[e.To] || e.From != e.To && e.Starts > 0
	}
	for _, e := range d.Edges {
		if e.From != e.To && started[e.To] {
			next[e.From] = append(next[e.From], e.To)
		}
	}
	const present, done = 1, 2
	state := make([]int, len(d.Nodes))
	var order []int // the last first
	forward := make([][]int, len(d.Nodes))
	var visit func(i int)
	visit = func(i int) {
		state[i] = present
		for _, to := range next[i] {
			if state[to] == present {
				continue
			}
			if forward[i] = append(forward[i], to); state[to] != done {
				visit(to)
			}
		}
		state[i] = done
		order = append(order, i)
	}
	for _, among := range []bool{false, true} {
		for i := range d.Nodes {
			if started[i] == among && state[i] == 0 {
				visit(i)
			}
		}
	}
	for _, i := range slices.Backward(order) {
		for _, to := range forward[i] {
			d.Nodes[to].Depth = max(d.Nodes[to].Depth, d.Nodes[i].Depth+1)
		}
	}
}
