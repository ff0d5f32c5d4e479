package engine

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"krdlab/hw/failure"
	"krdlab/hw/units"
)

// Errors of programs and of what was asked.
var (
	// ErrProgram is wrapped by the error of a program that goes wrong in some interleaving, such as a
	// lock that its thread does not release.
	ErrProgram = failure.New(failure.Data, "bad program")
	// ErrLimit is wrapped by the error of an answer that would need more memory or time than allowed.
	ErrLimit = failure.New(failure.Request, "too large")
)

// An Error is an [ErrProgram] with its place.
type Error struct {
	Thread string
	At     Position
	What   string
}

// Error returns one line.
func (e *Error) Error() string {
	where := ""
	if e.At.Line > 0 {
		where = fmt.Sprintf("line %d, column %d: ", e.At.Line, e.At.Column)
	}
	return fmt.Sprintf("%s%v: thread %s %s", where, ErrProgram, e.Thread, e.What)
}

// Unwrap returns [ErrProgram].
func (e *Error) Unwrap() error { return ErrProgram }

// Class implements [failure.Classed].
func (*Error) Class() failure.Class { return failure.Data }

// A state is where all threads are and what they hold. Values of shared objects and locals are in
// it, so that two states that are equal go on alike.
type state struct {
	pc      []int32 // of the next step; len(Code): ended; -1: not begun
	waits   []int32 // the barrier that it waits in, -1: none
	locals  [][]int64
	shared  []int64
	holders []int32 // of each lock, -1: free
	arrived []int32 // at each barrier
}

const (
	notBegun = -1
	nobody   = -1
)

// machine runs a program with given inputs.
type machine struct {
	*Program
	names []int // of each barrier, how many threads name it
}

func newMachine(p *Program) *machine {
	m := &machine{Program: p, names: make([]int, len(p.Barriers))}
	last := make([]int, len(p.Barriers)) // thread that named it, from 1
	for i := range p.Threads {
		for _, op := range p.Threads[i].Code {
			if op.Kind == Barrier && last[op.Arg] != i+1 {
				last[op.Arg] = i + 1
				m.names[op.Arg]++
			}
		}
	}
	return m
}

// state returns a state without values, for begin and the like.
func (m *machine) state() *state {
	n := len(m.Threads)
	s := &state{pc: make([]int32, n), waits: make([]int32, n), locals: make([][]int64, n),
		shared: make([]int64, len(m.Shared)), holders: make([]int32, len(m.Locks)),
		arrived: make([]int32, len(m.Barriers))}
	for t := range m.Threads {
		s.locals[t] = make([]int64, m.Threads[t].Locals)
	}
	return s
}

