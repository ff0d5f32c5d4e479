package goroutines

// A runner makes schedules of a program.
//
// A choice is a piece whose goroutine has come to it. The state of an operation changes from not
// reached to parked (it waits for events) to passed.
type runner struct {
	*Program
	order   []int32 // the pieces that were chosen
	left    []int32 // of an operation: events that it waits for
	parked  []bool  // its goroutine has come to the operation
	ready   []int32 // pieces that goroutines have come to, with locks that may be held
	enabled []int32 // those that may run
	todo    []step
	writer  []bool // of a lock
	readers []int32

	clocks *clocks // nil: none are kept

	// force drops what keeps a run from going on: edges, and locks of pieces.
	force   bool
	dropped map[edge]bool
	freed   []int32
	passed  []bool // of events, where it is forced
}

// A step is what a goroutine does next: it comes to piece i, or its operation i takes effect.
type step struct {
	i    int32
	pass bool
}

func newRunner(p *Program) *runner {
	n := len(p.of)
	return &runner{Program: p, left: make([]int32, n), parked: make([]bool, n),
		writer: make([]bool, p.locks), readers: make([]int32, p.locks)}
}

// run makes a schedule: choose returns which of the pieces that may run is next; -1: none. It reports false
// if none may run before all have: a deadlock, which the locks alone can cause. Cost: O(operations
// and edges), and for each piece the number of goroutines that have come to one.
func (r *runner) run(choose func(r *runner) int) bool {
	copy(r.left, r.waits)
	clear(r.parked)
	clear(r.writer)
	clear(r.readers)
	r.order, r.ready = r.order[:0], r.ready[:0]
	if r.force {
		r.dropped, r.passed = map[edge]bool{}, make([]bool, 2*len(r.of))
	}
	for g := range len(r.first) - 1 {
		if r.first[g] < r.first[g+1] {
			r.todo = append(r.todo, step{i: r.first[g]})
		}
	}
	r.goOn()
	for {
		r.enabled = r.enabled[:0]
		for _, i := range r.ready {
			if r.free(r.takes[i]) {
				r.enabled = append(r.enabled, i)
			}
		}
		if len(r.enabled) > 0 {
			k := choose(r)
			if k < 0 {
				return false
			}
			r.execute(r.enabled[k])
			continue
		}
		if len(r.order) == r.choices && !r.force || !r.force || !r.drop() {
			return len(r.order) == r.choices
		}
	}
}

// free reports whether a lock may be acquired.
func (r *runner) free(a access) bool {
	switch {
	case a > 0:
		return !r.writer[a-1] && r.readers[a-1] == 0
	case a < 0:
		return !r.writer[-a-1]
	}
	return true
}

// execute runs a piece, and the operations behind it.
func (r *runner) execute(i int32) {
	for k, x := range r.ready {
		if x == i {
			r.ready[k] = r.ready[len(r.ready)-1]
			r.ready = r.ready[:len(r.ready)-1]
			break
		}
	}
	switch a := r.takes[i]; {
	case a > 0:
		r.writer[a-1] = true
	case a < 0:
		r.readers[-a-1]++
	}
	r.order = append(r.order, i)
	if r.clocks != nil {
		r.clocks.piece(i)
	}
	r.reach(i)
	r.goOn()
}

// reach brings a goroutine to operation i.
func (r *runner) reach(i int32) {
	if r.signal(come(i)); r.left[i] > 0 {
		r.parked[i] = true
		return
	}
	r.todo = append(r.todo, step{i, true})
}

// signal tells the operations that follow an event.
func (r *runner) signal(e event) {
	if r.force {
		r.passed[e] = true
	}
	if r.clocks != nil {
		r.clocks.event(e)
	}
	for _, x := range r.edges[r.after[e]:r.after[e+1]] {
		if r.left[x.to]--; r.left[x.to] == 0 && r.parked[x.to] {
			r.parked[x.to] = false
			r.todo = append(r.todo, step{x.to, true})
		}
	}
}

// goOn takes all goroutines as far as they come without a choice.
func (r *runner) goOn() {
	for len(r.todo) > 0 {
		s := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		i := s.i
		if s.pass {
			if r.clocks != nil {
				r.clocks.pass(i)
			}
			switch a := r.gives[i]; {
			case a > 0:
				r.writer[a-1] = false
			case a < 0 && r.readers[-a-1] > 0:
				r.readers[-a-1]--
			}
			r.signal(done(i))
			if i+1 == r.first[r.of[i]+1] {
				continue
			}
			i++
		}
		if r.chosen(i) {
			r.ready = append(r.ready, i)
		} else {
			r.reach(i)
		}
	}
}

// drop drops what the earliest operation, or piece, waits for. It reports false if none waits.
func (r *runner) drop() bool {
	first := int32(-1)
	for i, parked := range r.parked {
		if parked && (first < 0 || r.at[i] < r.at[first]) {
			first = int32(i)
		}
	}
	lock := int32(-1)
	for _, i := range r.ready {
		if lock < 0 || r.begin(i) < r.begin(lock) {
			lock = i
		}
	}
	switch {
	case lock >= 0 && (first < 0 || r.begin(lock) <= r.at[first]):
		r.freed = append(r.freed, lock)
		a := max(r.takes[lock], -r.takes[lock]) - 1
		r.writer[a], r.readers[a] = false, 0
	case first >= 0:
		for _, e := range r.edges {
			if e.to == first && !r.passed[e.by] {
				r.dropped[e] = true
			}
		}
		r.parked[first], r.left[first] = false, 0
		r.todo = append(r.todo, step{first, true})
		r.goOn()
	default:
		return false
	}
	return true
}

// begin returns when a piece began in the trace.
func (p *Program) begin(i int32) int64 {
	if i > p.first[p.of[i]] {
		return p.at[i-1]
	}
	return p.at[i]
}

// recorded chooses the piece that began first in the trace.
func (p *Program) recorded(r *runner) int {
	best := 0
	for k, i := range r.enabled {
		if b := r.enabled[best]; p.begin(i) < p.begin(b) || p.begin(i) == p.begin(b) && i < b {
			best = k
		}
	}
	return best
}
