package tasks

import "slices"

// A plan is a schedule as choices at the nodes of a DAG, which a search changes one by one.
type plan struct {
	kids  []int32   // those of the DAG, parallel ones in any order
	deals []dealing // of each node
	on    []int32   // the worker of all below a node, nobody: as share says
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

// A searcher looks for a schedule with few accesses beyond the LLC, or many, by changing a plan and
// going back where that is worse (hill climbing).
type searcher struct {
	*DAG
	workers int
	most    bool
	riffler *riffler
	parent  []int32
	leaf    []int32
	random
	schedule *Schedule
}

func newSearcher(d *DAG, workers int, most bool, r random) *searcher {
	p := newProgress(d)
	return &searcher{d, workers, most, newRiffler(d, r), p.parent, p.leaf, r, newSchedule(d.Vertices())}
}

// run evaluates so many plans, of which measure returns the accesses beyond the LLC. Cost: a
// schedule and its distances for each.
func (s *searcher) run(evaluations int, measure func(*Schedule) uint64) {
	how := dealSequence
	if s.most {
		how = dealInTurn
	}
	p := s.newPlan(how)
	s.riffler.plan = p
	best := s.value(p, measure)
	for n := 1; n < evaluations; n++ {
		undo := s.change(p)
		v := s.value(p, measure)
		if s.most && v < best || !s.most && v > best {
			undo()
			continue
		}
		best = v
	}
}

func (s *searcher) value(p *plan, measure func(*Schedule) uint64) uint64 {
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

// anyNode draws a vertex, and then one of the nodes above it that suit, so that large ones are drawn
// more often; the root if there is none.
func (s *searcher) anyNode(suits func(*node) bool) int32 {
	var list []int32
	for i := s.leaf[s.below(uint64(s.Vertices()))]; i != nobody; i = s.parent[i] {
		if suits(&s.nodes[i]) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return s.root
	}
	return list[s.below(uint64(len(list)))]
}