// begin makes s the state before the first step, with these values of the shared objects.
func (m *machine) begin(s *state, shared []int64) error {
	copy(s.shared, shared)
	clear(s.arrived)
	for i := range s.holders {
		s.holders[i] = nobody
	}
	for t := range m.Threads {
		s.waits[t], s.pc[t] = nobody, notBegun
		clear(s.locals[t])
	}
	for t := range m.Threads {
		if !m.Threads[t].Forked {
			if err := m.start(s, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *machine) start(s *state, t int) error {
	s.pc[t] = 0
	return m.local(s, t)
}

// local runs thread t up to its next step.
func (m *machine) local(s *state, t int) error {
	code := m.Threads[t].Code
	for int(s.pc[t]) < len(code) {
		op := &code[s.pc[t]]
		if op.Kind.Step() {
			return nil
		}
		s.pc[t]++
		if op.Kind == Jump {
			s.pc[t] = int32(op.To)
			continue
		}
		v, ok := op.Expr.value(s.locals[t])
		if !ok {
			return &Error{m.Threads[t].Name, op.At, "divides by 0"}
		}
		switch {
		case op.Kind == Set:
			s.locals[t][op.To] = v
		case v == 0:
			s.pc[t] = int32(op.To)
		}
	}
	for l, holder := range s.holders {
		if holder == int32(t) {
			return &Error{m.Threads[t].Name, m.lastLock(t, l), "ends without unlocking " + m.Locks[l]}
		}
	}
	return nil
}

// lastLock returns where thread t locks l.
func (m *machine) lastLock(t, l int) (at Position) {
	for _, op := range m.Threads[t].Code {
		if op.Kind == Lock && op.Arg == l {
			at = op.At
		}
	}
	return at
}

// next returns the step that thread t is at, nil if it has ended, has not begun, or waits.
func (m *machine) next(s *state, t int) *Op {
	if s.pc[t] < 0 || int(s.pc[t]) >= len(m.Threads[t].Code) || s.waits[t] != nobody {
		return nil
	}
	op := &m.Threads[t].Code[s.pc[t]]
	switch op.Kind {
	case Lock:
		if s.holders[op.Arg] != nobody {
			return nil
		}
	case Join:
		if s.pc[op.Arg] < 0 || !m.over(s, op.Arg) {
			return nil
		}
	}
	return op
}

// over reports whether thread t, which has begun, has ended. One that waits at a barrier has not, even
// if that is its last step.
func (m *machine) over(s *state, t int) bool {
	return int(s.pc[t]) >= len(m.Threads[t].Code) && s.waits[t] == nobody
}

// ended reports whether all threads that have begun have ended.
func (m *machine) ended(s *state) bool {
	for t, pc := range s.pc {
		if pc >= 0 && !m.over(s, t) {
			return false
		}
	}
	return true
}

// edges appends the steps that may come next, a thread after the other; to is not known yet.
func (m *machine) edges(s *state, list []edge) []edge {
	for t := range m.Threads {
		op := m.next(s, t)
		if op == nil {
			continue
		}
		e := edge{none, none, none, int32(t)}
		switch {
		case op.Kind <= Write:
			e.object = int32(op.Arg)
		case op.Kind == Lock:
			e.lock = int32(op.Arg)
		}
		list = append(list, e)
	}
	return list
}

// step changes n to the state after thread t has made its next step.
func (m *machine) step(n *state, t int) error {
	op := &m.Threads[t].Code[n.pc[t]]
	n.pc[t]++
	switch op.Kind {
	case Read:
		n.locals[t][op.To] = n.shared[op.Arg]
	case Write:
		v, ok := op.Expr.value(n.locals[t])
		if !ok {
			return &Error{m.Threads[t].Name, op.At, "divides by 0"}
		}
		n.shared[op.Arg] = v
	case Lock:
		n.holders[op.Arg] = int32(t)
	case Unlock:
		if n.holders[op.Arg] != int32(t) {
			return &Error{m.Threads[t].Name, op.At, "unlocks " + m.Locks[op.Arg] +
				" without holding it"}
		}
		n.holders[op.Arg] = nobody
	case Barrier:
		n.waits[t] = int32(op.Arg)
		if n.arrived[op.Arg]++; int(n.arrived[op.Arg]) == m.names[op.Arg] {
			n.arrived[op.Arg] = 0
			for i, w := range n.waits {
				if w == int32(op.Arg) {
					n.waits[i] = nobody
					if err := m.local(n, i); err != nil {
						return err
					}
				}
			}
		}
		return nil // who went on did so above
	case Fork:
		if n.pc[op.Arg] != notBegun {
			return &Error{m.Threads[t].Name, op.At, "forks " + m.Threads[op.Arg].Name +
				", which has begun"}
		}
		if err := m.start(n, op.Arg); err != nil {
			return err
		}
	}
	return m.local(n, t)
}

// key appends to b a key that differs for different states.
func (s *state) key(b []byte) []byte {
	for _, list := range [][]int32{s.pc, s.waits, s.holders, s.arrived} {
		for _, v := range list {
			b = binary.AppendVarint(b, int64(v))
		}
	}
	for _, v := range s.shared {
		b = binary.AppendVarint(b, v)
	}
	for _, list := range s.locals {
		for _, v := range list {
			b = binary.AppendVarint(b, v)
		}
	}
	return b
}

// set makes s the state that has this key.
func (s *state) set(key []byte) {
	next := func() int64 {
		v, n := binary.Varint(key)
		key = key[n:]
		return v
	}
	for _, list := range [][]int32{s.pc, s.waits, s.holders, s.arrived} {
		for i := range list {
			list[i] = int32(next())
		}
	}
	for i := range s.shared {
		s.shared[i] = next()
	}
	for _, list := range s.locals {
		for i := range list {
			list[i] = next()
		}
	}
}

// A node is a state of the program with its inputs, and what may happen next.
type node struct {
	edges []edge
	end   end
}

// An end is how an interleaving is over.
type end uint8

const (
	goesOn end = iota
	done
	deadlock
)

// An edge is a step of a thread.
type edge struct {
	to     int32 // node
	object int32 // accessed, or none
	lock   int32 // taken, or none
	thread int32
}

// none is the object of a step without an access, and the lock of one that takes none.
const none = -1

// A graph is all states of a program with one choice of inputs. Node 0 is the first; edges lead to
// nodes of larger numbers.
type graph struct{ nodes []node }

// rank grows with each step: instructions that were passed. Jumps lead forwards only.
func (s *state) rank() (sum int64) {
	for _, pc := range s.pc {
		sum += int64(pc)
	}
	return sum
}

// build explores all states. The error is an [Error], or [ErrLimit] where they do not fit.
func (m *machine) build(shared []int64, memory *Account) (*graph, error) {
	s := m.state()
	if err := m.begin(s, shared); err != nil {
		return nil, err
	}
	g := &graph{}
	var ranks []int64
	var keys []string // of states, by number
	numbers, key := map[string]int32{}, []byte(nil)
	number := func() (int32, error) {
		key = s.key(key[:0])
		to, seen := numbers[string(key)]
		if !seen {
			if !memory.Has(bytesOfNode+1.5*float64(len(key))) || len(keys) == math.MaxInt32 {
				return 0, tooMany(len(keys), memory)
			}
			to = int32(len(keys))
			keys = append(keys, string(key))
			numbers[keys[to]] = to
			g.nodes, ranks = append(g.nodes, node{}), append(ranks, s.rank())
		}
		return to, nil
	}
	if _, err := number(); err != nil {
		return nil, err
	}
	var edges []edge
	now := []byte(nil)
	for at := 0; at < len(keys); at++ {
		now = append(now[:0], keys[at]...)
		s.set(now)
		if edges = m.edges(s, edges[:0]); len(edges) == 0 {
			g.nodes[at].end = deadlock
			if m.ended(s) {
				g.nodes[at].end = done
			}
		}
		for i := range edges {
			if i > 0 {
				s.set(now)
			}
			if err := m.step(s, int(edges[i].thread)); err != nil {
				return nil, err
			}
			var err error
			if edges[i].to, err = number(); err != nil {
				return nil, err
			}
		}
		if !memory.Has(24 * float64(len(edges))) {
			return nil, tooMany(len(keys), memory)
		}
		g.nodes[at].edges = slices.Clone(edges)
	}
	g.sort(ranks)
	return g, nil
}

// tooMany returns the error of states that do not fit; n are there already.
func tooMany(n int, memory *Account) error {
	return fmt.Errorf("%w: the threads have more than %s, which fill the memory allowed, %s; the "+
		"samplers but %s do without", ErrLimit, units.Count(n, "state"),
		units.Bytes(uint64(memory.allowed)), Uniform)
}

// sort numbers the nodes by rank.
func (g *graph) sort(ranks []int64) {
	order := make([]int32, len(ranks))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(ranks[a], ranks[b]) })
	number := make([]int32, len(order))
	sorted := make([]node, len(order))
	for i, old := range order {
		number[old], sorted[i] = int32(i), g.nodes[old]
	}
	for i := range sorted {
		for k := range sorted[i].edges {
			e := &sorted[i].edges[k]
			e.to = number[e.to]
		}
	}
	g.nodes = sorted
}
