package loops

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"krdlab/krd/analysis/flow"
	"krdlab/loi"
)

// Transformations that remove dependences.
const (
	Private   = "private"    // each iteration has its own; nobody reads it after the loop
	LastValue = "last value" // likewise, and what the last iteration that wrote it left is kept
	Copy      = "copy"       // what an iteration has not written itself it reads in a copy made before
	Induction = "induction"  // its value in an iteration is known ahead
	Reduction = "reduction"  // parts are combined behind the loop
)

// Removals are all of them.
var Removals = []string{Private, LastValue, Copy, Induction, Reduction}

// Classes of loops. A loop that is Ordered by a dependence that is not removed is doacross or
// serial, by the dependence's cost: see package regions.
const (
	DoAll   = "doall"
	Reduced = "reduction"
	Ordered = "ordered"
)

// leastIterations is the least number of iterations of some instance of a loop that gets a class.
const leastIterations = 3

// A Verdict holds the findings on a loop of the source, from one run.
type Verdict struct {
	Loop    loi.RegionID
	Count   flow.Loop
	Class   string // "": it had too few iterations, or something in it is not seen
	Unseen  *Point // an operation that does what is not seen; nil: there is none
	Removed []Removal
	// Distance is the least of a dependence that is not removed, in iterations; 0: there is none.
	Distance int64
	// By is the removal of each kind that the loop carries; "": none.
	By map[Kind]string

	marks map[operand]string
}

// A Removal removes what a loop carries through a variable, or a part of a data structure.
type Removal struct {
	By       string `json:"by"`
	Name     string `json:"name"`               // as the source writes it: "s", "p.sum", "a" of a[i]
	Line     uint32 `json:"line"`               // of a write
	Operator string `json:"operator,omitempty"` // of a reduction
	Rounds   bool   `json:"rounds"`             // floating point: in another order it is rounded otherwise
}

// An operand is one of a value.
type operand struct {
	Point
	n uint16
}

// Verdicts ends the trace, and returns the findings on each loop that was entered, in the order of
// the source's.
func (l *Loops) Verdicts() []Verdict {
	l.Flow.Match()
	l.Flow.End()
	facts := map[loi.RegionID]*facts{}
	var list []Verdict
	for _, loop := range slices.Sorted(maps.Keys(l.Flow.Loops)) {
		facts[loop] = newFacts()
		list = append(list, Verdict{Loop: loop, Count: *l.Flow.Loops[loop], By: map[Kind]string{},
			marks: map[operand]string{}})
	}
	for _, k := range l.Order {
		common := k.same
		if k.carried {
			f := facts[k.at(k.same)]
			f.carried, f.within = append(f.carried, k), append(f.within, k)
			common++
		}
		for depth := range k.same {
			f := facts[k.at(depth)]
			f.within = append(f.within, k)
		}
		if k.Order == WAR {
			for depth := k.own; depth < common; depth++ {
				facts[k.at(depth)].exposed[l.writes(&k)] = true
			}
		}
		if k.Order == RAW {
			for c := k.before; c.Loops() > common; c = c.Parent {
				facts[c.Loop].live[l.canonical(k.From)] = true
			}
		}
	}
	for i := range list {
		l.judge(&list[i], facts[list[i].Loop])
	}
	return list
}

// facts sum up the kinds of dependences of a loop.
type facts struct {
	carried, within []Kind
	live            map[Point]bool // its values are read after the loop
	exposed         map[node]bool  // writes of what an iteration read before, not having written it
	nodes           map[node]node  // of writes, to another of the same group or itself
}

func newFacts() *facts {
	return &facts{live: map[Point]bool{}, exposed: map[node]bool{}, nodes: map[node]node{}}
}

// A node is a write of a variable or of an object. Those that dependences join are a group, which is
// removed as a whole or not at all.
type node struct {
	Point
	through int32
}

func (f *facts) group(n node) node {
	up, ok := f.nodes[n]
	if !ok {
		f.nodes[n] = n
		return n
	}
	if up == n {
		return n
	}
	up = f.group(up)
	f.nodes[n] = up
	return up
}

func (f *facts) join(a, b node) {
	a, b = f.group(a), f.group(b)
	if a != b {
		f.nodes[b] = a
	}
}

// writes returns the write of the end of a kind that is one, of a RAW the first.
func (l *Loops) writes(k *Kind) node {
	if k.Order == RAW {
		return node{l.canonical(k.From), k.Through}
	}
	return node{l.canonical(k.To), k.Through}
}

