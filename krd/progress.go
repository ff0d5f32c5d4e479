package krd

import (
	"sync"

	"krdlab/loi"
)

// progress tells how much of the records has been read, by all the readers of an analysis together,
// in bytes of the trace.
type progress struct {
	mu          sync.Mutex
	done, total uint64
	tell        func(done, total uint64) // nil: nobody wants to know
}

// meter is one reader's part of a progress, for one goroutine.
type meter struct {
	n uint64
	p *progress // nil: nobody wants to know
}

const meterStep = 1 << 20

// tick counts one record, by about the bytes that it takes in the file.
func (m *meter) tick(r *loi.Record) {
	m.n += 16 + 4*uint64(len(r.Args)) + 16*uint64(len(r.Explicit))
	if m.n >= meterStep {
		m.report()
	}
}

func (m *meter) report() {
	p := m.p
	if p != nil && p.tell != nil {
		p.mu.Lock()
		p.done += m.n
		p.tell(min(p.done, p.total), p.total)
		p.mu.Unlock()
	}
	m.n = 0
}
