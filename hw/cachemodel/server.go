package cachemodel

import "math/bits"

// A server is a memory, or the link of a node, which serves lines at a rate. Time is cut into
// windows, and a server counts how much of each is taken. A request takes its share of each window
// that it lasts for, and the part that a full window has no room for moves on to the next one that
// has. So requests need not come in the order of time: one that is made for a later time leaves the
// time before it to others. (A worker of the simulated driver carries out a task of many kernels in
// one step, and so asks for hundreds of microseconds ahead of others.)
//
// Queues within a window are not seen: with random arrivals at a load of one half they are half a
// line long.
type server struct {
	linePS  uint64 // what a line takes; 0 where there is no such server
	shift   uint   // log2 of the length of a window in PS
	windows []window
	// the first window without requests; keptWindows before it are kept
	end uint64
}

// A window is kept at its number modulo keptWindows.
type window struct {
	number uint64
	taken  uint64 // PS of it
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
		bits.Len64(latencyPS))), windows: make([]window, keptWindows)}
}

func (s *server) reset() {
	clear(s.windows[:min(s.end, keptWindows)])
	s.end = 0
}

// serve serves so many lines, requested evenly from time at on over overPS, or as fast as they are
// served where that takes longer. It returns how much later than then the last one comes. Requests
// from before the windows kept are served at once.
func (s *server) serve(at, lines, overPS uint64) (waitPS uint64) {
	ps := lines * s.linePS
	w := at >> s.shift
	if ps == 0 || w+keptWindows < s.end {
		return 0
	}
	over := max(overPS, ps)
	length := uint64(1) << s.shift
	last := (at + over - 1) >> s.shift
	rest := ps // not yet asked for
	share, full := ps, uint64(0)
	if w < last {
		share = part(ps, length-at&(length-1), over)
		full = part(ps, length, over)
	}
	for open := uint64(0); ; w++ { // open: asked for and not served
		rest -= share
		open += share
		u := &s.windows[w&(keptWindows-1)]
		if u.number != w {
			*u = window{number: w}
		}
		take := min(open, length-u.taken)
		u.taken += take
		open -= take
		if w >= last && open == 0 {
			s.end = max(s.end, w+1)
			if w == last {
				return 0
			}
			return max(w<<s.shift+u.taken, at+over) - (at + over)
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
