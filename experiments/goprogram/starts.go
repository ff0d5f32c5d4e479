package goprogram

import (
	"cmp"
	"maps"
	"slices"

	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/collect"
)

// starts splits the groups of accesses by the function that their goroutine began with, and where regions
// are recorded by the functions that called each other, for the stream; what comes of it is put together
// again for all else. A goroutine is named by the function of its go statement or, where that is not known or
// hands on to another, by that of its first access. Cost: 4 bytes for each group and frame, and a look-up
// for each access.
type starts struct {
	of     map[uint64]*thread // by goroutine, of those that did something
	last   *thread            // that was looked for last, and its goroutine
	lastOf uint64
	begun  map[uint64]string // of others that have begun
	names  []string          // of functions that goroutines began with
	number map[string]int
	frames []frame
	next   map[frame]int
	split  [][]uint32   // by frame and group: 1 + the group of the stream
	from   []startGroup // by group of the stream
}

// A frame is a function that was called in another frame, or with which goroutines began.
type frame struct {
	before int // the frame of the caller; -1: none
	region int // number of the function's region; 0: the goroutines began with it
	start  int // the function that they began with, by number
}

// A thread is where a goroutine is: its frame, and the regions that are open, the innermost last.
type thread struct {
	frame int
	open  []within
}

// within is a region that is open, and the frame around it.
type within struct {
	number uint32
	around int
}

type startGroup struct {
	group uint32
	frame int
}

// mostStarts is how many functions are told apart, and mostFrames how many frames; others are one, or
// that of their caller.
const (
	mostStarts = 64
	mostFrames = 2048
)

const otherStarts = "other functions"

func newStarts() *starts {
	return &starts{of: map[uint64]*thread{}, begun: map[uint64]string{},
		number: map[string]int{}, next: map[frame]int{}}
}

// begin notes where goroutines of a batch begin.
func (s *starts) begin(a *analysis, acts []collect.Act) {
	for i := range acts {
		if x := &acts[i]; x.Kind == loi.EventStart {
			if name := a.program.Function(x.Entry); name != "" && !wraps(name) {
				s.begun[x.Goroutine] = name
			}
		}
	}
}

// start returns the frame of a goroutine that makes accesses of a group.
func (s *starts) start(a *analysis, goroutine uint64, group uint32) int {
	t := s.thread(goroutine)
	if t == nil {
		name := ""
		if k := a.reader.Groups[group]; k.Site > 0 {
			name = a.sites[k.Site-1].Function
		}
		t = s.root(goroutine, name)
	}
	return t.frame
}

// thread returns where a goroutine is; nil: it has done nothing.
func (s *starts) thread(goroutine uint64) *thread {
	if s.last == nil || s.lastOf != goroutine {
		s.last, s.lastOf = s.of[goroutine], goroutine
	}
	return s.last
}

// root begins a goroutine whose first function is name, if that is not known.
func (s *starts) root(goroutine uint64, name string) *thread {
	if begun := s.begun[goroutine]; begun != "" {
		name = begun
	}
	n, ok := s.number[name]
	if !ok {
		if n = len(s.names); n == mostStarts {
			n--
			s.names[n] = otherStarts
		} else {
			s.names = append(s.names, name)
		}
		s.number[name] = n
	}
	delete(s.begun, goroutine)
	t := &thread{frame: s.numberOf(frame{before: -1, start: n})}
	s.of[goroutine], s.last, s.lastOf = t, t, goroutine
	return t
}

// numberOf returns the number of a frame.
func (s *starts) numberOf(x frame) int {
	n, ok := s.next[x]
	if !ok {
		if n = len(s.frames); n >= mostFrames && x.before >= 0 {
			return x.before
		}
		s.frames, s.split = append(s.frames, x), append(s.split, nil)
		s.next[x] = n
	}
	return n
}

// called takes the begin or the end of a region of a function. Recursion is folded: a function that is open
// already is its first frame again.
func (s *starts) called(a *analysis, x *collect.Act) {
	t := s.thread(x.Goroutine)
	switch x.Kind {
	case loi.EventRegion:
		f := &a.reader.Regions[x.Region-1]
		if t == nil {
			t = s.root(x.Goroutine, f.Function)
		}
		t.open = append(t.open, within{x.Number, t.frame})
		if f.Kind == loi.Function {
			t.frame = s.call(a, t.frame, x.Region)
		}
	case loi.EventRegionEnd:
		if t == nil {
			return
		}
		for i := len(t.open) - 1; i >= 0; i-- {
			if t.open[i].number == x.Number {
				t.frame, t.open = t.open[i].around, t.open[:i]
				return
			}
		}
	}
}

