package krd

import "krdlab/krd/stack"

// StreamLine is the size of the lines of [Stream.AddLoop], in bytes.
const StreamLine = 64

const lineShift = 6

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

// loopState is what addLoop keeps.
type loopState struct {
	lines, before []uint64 // of an iteration and of the one before
	groups        []uint32
	bytes         []uint32
	keys          []uint64 // of iterations that are added one after the other
	counts        []uint64 // of accesses by access and lines between
}

// loopKeys is how many accesses are given to add at a time.
const loopKeys = 1 << 12

func (s *Stream) addLoop(worker uint32, times uint64, accesses []Strided) error {
	l, k := &s.loop, len(accesses)
	if times == 0 || k == 0 {
		return nil
	}
	l.lines, l.before = grow(l.lines, k), grow(l.before, k)
	long := k <= stack.FilterSlots
	for _, a := range accesses {
		long = long && a.Step < StreamLine/2 && a.Step > -StreamLine/2
	}
	if !long {
		return s.expand(worker, times, accesses)
	}
	l.groups, l.bytes = grow(l.groups, k), grow(l.bytes, k)
	l.counts = grow(l.counts, k*k)
	clear(l.counts)
	for j, a := range accesses {
		l.groups[j], l.bytes[j], l.lines[j] = a.Group, StreamLine, a.Place>>lineShift
	}
	if err := s.add(worker, l.lines, l.bytes, l.groups); err != nil {
		return err
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
				l.counts[j*k+k-1] += same - 1
			}
		} else if same > 1 {
			copy(l.before, l.lines)
			if err := s.iteration(worker, same-1); err != nil {
				return err
			}
		}
		i += same
	}
	s.counted(k)
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
				if err := s.beyond(worker, j); err != nil {
					return err
				}
				continue
			}
		}
		l.counts[j*k+between] += times
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

// isNew is 1 if line is not among others.
func isNew(line uint64, others []uint64) int {
	for _, o := range others {
		if o == line {
			return 0
		}
	}
	return 1
}

// beyond takes access j, whose line none of the iteration before or of this one had yet.
func (s *Stream) beyond(worker uint32, j int) error {
	l, g := &s.loop, &s.now
	s.filter.Touch(l.lines[:j])
	key, group := l.lines[j], l.groups[j]
	d, slot, err := s.filter.Access(key, StreamLine)
	if err != nil {
		return datumError(group, err)
	}
	at := slot & (stack.FilterSlots - 1)
	last := s.last[at]
	s.last[at] = worker
	if slot >= stack.InFilter {
		if last != worker {
			s.tally.addShared(StreamLine)
		}
		s.times(group, d, 1)
		return nil
	}
	g.keys, g.sizes = append(g.keys, key), append(g.sizes, StreamLine)
	g.slots, g.of = append(g.slots, slot), append(g.of, group)
	if s.workers > 1 {
		g.by, g.tags = append(g.by, worker), append(g.tags, last)
	}
	return s.flushIfMany()
}

// times counts n accesses to a line at a distance.
func (s *Stream) times(group uint32, d, n uint64) {
	s.tally.one(d, d+StreamLine, n*s.tally.weight(StreamLine))
	s.tally.reachTimes(d+StreamLine, StreamLine, n)
	s.tally.count += n
	s.groupTimes(group, d, StreamLine, n)
}

// counted counts what iteration has found, and leaves the filter as the last iteration does.
func (s *Stream) counted(k int) {
	l := &s.loop
	s.filter.Touch(l.lines)
	for j := range k {
		for between, n := range l.counts[j*k : (j+1)*k] {
			if n > 0 {
				s.times(l.groups[j], uint64(between)*StreamLine, n)
			}
		}
	}
}

// expand takes the accesses of a loop one after the other.
func (s *Stream) expand(worker uint32, times uint64, accesses []Strided) error {
	l, k := &s.loop, len(accesses)
	n := loopKeys / k * k
	l.keys, l.groups, l.bytes = grow(l.keys, n), grow(l.groups, n), grow(l.bytes, n)
	for at := range n {
		l.groups[at], l.bytes[at] = accesses[at%k].Group, StreamLine
	}
	for i := uint64(0); i < times; {
		at := 0
		for ; at < n && i < times; i++ {
			for j := range accesses {
				l.keys[at] = (accesses[j].Place + i*uint64(accesses[j].Step)) >> lineShift
				at++
			}
		}
		if err := s.add(worker, l.keys[:at], l.bytes[:at], l.groups[:at]); err != nil {
			return err
		}
	}
	return nil
}
