package runtimes

import (
	"fmt"
	"strings"
	"testing"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
)

// A model is a small program of a few processes on a machine whose stores wait in a buffer, first
// in first out, one buffer a process, until they reach memory at any later time (total store order,
// as on amd64). explore runs it in all ways.
type model struct {
	code  []func(m *tso, p int8) // one step of process p, at m.pc[p]
	check func(m *tso) string    // of each state: what is wrong
	final func(m *tso) string    // of states in which nothing can go on
	asks  []int8                 // the operations of process 0
	fault string
}

const halt = -1

// tso is a state of a model. The model defines mem, reg and taken.
type tso struct {
	mem   [12]int8
	buf   [3][4][2]int8 // address and value, the oldest first
	n     [3]int8       // stores in the buffer
	pc    [3]int8
	reg   [3][5]int8
	taken [7]int8 // how often each entry was taken
	stuck bool    // the process could not take this step now
}

func (m *tso) load(p, at int8) int8 {
	for i := m.n[p] - 1; i >= 0; i-- {
		if m.buf[p][i][0] == at {
			return m.buf[p][i][1]
		}
	}
	return m.mem[at]
}

func (m *tso) store(p, at, v int8) {
	if int(m.n[p]) == len(m.buf[p]) {
		m.stuck = true
		return
	}
	m.buf[p][m.n[p]] = [2]int8{at, v}
	m.n[p]++
}

// drain brings the oldest store of p to memory.
func (m *tso) drain(p int8) {
	b := &m.buf[p]
	m.mem[b[0][0]] = b[0][1]
	copy(b[:], b[1:])
	b[len(b)-1] = [2]int8{}
	m.n[p]--
}

func (m *tso) fence(p int8) {
	for m.n[p] > 0 {
		m.drain(p)
	}
}

// cas is a locked instruction: a fence as well.
func (m *tso) cas(p, at, old, new int8) bool {
	m.fence(p)
	if m.mem[at] != old {
		return false
	}
	m.mem[at] = new
	return true
}

func (m *tso) swap(p, at, v int8) {
	m.fence(p)
	m.mem[at] = v
}

