package goprogram

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"krdlab/hw"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/collect"
)

// sharing finds lines of memory that goroutines take from each other. An access of a goroutine is
// known to lie in a span of ticks. Where the spans of two goroutines overlap that access a line, at
// least one of them writing, caches of one core a goroutine transfer the line at most twice for each
// access of the one that has fewer, in proportion to the overlap: spans that only follow each other,
// as when an object is handed over, are no sharing. It is false where neither accesses a byte that
// the other writes. Kept are the last lines of 1 MiB, and of each what the last two goroutines did.
// Loops that sweep more than a page, entries of maps and stacks are left out, and lines of a lock while
// the goroutine holds it: what the lock guards comes with it. Atomic operations and those of locks count
// as accesses.
type sharing struct {
	lines   []sharedLine
	touched []uint32 // lines, in this turn
	turn    uint64
	first   map[uint64]uint32 // of each goroutine, the group of its first access
	pairs   map[[2]datum]*contest
	held    map[held]bool
	holds   map[uint64]int    // of each goroutine that holds a lock, the class of the last that it took
	within  map[[2]int]uint64 // of classes of locks and sites: accesses while they were held
	near    uint64            // ticks
}

// A datum is the data of a site, or, where the site is 0, the locks of a class.
type datum struct{ site, class int }

func (d datum) compare(e datum) int {
	return cmp.Or(cmp.Compare(d.site, e.site), cmp.Compare(d.class, e.class))
}

// held is that a goroutine has a lock in a line.
type held struct{ goroutine, line uint64 }

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

// A contest counts the accesses of goroutines at two sites that access the same lines.
type contest struct {
	data      [2]datum
	by        [2]uint64 // goroutines
	transfers float64   // of lines, at most, for accesses to data of their own
	same      float64   // for those to the same datum
	accesses  float64   // all accesses of both, in proportion
	most      float64
	apart     uint8 // bytes between the data, at least
	first     int   // of data: which comes first there
}

const (
	sharedLines = 1 << 14
	mostPairs   = 1 << 12
	mostSwept   = 4096
	// Atomic operations of a goroutine on a line that are less than this apart are one visit: another
	// goroutine may take the line in between.
	nearNS = 100_000
	// noStack is above all addresses that are a line's: entries of maps and stacks have others.
	noStack = 1 << 48
)

func newSharing() *sharing {
	clock := hw.CalibrateClock()
	return &sharing{near: clock.Ticks(nearNS), lines: make([]sharedLine, sharedLines), first: map[uint64]uint32{},
		pairs: map[[2]datum]*contest{}, held: map[held]bool{},
		holds: map[uint64]int{}, within: map[[2]int]uint64{}}
}

// batch takes a batch. A program of one goroutine costs nothing else.
func (s *sharing) batch(a *analysis, b *collect.Batch) {
	from, acts := 0, b.Acts
	for _, t := range b.Turns {
		acts = s.acts(a, acts, from)
		s.begin(a, t.Goroutine, b.Groups[from])
		if lock, ok := s.holds[t.Goroutine]; ok {
			for i := from; i < t.End; {
				next := i + 1
				for next < t.End && b.Groups[next] == b.Groups[i] {
					next++
				}
				s.within[[2]int{lock, a.reader.Groups[b.Groups[i]].Site}] += uint64(next - i)
				i = next
			}
		}
		if len(s.first) > 1 {
			for i := from; i < t.End; i++ {
				s.access(b.Real[i], uint64(b.Bytes[i]), 1, b.Groups[i], a.reader.Mode(b.Groups[i])&loi.Out != 0)
			}
			s.end(a, t.Goroutine, t.Span, 0)
		}
		from = t.End
	}
	s.acts(a, acts, from)
}

// acts takes those that stand before an access of the batch, and returns the others.
func (s *sharing) acts(a *analysis, acts []collect.Act, upTo int) []collect.Act {
	for ; len(acts) > 0 && acts[0].After <= upTo; acts = acts[1:] {
		x := &acts[0]
		if x.Kind != loi.EventSync || x.Real == 0 {
			continue
		}
		bytes, wrote := uint64(lockBytes), true
		h := held{x.Goroutine, x.Real / lineBytes}
		switch op := x.Sync.Op; {
		case op == loi.SyncLock || op == loi.SyncReadLock:
			s.held[h], s.holds[x.Goroutine] = true, x.Class
		case op == loi.SyncUnlock || op == loi.SyncReadUnlock:
			delete(s.held, h)
			if s.holds[x.Goroutine] == x.Class {
				delete(s.holds, x.Goroutine)
			}
		case x.Site > 0:
			site := &a.sites[x.Site-1]
			bytes, wrote = site.Bytes, site.Mode&loi.Out != 0
			a.atomics++
		default:
			continue
		}
		group := a.reader.Number(collect.Group{Site: x.Site, Class: x.Class})
		s.begin(a, x.Goroutine, group)
		s.access(x.Real, bytes, 1, group, wrote)
		near := uint64(0)
		if x.Site > 0 {
			near = s.near
		}
		s.end(a, x.Goroutine, x.Span, near)
	}
	return acts
}

// lockBytes are those of a mutex.
const lockBytes = 8

