package regions

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/loi"
)

// nested is a program with a loop in a loop.
func nested() []loi.Region {
	return []loi.Region{{Name: "main", Kind: loi.Function, Parent: loi.NoRegion},
		{Name: "f", Kind: loi.Function, Parent: loi.NoRegion},
		{Name: "f:3", Kind: loi.Loop, Parent: 1},
		{Name: "f:3, iteration", Kind: loi.Iteration, Parent: 2},
		{Name: "f:4", Kind: loi.Loop, Parent: 3},
		{Name: "f:4, iteration", Kind: loi.Iteration, Parent: 4}}
}

// A model computes critical paths with a map for each value: the time at which it is there, by the
// instance of a region that was open when it was written.
type model struct {
	marks      map[*loi.Operand]map[loi.RegionID]string
	regions    []loi.Region
	operations []loi.Operation
	stack      []*modelled
	base       *locals
	memory     map[uint64]*value
	last       int
	rows       map[string]*modelRow
}

type value struct {
	times map[int]uint64
	at    []turn
}

// A turn is an iteration of an instance of a loop.
type turn struct{ loop, number int }

// locals holds the slots of an activation.
type locals struct {
	slots   map[uint32]*value
	pending []loaded
}

type loaded struct {
	addr   uint64
	mode   loi.Mode
	before *value
}

// A modelled region is open; id is 0 of one that is folded.
type modelled struct {
	number                           uint32
	region, id, loop, turns          int
	path                             string
	at                               []turn
	own                              *locals
	longest, work, children, without uint64
}

type modelRow struct {
	work, path uint64
	serial     float64
}

func (m *model) locals() *locals {
	for _, x := range slices.Backward(m.stack) {
		if x.own != nil {
			return x.own
		}
	}
	return m.base
}

func (m *model) enter(region int, number uint32) {
	m.last++
	x := &modelled{number: number, region: region, id: m.last, loop: m.last}
	kind := m.regions[region].Kind
	if n := len(m.stack); n > 0 {
		x.at = m.stack[n-1].at
	}
	for _, o := range m.stack {
		if o.id > 0 {
			x.path = o.path + ";"
			if o.region == region {
				x.id = 0
			}
		}
	}
	x.path += m.regions[region].Name
	if kind == loi.Function {
		x.own = &locals{slots: map[uint32]*value{}}
	}
	for _, l := range slices.Backward(m.stack) {
		if kind == loi.Iteration && l.region == int(m.regions[region].Parent) {
			x.at = append(slices.Clone(l.at), turn{l.loop, l.turns})
			l.turns++
			break
		}
	}
	m.stack = append(m.stack, x)
}

func (m *model) leave(number uint32) {
	i := slices.IndexFunc(m.stack, func(x *modelled) bool { return x.number == number })
	for i >= 0 && len(m.stack) > i {
		x := m.stack[len(m.stack)-1]
		if m.stack = m.stack[:len(m.stack)-1]; x.id == 0 {
			continue
		}
		r := m.rows[x.path]
		if r == nil {
			r = &modelRow{}
			m.rows[x.path] = r
		}
		r.work += x.work
		r.path += x.longest
		if own := x.children + x.work - x.without; own > 0 {
			r.serial += float64(x.work) * float64(x.longest) / float64(own)
		}
		for _, o := range slices.Backward(m.stack) {
			if o.id > 0 {
				o.children, o.without = o.children+x.longest, o.without+x.work
				break
			}
		}
	}
}

func (m *model) access(addr uint64, mode loi.Mode) {
	l := m.locals()
	l.pending = append(l.pending, loaded{addr, mode, m.memory[addr]})
	if mode&loi.Out != 0 {
		delete(m.memory, addr)
	}
}

