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
}

// A Stream analyses the accesses of a running program, which nobody writes to a trace: data are
// named by 64-bit keys, such as virtual identities or the numbers of lines, and every access is
// counted under a group of the caller's, such as where in the program it is. Distances are exact,
// and in bytes.
//
// Accesses are gathered and handed to [stack.Keyed] in batches, which works with as many threads as
// GOMAXPROCS has. An access to the datum that was accessed last has distance 0 and is counted at
// once. The methods are for one goroutine.
//
// Source: virda paper, 3.2.2, whose back end too empties a buffer of accesses when it is full: with
// a splay tree, O(log M) an access at M data, or a scale tree, which is approximate.
type Stream struct {
	keyedBatch
	opt    Options
	trace  loi.Trace // its header: of one node with one worker
	group  []uint32  // of the accesses gathered
	groups groupTable
	err    error

	last, size uint64 // the datum accessed last, if there is one
	any        bool
	again      uint64 // accesses to it since, not in the tally yet
}

// NewStream returns a stream of no accesses. An option that is none of its values is an error that
// wraps [ErrOption].
func NewStream(opt StreamOptions) (*Stream, error) {
	s := &Stream{opt: Options{Distance: opt.Distance}}
	if err := s.opt.resolve(); err != nil {
		return nil, err
	}
	s.trace.Header = loi.Header{L2Bytes: opt.L2Bytes, LLCBytes: opt.LLCBytes, Nodes: 1,
		Workers: []loi.Worker{{}}}
	s.keyedBatch = newKeyedBatch(0, s.analysis().newTally())
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

// Class implements [failure.Classed].
func (*DatumError) Class() failure.Class { return failure.Data }

// Add takes the next accesses, in program order: keys name the data, bytes are their sizes, groups
// are numbered densely from 0. The slices have the same length and are not kept.
//
// A datum with another size than before is a [*DatumError]; it may be about an access of an earlier
// call. Too many bytes ([ErrTooLarge]) and a group of 2^26 or more ([ErrOption]) are errors too.
// After an error every call returns it again.
func (s *Stream) Add(keys []uint64, bytes, groups []uint32) error {
	if s.err == nil {
		s.err = s.add(keys, bytes, groups)
	}
	return s.err
}

func (s *Stream) add(keys []uint64, bytes, groups []uint32) error {
	if len(bytes) != len(keys) || len(groups) != len(keys) {
		return fmt.Errorf("krd: %w: %d keys with %d sizes and %d groups, expected as many",
			ErrOption, len(keys), len(bytes), len(groups))
	}
	if err := s.groups.reserve(groups); err != nil {
		return err
	}
	for i, key := range keys {
		size := uint64(bytes[i])
		if s.any && key == s.last {
			if size != s.size {
				return &DatumError{Group: groups[i], Key: key, Before: s.size, Bytes: size}
			}
			s.again++
			s.count(groups[i], 0, size)
			continue
		}
		s.endRun()
		s.last, s.size, s.any = key, size, true
		s.keyedBatch.add(key, size)
		s.group = append(s.group, groups[i])
		if len(s.keys) >= s.want {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// endRun tells the tally of the accesses that followed others to the same datum.
func (s *Stream) endRun() {
	if s.again == 0 {
		return
	}
	t := s.tally
	t.count += s.again
	t.one(0, s.size, s.again)
	t.reach(s.size, s.again*s.size)
	s.again = 0
}

// count counts an access under its group.
func (s *Stream) count(group uint32, d, size uint64) {
	if s.tally.inclusive {
		d = needs(d, size)
	}
	s.groups.add(group, groupBin(d), size)
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
	s.endRun()
	if err := s.keyedBatch.flush(nil, nil); err != nil {
		var e *stack.SizeError
		if errors.As(err, &e) {
			err = &DatumError{Group: s.group[e.Index], Key: e.Key, Before: e.Was, Bytes: e.Size}
		}
		return err
	}
	for i, g := range s.group {
		s.count(g, s.dist[i], s.sizes[i])
	}
	s.group = s.group[:0]
	s.reset()
	return nil
}

// Report flushes, and returns what [Analyze] does for a trace of these accesses by one worker. More
// accesses may follow.
func (s *Stream) Report() (*Report, error) {
	if err := s.Flush(); err != nil {
		return nil, err
	}
	return s.analysis().report(), nil
}

// analysis is the one that Analyze would make.
func (s *Stream) analysis() *analysis {
	return &analysis{trace: &s.trace, opt: s.opt, nodes: []int{0}, workers: [][]int{{0}},
		tallies: []*tally{s.tally}}
}

// Groups lists what was flushed, by group; groups that had no access are absent.
func (s *Stream) Groups() iter.Seq[GroupHistogram] { return s.groups.all() }

// Distinct returns how many data were accessed, and their bytes, of what was flushed.
func (s *Stream) Distinct() (data int, bytes uint64) { return s.engine.Live(), s.total }
