package goroutines

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"krdlab/krd/analysis/interleave/tasks"
)

// A plan is a schedule as choices that a search changes one by one. Of the pieces that may run it takes
// that of the first goroutine in a row, where goroutines go to the end of the row from time to time; or,
// as Go's scheduler does, a few processors run goroutines until they wait, and take the next one from the
// row, which those that may go on again enter at the end, or at the front.
type plan struct {
	row []int64 // places of goroutines
	// turn is the number of pieces after which a goroutine goes to the end, or it is another processor's
	// turn; 0: never, wholePiece: after those that are not cut
	turn       int
	ends       map[int]bool // before these pieces it does so too
	processors int          // 0: the first in the row runs
	front      bool         // goroutines enter there
	near       []shift      // of a plan that begins with the recorded order
}

// A shift moves the pieces of a goroutine that lie between two places of the recorded order.
type shift struct {
	goroutine    int32
	from, to, by int
}

// mostShifts is how many shifts a plan has.
const mostShifts = 64

// wholePiece is the value of plan.turn.
const wholePiece = -1

// mostProcessors is how many processors a plan has.
const mostProcessors = 4

// A searcher looks for schedules that have few of a measure, or many: piece by piece, each the one
// whose data was used last, or longest ago; and by plans, changing one and going back where that is
// worse (hill climbing), as package tasks does by trees of spawns.
type searcher struct {
	*drawer
	measure Measure
	most    bool
	add     func([]Outcome) // nil: a schedule that does not end

	plan   *plan
	row    []int64 // of the plan, as it is now
	end    int64   // the place behind all
	last   int32   // the goroutine that ran, and how many pieces it has run
	ran    int
	before int64                 // the place before all
	on     [mostProcessors]int32 // the goroutine of a processor; -1: none
	at     int                   // the processor that ran
	ready  []bool                // of goroutines: they could run before this piece
	now    []int32               // of goroutines, 1 + the number of their piece among those that can run; 0: none
	few    int                   // pieces that are looked at; of them
	age    []uint64              // of a unit: the volume when it was used
	volume uint64                // bytes used so far
	places []int                 // of pieces, in the recorded order; with the shifts of the plan in keys
	keys   []int
}

// ends of ranges are searched for by this many jobs.
const searches = 2 * int(Measures)

