package kernels

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/loi/dag"
	"krdlab/runtimes"
)

// childOf names a child as events of decisions do: its task, phase and number.
type childOf [3]uint32

// told holds the events of a trace on a child of the graph.
type told struct {
	begin, end int64 // ticks
	worker     int
	parent     childOf // the task whose child it is, as a child; its own name for the root
}

// decided is the decisions of a run, read from its trace.
type decided struct {
	nodes    []int
	llc      uint64
	graph    *dag.Graph
	children map[childOf]*told
	hints    map[childOf][]uint32 // arguments behind the name
	places   map[childOf][]uint32
	charges  map[childOf]uint64
	mails    []event
	choices  []event
	asks     []event
	answers  []event
	steals   []event
}

// event is one, with its worker and all its arguments.
type event struct {
	worker int
	at     uint64
	args   []uint32
}

func wide(a []uint32) uint64 { return uint64(a[0]) | uint64(a[1])<<32 }

// read collects the decisions of a trace.
func read(t *testing.T, g *dag.Graph, trace *loi.Trace, nodes []int, llc uint64) *decided {
	t.Helper()
	d := &decided{nodes: nodes, llc: llc, graph: g, children: map[childOf]*told{},
		hints: map[childOf][]uint32{}, places: map[childOf][]uint32{},
		charges: map[childOf]uint64{}}
	begins := map[childOf]event{}
	for w := range trace.Header.Workers {
		last := uint64(0)
		for c := trace.All(w); c.Next(); {
			r := c.Record()
			if r.Type != loi.EventRecord {
				continue
			}
			if r.Start < last {
				t.Fatalf("worker %d: event %v at %d, after one at %d", w, r.Event, r.Start, last)
			}
			last = r.Start
			x := event{w, r.Start, slices.Clone(r.Args)}
			name := func() childOf { return childOf(x.args[:3]) }
			switch r.Event {
			case loi.EventHint:
				d.hints[name()], begins[name()] = x.args[3:], x
			case loi.EventPlace:
				d.places[name()] = x.args[3:]
			case loi.EventCharge:
				d.charges[name()] = wide(x.args[3:])
			case loi.EventMail:
				d.mails = append(d.mails, x)
			case loi.EventChoice:
				d.choices = append(d.choices, x)
			case loi.EventAsk:
				d.asks = append(d.asks, x)
			case loi.EventAnswer:
				d.answers = append(d.answers, x)
			case loi.EventSteal:
				d.steals = append(d.steals, x)
			}
		}
	}
	names := make([]childOf, len(g.Tasks)) // of each task, as a child
	for i := 1; i < len(g.Tasks); i++ {
		x := &g.Tasks[i]
		names[i] = childOf{g.Tasks[x.Parent].ID, uint32(x.Phase), uint32(x.Child)}
	}
	for i := range g.Tasks {
		x := &g.Tasks[i]
		for p := range x.Phases {
			for c, child := range x.Phases[p].Children {
				n := childOf{x.ID, uint32(p), uint32(c)}
				y := &told{parent: names[i], worker: child.Piece.Worker, end: child.Piece.At}
				if child.Task >= 0 {
					task := &g.Tasks[child.Task]
					y.worker, y.begin = task.Begin.Worker, task.Begin.At
					y.end = task.Phases[len(task.Phases)-1].After.At
				}
				if b, ok := begins[n]; ok {
					y.begin = int64(b.at)
				}
				d.children[n] = y
			}
		}
	}
	return d
}

// bytes returns the bytes that child n touches by its hint, 0 if there is none.
func (d *decided) bytes(n childOf) uint64 {
	if h := d.hints[n]; h != nil {
		return wide(h[2:])
	}
	return 0
}

// above returns the nearest of n and the children above it for which is returns true.
func (d *decided) above(n childOf, is func(childOf) bool) (childOf, bool) {
	for {
		if is(n) {
			return n, true
		}
		up := d.children[n].parent
		if up == n || d.children[up] == nil {
			return n, false
		}
		n = up
	}
}

// fitting are the children that by their hints touch at most so many bytes, where the child above
// them touches more, or has no hint.
func (d *decided) fitting(most uint64) (list []childOf) {
	small := func(n childOf) bool { b := d.bytes(n); return b > 0 && b <= most }
	for n, x := range d.children {
		if small(n) && !(d.children[x.parent] != nil && small(x.parent)) {
			list = append(list, n)
		}
	}
	return list
}

// resident is, for each node, the largest sum of what such children touch that run there at a time.
func (d *decided) resident(list []childOf) []uint64 {
	type edge struct {
		at    int64
		node  int
		bytes int64
	}
	var edges []edge
	for _, n := range list {
		x := d.children[n]
		b := int64(d.bytes(n))
		edges = append(edges, edge{x.begin, d.nodes[x.worker], b}, edge{x.end, d.nodes[x.worker], -b})
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.bytes, b.bytes))
	})
	now, most := make([]int64, 1+slices.Max(d.nodes)), make([]uint64, 1+slices.Max(d.nodes))
	for _, e := range edges {
		now[e.node] += e.bytes
		most[e.node] = max(most[e.node], uint64(now[e.node]))
	}
	return most
}

