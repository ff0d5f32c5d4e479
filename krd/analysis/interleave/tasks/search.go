package tasks

import "slices"

// A plan is a schedule as choices at the nodes of a DAG, which a search changes one by one.
type plan struct {
	kids  []int32   // those of the DAG, parallel ones in any order
	deals []dealing // of each node
	on    []int32   // the worker of all below a node, nobody: by share
	share sharing
}

// A sharing is who runs the vertices for which nothing else is said.
type sharing uint8

const (
	shareOrder  sharing = iota // equal parts of the order
	shareSerial                // equal parts of the serial order
	shareTurns                 // each worker in turn, by order
	shareDraw                  // drawn
	sharings
)

func (d *DAG) newPlan(how dealing) *plan {
	p := &plan{kids: slices.Clone(d.kids), deals: make([]dealing, len(d.nodes)),
		on: make([]int32, len(d.nodes))}
	for i := range p.on {
		p.on[i], p.deals[i] = nobody, how
	}
	return p
}

// A searcher looks for a schedule with few accesses beyond the LLC, or many: vertex by vertex, each
// the one whose data was used last, or longest ago; by plans, changing one and going back where
// that is worse (hill climbing); and, for many, by random walks, the best being walked anew from
// somewhere on.
type searcher struct {
	*DAG
	workers  int
	nodeOf   []int
	most     bool
	riffler  *riffler
	progress *progress
	random
	schedule *Schedule
	age      [][]uint64 // by node and unit: see choose
	volume   []uint64
}

func newSearcher(d *DAG, nodeOf []int, most bool, r random) *searcher {
	s := &searcher{DAG: d, workers: len(nodeOf), nodeOf: nodeOf, most: most, riffler: newRiffler(d, r),
		progress: newProgress(d), random: r, schedule: newSchedule(d.Vertices()),
		volume: make([]uint64, slices.Max(nodeOf)+1)}
	for range s.volume {
		s.age = append(s.age, make([]uint64, len(d.sizes)))
	}
	return s
}

// run evaluates so many schedules; measure returns their accesses beyond the LLC. Cost: a schedule
// and its distances for each.
func (s *searcher) run(evaluations int, measure func(*Schedule) uint64) {
	how := dealSequence
	if s.most {
		how = dealInTurn
	}
	// the first of the plans are in any order; the best of them is changed
	p := s.newPlan(how)
	best := s.value(p, measure)
	n := 1
	for ; n < evaluations/5; n++ {
		s.choose(4 << (n % 3))
		measure(s.schedule)
	}
	if s.most {
		n = s.walks(n, evaluations*3/5, measure)
	}
	for from := n; n < from+evaluations/5; n++ {
		q := s.newPlan(how)
		s.shuffle(q)
		if v := s.value(q, measure); s.most && v > best || !s.most && v < best {
			p, best = q, v
		}
	}
	for ; n < evaluations; n++ {
		undo := s.change(p)
		v := s.value(p, measure)
		if s.most && v < best || !s.most && v > best {
			undo()
			continue
		}
		best = v
	}
}

// walks evaluates random walks, up to the evaluation of a number, and returns this.
func (s *searcher) walks(n, to int, measure func(*Schedule) uint64) int {
	d := newDrawer(s.DAG, s.workers, 0)
	var best *Schedule
	most := uint64(0)
	for ; n < to; n++ {
		kept := 0
		if best != nil {
			kept = int(s.below(uint64(s.Vertices())))
			copy(s.schedule.Worker, best.Worker)
			s.schedule.Order = append(s.schedule.Order[:0], best.Order[:kept]...)
		} else {
			s.schedule.Order = s.schedule.Order[:0]
		}
		d.walk(s.random, s.schedule)
		for _, v := range s.schedule.Order[kept:] {
			s.schedule.Worker[v] = uint16(s.below(uint64(s.workers)))
		}
		if v := measure(s.schedule); best == nil || v > most {
			best, most = s.schedule.clone(), v
		}
	}
	return n
}