// reader returns the operand that a RAW or WAR reads by; a zero one, if that is of no operation.
func (l *Loops) reader(k *Kind) (Point, *loi.Operand) {
	p := k.To
	if k.Order == WAR {
		p = k.From
	}
	if v := l.value(p); int(k.Operand) < len(v.Operands) {
		return p, &v.Operands[k.Operand]
	}
	return p, &loi.Operand{}
}

// updated returns the update that a kind's read is for, if the value that reads is the updated one.
func (l *Loops) updated(k *Kind) loi.Update {
	p, x := l.reader(k)
	if x.Update != l.value(p).Update {
		return loi.NoUpdate
	}
	return x.Update
}

// judge finds what removes the kinds that a loop carries, and its class.
func (l *Loops) judge(v *Verdict, f *facts) {
	var decided []Kind
	for _, k := range f.carried {
		if k.Control {
			decided = append(decided, k)
			continue
		}
		w := l.writes(&k)
		f.group(w)
		switch {
		case k.Order == WAW:
			f.join(w, node{l.canonical(k.From), k.Through})
		case l.updated(&k) != loi.NoUpdate:
			p, _ := l.reader(&k)
			f.join(w, node{l.canonical(p), k.Through})
		}
	}
	groups := map[node]*group{}
	var order []*group
	for _, k := range f.carried {
		if k.Control {
			continue
		}
		root := f.group(l.writes(&k))
		g := groups[root]
		if g == nil {
			g = &group{through: root.through}
			groups[root], order = g, append(order, g)
		}
		g.kinds = append(g.kinds, k)
	}
	for n := range f.nodes {
		if g := groups[f.group(n)]; g != nil {
			g.writes = append(g.writes, n.Point)
		}
	}
	stepped := map[Point]bool{}
	for _, g := range order {
		slices.SortFunc(g.writes, func(a, b Point) int {
			return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Value, b.Value))
		})
		by := l.removal(v.Loop, f, g)
		for _, k := range g.kinds {
			v.By[k] = by[0]
			if p, x := l.reader(&k); k.Order == RAW && x.Update != loi.NoUpdate {
				v.marks[operand{p, k.Operand}] = by[0]
			}
			if k.Order == WAR && k.own <= k.same && slices.Contains(by, Copy) {
				v.By[k] = Copy
			}
			if by[0] == "" {
				v.nearer(l.Kinds[k].Least)
			}
		}
		for _, p := range g.writes {
			stepped[p] = stepped[p] || by[0] == Induction
		}
		for _, x := range by {
			if x != "" && !l.heads(x, g) {
				v.Removed = append(v.Removed, l.removed(x, g))
			}
		}
	}
	for _, k := range decided {
		if l.regular(&k, f, stepped) {
			v.By[k] = Induction
			v.marks[operand{k.To, k.Operand}] = Induction
		} else {
			v.By[k] = ""
			v.nearer(l.Kinds[k].Least)
		}
	}
	slices.SortStableFunc(v.Removed, func(a, b Removal) int {
		return cmp.Or(cmp.Compare(slices.Index(Removals, a.By), slices.Index(Removals, b.By)),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
	v.Removed = slices.Compact(v.Removed)
	if p, ok := l.blind[v.Loop]; ok {
		v.Unseen = &p
	}
	switch {
	case v.Count.Most < leastIterations:
	case v.Distance > 0:
		v.Class = Ordered
	case v.Unseen != nil:
	case slices.ContainsFunc(v.Removed, func(r Removal) bool { return r.By == Reduction }):
		v.Class = Reduced
	default:
		v.Class = DoAll
	}
}

func (v *Verdict) nearer(distance int64) {
	if v.Distance == 0 || distance < v.Distance {
		v.Distance = distance
	}
}

// A group has the kinds that a loop carries by some writes.
type group struct {
	through int32
	writes  []Point
	kinds   []Kind
}

// removal returns what removes a group from a loop, once [""] if nothing does.
func (l *Loops) removal(loop loi.RegionID, f *facts, g *group) []string {
	switch {
	case g.through == channels:
		return []string{""}
	case l.inducts(loop, f, g):
		return []string{Induction}
	case l.reduces(f, g):
		return []string{Reduction}
	}
	exposed, own := false, false
	for _, k := range g.kinds {
		if k.Order == RAW {
			return []string{""}
		}
		own = own || k.Order == WAW || k.own > k.same
	}
	for _, p := range g.writes {
		exposed = exposed || f.exposed[node{p, g.through}]
	}
	var by []string
	if own {
		by = append(by, Private)
		if slices.ContainsFunc(g.writes, func(p Point) bool { return f.live[p] }) {
			by[0] = LastValue
		}
	}
	if exposed {
		by = append(by, Copy)
	}
	return by
}

// inducts reports that a group is a variable that each iteration changes once, by what the loop does
// not change: under no condition, or by the same on each path. Its writes are of the loop's own body,
// and each iteration reads what the one before wrote.
func (l *Loops) inducts(loop loi.RegionID, f *facts, g *group) bool {
	first, either := l.value(g.writes[0]), len(g.writes) > 1
	for i := range first.Operands { // the other branch may never have been taken
		either = either || l.ahead[&first.Operands[i]].Each
	}
	for _, w := range g.writes {
		if v := l.value(w); v.Update != loi.Sum || v.Step == 0 || v.Step != first.Step ||
			l.registry.Operations[w.Operation].Region != l.function(loop) {
			return false
		}
	}
	steps := uint64(0)
	for _, k := range g.kinds {
		if k.Order != RAW {
			continue
		}
		t := l.Kinds[k]
		if t.Least != 1 || t.Most != 1 {
			return false
		}
		if slices.Contains(g.writes, k.To) && l.updated(&k) == loi.Sum {
			if k.after.Loops() != k.same+1 {
				return false // in a loop within
			}
			steps += t.N
		}
	}
	for _, k := range f.within {
		if k.Order != RAW || !slices.Contains(g.writes, k.To) {
			continue
		}
		switch {
		case !k.Control && l.updated(&k) == loi.NoUpdate:
			return false // the step
		case !k.Control && !k.carriedBy(loop):
			return false // twice in an iteration
		case k.Control && l.registry.Operations[k.From.Operation].Kind != loi.Head &&
			(!either || steps != l.Flow.Loops[loop].Again):
			return false // not in each
		}
	}
	return steps > 0
}

// carriedBy reports that a loop carries a kind.
func (k *Kind) carriedBy(loop loi.RegionID) bool {
	c, ok := k.Carrier()
	return ok && c == loop
}

// heads reports that a group is the induction variable of the head of a loop, about which nothing has
// to be done.
func (l *Loops) heads(by string, g *group) bool {
	o := &l.registry.Operations[min(int(g.writes[0].Operation), len(l.registry.Operations)-1)]
	return by == Induction && o.Kind == loi.Head
}

// function returns the function that a loop stands in.
func (l *Loops) function(loop loi.RegionID) loi.RegionID {
	list := l.registry.Regions
	for list[loop].Parent != loi.NoRegion {
		loop = list[loop].Parent
	}
	return loop
}

// reduces reports that all that a loop does with what a group writes is to update it by one operator.
func (l *Loops) reduces(f *facts, g *group) bool {
	u := l.value(g.writes[0]).Update
	for _, p := range g.writes {
		if u == loi.NoUpdate || l.value(p).Update != u {
			return false
		}
	}
	for _, k := range g.kinds {
		if _, x := l.reader(&k); k.Order != WAW && x.Update != u {
			return false
		}
	}
	for _, k := range f.within { // what is updated is read and written by updates alone
		if k.Order != RAW || k.Control || k.Through != g.through {
			continue
		}
		p, x := l.reader(&k)
		from := slices.Contains(g.writes, l.canonical(k.From))
		to := l.updated(&k) != loi.NoUpdate && slices.Contains(g.writes, l.canonical(p))
		if from && x.Update != u || to && !from {
			return false
		}
	}
	if !slices.ContainsFunc(g.kinds, func(k Kind) bool { return k.Order == RAW }) {
		return !slices.ContainsFunc(g.writes, func(p Point) bool { return !l.beside(f, p, u) })
	}
	return l.accompanied(f, g)
}

// accompanied reports whether the variables set together with the least or greatest value of a
// group are set there always and nowhere else, and at one place for each of the group: d[i] = 1
// would mark each iteration that came upon a new one.
func (l *Loops) accompanied(f *facts, g *group) bool {
	overwritten := func(p Point) (n uint64) {
		for _, k := range f.carried {
			if k.Order == WAW && l.canonical(k.To) == p {
				n += l.Kinds[k].N
			}
		}
		return n
	}
	joined := func(p Point) bool { // with as many as there are in the group
		for n := range f.nodes {
			size := 0
			for other := range f.nodes {
				if f.group(other) == f.group(n) {
					size++
				}
			}
			if n.Point == p && size != len(g.writes) {
				return false
			}
		}
		return true
	}
	for _, p := range g.writes {
		for _, q := range l.together(p) {
			if !slices.Contains(g.writes, q) && (overwritten(q) != overwritten(p) || !joined(q)) {
				return false
			}
		}
	}
	return true
}

// together returns the values that are set under the condition by which a value is the least or
// greatest so far.
func (l *Loops) together(p Point) (all []Point) {
	v := l.value(p)
	at := slices.IndexFunc(v.Operands, func(x loi.Operand) bool { return x.Control })
	if v.Update != loi.Least && v.Update != loi.Greatest || at < 0 {
		return nil
	}
	for i := range l.registry.Operations {
		o := &l.registry.Operations[i]
		if o.Region != l.registry.Operations[p.Operation].Region || o.Kind == loi.Condition {
			continue
		}
		for n := range o.Values {
			if o.Values[n].Update == v.Update && slices.Contains(o.Values[n].Operands, v.Operands[at]) {
				all = append(all, Point{uint32(i), uint16(n)})
			}
		}
	}
	return all
}

// beside reports that a value is set together with one that a loop keeps the least or greatest of.
func (l *Loops) beside(f *facts, p Point, u loi.Update) bool {
	region := l.registry.Operations[p.Operation].Region
	for _, c := range l.value(p).Operands {
		if !c.Control {
			continue
		}
		for _, k := range f.carried {
			to, x := l.reader(&k)
			if k.Order == RAW && x.Update == u && l.value(to).To == c.From &&
				l.registry.Operations[to.Operation].Region == region {
				return true
			}
		}
	}
	return false
}

// regular reports that the head of a loop decides by nothing but what it began with and induction
// variables, of a kind by which that depends on what decided before.
func (l *Loops) regular(k *Kind, f *facts, stepped map[Point]bool) bool {
	if k.From != k.To || l.value(k.To).Step == 0 {
		return false
	}
	for _, x := range f.within {
		if x.Order != RAW || x.To != k.To || x.Control {
			continue
		}
		// Each iteration has its own, if closures have it: nothing is carried then.
		from := l.canonical(x.From)
		v := l.value(from)
		_, carried := f.nodes[node{from, x.Through}]
		own := !carried && from.Operation == k.To.Operation && v.Update == loi.Sum && v.Step != 0
		if !stepped[from] && !own {
			return false
		}
	}
	return true
}

// removed returns a removal for people.
func (l *Loops) removed(by string, g *group) Removal {
	r := Removal{By: by}
	for _, p := range slices.Backward(g.writes) {
		if int(p.Operation) < len(l.registry.Operations) {
			r.Line = l.registry.Operations[p.Operation].Line
		}
		if name := l.value(p).Name; name != "" {
			r.Name, _, _ = strings.Cut(strings.TrimLeft(name, "*"), "[")
		}
	}
	if r.Name == "" {
		r.Name = l.Name(g.through)
	}
	if v := l.value(g.writes[0]); by == Reduction {
		sums := v.Update == loi.Sum || v.Update == loi.Product
		r.Operator, r.Rounds = v.Update.String(), v.Rounds && sums
	} else if by == Induction {
		r.Rounds = v.Rounds
	}
	return r
}

// Name returns that of what a kind goes through, "" if it has none.
func (l *Loops) Name(through int32) string {
	switch {
	case through == channels:
		return "channels"
	case through < 0:
		return l.through[-1-through].name
	case int(through) < len(l.registry.Objects):
		return l.registry.Objects[through].Name
	}
	return ""
}

// Marks yields the operands that read what their value updates, and what they are in the loop:
// [Induction], [Reduction] or "", a dependence that stays.
func (v *Verdict) Marks(r *loi.Registry) iter.Seq2[*loi.Operand, string] {
	return func(yield func(*loi.Operand, string) bool) {
		for x, by := range v.marks {
			if !yield(&r.Operations[x.Operation].Values[x.Value].Operands[x.n], by) {
				return
			}
		}
	}
}

// Words lists removals for people.
func Words(list []Removal) string {
	var words []string
	for _, x := range list {
		words = append(words, x.String())
	}
	return strings.Join(words, ", ")
}

// String returns "private x:7" with the line, "reduction s:9 (+)"; of floating point "(+, rounds)".
func (r Removal) String() string {
	text := fmt.Sprintf("%s %s:%d", r.By, r.Name, r.Line)
	switch {
	case r.Operator != "" && r.Rounds:
		text += fmt.Sprintf(" (%s, rounds)", r.Operator)
	case r.Operator != "":
		text += fmt.Sprintf(" (%s)", r.Operator)
	case r.Rounds:
		text += " (rounds)"
	}
	return text
}
