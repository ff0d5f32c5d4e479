package krd

import "sync"

// progress tells how many records of how many have been read, by all the readers of an analysis together.
type progress struct {
	mu          sync.Mutex
	done, total uint64
	tell        func(done, total uint64) // nil: nobody wants to know
}

// meter is one reader's part of a progress, for one goroutine.
type meter struct {
	n uint32
	p *progress
}

const meterStep = 1 << 16

func (p *progress) meter() *meter { return &meter{p: p} }

// tick counts one record. A nil meter counts nothing.
func (m *meter) tick() {
	if m == nil {
		return
	}
	if m.n++; m.n == meterStep {
		m.report()
	}
}

func (m *meter) report() {
	p := m.p
	if p.tell != nil {
		p.mu.Lock()
		p.done += uint64(m.n)
		p.tell(min(p.done, p.total), p.total)
		p.mu.Unlock()
	}
	m.n = 0
}
