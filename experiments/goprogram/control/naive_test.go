package control

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A model interprets a script as Go defines its operations, under a controller that lets one goroutine run at
// a time and chooses before each operation, and where the one that runs waits or has ended.
type model struct {
	code      []string
	pc        []int
	state     []int // waits for its turn, for others, or has ended
	woken     []bool
	begun     []bool // it has come to its first operation
	held      [4]bool
	awake     [4]bool // one that waited for the lock has been woken: no other one is
	lockQueue [4][]int
	sends     [4][]int
	receives  [4][]int
	waits     []int
	left      int
	log       string
}

const (
	could = iota
	blocked
	ended
)

func newModel(code string) *model {
	m := &model{code: strings.Fields(code), left: strings.Count(code, "D")}
	n := len(m.code)
	m.pc, m.state, m.woken, m.begun = make([]int, n), make([]int, n), make([]bool, n), make([]bool, n)
	m.begun[n-1] = true
	return m
}

func (m *model) clone() *model {
	c := *m
	c.pc, c.state, c.waits = slices.Clone(m.pc), slices.Clone(m.state), slices.Clone(m.waits)
	c.woken, c.begun = slices.Clone(m.woken), slices.Clone(m.begun)
	for i := range c.sends {
		c.lockQueue[i] = slices.Clone(m.lockQueue[i])
		c.sends[i], c.receives[i] = slices.Clone(m.sends[i]), slices.Clone(m.receives[i])
	}
	return &c
}

// run goes on with goroutine g up to its next choice, and calls end with how each schedule ends.
func (m *model) run(g int, end func(string)) {
	if !m.begun[g] {
		m.begun[g] = true
		m.choose(end)
		return
	}
	woken, goesOn := m.woken[g], true
	m.woken[g] = false
	switch {
	case !woken:
		goesOn = m.operate(g)
	case m.at(g) == 'L': // it tries again
		goesOn = m.lock(g, true)
	}
	if !goesOn {
		m.state[g] = blocked
		m.choose(end)
		return
	}
	m.log += fmt.Sprint(g)
	if m.pc[g] += 2; m.pc[g] == len(m.code[g]) {
		if g == len(m.code)-1 { // the program ends with main
			end("ended " + m.log)
			return
		}
		m.state[g] = ended
	}
	m.choose(end)
}

func (m *model) at(g int) byte { return m.code[g][m.pc[g]] }

// choose goes on with each goroutine that could run.
func (m *model) choose(end func(string)) {
	any := false
	for g, s := range m.state {
		if s == could {
			any = true
			m.clone().run(g, end)
		}
	}
	if !any {
		end("deadlock " + m.log)
	}
}

func (m *model) wake(g int) { m.state[g], m.woken[g] = could, true }

// lock tries a lock; one that has waited goes to the front of the queue.
func (m *model) lock(g int, again bool) bool {
	at := m.code[g][m.pc[g]+1] - '0'
	if again {
		m.awake[at] = false
	}
	if !m.held[at] {
		m.held[at] = true
		return true
	}
	if again {
		m.lockQueue[at] = slices.Insert(m.lockQueue[at], 0, g)
	} else {
		m.lockQueue[at] = append(m.lockQueue[at], g)
	}
	return false
}

// operate begins the next operation of g, and reports false if it has to wait.
func (m *model) operate(g int) bool {
	at := m.code[g][m.pc[g]+1] - '0'
	meet := func(own, others *[4][]int) bool {
		if len(others[at]) == 0 {
			own[at] = append(own[at], g)
			return false
		}
		m.wake(others[at][0])
		others[at] = others[at][1:]
		return true
	}
	switch m.at(g) {
	case 'L':
		return m.lock(g, false)
	case 'U':
		m.held[at] = false
		if q := m.lockQueue[at]; len(q) > 0 && !m.awake[at] {
			m.lockQueue[at], m.awake[at] = q[1:], true
			m.wake(q[0])
		}
	case 'S':
		return meet(&m.sends, &m.receives)
	case 'R':
		return meet(&m.receives, &m.sends)
	case 'D':
		if m.left--; m.left == 0 {
			for _, w := range m.waits {
				m.wake(w)
			}
			m.waits = nil
		}
	case 'W':
		if m.left > 0 {
			m.waits = append(m.waits, g)
			return false
		}
	}
	return true
}

// randomScript returns a script of two to four goroutines; main waits for a group where one is done.
func randomScript(r *rand.Rand) string {
	n := 2 + r.IntN(3)
	code := make([]string, n)
	done := false
	for g := range code {
		for range 1 + r.IntN(5-n) {
			at := r.IntN(2)
			switch r.IntN(4) {
			case 0, 1:
				code[g] += fmt.Sprintf("L%d", at)
				if r.IntN(2) == 0 {
					code[g] += fmt.Sprintf("%c%d", "SR"[r.IntN(2)], r.IntN(2))
				}
				code[g] += fmt.Sprintf("U%d", at)
			case 2:
				code[g] += fmt.Sprintf("%c%d", "SR"[r.IntN(2)], at)
			default:
				code[g] += "D0"
				done = true
			}
		}
	}
	if done && r.IntN(2) == 0 {
		code[n-1] += "W0"
	}
	return strings.Join(code, " ")
}
