package krd

import (
	"fmt"
	"iter"

	"krdlab/hw/failure"
	"krdlab/krd/stack"
	"krdlab/loi"
)

// StreamOptions of [NewStream]. The zero value is the default.
type StreamOptions struct {
	Distance          Distance // "" is Exclusive
	L2Bytes, LLCBytes uint64   // of the caches that close, near and far are about; 0: unknown
	L2Known, LLCKnown string   // how, as in [loi.Header]
	Goroutines        bool     // what the workers are
}

// A Stream analyses the accesses of a running program, without a trace: data are named by 64-bit
// keys, such as virtual identities or the numbers of lines, and every access is counted under a
// group of the caller's, such as where in the program it is. Distances are exact, and in bytes.
//
// A [stack.Filter] of the data that were accessed last answers what it can; other accesses are
// gathered for [stack.Keyed], which takes them in batches, with as many threads as GOMAXPROCS has,
// beside the gathering of the next. The methods are for one goroutine.
//
// # MEMORY
//
// Source: virda paper, 3.2.2, whose back end too empties a buffer of accesses when it is full: with
// a splay tree, O(log M) an access at M data, or a scale tree, which is approximate.
type Stream struct {
	opt    Options
	trace  loi.Trace // its header: of one node
	tally  *tally
	groups groupTable
	err    error

	filter *stack.Filter
	front  struct { // of some accesses
		sizes, dist [256]uint64
		slots       [256]uint8
	}
	workers uint32                    // seen
	last    [stack.FilterSlots]uint32 // by slot: the worker that accessed its datum last

	now  gathered
	want int // accesses to gather
	back background
	loop loopState
	// of lines: accesses that the filter has answered, by group and lines between
	hits    [][stack.FilterSlots]uint64
	between between // likewise
}

// streamBatch is the largest number of accesses of a batch: these, and as many that are gathered
// meanwhile, take 210 MB.
const streamBatch = 1 << 22

// NewStream returns a stream of no accesses. An option that is none of its values is an error that
// wraps [ErrOption].
func NewStream(opt StreamOptions) (*Stream, error) {
	s := &Stream{opt: Options{Distance: opt.Distance}, filter: stack.NewFilter()}
	if err := s.opt.resolve(); err != nil {
		return nil, err
	}
	s.trace.Header = loi.Header{L2Bytes: opt.L2Bytes, LLCBytes: opt.LLCBytes,
		L2Known: opt.L2Known, LLCKnown: opt.LLCKnown, Nodes: 1}
	if opt.Goroutines {
		s.trace.Header.Meta = []loi.KV{loi.WorkersAreGoroutines}
	}
	s.tally = s.analysis().newTally()
	s.back.keyedBatch = newKeyedBatch(stack.KeyedOptions{Filtered: true}, s.analysis().newTally())
	s.want = s.back.want
	return s, nil
}

// A DatumError is a datum that came with another size than before.
type DatumError struct {
	Group         uint32 // of the access
	Key           uint64
	Before, Bytes uint64
}

func (e *DatumError) Error() string {
	return fmt.Sprintf("krd: datum %#x has %d bytes in an access of group %d and had %d before; a "+
		"datum keeps its size", e.Key, e.Bytes, e.Group, e.Before)
}

func datumError(group uint32, e *stack.SizeError) error {
	return &DatumError{Group: group, Key: e.Key, Before: e.Was, Bytes: e.Size}
}

// Class implements [failure.Classed].
func (*DatumError) Class() failure.Class { return failure.Data }

// Add takes the next accesses, in program order, of one worker, such as a goroutine: keys name the
// data, bytes are their sizes; workers and groups are numbered densely from 0. The slices have the
// same length and are not kept. From the second worker on a datum has 4 bytes more.
//
// A datum with another size than before is a [*DatumError]; it may be about an access of an earlier
// call. Too many bytes ([ErrTooLarge]) and a group of 2^26 or more ([ErrOption]) are errors too.
// After an error every call returns it again.
func (s *Stream) Add(worker uint32, keys []uint64, bytes, groups []uint32) error {
	if s.err == nil {
		s.err = s.add(worker, keys, bytes, groups)
	}
	return s.err
}

