package goprogram

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"krdlab/krd/doc"
	"krdlab/loi/collect"
)

// sharing finds lines of memory that goroutines take from each other. An access of a goroutine is
// known to lie in a span of ticks. Where the spans of two goroutines overlap that access a line, at
// least one of them writing, caches of one core a goroutine transfer the line at most twice for each
// access of the one that has fewer, in proportion to the overlap: spans that only follow each other,
// as when an object is handed over, are no sharing. It is false where neither accesses a byte that
// the other writes. Kept are the last lines of 1 MiB, and of each what the last two goroutines did.
// Loops that sweep more than a page, entries of maps, stacks and atomic operations are left out.
type sharing struct {
	lines   []sharedLine
	touched []uint32 // lines, in this turn
	turn    uint64
	first   map[uint64]uint32 // of each goroutine, the group of its first access
	pairs   map[[2]int]*contest
}

type sharedLine struct {
	line, turn uint64
	now        visit
	last       [2]visit
}

// A visit is the accesses of a goroutine to a line in a span.
type visit struct {
	collect.Span
	goroutine, n uint64
	seen, wrote  uint64 // a bit for each byte
	group        uint32 // of the last write, or access
	at           uint8  // its byte
}

// A contest is what goroutines did at two sites that access the same lines.
type contest struct {
	sites     [2]int
	by        [2]uint64 // goroutines
	transfers float64   // of lines, at most, for accesses to data of their own
	same      float64   // for those to the same datum
	accesses  float64   // all accesses of both, in proportion
	most      float64
	apart     uint8 // bytes between the data, at least
}

const (
	sharedLines = 1 << 14
	mostPairs   = 1 << 12
	mostSwept   = 4096
	// noStack is above all addresses that are a line's: entries of maps and stacks have others.
	noStack = 1 << 48
)

func newSharing() *sharing {
	return &sharing{lines: make([]sharedLine, sharedLines), first: map[uint64]uint32{}, pairs: map[[2]int]*contest{}}
}

// batch takes a batch. A program of one goroutine costs nothing else.
func (s *sharing) batch(a *analysis, b *collect.Batch) {
	from := 0
	for _, t := range b.Turns {
		s.begin(t.Goroutine, b.Groups[from])
		if len(s.first) > 1 {
			for i := from; i < t.End; i++ {
				s.access(b.Real[i], uint64(b.Bytes[i]), 1, b.Groups[i], a)
			}
			s.end(a, t.Goroutine, t.Span)
		}
		from = t.End
	}
}

// loop takes a loop, also one of the first goroutine: it may be all that it does.
func (s *sharing) loop(a *analysis, l *collect.Loop) {
	s.begin(l.Goroutine, l.Accesses[0].Group)
	for _, x := range l.Accesses {
		step := uint64(max(x.Step, -x.Step))
		switch {
		case step == 0:
			s.access(x.Real, uint64(x.Bytes), l.Times, x.Group, a)
		case l.Times <= mostSwept/step:
			for i := range l.Times {
				s.access(x.Real+i*uint64(x.Step), uint64(x.Bytes), 1, x.Group, a)
			}
		}
	}
	s.end(a, l.Goroutine, l.Span)
}

func (s *sharing) begin(goroutine uint64, group uint32) {
	if _, ok := s.first[goroutine]; !ok {
		s.first[goroutine] = group
	}
	s.turn++
}

// access takes n accesses of the goroutine whose turn it is.
func (s *sharing) access(addr, bytes, n uint64, group uint32, a *analysis) {
	off := addr % lineBytes
	if addr >= noStack || bytes == 0 || off+bytes > lineBytes {
		return // what is more than a line is nobody's counter
	}
	at := uint32(addr / lineBytes % sharedLines)
	e := &s.lines[at]
	if e.line != addr/lineBytes {
		*e = sharedLine{line: addr / lineBytes}
	}
	if e.turn != s.turn {
		e.turn, e.now = s.turn, visit{}
		s.touched = append(s.touched, at)
	}
	mask := (uint64(1)<<bytes - 1) << off
	v := &e.now
	v.n, v.seen = v.n+n, v.seen|mask
	if a.reader.Mode(group)&2 != 0 {
		v.wrote, v.group, v.at = v.wrote|mask, group, uint8(off)
	} else if v.wrote == 0 {
		v.group, v.at = group, uint8(off)
	}
}