// onOneNode fails for each child in list with a part that ran on another node than the child began
// on.
func (d *decided) onOneNode(t *testing.T, list []childOf) {
	t.Helper()
	in := map[childOf]bool{}
	for _, n := range list {
		in[n] = true
	}
	away := map[childOf]bool{}
	for n, x := range d.children {
		if top, ok := d.above(n, func(n childOf) bool { return in[n] }); ok &&
			d.nodes[x.worker] != d.nodes[d.children[top].worker] {
			away[top] = true
		}
	}
	if len(away) > 0 {
		t.Errorf("%d of %d tasks that fit ran on several nodes", len(away), len(list))
	}
}

// halves fails where a thief of a policy that takes half took another number.
func (d *decided) halves(t *testing.T, exact bool) {
	t.Helper()
	several := 0
	for _, s := range d.steals {
		if len(s.args) != 4 {
			t.Fatalf("a steal %v, expected the entries that there were too", s.args)
		}
		n, of := s.args[2], s.args[3]
		several += int(n / 2)
		if want := max(of/2, 1); n > want || exact && n != want {
			t.Errorf("worker %d took %d of %d entries", s.worker, n, of)
		}
	}
	if several == 0 {
		t.Error("no steal took several")
	}
}

// properties check the definition of a scheduler by its traces. They use the trace, the nodes and
// the size of the caches alone.
var properties = map[string]func(t *testing.T, d *decided){
	"space-bounded": func(t *testing.T, d *decided) {
		list := d.fitting(d.llc / 2)
		d.onOneNode(t, list)
		most := d.resident(list)
		if slices.Max(most) > d.llc {
			t.Errorf("%d bytes were resident at most, of %d", most, d.llc)
		}
		if len(list) != len(d.charges) {
			t.Errorf("%d tasks fit, %d were charged", len(list), len(d.charges))
		}
		for _, n := range list {
			if d.charges[n] != d.bytes(n) {
				t.Errorf("%v was charged %d, and touches %d", n, d.charges[n], d.bytes(n))
			}
		}
		t.Logf("%d tasks fit; resident at most %d of %d", len(list), most, d.llc)
	},
	"laws": func(t *testing.T, d *decided) {
		list := d.fitting(d.llc)
		d.onOneNode(t, list)
		// a worker begins another subtree when nothing of the last is queued: at most one each
		most := d.resident(list)
		if per := uint64(len(d.nodes)) / uint64(len(most)); slices.Max(most) > per*d.llc {
			t.Errorf("%d bytes were resident at most, of %d", most, d.llc)
		}
		t.Logf("%d tasks fit; resident at most %d of %d", len(list), most, d.llc)
	},
	"adws": func(t *testing.T, d *decided) {
		n := 0
		for c, p := range d.places {
			if p[3] == 1 { // thieves leave it
				if n++; d.children[c].worker != int(p[0]) {
					t.Errorf("%v was placed with worker %d, and ran on %d", c, p[0],
						d.children[c].worker)
				}
			}
		}
		if n == 0 {
			t.Error("nothing was kept")
		}
	},
	"static": func(t *testing.T, d *decided) {
		if len(d.places) == 0 || len(d.steals) > 0 {
			t.Errorf("%d children were placed, %d steals", len(d.places), len(d.steals))
		}
		for c, p := range d.places {
			if d.children[c].worker != int(p[0]) {
				t.Errorf("%v was placed with worker %d, and ran on %d", c, p[0],
					d.children[c].worker)
			}
		}
	},
	"shepherd-core":   func(t *testing.T, d *decided) { d.halves(t, true) },
	"shepherd-socket": func(t *testing.T, d *decided) { d.halves(t, true) },
	"steal-half":      func(t *testing.T, d *decided) { d.halves(t, false) },
	"private-deques": func(t *testing.T, d *decided) {
		type pair struct{ thief, victim uint32 }
		open, given := map[pair]int{}, map[pair]int{}
		for _, a := range d.asks {
			open[pair{uint32(a.worker), a.args[0]}]++
		}
		got := 0
		for _, a := range d.answers {
			p := pair{a.args[0], uint32(a.worker)}
			if open[p]--; open[p] < 0 {
				t.Errorf("worker %d answered worker %d, which had not asked", p.victim, p.thief)
			}
			given[p] += int(a.args[1])
			got += int(a.args[1])
		}
		for _, s := range d.steals {
			if given[pair{uint32(s.worker), s.args[0]}]--; given[pair{uint32(s.worker),
				s.args[0]}] < 0 {
				t.Errorf("worker %d has a task of worker %d, which gave none", s.worker, s.args[0])
			}
		}
		if len(d.steals) == 0 || len(d.steals) > got {
			t.Errorf("%d steals, %d answers that gave something", len(d.steals), got)
		}
	},
	"slaw": func(t *testing.T, d *decided) {
		phases := 1 // that of the program
		for i := range d.graph.Tasks[1:] {
			phases += len(d.graph.Tasks[1+i].Phases)
		}
		if len(d.choices) != phases {
			t.Errorf("%d choices for %d phases", len(d.choices), phases)
		}
		stolen := map[int]uint32{}
		calm := 0
		for _, c := range d.choices {
			if c.args[2] == 1 { // child first
				calm++
			}
			if c.args[4] < stolen[c.worker] {
				t.Errorf("worker %d: %d stolen, then %d", c.worker, stolen[c.worker], c.args[4])
			}
			stolen[c.worker] = c.args[4]
		}
		if calm == phases {
			t.Errorf("%d of %d phases ran child first", calm, phases)
		}
	},
	"helpfirst-locality": func(t *testing.T, d *decided) {
		if len(d.mails) == 0 {
			t.Error("nothing was mailed")
		}
		for _, m := range d.mails {
			if h := d.hints[childOf(m.args[:3])]; h == nil || m.args[3] == uint32(m.worker) {
				t.Errorf("worker %d mailed %v, of which is known %v", m.worker, m.args, h)
			}
		}
	},
	"numa-ws": func(t *testing.T, d *decided) {
		if len(d.mails) == 0 {
			t.Error("nothing was mailed")
		}
		for _, m := range d.mails {
			if d.nodes[m.args[3]] == d.nodes[m.worker] {
				t.Errorf("worker %d mailed %v within its node", m.worker, m.args)
			}
		}
	},
	"hierarchical": func(t *testing.T, d *decided) {
		for _, s := range d.steals {
			if s.args[1] == 1 && slices.Index(d.nodes, d.nodes[s.worker]) != s.worker {
				t.Errorf("worker %d, which leads no node, stole from another", s.worker)
			}
		}
	},
}