func (s *Stream) add(worker uint32, keys []uint64, bytes, groups []uint32) error {
	if len(bytes) != len(keys) || len(groups) != len(keys) {
		return fmt.Errorf("krd: %w: %d keys with %d sizes and %d groups, expected as many",
			ErrOption, len(keys), len(bytes), len(groups))
	}
	if err := s.groups.reserve(groups); err != nil {
		return err
	}
	s.seen(worker)
	for len(keys) > 0 {
		n := min(len(keys), len(s.front.dist))
		if err := s.addSome(worker, keys[:n], bytes, groups); err != nil {
			return err
		}
		keys, bytes, groups = keys[n:], bytes[n:], groups[n:]
		if err := s.flushIfMany(); err != nil {
			return err
		}
	}
	return nil
}

// seen notes a worker.
func (s *Stream) seen(worker uint32) {
	if worker < s.workers {
		return
	}
	g := &s.now
	if s.workers = worker + 1; s.workers > 1 && len(g.by) < len(g.keys) {
		g.by, g.tags = make([]uint32, len(g.keys)), make([]uint32, len(g.keys))
	}
}

// flushIfMany analyses the gathered accesses if they fill a batch of the engine.
func (s *Stream) flushIfMany() error {
	if len(s.now.keys) < s.want {
		return nil
	}
	return s.flush()
}

// addSome adds as many accesses as front has room for.
func (s *Stream) addSome(worker uint32, keys []uint64, bytes, groups []uint32) error {
	n, f := len(keys), &s.front
	bytes, groups = bytes[:n], groups[:n]
	for i, size := range bytes {
		f.sizes[i] = uint64(size)
	}
	if err := s.filter.Accesses(keys, f.sizes[:n], f.dist[:n], f.slots[:n]); err != nil {
		return datumError(groups[err.Index], err)
	}
	for i, slot := range f.slots[:n] {
		size := f.sizes[i]
		if s.workers > 1 {
			at := slot & (stack.FilterSlots - 1)
			last := s.last[at]
			s.last[at] = worker
			if slot < stack.InFilter {
				s.now.by, s.now.tags = append(s.now.by, worker), append(s.now.tags, last)
			} else if last != worker {
				s.tally.addShared(size)
			}
		}
		if slot >= stack.InFilter {
			d := f.dist[i]
			s.tally.one(d, d+size, 1)
			s.tally.reach(d+size, size)
			s.tally.count++
			s.groups.add(groups[i], s.tally.groupBin(d, size), size, 1)
			continue
		}
		g := &s.now
		g.keys, g.sizes = append(g.keys, keys[i]), append(g.sizes, size)
		g.slots, g.of = append(g.slots, slot), append(g.of, groups[i])
	}
	return nil
}

// Flush analyses and counts all accesses so far. Add does so by itself whenever there are enough of
// them; to flush more often costs a pass over the distinct data each time.
func (s *Stream) Flush() error {
	if s.err == nil {
		if s.err = s.flush(); s.err == nil {
			s.err = s.back.wait()
		}
		s.back.absorb(s.tally, &s.groups)
		s.countHits()
	}
	return s.err
}

// flush analyses the gathered accesses.
func (s *Stream) flush() error {
	if err := s.back.wait(); err != nil {
		return err
	}
	s.want = min(s.back.engine.BatchLen(), streamBatch)
	s.now = s.back.start(s.now, s.want, len(s.groups.list), s.workers)
	return nil
}

// Report flushes, and returns what [Analyze] does for a trace of these accesses, by at least one
// worker. More accesses may follow.
func (s *Stream) Report() (*Report, error) {
	if err := s.Flush(); err != nil {
		return nil, err
	}
	return s.analysis().report(), nil
}

// analysis returns the one that Analyze would make.
func (s *Stream) analysis() *analysis {
	workers := make([]int, max(1, s.workers))
	for i := range workers {
		workers[i] = i
	}
	return &analysis{trace: &s.trace, opt: s.opt, nodes: []int{0}, workers: [][]int{workers},
		tallies: []*tally{s.tally}}
}

// Groups lists what was flushed, by group; groups that had no access are absent.
func (s *Stream) Groups() iter.Seq[GroupHistogram] { return s.groups.all() }

// Distinct returns how many data were accessed, and their bytes, of what was flushed.
func (s *Stream) Distinct() (data int, bytes uint64) { return s.back.engine.Live(), s.back.total }