// search makes the group of schedules that were tried for the ends of the range: of each measure the
// least and the most. The searches share the threads; the result does not depend on them.
func (s *session) search(evaluations int) *Group {
	total := newGroup(string(tasks.KindSearch), tasks.KindSearch, s.x.Program)
	var next atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex // guards total
	each := max(1, evaluations/int(Measures))
	for _, d := range s.drawers {
		wg.Go(func() {
			for {
				job := int(next.Add(1) - 1)
				if job >= searches {
					return
				}
				g := newGroup("", "", s.x.Program)
				d.random.Seed(s.opt.Seed, uint64(job))
				x := &searcher{drawer: d, measure: Measure(job / 2), most: job%2 == 1,
					row: make([]int64, len(d.priority)), ready: make([]bool, len(d.priority)), now: make([]int32, len(d.priority)),
					age: make([]uint64, len(s.x.sizes)), add: func(of []Outcome) {
						if of == nil {
							g.stop(d.runner)
						} else {
							g.add(of)
						}
						s.tell(uint64(searches * each))
					}}
				x.run(each, func() bool { return s.ctx.Err() != nil })
				mu.Lock()
				total.merge(g)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return total
}

// run evaluates so many schedules. Cost: a schedule and its distances for each; of a fifth of them also
// a look at the data of a few pieces for each piece.
func (s *searcher) run(evaluations int, stop func() bool) {
	// the first plans are in any order; the best of them is changed, and in turn the recorded order
	var best *plan
	value, nearest := 0.0, 0.0
	near := &plan{}
	for n := 0; n < evaluations && !stop(); n++ {
		switch {
		case n == 0:
			nearest = s.shifted(near)
		case n%5 == 4:
			s.few = 4 << (n % 3)
			clear(s.age)
			s.volume = 0
			s.value(s.used)
		case n%4 == 1:
			undo := s.move(near)
			if v := s.shifted(near); v >= nearest {
				nearest = v
			} else {
				undo()
			}
		case n < evaluations/4 || best == nil:
			p := s.draw()
			if v := s.follow(p); best == nil || v > value {
				best, value = p, v
			}
		default:
			undo := s.change(best)
			if v := s.follow(best); v >= value {
				value = v
			} else {
				undo()
			}
		}
	}
}

// shifted evaluates a plan that begins with the recorded order.
func (s *searcher) shifted(p *plan) float64 {
	if s.places == nil {
		s.places, s.keys = s.recordedPlaces(), make([]int, len(s.of))
	}
	copy(s.keys, s.places)
	for _, x := range p.near {
		list := s.keys[s.first[x.goroutine]:s.first[x.goroutine+1]]
		for k, at := range s.places[s.first[x.goroutine]:s.first[x.goroutine+1]] {
			if at >= x.from && at < x.to {
				list[k] += x.by
			}
		}
	}
	return s.value(func(r *runner) int {
		best := 0
		for k, i := range r.enabled {
			if s.keys[i] < s.keys[r.enabled[best]] {
				best = k
			}
		}
		return best
	})
}

// move adds a shift or removes one, and returns its undoing.
func (s *searcher) move(p *plan) (undo func()) {
	old := p.near
	if n := len(old); n == mostShifts || n > 0 && s.rand.IntN(4) == 0 {
		k := s.rand.IntN(n)
		p.near = slices.Delete(slices.Clone(old), k, k+1)
	} else {
		accesses := len(s.units)
		x := shift{goroutine: int32(s.rand.IntN(s.workers)), from: s.rand.IntN(accesses)}
		x.to = x.from + max(1, accesses>>s.rand.IntN(12))
		x.by = (1 + s.rand.IntN(max(1, accesses>>s.rand.IntN(12)))) * (1 - 2*s.rand.IntN(2))
		p.near = append(slices.Clone(old), x)
	}
	return func() { p.near = old }
}

// recordedPlaces returns the place of each piece in the trace: that of its first access, or of the next one
// of its goroutine.
func (p *Program) recordedPlaces() []int {
	places, next := make([]int, len(p.of)), slices.Clone(p.first[:p.workers])
	at, done := 0, make([]int, p.workers)
	for g := range done {
		done[g] = p.from[p.first[g]]
	}
	for _, x := range p.turns {
		for end := done[x.by] + int(x.n); next[x.by] < p.first[x.by+1] && p.from[next[x.by]] < end; next[x.by]++ {
			places[next[x.by]] = at + p.from[next[x.by]] - done[x.by]
		}
		done[x.by] += int(x.n)
		at += int(x.n)
	}
	for g, i := range next {
		for ; i < p.first[g+1]; i++ {
			places[i] = at
		}
	}
	return places
}

// follow evaluates a plan.
func (s *searcher) follow(p *plan) float64 {
	s.plan, s.before, s.end, s.last, s.ran, s.at = p, -1, int64(len(p.row)), -1, 0, 0
	copy(s.row, p.row)
	if p.processors == 0 {
		return s.value(s.planned)
	}
	clear(s.ready)
	for k := range s.on {
		s.on[k] = -1
	}
	return s.value(s.processed)
}

// value evaluates a schedule: more is better.
func (s *searcher) value(choose func(*runner) int) float64 {
	if !s.drawer.run(choose) {
		s.add(nil)
		return math.Inf(-1)
	}
	of := s.meter.measure(s.order)
	s.add(of)
	v := float64(of[len(of)-1].Values[s.measure])
	if !s.most {
		v = -v
	}
	return v
}

// planned chooses the piece of the first goroutine in the row.
func (s *searcher) planned(r *runner) int {
	if s.last >= 0 && s.turned(r) {
		s.row[s.last] = s.end
		s.end, s.ran = s.end+1, 0
	}
	best := 0
	for k, i := range r.enabled {
		if s.row[r.of[i]] < s.row[r.of[r.enabled[best]]] {
			best = k
		}
	}
	if g := r.of[r.enabled[best]]; g != s.last {
		s.last, s.ran = g, 0
	}
	s.ran++
	return best
}

// turned reports whether the turn of what ran is over.
func (s *searcher) turned(r *runner) bool {
	n := len(r.order)
	switch t := s.plan.turn; {
	case n == 0:
		return false
	case s.plan.ends[n], t > 0 && s.ran >= t:
		return true
	default:
		return t == wholePiece && (r.part == nil || !r.part[r.order[n-1]])
	}
}

// processed chooses the piece of the goroutine of a processor.
func (s *searcher) processed(r *runner) int {
	clear(s.now)
	for k, i := range r.enabled {
		g := r.of[i]
		s.now[g] = int32(k + 1)
		if !s.ready[g] {
			if s.plan.front {
				s.row[g], s.before = s.before, s.before-1
			} else {
				s.row[g], s.end = s.end, s.end+1
			}
		}
	}
	for g := range s.ready {
		s.ready[g] = s.now[g] > 0
	}
	if s.turned(r) {
		s.at, s.ran = (s.at+1)%s.plan.processors, 0
	}
	s.ran++
	for try := range s.plan.processors {
		p := (s.at + try) % s.plan.processors
		if g := s.on[p]; g < 0 || s.now[g] == 0 {
			s.on[p] = s.next()
		}
		if g := s.on[p]; g >= 0 {
			s.at = p
			return int(s.now[g] - 1)
		}
	}
	return 0
}

// next returns the first goroutine in the row that can run and is on no processor; -1: there is none.
func (s *searcher) next() int32 {
	best := int32(-1)
	for g, k := range s.now {
		if k > 0 && (best < 0 || s.row[g] < s.row[best]) && !slices.Contains(s.on[:s.plan.processors], int32(g)) {
			best = int32(g)
		}
	}
	return best
}

// used chooses, of a few, the piece whose data was used last, or longest ago where many are looked for.
// The age is measured by the bytes that were accessed since.
func (s *searcher) used(r *runner) int {
	at, best := 0, 0.0
	for try := range s.few {
		k := s.rand.IntN(len(r.enabled))
		sum, from, to := 0.0, r.from[r.enabled[k]], r.from[r.enabled[k]+1]
		for _, u := range r.units[from:to] {
			sum += float64(s.volume-s.age[u]) / float64(to-from)
		}
		if !s.most {
			sum = -sum
		}
		if try == 0 || sum > best {
			at, best = k, sum
		}
	}
	i := r.enabled[at]
	for _, u := range r.units[r.from[i]:r.from[i+1]] {
		s.volume += r.sizes[u]
		s.age[u] = s.volume
	}
	return at
}

func (s *searcher) anyTurn() int {
	switch s.rand.IntN(4) {
	case 0:
		return 0
	case 1:
		return wholePiece
	}
	return 1 << s.rand.IntN(8)
}

// draw returns a plan: goroutines in any order, which run on or take turns.
func (s *searcher) draw() *plan {
	p := &plan{row: make([]int64, len(s.row)), ends: map[int]bool{}}
	for i, k := range s.rand.Perm(len(p.row)) {
		p.row[i] = int64(k)
	}
	p.turn = s.anyTurn()
	if s.rand.IntN(3) > 0 {
		p.processors, p.front = 1+s.rand.IntN(mostProcessors), s.rand.IntN(2) == 0
	}
	return p
}

// change makes one change, and returns what takes it back.
func (s *searcher) change(p *plan) (undo func()) {
	switch s.rand.IntN(5) {
	case 4:
		old, front := p.processors, p.front
		p.processors, p.front = s.rand.IntN(mostProcessors+1), s.rand.IntN(2) == 0
		return func() { p.processors, p.front = old, front }
	case 0:
		old := p.turn
		p.turn = s.anyTurn()
		return func() { p.turn = old }
	case 1:
		old := slices.Clone(p.row)
		a, b := s.rand.IntN(len(p.row)), s.rand.IntN(len(p.row))
		p.row[a], p.row[b] = p.row[b], p.row[a]
		return func() { p.row = old }
	default:
		at := s.rand.IntN(s.choices)
		if p.ends[at] {
			delete(p.ends, at)
			return func() { p.ends[at] = true }
		}
		p.ends[at] = true
		return func() { delete(p.ends, at) }
	}
}