// loop takes a loop, also one of the first goroutine: it may be all that it does.
func (s *sharing) loop(a *analysis, l *collect.Loop) {
	s.begin(a, l.Goroutine, l.Accesses[0].Group)
	lock, holds := s.holds[l.Goroutine]
	for _, x := range l.Accesses {
		if holds {
			s.within[[2]int{lock, a.reader.Groups[x.Group].Site}] += l.Times
		}
		step, wrote := uint64(max(x.Step, -x.Step)), a.reader.Mode(x.Group)&loi.Out != 0
		switch {
		case step == 0:
			s.access(x.Real, uint64(x.Bytes), l.Times, x.Group, wrote)
		case l.Times <= mostSwept/step:
			for i := range l.Times {
				s.access(x.Real+i*uint64(x.Step), uint64(x.Bytes), 1, x.Group, wrote)
			}
		}
	}
	s.end(a, l.Goroutine, l.Span, 0)
}

func (s *sharing) begin(a *analysis, goroutine uint64, group uint32) {
	if g, ok := s.first[goroutine]; !ok || a.reader.Groups[g].Site == 0 {
		s.first[goroutine] = group
	}
	s.turn++
}

// access takes n accesses of the goroutine whose turn it is.
func (s *sharing) access(addr, bytes, n uint64, group uint32, wrote bool) {
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
	if wrote {
		v.wrote, v.group, v.at = v.wrote|mask, group, uint8(off)
	} else if v.wrote == 0 {
		v.group, v.at = group, uint8(off)
	}
}

// end compares the visits of a goroutine in its turn with the last of others. A visit goes on where
// the goroutine's last ended at most near ticks before.
func (s *sharing) end(a *analysis, goroutine uint64, span collect.Span, near uint64) {
	for _, at := range s.touched {
		e := &s.lines[at]
		v := e.now
		if v.n == 0 || a.reader.Groups[v.group].Site > 0 && s.held[held{goroutine, e.line}] {
			continue // a line that had its place was pushed out in this turn; or the lock's
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
		if x := &e.last[to]; x.n > 0 && x.goroutine == goroutine && x.To+near >= v.From && v.From < v.To {
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
	of := func(v *visit) (d datum) {
		g := a.reader.Groups[v.group]
		if d.site = g.Site; g.Site == 0 {
			d.class = g.Class
		}
		return d
	}
	data := [2]datum{of(x), of(y)}
	if data[0].compare(data[1]) > 0 {
		x, y, data = y, x, [2]datum{data[1], data[0]}
	}
	c := s.pairs[data]
	if c == nil {
		if len(s.pairs) == mostPairs {
			return
		}
		c = &contest{data: data, apart: lineBytes}
		s.pairs[data] = c
	}
	c.accesses += part(x) + part(y)
	if x.wrote&y.seen|y.wrote&x.seen != 0 {
		c.same += n
	} else {
		c.transfers += n
		if apart := max(x.at, y.at) - min(x.at, y.at); apart < c.apart {
			c.apart, c.first = apart, 0
			if y.at < x.at {
				c.first = 1
			}
		}
	}
	if n > c.most {
		c.most, c.by = n, [2]uint64{x.goroutine, y.goroutine}
	}
}

// inside returns the arguments of [graph.LockWaited] about what is accessed while locks of a name are held:
// none, if nothing is.
func (s *sharing) inside(a *analysis, locks string) []any {
	sites, all, most := map[int]uint64{}, uint64(0), 0
	for k, n := range s.within {
		if a.className(k[0]) == locks {
			sites[k[1]] += n
			all += n
		}
	}
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		if most == 0 || sites[site] > sites[most] {
			most = site
		}
	}
	if all == 0 {
		return nil
	}
	x := &a.sites[most-1]
	return []any{fmt.Sprintf("%s (%s:%d)", x.Object, filepath.Base(x.File), x.Line),
		100 * float64(sites[most]) / float64(all), 100 * float64(all) / float64(a.count)}
}

// A shared finding needs so many transfers of lines, and this share of all accesses.
const (
	fewestTransfers = 1000
	sharedShare     = 0.01
)

// findings returns the contests that matter, those with the most transfers first.
func (s *sharing) findings(a *analysis) (list []doc.Finding) {
	pairs := slices.SortedFunc(maps.Values(s.pairs), func(x, y *contest) int {
		return cmp.Or(cmp.Compare(y.transfers+y.same, x.transfers+x.same),
			x.data[0].compare(y.data[0]), x.data[1].compare(y.data[1]))
	})
	for _, c := range pairs {
		n, code := c.transfers, falseSharing
		if c.same >= c.transfers {
			n, code = c.same, trueSharing
		}
		all := float64(a.count + a.atomics)
		if n < fewestTransfers || c.accesses < sharedShare*all || len(list) == mostShared ||
			code == trueSharing && c.data[0].site == 0 { // who waits for a lock is found by itself
			continue
		}
		var args []any
		for i, d := range c.data {
			by := "by a goroutine"
			if g := a.reader.Groups[s.first[c.by[i]]]; g.Site > 0 {
				by = "by " + a.sites[g.Site-1].Function
			}
			if d.site > 0 {
				x := &a.sites[d.site-1]
				args = append(args, x.Object, fmt.Sprintf("%s:%d", filepath.Base(x.File), x.Line), by)
			} else if at := a.reader.Classes[d.class].Site; at > 0 {
				args = append(args, "lock in "+a.sites[at-1].Object, made(&a.sites[at-1]), by)
			} else {
				args = append(args, "lock in "+a.className(d.class), "locked", by)
			}
		}
		args = append(args, uint64(n), min(1, c.accesses/all))
		if code == falseSharing {
			args = append(args, lineBytes-int(c.apart), args[3*c.first])
		}
		f := doc.Find(code, args...)
		f.Evidence = &doc.Evidence{N: int(n)}
		list = append(list, f)
	}
	return list
}

// mostShared is how many of them people are told.
const mostShared = 5