// marked returns what the loops around do by an operand, and the instance of the outermost of them.
func (m *model) marked(x *loi.Operand) (by string, instance int) {
	for i, o := range slices.Backward(m.stack) {
		is, known := m.marks[x][loi.RegionID(o.region)]
		if !known {
			continue
		}
		if is == "" || by != "" && is != by {
			break
		}
		for ; m.stack[i].id == 0; i-- {
		}
		by, instance = is, m.stack[i].id
	}
	return by, instance
}

func (m *model) done(n uint32, terms []uint32) {
	op, l := &m.operations[n], m.locals()
	pending := l.pending[len(l.pending)-len(terms):]
	var now []turn
	if len(m.stack) > 0 {
		now = m.stack[len(m.stack)-1].at
	}
	first := len(now) == 0 || now[len(now)-1].number == 0
	for _, x := range m.stack {
		x.work += uint64(op.Work)
	}
	written := map[loi.Place]*value{}
	for i := range op.Values {
		v := &op.Values[i]
		if v.When == loi.First && !first || v.When == loi.Later && first {
			continue
		}
		out, bare := &value{map[int]uint64{}, now}, map[int]uint64{}
		steps, counts, sums, data := false, false, false, 0
		for j := range op.Values[i].Operands {
			x := &op.Values[i].Operands[j]
			by, _ := m.marked(x)
			counts = counts || op.Kind == loi.Head && x.Control && by == loops.Induction
		}
		sources := make([][]*value, len(v.Operands))
		var all uint64 // cost of what is computed
		for j, x := range v.Operands {
			if x.From.Kind == loi.Slot {
				sources[j] = append(sources[j], cmp.Or(l.slots[x.From.N], &value{}))
			}
			for k, t := range terms {
				if x.From.Kind == loi.Memory && t == x.From.N+1 && pending[k].mode&loi.In != 0 {
					sources[j] = append(sources[j], cmp.Or(pending[k].before, &value{}))
				}
			}
			if !x.Control && sources[j] != nil {
				all = max(all, uint64(x.Cost))
			}
		}
		last := op.Values[len(op.Values)-1].To
		if f := l.slots[last.N]; op.Kind == loi.Head && v.When == loi.Later && last.Kind == loi.Slot &&
			f != nil {
			for _, o := range m.stack { // it stands under the condition before
				if time, ok := f.times[o.id]; ok {
					out.times[o.id], bare[o.id] = time+all, time
				}
			}
		}
		for j, x := range v.Operands {
			for _, f := range sources[j] {
				if !x.Control {
					data++
				}
				same := 0
				for same < len(now) && same < len(f.at) && now[same] == f.at[same] {
					same++
				}
				carried := same < len(now) && same < len(f.at) && now[same].loop == f.at[same].loop
				if x.Control && carried {
					if op.Kind != loi.Head || same != len(now)-1 {
						continue
					}
				}
				longer := uint64(x.Cost)
				if x.Control {
					longer += all
				}
				by, instance := m.marked(&v.Operands[j])
				if _, within := f.times[instance]; by == loops.Induction || by != "" && within {
					longer = 0
					steps = steps || by == loops.Induction && !x.Control
					sums = sums || by == loops.Reduction && !x.Control
				}
				for _, o := range m.stack {
					if o.id > 0 {
						if time, ok := f.times[o.id]; ok {
							out.times[o.id] = max(out.times[o.id], time+longer)
							bare[o.id] = max(bare[o.id], time)
						}
						out.times[o.id] = max(out.times[o.id], uint64(x.Cost))
					}
				}
			}
		}
		for _, o := range m.stack {
			if o.id > 0 {
				out.times[o.id] += 0 // it was written
				if steps || sums && data == 1 {
					out.times[o.id] = bare[o.id]
				}
				o.longest = max(o.longest, out.times[o.id])
			}
		}
		if counts {
			for id := range out.times {
				out.times[id] = bare[id]
			}
		}
		written[v.To] = out
	}
	for _, claimed := range []bool{true, false} { // what no value claims comes last
		for i := range pending {
			w := written[loi.Place{Kind: loi.Memory, N: terms[i] - 1}]
			if pending[i].mode&loi.Out == 0 || (w != nil) != claimed {
				continue
			}
			if m.memory[pending[i].addr] = w; !claimed {
				delete(m.memory, pending[i].addr)
			}
		}
	}
	for to, w := range written {
		if to.Kind == loi.Slot {
			l.slots[to.N] = w
		}
	}
	l.pending = nil
}

