package runtimes

import "krdlab/loi"

// A Retiming is how [History.Retime] prices a run anew.
type Retiming struct {
	Free [Prices]bool // what costs nothing
	// Kernel is as [Costs.Kernel]: it is called in the order of the run that was recorded, at the new
	// times, which need not be in order.
	Kernel func(worker int, now uint64, k loi.KernelID, blocks []uint32) uint64
	Locked func(node int, now uint64) // as [Costs.Locked]; nil: nothing is told
	// Touch is as [Data.Touch], where the run had Data.
	Touch func(worker int, now uint64, structure uint32, write bool) uint64
	// Took, if not nil, holds what each execution took afterwards; its length is [History.Executions].
	Took []uint64
}

// Executions returns how many executions of kernels, and accesses to data of the runtime, the run had.
func (h *History) Executions() int { return len(h.execs) }

// IsKernel reports whether execution i is of a kernel, and not an access to data of the runtime.
func (h *History) IsKernel(i int) bool { return h.execs[i].kernel != touched }

// Operations returns how many operations the history has.
func (h *History) Operations() int { return h.length() }

// Retime returns how long the run takes, in ticks, at other prices, with its order of operations on
// each worker. With the prices of the run it returns the time of the run.
//
// Retime departs from the order in one thing: a worker that looks in vain holds no lock. Those who
// waited for it wait as long as they did.
func (h *History) Retime(r *Retiming) uint64 {
	clock := make([]uint64, h.workers)
	ends := make([]uint64, h.length())
	ats := make([]uint64, len(ends)) // when the operation took place, which others see
	var need, exec, block int32
	for n := range ends {
		s := h.at(int32(n))
		t := clock[s.worker]
		if s.kind == told {
			ats[n], ends[n] = t+s.waited, t+s.waited
			if r.Locked != nil && !r.Free[LockPrice] {
				r.Locked(int(s.node), t+s.waited)
			}
			continue
		}
		for ; need < s.needs; need++ {
			t = max(t, ats[h.needs[need]])
		}
		if s.before >= 0 && !r.Free[LockPrice] {
			if l := &h.locks[s.before]; l.step < 0 {
				t += s.waited
			} else if back := h.back(l, r); ends[l.step]-back > t {
				t = ends[l.step] - back + h.handover
			}
		}
		more, less := uint64(0), uint64(0) // that the runtime's own data take
		for ; exec < s.execs; exec++ {
			e := &h.execs[exec]
			blocks := h.blocks[block:e.blocks:e.blocks]
			block = e.blocks
			if e.kernel == touched {
				took := r.Touch(int(blocks[2]), t, blocks[0]>>1, blocks[0]&1 != 0)
				if r.Took != nil {
					r.Took[exec] = took
				}
				if blocks[1] != notCharged {
					more, less = more+took, less+uint64(blocks[1])
				}
				continue
			}
			t += h.call
			took := r.Kernel(int(s.worker), t, e.kernel, blocks)
			if r.Took != nil {
				r.Took[exec] = took
			}
			t += took
		}
		t += s.gap
		if s.search >= 0 {
			for p, ticks := range &h.searches[s.search] {
				if !r.Free[p] {
					t += ticks
				}
			}
		}
		ats[n] = t
		if !r.Free[s.kind] {
			t = max(t+s.price+more, ats[n]+less) - less
		}
		ends[n], clock[s.worker] = t, t
	}
	return clock[h.last]
}

// back returns how long before the end of its step a lock is released.
func (h *History) back(l *pastLock, r *Retiming) uint64 {
	if l.back == 0 || r.Free[h.at(l.step).kind] {
		return 0
	}
	return l.back
}

// Span returns the length of the longest path of the program, in ticks, if executions take as long
// as took holds: no number of workers is faster.
func (h *History) Span(took []uint64) uint64 {
	ends := make([]uint64, len(h.pieces))
	for i := range h.execs {
		if p := h.execs[i].piece; p >= 0 {
			ends[p] += h.call + took[i]
		}
	}
	var join int32
	var longest uint64
	for i := range h.pieces {
		var from uint64
		for ; join < h.pieces[i].joins; join++ {
			from = max(from, ends[h.joins[join]])
		}
		ends[i] += from
		longest = max(longest, ends[i])
	}
	return longest
}
