package runtimes

import (
	"cmp"
	"slices"
)

// places say which node and socket each worker belongs to, and how far
// nodes are apart.
type places struct {
	nodes    []int              // by worker
	distance func(a, b int) int // between nodes; nil: all others are equally far
	socket   func(node int) int // nil: each node is one
	llc      uint64             // bytes of the last-level cache of a node; 0: not known
	workers  []*Worker          // to be filled in; nil: each has memory of its own
}

// share returns the number of the group that a worker shares its queue with.
func (at *places) share(rule Sharing, worker int) int {
	switch rule {
	case ShareNode:
		return at.nodes[worker]
	case ShareSocket:
		if at.socket != nil {
			return at.socket(at.nodes[worker])
		}
		return at.nodes[worker]
	case ShareAll:
		return 0
	}
	return worker
}

// makeQueues gives every worker its queue and the order in which it looks at those of others.
func (p *pool) makeQueues(at *places, seed uint64) {
	p.queueOf = make([]int, p.n)
	index := map[int]int{} // what is shared to queue
	for i, w := range p.workers {
		shared := at.share(p.rules.Queue, i)
		q, ok := index[shared]
		if !ok {
			q = len(p.queueNode)
			index[shared] = q
			p.queueNode = append(p.queueNode, w.node)
			p.queueFirst = append(p.queueFirst, i)
		}
		p.queueOf[i] = q
	}
	if !p.rules.Deque() {
		p.shared = make([]*queue, len(p.queueNode))
		for i := range p.shared {
			p.shared[i] = newQueue(p.rules)
		}
	}
	nodes := 1 + slices.Max(at.nodes)
	if p.rules.Admit {
		p.budgets = &budgets{used: make([]uint64, nodes), charged: map[*Frame]uint64{}}
	}
	p.ofNode = make([][]*Worker, nodes)
	for i, w := range p.workers {
		w.stolenFrom = make([]uint64, nodes)
		if p.shared != nil {
			w.shared = p.shared[p.queueOf[i]]
		} else {
			w.deque.init(256)
			w.deque.all = p.rules.Half
		}
		w.guarded = p.rules.Wait != WaitAny || p.rules.Requests || p.rules.Admit || p.rules.Cache
		w.extra = p.rules.ranked() || p.rules.Last == LastQueue
		w.bare = !p.rules.Place && !p.rules.Cache && (p.shared != nil ||
			!w.guarded && !p.rules.Half && !p.rules.Mail)
		w.mails = p.rules.Mail && !w.guarded && !p.rules.Half
		if p.rules.Requests {
			w.requests = &requests{from: -1}
		}
		if p.rules.Mail {
			w.mail = &mailbox{}
		}
		if p.rules.Push > 0 {
			w.letters = &letterbox{}
			p.ofNode[w.node] = append(p.ofNode[w.node], w)
		}
		s := &w.search
		s.Rand, s.Worker, s.Workers = &w.rand, i, p.n
		w.phase.Worker, w.phase.Workers = i, p.n
		r := NewRand(seed, p.n+p.queueOf[i])
		p.victims(s, p.queueOf[i], w.node, at.distance, &r)
	}
}

// drawn reports whether the seed decided anything in virtual time, where no kernel is sampled: a
// draw of a worker, or whom it tried to steal from. A policy that never tries does not look at the
// order. That answers count as steals only when they are heard makes no difference but with
// Requests.
func (p *pool) drawn() bool {
	return slices.ContainsFunc(p.workers, func(w *Worker) bool {
		tried := w.steals != Steals{} || p.rules.Requests
		return w.rand.Drew() || tried && w.search.shuffled()
	})
}

// shuffled reports whether the order of the victims could be another with another seed.
func (s *Search) shuffled() bool {
	return len(s.Groups) < len(s.Victims)
}

// victims lists the queues but own, nearest first, those at the same distance shuffled, or all.
func (p *pool) victims(s *Search, own, node int, distance func(a, b int) int, r *Rand) {
	for q, n := range p.queueNode {
		if q != own {
			s.Victims = append(s.Victims, q)
			if n == node && !p.rules.Shuffle {
				s.Local++
			}
		}
	}
	list := s.Victims
	shuffle(list, r)
	nearer := func(a, b int) int {
		if p.rules.Shuffle {
			return 0
		}
		na, nb := p.queueNode[a], p.queueNode[b]
		other := cmp.Compare(btoi(na != node), btoi(nb != node))
		if other != 0 || distance == nil {
			return other
		}
		return cmp.Compare(distance(node, na), distance(node, nb))
	}
	slices.SortStableFunc(list, nearer)
	for i := range list {
		if i+1 == len(list) || nearer(list[i], list[i+1]) != 0 {
			s.Groups = append(s.Groups, i+1)
		}
	}
	if p.rules.Overrun {
		s.overrun(own, r)
	}
}

// overrun shuffles the victims of each distance but the nearest with as many places behind them as
// there are nearer victims. The places are zeros, queue 0, so that it is there several times, and
// victims are lost, behind the end of the list or to those of the next distance. They are read
// beyond the array where that ends: the C library's allocation has zeros there for 24 shepherds, and
// its own data for 12, which is not modelled. The own queue is left out: it is empty when it is
// looked at. It makes one group of all.
func (s *Search) overrun(own int, r *Rand) {
	list, at := make([]int, 2*len(s.Victims)), 0
	for k, end := range s.Groups {
		copy(list[at:], s.Victims[at:end])
		if k > 0 && end-at > 1 {
			shuffle(list[at:at+end], r)
		}
		at = end
	}
	isOwn := func(q int) bool { return q == own }
	s.Victims = slices.DeleteFunc(list[:len(s.Victims)], isOwn)
	s.Groups = []int{len(s.Victims)}
}

func shuffle(list []int, r *Rand) {
	for i := len(list) - 1; i > 0; i-- {
		j := r.N(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