// end compares what a goroutine did in its turn with what the others did last.
func (s *sharing) end(a *analysis, goroutine uint64, span collect.Span) {
	for _, at := range s.touched {
		e := &s.lines[at]
		v := e.now
		if v.n == 0 {
			continue // a line that had its place was pushed out in this turn
		}
		v.Span, v.goroutine, e.now.n = span, goroutine, 0
		to := 0 // the place of its last visit, or of the older
		if e.last[1].To < e.last[0].To {
			to = 1
		}
		for i := range e.last {
			if x := &e.last[i]; x.n > 0 && x.goroutine != goroutine {
				s.meet(a, x, &v)
			} else if x.n > 0 {
				to = i
			}
		}
		if x := &e.last[to]; x.n > 0 && x.goroutine == goroutine && x.To >= v.From && v.From < v.To {
			v.From, v.n = min(x.From, v.From), v.n+x.n
			v.seen, v.wrote = v.seen|x.seen, v.wrote|x.wrote
		}
		e.last[to] = v
	}
	s.touched = s.touched[:0]
}

// meet counts what two visits of a line by two goroutines cost.
func (s *sharing) meet(a *analysis, x, y *visit) {
	from, to := max(x.From, y.From), min(x.To, y.To)
	if to <= from || x.wrote|y.wrote == 0 {
		return
	}
	part := func(v *visit) float64 { return float64(v.n) * float64(to-from) / float64(v.To-v.From) }
	n := 2 * min(part(x), part(y))
	g := a.reader.Groups
	if g[x.group].Site > g[y.group].Site {
		x, y = y, x
	}
	sites := [2]int{g[x.group].Site, g[y.group].Site}
	c := s.pairs[sites]
	if c == nil {
		if len(s.pairs) == mostPairs {
			return
		}
		c = &contest{sites: sites, apart: lineBytes}
		s.pairs[sites] = c
	}
	c.accesses += part(x) + part(y)
	if x.wrote&y.seen|y.wrote&x.seen != 0 {
		c.same += n
	} else {
		c.transfers += n
		c.apart = min(c.apart, max(x.at, y.at)-min(x.at, y.at))
	}
	if n > c.most {
		c.most, c.by = n, [2]uint64{x.goroutine, y.goroutine}
	}
}

// A shared finding needs so many transfers of lines, and this share of all accesses.
const (
	fewestTransfers = 1000
	sharedShare     = 0.01
)

// findings are the contests that matter, those with the most transfers first.
func (s *sharing) findings(a *analysis) (list []doc.Finding) {
	pairs := slices.SortedFunc(maps.Values(s.pairs), func(x, y *contest) int {
		return cmp.Or(cmp.Compare(y.transfers+y.same, x.transfers+x.same),
			cmp.Compare(x.sites[0], y.sites[0]), cmp.Compare(x.sites[1], y.sites[1]))
	})
	for _, c := range pairs {
		n, code := c.transfers, falseSharing
		if c.same >= c.transfers {
			n, code = c.same, trueSharing
		}
		if n < fewestTransfers || c.accesses < sharedShare*float64(a.count) || len(list) == mostShared {
			continue
		}
		var args []any
		for i, site := range c.sites {
			x := &a.sites[site-1]
			by := &a.sites[a.reader.Groups[s.first[c.by[i]]].Site-1]
			args = append(args, x.Object, fmt.Sprintf("%s:%d", filepath.Base(x.File), x.Line),
				"by "+by.Function)
		}
		args = append(args, uint64(n), min(1, c.accesses/float64(a.count)))
		if code == falseSharing {
			args = append(args, lineBytes-int(c.apart))
		}
		f := doc.Find(code, args...)
		f.Evidence = &doc.Evidence{N: int(n)}
		list = append(list, f)
	}
	return list
}

// mostShared is how many of them people are told.
const mostShared = 5
