package loi

import "sync"

// A Told is called with how many bytes of a trace a pass over it has read, and how many it reads; its
// calls do not overlap. Opening is a pass, and so is each reading of all records after it.
type Told func(done, total uint64)

// passes reports how far a pass over a file is.
type passes struct {
	told Told // nil: nobody wants to know
	mu   sync.Mutex
	done uint64
}

// passesOf returns the passes that the last argument of a function of this package is about.
func passesOf(told []Told) *passes {
	if len(told) == 0 || told[0] == nil {
		return nil
	}
	return &passes{told: told[0]}
}

// add notes that n bytes of total were read; of nil it does nothing.
func (p *passes) add(n, total uint64) {
	if p == nil || total == 0 {
		return
	}
	p.mu.Lock()
	p.done = (p.done + n) % total
	p.told(p.done, total)
	p.mu.Unlock()
}

// A Progress reports how much of a trace's records has been read, in about their bytes in the file.
// It counts all the streams that it is given to ([Order].Progress) together.
type Progress struct {
	tell        func(done, total uint64)
	mu          sync.Mutex
	done, total uint64
}

// NewProgress returns the progress of reading t so many times. tell is called now and then; its
// calls do not overlap. nil: no calls.
func NewProgress(t *Trace, times int, tell func(done, total uint64)) *Progress {
	if tell == nil {
		return nil
	}
	return &Progress{tell: tell, total: uint64(times) * t.Info().Used}
}

// End reports that all has been read.
func (p *Progress) End() {
	if p != nil {
		p.tell(p.total, p.total)
	}
}

// meter is one stream's part of a progress, for one goroutine.
type meter struct {
	n uint64
	p *Progress
}

const meterStep = 1 << 20

// tick counts one record, or an execution of one that holds several, by about the bytes that it
// takes in the file.
func (m *meter) tick(r *Record) {
	switch {
	case r.Flags&Unstamped != 0: // in a task
		m.n += 8
	case r.Type == AccessesRecord && len(r.Explicit) == 1 && r.Start == r.End: // in a run
		m.n += 16
	default:
		m.n += 16 + 4*uint64(len(r.Args)) + 8*uint64(len(r.Calls)) + 16*uint64(len(r.Explicit))
	}
	if m.n >= meterStep {
		m.report()
	}
}

func (m *meter) report() {
	if p := m.p; p != nil && m.n > 0 {
		p.mu.Lock()
		p.done += m.n
		p.tell(min(p.done, p.total), p.total)
		p.mu.Unlock()
	}
	m.n = 0
}
