package krd

import (
	"errors"
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

// A Stream analyses the accesses of a running program, which nobody writes to a trace: data are
// named by 64-bit keys, such as virtual identities or the numbers of lines, and every access is
// counted under a group of the caller's, such as where in the program it is. Distances are exact,
// and in bytes.
//
// A [stack.Filter] of the data that were accessed last answers what it can; other accesses are
// gathered for [stack.Keyed], which takes them in batches, with as many threads as GOMAXPROCS has.
// The methods are for one goroutine.
//
// # MEMORY
//
// Source: virda paper, 3.2.2, whose back end too empties a buffer of accesses when it is full: with
// a splay tree, O(log M) an access at M data, or a scale tree, which is approximate.
type Stream struct {
	keyedBatch
	opt    Options
	trace  loi.Trace // its header: of one node
	groups groupTable
	err    error

	filter *stack.Filter
	front  struct { // of some accesses
		sizes, dist [256]uint64
		slots       [256]uint8
	}
	slots []uint8  // of the accesses gathered: what the filter says
	of    []uint32 // and their groups

	workers uint32                    // seen
	last    [stack.FilterSlots]uint32 // by slot: the worker that accessed its datum last
	by      []uint32                  // of the accesses gathered: their workers; none before
	tags    []uint32                  // there is a second worker, and what last held in their slots

	loop loopState
}

// streamBatch is what a batch has at most: so many accesses take 243 MB.
const streamBatch = 1 << 23

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
	s.keyedBatch = newKeyedBatch(stack.KeyedOptions{Filtered: true}, s.analysis().newTally())
	s.most = streamBatch
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
	if s.workers = max(s.workers, worker+1); s.workers > 1 && len(s.by) < len(s.keys) {
		s.by, s.tags = make([]uint32, len(s.keys)), make([]uint32, len(s.keys))
	}
	for len(keys) > 0 {
		n := min(len(keys), len(s.front.dist))
		if err := s.addSome(worker, keys[:n], bytes, groups); err != nil {
			return err
		}
		keys, bytes, groups = keys[n:], bytes[n:], groups[n:]
		if len(s.keys) >= s.want {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
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
				s.by, s.tags = append(s.by, worker), append(s.tags, last)
			} else if last != worker {
				s.tally.addShared(size)
			}
		}
		if slot >= stack.InFilter {
			d := f.dist[i]
			s.tally.one(d, d+size, 1)
			s.tally.reach(d+size, size)
			s.tally.count++
			s.group(groups[i], d, size)
			continue
		}
		s.keyedBatch.add(keys[i], size)
		s.slots, s.of = append(s.slots, slot), append(s.of, groups[i])
	}
	return nil
}

// group counts an access under its group.
func (s *Stream) group(group uint32, d, size uint64) { s.groupTimes(group, d, size, 1) }

// groupTimes counts n accesses under their group.
func (s *Stream) groupTimes(group uint32, d, size, n uint64) {
	if s.tally.inclusive {
		d = needs(d, size)
	}
	s.groups.add(group, groupBin(d), size, n)
}

// Flush has all accesses so far analysed and counted. Add does so by itself whenever there are
// enough of them; to flush more often costs a pass over the distinct data each time.
func (s *Stream) Flush() error {
	if s.err == nil {
		s.err = s.flush()
	}
	return s.err
}

func (s *Stream) flush() error {
	tags := s.tags
	if s.workers < 2 {
		tags = nil
	}
	if err := s.engine.DistancesFiltered(s.keys, s.sizes, s.slots, tags, s.room()); err != nil {
		var e *stack.SizeError
		if errors.As(err, &e) {
			return datumError(s.of[e.Index], e)
		}
		return err
	}
	if err := s.count(); err != nil {
		return err
	}
	for i, g := range s.of {
		s.group(g, s.dist[i], s.sizes[i])
	}
	for i, worker := range s.by {
		if s.tags[i] != worker && s.dist[i] != stack.Cold {
			s.tally.addShared(s.sizes[i])
		}
	}
	s.slots, s.of, s.by, s.tags = s.slots[:0], s.of[:0], s.by[:0], s.tags[:0]
	s.reset()
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

// analysis is the one that Analyze would make.
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
func (s *Stream) Distinct() (data int, bytes uint64) { return s.engine.Live(), s.total }
