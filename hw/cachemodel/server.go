package cachemodel

import "math/bits"

// A server is a memory, or the link of a node, which serves lines at a rate. Time is cut into
// windows, and a server knows how much of each is taken. A request takes its share of each window
// that it lasts for, and what a full window has no room for moves on to the next one that has. So
// requests need not come in the order of time: one that is made for a later time leaves the time
// before it to others. (A worker of the simulated driver carries out a task of many kernels in one
// step, and so asks for hundreds of microseconds ahead of others.)
//
// Queues within a window are not seen: with random arrivals at a load of one half they are half a
// line long.
type server struct {
	linePS uint64   // what a line takes; 0 where there is no such server
	shift  uint     // log2 of the length of a window in PS
	used   []uint64 // by window modulo their number: PS of it that are taken
	// the first window that nobody has asked for; what is kept are as many windows before it as
	// used has
	end uint64
}

const (
	leastWindow = 17      // 131 ns
	keptWindows = 1 << 14 // 2 ms or more
)

// newServer returns a server of lines of linePS each, for requesters that wait for latencyPS a line
// or less. A window holds at least eight lines and one latency, so that a request of some lines
// looks at about as many windows.
func newServer(linePS, latencyPS uint64) server {
	if linePS == 0 {
		return server{}
	}
	return server{linePS: linePS, shift: uint(max(leastWindow, bits.Len64(8*linePS),
		bits.Len64(latencyPS))), used: make([]uint64, keptWindows)}
}

func (s *server) reset() {
	clear(s.used[:min(s.end, uint64(len(s.used)))])
	s.end = 0
}

// serve has so many lines served, which are asked for evenly from time at on over overPS, or as
// fast as they are served where that takes longer. It returns how much later than then the last one
// comes. What is asked for longer ago than windows are kept is served at once.
func (s *server) serve(at, lines, overPS uint64) (waitPS uint64) {
	ps := lines * s.linePS
	w := at >> s.shift
	if ps == 0 || w+keptWindows < s.end {
		return 0
	}
	over := max(overPS, ps)
	window := uint64(1) << s.shift
	last := (at + over - 1) >> s.shift
	rest := ps // not yet asked for
	share, full := ps, uint64(0)
	if w < last {
		share = part(ps, window-at&(window-1), over)
		full = part(ps, window, over)
	}
	for open := uint64(0); ; w++ { // open: asked for and not served
		rest -= share
		open += share
		s.keep(w)
		u := &s.used[w&(keptWindows-1)]
		take := min(open, window-*u)
		*u += take
		open -= take
		if w >= last && open == 0 {
			if w == last {
				return 0
			}
			return max(w<<s.shift+*u, at+over) - (at + over)
		}
		if share = rest; w+1 < last {
			share = full
		}
	}
}

// part returns a*b/c, rounded down, for b <= c.
func part(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return q
}

// keep makes w one of the windows that are kept.
func (s *server) keep(w uint64) {
	if w < s.end {
		return
	}
	first, last := s.end&(keptWindows-1), w&(keptWindows-1)
	switch {
	case w-s.end >= keptWindows:
		clear(s.used)
	case first <= last:
		clear(s.used[first : last+1])
	default:
		clear(s.used[first:])
		clear(s.used[:last+1])
	}
	s.end = w + 1
}