// The properties of a scheduler are seen in its traces, which have its decisions: in virtual time
// and on threads.
func TestDecisions(t *testing.T) {
	hwtest.SkipRace(t)
	nodes := make([]int, 16)
	for i := range nodes {
		nodes[i] = i / 4
	}
	clock := hw.CalibrateClock()
	structure := runtimes.Structure{Tasks: true, Decisions: true}
	for name, small := range map[string]kernel.Params{"matmul": {"n": 512, "block": 32},
		"cilksort": {"n": 1 << 18, "leaf": 1024}, "cholesky": {"n": 768, "block": 32},
		"heat": {"n": 512, "steps": 8, "rows": 32, "cols": 32}} {
		k, ok := ByName(name)
		if !ok {
			t.Fatalf("there is no kernel %s", name)
		}
		for _, s := range runtimes.Schedulers {
			check := properties[s.Name]
			if check == nil || name == "heat" && s.Name != "helpfirst-locality" && s.Name != "numa-ws" {
				continue
			}
			p := k.With(small)
			for _, llc := range []uint64{256 << 10, 128 << 10} {
				bound := s.Name == "space-bounded" || s.Name == "laws"
				if llc < 256<<10 && !bound {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%dK", s.Name, name, llc>>10), func(t *testing.T) {
					g, trace := graphOf(t, k, p, s, func(in kernel.Instance,
						recs []*loi.Recorder) error {
						_, err := runtimes.Step(runtimes.StepConfig{Policy: s, Nodes: nodes, Seed: 1,
							LLCBytes: llc, Kernels: in.Registry().Kernels, Recorders: recs,
							Structure: structure}, in)
						return err
					})
					check(t, read(t, g, trace, nodes, llc))
				})
				if !bound {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%dK/native", s.Name, name, llc>>10), func(t *testing.T) {
					g, trace := graphOf(t, k, p, s, func(in kernel.Instance,
						recs []*loi.Recorder) error {
						_, err := runtimes.Run(context.Background(), runtimes.Config{Policy: s,
							CPUs: slices.Repeat([]int{-1}, len(nodes)), Nodes: nodes, Seed: 1,
							LLCBytes: llc, Clock: clock, Tracing: runtimes.TraceFull,
							Kernels: in.Registry().Kernels, Recorders: recs, Structure: structure,
							TaskGrain: k.TaskGrain}, in)
						return err
					})
					check(t, read(t, g, trace, nodes, llc))
				})
			}
		}
	}
	for name := range maps.Keys(properties) {
		if !slices.ContainsFunc(runtimes.Schedulers, func(s runtimes.Scheduler) bool {
			return s.Name == name
		}) {
			t.Errorf("there is no scheduler %s", name)
		}
	}
}