// drawOperations draws what stands in the registry; each value of one has another place.
func drawOperations(r *rand.Rand) (list []loi.Operation) {
	n := func(most int) int { return r.IntN(most + 1) }
	for range 5 {
		o := loi.Operation{Name: "op", Region: loi.NoRegion, Work: uint32(n(9)),
			Kind: loi.OperationKind(1 + n(2))}
		for i := range 1 + n(1) {
			v := loi.Value{To: loi.Place{Kind: loi.PlaceKind(n(1)), N: uint32(2*n(1) + i)},
				When: loi.When(n(2))}
			for range n(3) {
				x := loi.Operand{From: loi.Place{Kind: loi.PlaceKind(n(1)), N: uint32(n(3))},
					Cost: uint32(n(9))}
				if n(2) == 0 {
					x.From = v.To // what marks are for
				}
				if x.From.Kind == loi.Slot && n(1) == 1 {
					x.Control, x.Cost = true, 0
				}
				v.Operands = append(v.Operands, x)
			}
			o.Values = append(o.Values, v)
		}
		list = append(list, o)
	}
	return list
}

// operands yields those of all values of operations.
func operands(list []loi.Operation) iter.Seq[*loi.Operand] {
	return func(yield func(*loi.Operand) bool) {
		for i := range list {
			for j := range list[i].Values {
				for k := range list[i].Values[j].Operands {
					if !yield(&list[i].Values[j].Operands[k]) {
						return
					}
				}
			}
		}
	}
}

// TestRandomPaths compares the critical paths of random operations with the model.
func TestRandomPaths(t *testing.T) {
	folded, marked, chained := 0, 0, 0
	for tries := 0; tries < 10 && (folded == 0 || marked == 0 || chained == 0); tries++ {
		rapid.Check(t, func(rt *rapid.T) { randomPaths(t, rt, &folded, &marked, &chained) })
	}
	if folded == 0 || marked == 0 || chained == 0 {
		t.Errorf("%d programs with more instances than regions, %d regions shorter by a mark, %d long",
			folded, marked, chained)
	}
}