// call returns the frame of a function that is called in another.
func (s *starts) call(a *analysis, from, region int) int {
	for c := from; c >= 0; c = s.frames[c].before {
		x := &s.frames[c]
		if x.region == region || x.region == 0 && s.names[x.start] == a.reader.Regions[region-1].Function {
			return c
		}
	}
	return s.numberOf(frame{from, region, s.frames[from].start})
}

// stacked hands the accesses of a batch on, each in the frame that it has between the begins and ends of
// regions.
func (a *analysis) stacked(b *collect.Batch) error {
	next := 0
	take := func(upTo int) {
		for ; next < len(b.Acts) && b.Acts[next].After <= upTo; next++ {
			a.ahead.starts.called(a, &b.Acts[next])
		}
	}
	err := a.turns(b, func(goroutine uint64, from, to int) error {
		for from < to {
			take(from)
			end := to
			if next < len(b.Acts) {
				end = min(end, b.Acts[next].After)
			}
			if err := a.run(b, goroutine, from, end); err != nil {
				return err
			}
			from = end
		}
		return nil
	})
	take(len(b.Places))
	return err
}

// run hands on accesses that follow each other in one frame.
func (a *analysis) run(b *collect.Batch, goroutine uint64, from, to int) error {
	start := a.ahead.starts.start(a, goroutine, b.Groups[from])
	return a.ahead.add(start, uint32(a.worker(goroutine)), b.Places[from:to], b.Groups[from:to])
}

// group returns the group of the stream.
func (s *starts) group(frame int, group uint32) uint32 {
	split := &s.split[frame]
	for int(group) >= len(*split) {
		*split = append(*split, make([]uint32, int(group)+1)...)
	}
	if (*split)[group] == 0 {
		s.from = append(s.from, startGroup{group, frame})
		(*split)[group] = uint32(len(s.from))
	}
	return (*split)[group] - 1
}

// began returns the function that the goroutines of a frame began with.
func (s *starts) began(frame int) string { return s.names[s.frames[frame].start] }

// merged puts the groups of the stream together.
func (s *starts) merged(list []krd.GroupHistogram) []krd.GroupHistogram {
	all := map[uint32]*krd.GroupHistogram{}
	for i := range list {
		g := list[i]
		g.Group = s.from[g.Group].group
		if x := all[g.Group]; x == nil {
			g.Bins = slices.Clone(g.Bins)
			all[g.Group] = &g
		} else {
			x.Accesses, x.Cold, x.Bytes = x.Accesses+g.Accesses, x.Cold+g.Cold, x.Bytes+g.Bytes
			x.Bins = addBins(x.Bins, g.Bins)
		}
	}
	groups := make([]krd.GroupHistogram, 0, len(all))
	for _, n := range slices.Sorted(maps.Keys(all)) {
		groups = append(groups, *all[n])
	}
	return groups
}

// A Start is the accesses of the goroutines that began with a function, with what has most of them.
type Start struct {
	Part
	Function         string `json:"function"`
	FunctionAccesses uint64 `json:"function_accesses"`
	Object           string `json:"object"`
	ObjectAccesses   uint64 `json:"object_accesses"`
}

// list returns them, in the order of parts.
func (s *starts) list(a *analysis, groups []krd.GroupHistogram, from uint64) (list []Start) {
	var all sums
	by := map[string]*[tables]map[string]uint64{}
	for i := range groups {
		g := &groups[i]
		k := s.from[g.Group]
		name := s.began(k.frame)
		all.add(name, g)
		if by[name] == nil {
			by[name] = &[tables]map[string]uint64{byFunction: {}, byObject: {}}
		}
		rows := a.rows(k.group)
		for _, t := range []int{byFunction, byObject} {
			if rows[t] != "" {
				by[name][t][rows[t]] += g.Accesses
			}
		}
	}
	for _, p := range all.list(from) {
		x := Start{Part: p}
		x.Function, x.FunctionAccesses = mostOf(by[p.Name][byFunction])
		x.Object, x.ObjectAccesses = mostOf(by[p.Name][byObject])
		list = append(list, x)
	}
	return list
}

// mostOf returns what has most, the first by name; "" and 0 of nothing.
func mostOf(counts map[string]uint64) (name string, n uint64) {
	if len(counts) == 0 {
		return "", 0
	}
	name = slices.MinFunc(slices.Collect(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return name, counts[name]
}