// choose makes the schedule vertex by vertex. Of a few that may begin, each with a worker that is
// drawn, it takes the one with the fewest far or cold bytes, or most; of several the one whose data
// was used last, or longest ago. The age is measured by the bytes that were accessed on the node
// since; the reuse distance is a part of them. Cost: a look at the units of so many vertices for
// each.
func (s *searcher) choose(few int) {
	for i := range s.age {
		clear(s.age[i])
		s.volume[i] = 0
	}
	order := s.schedule.Order[:0]
	ready := s.progress.begin(nil)
	for len(ready) > 0 {
		at, worker, best := uint64(0), 0, 0.0
		for try := range few {
			k, w := s.below(uint64(len(ready))), int(s.below(uint64(s.workers)))
			v := s.score(ready[k], s.nodeOf[w])
			if !s.most {
				v = -v
			}
			if try == 0 || v > best {
				at, worker, best = k, w, v
			}
		}
		v, node := ready[at], s.nodeOf[worker]
		for _, u := range s.units[s.from[v]:s.from[v+1]] {
			s.volume[node] += s.sizes[u]
			s.age[node][u] = s.volume[node]
		}
		ready[at] = ready[len(ready)-1]
		order = append(order, v)
		s.schedule.Worker[v] = uint16(worker)
		ready = s.progress.end(v, ready[:len(ready)-1])
	}
	s.schedule.Order = order
}

// score grows with what vertex v would find far or cold on a node, and, less, with the age of all
// else.
func (s *searcher) score(v int32, node int) (sum float64) {
	for _, u := range s.units[s.from[v]:s.from[v+1]] {
		since := s.volume[node] - s.age[node][u]
		if s.age[node][u] == 0 || since > s.LLCBytes {
			sum += 2
		} else {
			sum += float64(since) / float64(s.LLCBytes)
		}
	}
	return sum
}

func (s *searcher) value(p *plan, measure func(*Schedule) uint64) uint64 {
	s.riffler.plan = p
	s.riffler.draw(s.schedule)
	s.assign(p)
	return measure(s.schedule)
}

// assign gives the vertices of the schedule their workers.
func (s *searcher) assign(p *plan) {
	n, of := uint64(s.Vertices()), uint64(s.workers)
	r := newRandom(1, 1)
	for i, v := range s.schedule.Order {
		w := uint64(0)
		switch p.share {
		case shareOrder:
			w = uint64(i) * of / n
		case shareSerial:
			w = uint64(v) * of / n
		case shareTurns:
			w = uint64(i) % of
		case shareDraw:
			w = r.below(of)
		}
		s.schedule.Worker[v] = uint16(w)
	}
	if s.workers > 1 {
		s.override(p, s.root, nobody)
	}
}

func (s *searcher) override(p *plan, i, worker int32) {
	if p.on[i] != nobody {
		worker = p.on[i]
	}
	x := &s.nodes[i]
	if x.kind == leaf {
		if worker != nobody {
			s.schedule.Worker[x.at] = uint16(worker)
		}
		return
	}
	for _, k := range s.of(x) {
		s.override(p, k, worker)
	}
}

// shuffle puts all parallel nodes of a plan in any order, and draws how vertices are shared.
func (s *searcher) shuffle(p *plan) {
	for i := range s.nodes {
		if x := &s.nodes[i]; x.kind == parallel {
			list := p.kids[x.at : x.at+x.n]
			for k := range list {
				other := k + int(s.below(uint64(len(list)-k)))
				list[k], list[other] = list[other], list[k]
			}
		}
	}
	p.share = sharing(s.below(uint64(sharings)))
}

// change makes one change, and returns what takes it back.
func (s *searcher) change(p *plan) (undo func()) {
	if s.workers > 1 {
		switch s.below(8) {
		case 0:
			old := p.share
			p.share = sharing(s.below(uint64(sharings)))
			return func() { p.share = old }
		case 1, 2:
			i := s.anyNode(func(*node) bool { return true })
			old := p.on[i]
			if p.on[i] = int32(s.below(uint64(s.workers))); p.on[i] == old {
				p.on[i] = nobody
			}
			return func() { p.on[i] = old }
		}
	}
	i := s.anyNode(func(x *node) bool { return x.kind == parallel })
	x := s.nodes[i]
	if x.kind != parallel {
		return func() {}
	}
	if s.below(2) == 0 {
		old := p.deals[i]
		if p.deals[i] = dealSequence; old == dealSequence {
			p.deals[i] = dealInTurn
		}
		return func() { p.deals[i] = old }
	}
	list := p.kids[x.at : x.at+x.n]
	a, b := s.below(uint64(x.n)), s.below(uint64(x.n))
	swap := func() { list[a], list[b] = list[b], list[a] }
	swap()
	return swap
}

// anyNode draws a vertex, and then one of the nodes above it that suit, so that large ones are
// drawn more often; the root if there is none.
func (s *searcher) anyNode(suits func(*node) bool) int32 {
	var list []int32
	for i := s.progress.leaf[s.below(uint64(s.Vertices()))]; i != nobody; i = s.progress.parent[i] {
		if suits(&s.nodes[i]) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return s.root
	}
	return list[s.below(uint64(len(list)))]
}
