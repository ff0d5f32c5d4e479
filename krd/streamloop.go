package krd

import (
	"fmt"

	"krdlab/krd/stack"
)

// StreamLine is the size of the lines of [Stream.AddLines] and [Stream.AddLoop], in bytes.
const StreamLine = 64

const lineShift = 6

// AddLines works like Add, for lines of StreamLine bytes, whose keys are their numbers: the place
// of each access over StreamLine. A stream has either such data or those of Add.
func (s *Stream) AddLines(worker uint32, places []uint64, groups []uint32) error {
	if s.err == nil {
		s.err = s.addLines(worker, places, groups)
	}
	return s.err
}

func (s *Stream) addLines(worker uint32, places []uint64, groups []uint32) error {
	if len(groups) != len(places) {
		return fmt.Errorf("krd: %w: %d places with %d groups, expected as many", ErrOption,
			len(places), len(groups))
	}
	s.seen(worker)
	for i, p := range places {
		group := groups[i]
		if int(group) >= len(s.hits) {
			if err := s.reserveHits(group); err != nil {
				return err
			}
		}
		if err := s.line(worker, p>>lineShift, group); err != nil {
			return err
		}
	}
	return nil
}

// line takes an access to a line, whose group has room.
func (s *Stream) line(worker uint32, key uint64, group uint32) error {
	above, slot, out, full := s.filter.Line(key, StreamLine)
	if s.workers == 1 && slot >= stack.InFilter {
		s.hits[group][above]++
		return nil
	}
	at := slot & (stack.FilterSlots - 1)
	last := s.last[at]
	s.last[at] = worker
	if slot >= stack.InFilter {
		s.hits[group][above]++
		if last != worker {
			s.tally.addShared(StreamLine)
		}
		return nil
	}
	if full {
		s.between.add(out, keeps)
	}
	s.between.add(key, group)
	g := &s.now
	g.keys, g.sizes = append(g.keys, key), append(g.sizes, StreamLine)
	g.slots, g.of = append(g.slots, slot), append(g.of, group)
	if s.workers > 1 {
		g.by, g.tags = append(g.by, worker), append(g.tags, last)
	}
	return s.flushIfMany()
}

// reserveHits makes room for a group.
func (s *Stream) reserveHits(group uint32) error {
	if err := s.groups.reserve([]uint32{group}); err != nil {
		return err
	}
	s.hits = append(s.hits, make([][stack.FilterSlots]uint64, len(s.groups.list)-len(s.hits))...)
	return nil
}

// countHits counts the accesses that were counted by group and lines between.
func (s *Stream) countHits() {
	for group := range s.hits {
		for above, n := range s.hits[group] {
			if n > 0 {
				d := uint64(above) * StreamLine
				s.tally.one(d, d+StreamLine, n*s.tally.weight(StreamLine))
				s.tally.reachTimes(d+StreamLine, StreamLine, n)
				s.tally.count += n
				s.groups.add(uint32(group), s.tally.groupBin(d, StreamLine), StreamLine, n)
			}
		}
		s.hits[group] = [stack.FilterSlots]uint64{}
	}
}

// A Strided is an access of a loop: in iteration i, from 0, to the line of Place + i Step.
type Strided struct {
	Place uint64
	Step  int64
	Group uint32
}

// AddLoop takes the accesses of a loop of some iterations, as Add would one after the other, to
// lines of StreamLine bytes, whose keys are their numbers: Place + i Step over StreamLine.
//
// An access to a line that an access of this iteration or of the one before was to has the distance
// of the lines between, which are few; others are for Add. As long as all stay in their lines, their
// distances stay too. Cost: in proportion to the changes of lines, and the square of the accesses of
// an iteration for each, but where a step is half a line or more, or an iteration has more than
// stack.FilterSlots lines: that of Add.
func (s *Stream) AddLoop(worker uint32, times uint64, accesses []Strided) error {
	if s.err == nil {
		s.err = s.addLoop(worker, times, accesses)
	}
	return s.err
}

// loopState is the state of addLoop.
type loopState struct {
	lines, before []uint64 // of an iteration and of the one before
	groups        []uint32
}

func (s *Stream) addLoop(worker uint32, times uint64, accesses []Strided) error {
	l, k := &s.loop, len(accesses)
	if times == 0 || k == 0 {
		return nil
	}
	s.seen(worker)
	l.lines, l.before, l.groups = grow(l.lines, k), grow(l.before, k), grow(l.groups, k)
	long := k <= stack.FilterSlots
	for j, a := range accesses {
		long = long && a.Step < StreamLine/2 && a.Step > -StreamLine/2
		l.groups[j], l.lines[j] = a.Group, a.Place>>lineShift
		if int(a.Group) >= len(s.hits) {
			if err := s.reserveHits(a.Group); err != nil {
				return err
			}
		}
	}
	if !long {
		return s.expand(worker, times, accesses)
	}
	for j, line := range l.lines {
		if err := s.line(worker, line, l.groups[j]); err != nil {
			return err
		}
	}
	for i := uint64(1); i < times; {
		l.lines, l.before = l.before, l.lines
		same := times - i // so many iterations have the lines of this one
		for j := range accesses {
			a := &accesses[j]
			place := a.Place + i*uint64(a.Step)
			l.lines[j] = place >> lineShift
			if at := place % StreamLine; a.Step > 0 {
				same = min(same, (StreamLine-1-at)/uint64(a.Step)+1)
			} else if a.Step < 0 {
				same = min(same, at/uint64(-a.Step)+1)
			}
		}
		s.filter.Touch(l.before) // as iterations with those lines have left it
		if err := s.iteration(worker, 1); err != nil {
			return err
		}
		if same > 1 && distinct(l.lines) {
			for j := range k {
				s.hits[l.groups[j]][k-1] += same - 1
			}
		} else if same > 1 {
			copy(l.before, l.lines)
			if err := s.iteration(worker, same-1); err != nil {
				return err
			}
		}
		i += same
	}
	s.filter.Touch(l.lines)
	return nil
}

// iteration takes an iteration, or several with the same lines as the one before.
func (s *Stream) iteration(worker uint32, times uint64) error {
	l := &s.loop
	lines, before, k := l.lines, l.before[:len(l.lines)], len(l.lines)
	for j, line := range lines {
		between, q := 0, j-1
		for ; q >= 0 && lines[q] != line; q-- {
			between += isNew(lines[q], lines[q+1:j])
		}
		if q < 0 {
			for q = k - 1; q >= j && before[q] != line; q-- {
				if isNew(before[q], lines[:j]) != 0 {
					between += isNew(before[q], before[q+1:])
				}
			}
			if q < j {
				// no iteration that the filter does not know of had it
				s.filter.Touch(lines[:j])
				if err := s.line(worker, line, l.groups[j]); err != nil {
					return err
				}
				continue
			}
		}
		s.hits[l.groups[j]][between] += times
	}
	return nil
}

// distinct reports that no line is there twice.
func distinct(lines []uint64) bool {
	for j, line := range lines {
		if isNew(line, lines[:j]) == 0 {
			return false
		}
	}
	return true
}

// isNew returns 1 if line is not among others.
func isNew(line uint64, others []uint64) int {
	for _, o := range others {
		if o == line {
			return 0
		}
	}
	return 1
}

// expand takes the accesses of a loop one after the other.
func (s *Stream) expand(worker uint32, times uint64, accesses []Strided) error {
	for i := range times {
		for j := range accesses {
			a := &accesses[j]
			place := a.Place + i*uint64(a.Step)
			if err := s.line(worker, place>>lineShift, a.Group); err != nil {
				return err
			}
		}
	}
	return nil
}