// explore returns how many states there are, and the fault of the first faulty one.
func (c *model) explore(first tso) (states int, wrong string) {
	seen := map[tso]bool{first: true}
	for todo := []tso{first}; len(todo) > 0; {
		m := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if wrong = c.check(&m); wrong != "" {
			return len(seen), wrong
		}
		end := true
		visit := func(next tso) {
			if next.stuck {
				return
			}
			end = false
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
		for p := range int8(len(c.code)) {
			if m.n[p] > 0 {
				next := m
				next.drain(p)
				visit(next)
			}
			if m.pc[p] != halt {
				next := m
				c.code[p](&next, p)
				visit(next)
			}
		}
		if end {
			if wrong = c.final(&m); wrong != "" {
				return len(seen), wrong
			}
		}
	}
	return len(seen), ""
}

// The deque (deque.go): its owner pushes and pops by a program, and two thieves try to steal.
// Memory: the shared words, then the slots. Not in the model: growth, and rings that are replaced.
const (
	dHead, dBottom, dSlots = 0, 1, 2
	dRing                  = 4
)

const (
	opPushEntry int8 = 1
	opPopEntry  int8 = 2
)

// The owner's registers.
const (
	rTail = iota
	rSplit
	rNext // the number of the next operation
	rSeen // head, or the entry
	rPushed
)

func dequeModel(ops []int8, open int8, fault string) *model {
	c := &model{asks: ops, fault: fault}
	owner := func(m *tso, p int8) { c.owner(m, p, open) }
	thief := func(m *tso, p int8) { c.thief(m, p) }
	c.code = []func(*tso, int8){owner, thief, thief}
	c.check = func(m *tso) string {
		for e, n := range m.taken {
			if n > 1 {
				return fmt.Sprintf("entry %d was taken %d times", e, n)
			}
		}
		return ""
	}
	c.final = func(m *tso) string {
		for e := int8(1); e <= m.reg[0][rPushed]; e++ {
			if m.taken[e] == 0 {
				return fmt.Sprintf("entry %d was lost", e)
			}
		}
		return ""
	}
	return c
}

func (c *model) owner(m *tso, p, open int8) {
	r := &m.reg[p]
	slot := func(i int8) int8 { return dSlots + i%dRing }
	take := func(e int8) {
		m.taken[e]++
		m.pc[p] = 0
	}
	expose := func(h int8) { // deque.open
		n := r[rTail] - h
		if s := h + min(n, max(open, n/2)); s > r[rSplit] {
			r[rSplit] = s
			m.store(p, dBottom, s)
		}
	}
	switch m.pc[p] {
	case 0: // the next operation
		if int(r[rNext]) == len(c.asks) {
			m.pc[p] = halt
			return
		}
		op := c.asks[r[rNext]]
		r[rNext]++
		switch {
		case op == opPushEntry:
			m.pc[p] = 1
			if c.fault == "bottom before the slot" {
				m.pc[p] = 10
			}
		case r[rTail]-1 >= r[rSplit]:
			m.pc[p] = 3
		default:
			m.pc[p] = 5
		}
	case 1: // push
		r[rPushed]++
		m.store(p, slot(r[rTail]), r[rPushed])
		r[rTail]++
		m.pc[p] = 2
	case 2: // and the same behind a private pop
		if h := m.load(p, dHead); r[rSplit]-h < open {
			expose(h)
		}
		m.pc[p] = 0
	case 3: // pop of a private entry
		r[rTail]--
		m.taken[m.load(p, slot(r[rTail]))]++
		m.pc[p] = 2
	case 5: // takeBack
		if m.load(p, dHead) > r[rSplit]-1 {
			m.pc[p] = 0
			return
		}
		m.pc[p] = 6
	case 6:
		if c.fault == "no fence before the last look" {
			m.store(p, dBottom, r[rSplit]-1)
		} else {
			m.swap(p, dBottom, r[rSplit]-1)
		}
		m.pc[p] = 7
	case 7:
		b := r[rSplit] - 1
		h := m.load(p, dHead)
		switch {
		case h > b:
			m.store(p, dBottom, b+1)
			m.pc[p] = 0
		case h == b && c.fault != "no race for the last entry":
			m.pc[p] = 8
		default:
			r[rSplit], r[rTail] = b, b
			take(m.load(p, slot(b)))
		}
	case 8: // the last exposed entry
		b := r[rSplit] - 1
		won := m.cas(p, dHead, b, b+1)
		m.pc[p] = 9
		if won {
			m.taken[m.load(p, slot(b))]++
		}
	case 9:
		m.store(p, dBottom, r[rSplit])
		m.pc[p] = 0
	case 10: // the fault: an entry is known before it is there
		r[rTail]++
		expose(m.load(p, dHead))
		m.pc[p] = 11
	case 11:
		r[rPushed]++
		m.store(p, slot(r[rTail]-1), r[rPushed])
		m.pc[p] = 0
	}
}

// A thief's registers: head, the entry, and how often it has tried.
func (c *model) thief(m *tso, p int8) {
	r := &m.reg[p]
	switch m.pc[p] {
	case 0:
		r[0] = m.load(p, dHead)
		m.pc[p] = 1
	case 1:
		m.pc[p] = 2
		if r[0] >= m.load(p, dBottom) {
			m.pc[p] = 4
		}
	case 2:
		r[1] = m.load(p, dSlots+r[0]%dRing)
		m.pc[p] = 3
	case 3:
		won := true
		if c.fault == "a thief does not race" {
			m.swap(p, dHead, r[0]+1)
		} else {
			won = m.cas(p, dHead, r[0], r[0]+1)
		}
		if won {
			m.taken[r[1]]++
		}
		m.pc[p] = 4
	case 4:
		r[0], r[1] = 0, 0
		if r[2]++; r[2] == 2 {
			m.pc[p] = halt
		} else {
			m.pc[p] = 0
		}
	}
}

// programs are all orders of up to pushes pushes, and as many pops, none from an empty deque but
// the last; behind them are the pops that empty it.
func ownerPrograms(pushes int) (all [][]int8) {
	var grow func(ops []int8, pushed, left int)
	grow = func(ops []int8, pushed, left int) {
		if pushed == pushes {
			for range left + 1 {
				ops = append(ops, opPopEntry)
			}
			all = append(all, ops)
			return
		}
		grow(append(ops[:len(ops):len(ops)], opPushEntry), pushed+1, left+1)
		if left > 0 {
			grow(append(ops[:len(ops):len(ops)], opPopEntry), pushed, left-1)
		}
	}
	grow(nil, 0, 0)
	return all
}

func exploreDeque(fault string) (states int, wrong string) {
	for _, ops := range ownerPrograms(long.Or(3, 4)) {
		for open := int8(1); open <= 2; open++ {
			n, wrong := dequeModel(ops, open, fault).explore(tso{})
			states += n
			if wrong != "" {
				return states, fmt.Sprintf("%v with %d open: %s", ops, open, wrong)
			}
		}
	}
	return states, ""
}

// In no interleaving of an owner of three or four entries and two thieves is an entry taken twice,
// or lost.
func TestDequeModel(t *testing.T) {
	hwtest.SkipRace(t)
	states, wrong := exploreDeque("")
	if t.Logf("%d states", states); wrong != "" {
		t.Error(wrong)
	}
	for _, fault := range []string{"no fence before the last look", "no race for the last entry",
		"bottom before the slot", "a thief does not race"} {
		states, wrong := exploreDeque(fault)
		if t.Logf("%s: %d states: %s", fault, states, wrong); wrong == "" {
			t.Errorf("the model does not see the fault %q", fault)
		}
	}
}

// Parking (idle.go): process 0 pushes entries, each behind the other, and wakes for the first only;
// the others look for one each, and park if there is none. Memory: how many entries there are, the
// signal word, and whether each of the others is parked: 1, or 2 when it is woken.
const (
	pQueued, pSignal, pParked = 0, 1, 2 // pParked + the process
	parkEntries               = 2
)

func parkModel(fault string) *model {
	c := &model{fault: fault}
	c.code = []func(*tso, int8){c.pusher, c.parker, c.parker}
	c.check = func(*tso) string { return "" }
	c.final = func(m *tso) string { // the only ones that can stay without halting are asleep
		if m.mem[pQueued] > 0 && (m.pc[1] == parkAsleep || m.pc[2] == parkAsleep) {
			return fmt.Sprintf("a worker sleeps beside %d entries", m.mem[pQueued])
		}
		return ""
	}
	return c
}

func (c *model) pusher(m *tso, p int8) {
	switch m.pc[p] {
	case 0:
		m.store(p, pQueued, parkEntries)
		m.pc[p] = 1
	case 1:
		m.pc[p] = 2
		if m.load(p, pSignal) == 0 {
			m.pc[p] = halt
		}
	case 2:
		m.wake(p)
		m.pc[p] = halt
	}
}

// wake is attend: one that is parked, if there is any.
func (m *tso) wake(p int8) {
	for v := int8(1); v <= 2; v++ {
		if v != p && m.load(p, pParked+v) == 1 && m.cas(p, pParked+v, 1, 2) {
			return
		}
	}
}

const (
	parkLook int8 = iota
	parkTry
	parkKnown
	parkSignal
	parkBarrier
	parkAgain
	parkAsleep
	parkDone
	parkChain
	parkUnsignal
)

func (c *model) parker(m *tso, p int8) {
	switch m.pc[p] {
	case parkLook:
		m.pc[p] = parkKnown
		if m.load(p, pQueued) > 0 {
			m.pc[p] = parkTry
		}
	case parkTry: // a steal
		m.fence(p)
		if m.pc[p] = parkLook; m.mem[pQueued] > 0 {
			m.mem[pQueued]--
			m.pc[p] = parkChain
		}
	case parkKnown:
		m.swap(p, pParked+p, 1)
		m.pc[p] = parkSignal
	case parkSignal:
		m.fence(p)
		m.mem[pSignal]++
		m.pc[p] = parkBarrier
	case parkBarrier:
		if c.fault != "no barrier in the others" {
			for q := range int8(3) {
				m.fence(q)
			}
		}
		m.pc[p] = parkAgain
	case parkAgain:
		m.pc[p] = parkAsleep
		if c.fault != "no second look" && m.load(p, pQueued) > 0 {
			m.pc[p] = parkUnsignal
		}
	case parkAsleep: // the kernel's futex: it sleeps while the word is 1
		if m.mem[pParked+p] == 1 {
			m.stuck = true
			return
		}
		m.pc[p] = parkUnsignal
	case parkUnsignal:
		m.fence(p)
		m.mem[pSignal]--
		m.mem[pParked+p] = 0
		m.pc[p] = parkLook
	case parkChain:
		m.pc[p] = halt // it runs its entry for longer than all else takes
		if c.fault != "no chain" && m.load(p, pSignal) != 0 && m.load(p, pQueued) > 0 {
			m.wake(p)
		}
	}
}

// In no interleaving does a worker sleep while there is something for it to take, although a push
// neither fences nor wakes more than one.
func TestParkModel(t *testing.T) {
	states, wrong := parkModel("").explore(tso{})
	if t.Logf("%d states", states); wrong != "" {
		t.Error(wrong)
	}
	var found []string
	faults := []string{"no barrier in the others", "no second look", "no chain"}
	for _, fault := range faults {
		if states, wrong := parkModel(fault).explore(tso{}); wrong != "" {
			t.Logf("%s: %d states: %s", fault, states, wrong)
			found = append(found, fault)
		}
	}
	if len(found) != len(faults) {
		t.Errorf("the model sees the faults %q, want all of %q", strings.Join(found, ", "), faults)
	}
}