// randomPaths compares those of one program, and counts what it had.
func randomPaths(t *testing.T, rt *rapid.T, folded, marked, chained *int) {
	check := func(err error) {
		if err != nil {
			rt.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "trace.loi")
	b, err := loi.NewBuilder(path)
	check(err)
	object, err := b.Object("data", loi.Keyed)
	check(err)
	kernel, err := b.Kernel("code")
	check(err)
	for _, r := range nested() {
		_, err := b.Region(r)
		check(err)
	}
	seed := rapid.Uint64().Draw(rt, "seed") // rapid prefers small numbers
	if seed == 0 {
		seed = 0xb18 // two values of one operation are stored to the same datum
	}
	r := rand.New(rand.NewPCG(seed, 0))
	operations := drawOperations(r)
	for i := range operations {
		operations[i].Kernel = kernel
		_, err := b.Operation(operations[i])
		check(err)
	}
	opt := options()
	var models []*model // without marks, and with some
	for range 2 {
		models = append(models, &model{marks: map[*loi.Operand]map[loi.RegionID]string{},
			regions: nested(), operations: operations, base: &locals{slots: map[uint32]*value{}},
			memory: map[uint64]*value{}, rows: map[string]*modelRow{}})
	}
	for x := range operands(operations) {
		of := map[loi.RegionID]string{}
		for _, loop := range []loi.RegionID{2, 4} {
			if by := r.IntN(4); by > 0 {
				of[loop] = []string{"", loops.Induction, loops.Reduction}[by-1]
			}
		}
		models[1].marks[x] = of
	}
	number := uint32(0)
	var open []uint32
	for i := range rapid.IntRange(200, 400).Draw(rt, "steps") {
		at := uint64(10 * i)
		switch step := r.IntN(16); {
		case step < 4 && len(open) < 9 || len(open) == 0:
			number++
			region := r.IntN(len(nested()))
			if n := len(open); n > 0 && r.IntN(4) > 0 { // mostly what stands in the innermost
				region = min(models[0].stack[n-1].region+1, len(nested())-1)
			}
			check(b.Event(0, loi.EventRegion, at, uint32(region), number, 0))
			for _, m := range models {
				m.enter(region, number)
			}
			open = append(open, number)
		case step < 7:
			n := open[len(open)-1]
			open = open[:len(open)-1]
			check(b.Event(0, loi.EventRegionEnd, at, n))
			for _, m := range models {
				m.leave(n)
			}
		case step < 10:
			addr, mode := 64+8*r.Uint64N(4), loi.Mode(1+r.IntN(3))
			check(b.Access(0, kernel, at, loi.Access{Object: object, Mode: mode, Block: addr | 8<<56,
				Bytes: 8}))
			for _, m := range models {
				m.access(addr, mode)
			}
		default:
			args := []uint32{uint32(r.IntN(len(operations)))}
			for range models[0].locals().pending {
				args = append(args, r.Uint32N(5))
			}
			check(b.Event(0, loi.EventOperation, at, args...))
			for _, m := range models {
				m.done(args[0], args[1:])
			}
		}
	}
	for _, n := range slices.Backward(open) {
		for _, m := range models {
			m.leave(n)
		}
	}
	check(b.Close(loi.Header{Substrate: loi.Native, Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Nodes: 1, Grain: "kernel", Workers: []loi.Worker{{CPU: -1}},
		Meta: []loi.KV{{Key: loi.UnitKey, Value: loi.UnitDatum}, loi.WorkersAreGoroutines}}))
	tr, err := loi.Open(path)
	check(err)
	defer tr.Close()
	for _, m := range models {
		opt := *opt
		opt.Validation = rapid.SampledFrom([]string{"bulk", "slim", "baseline"}).Draw(rt, "validation")
		marks := map[*loi.Operand]map[loi.RegionID]string{}
		next, stop := iter.Pull(operands(tr.Header.Registry.Operations))
		for x := range operands(operations) { // the same of the trace
			y, _ := next()
			marks[y] = m.marks[x]
		}
		stop()
		p := follow(rt, tr, &opt, marks)
		p.ended(0)
		d := p.document(&analysis.Input{}, unitInstructions)
		if len(d.Regions) != len(m.rows) {
			rt.Fatalf("%d regions, expected %d", len(d.Regions), len(m.rows))
		}
		for _, r := range d.Regions {
			want := m.rows[strings.Join(r.Path, ";")]
			if want == nil || r.Work != want.work || *r.CriticalPath != want.path {
				rt.Fatalf("%v: work %d, path %d, expected %+v", r.Path, r.Work, *r.CriticalPath, want)
			}
			sp := ratio(float64(want.work), want.serial)
			if (sp == nil) != (r.SelfParallelism == nil) || sp != nil &&
				math.Abs(*sp-*r.SelfParallelism) > 1e-9**sp {
				rt.Fatalf("%v: self-parallelism %v, expected %v", r.Path, real(r.SelfParallelism), real(sp))
			}
			if *r.CriticalPath > 20 {
				*chained++
			}
		}
	}
	for path, r := range models[0].rows {
		if x := models[1].rows[path]; x.path < r.path {
			*marked++
		}
	}
	if int(number) > len(models[0].rows) {
		*folded++
	}
}
