package krd

import (
	"slices"

	"krdlab/krd/stack"
)

// between keeps accesses to a sample of the lines of a stream, by a hash of their numbers (SHARDS, Waldspurger
// et al., FAST 2015): all of them until there is no room, then half as many lines, and so on. Accesses that the
// stream's filter answers are in it by the moment when their line leaves that.
type between struct {
	shift   uint // 1 of 2^shift lines is kept
	records []record
}

// A record is an access by a group, or by keeps: those that the filter has answered.
type record struct {
	line  uint64
	group uint32
}

const (
	keeps       = ^uint32(0)
	mostRecords = 1 << 20
)

// kept reports that a line is of the sample. Line 0 is hashed as 1: it would be of every sample.
func (b *between) kept(line uint64) bool { return (line+1)*0x9e3779b97f4a7c15>>32&(1<<b.shift-1) == 0 }

func (b *between) add(line uint64, group uint32) {
	if !b.kept(line) {
		return
	}
	b.records = append(b.records, record{line, group})
	for len(b.records) >= mostRecords {
		b.shift++
		b.records = slices.DeleteFunc(b.records, func(r record) bool { return !b.kept(r.line) })
	}
}

// Streams is the effect of parts of a program on the reuses of its other accesses.
type Streams struct {
	Parts  []int             // those that a level of so many bytes does not hold, alone, of those asked about
	Lines  []uint64          // that each of them accessed, estimated, as often as they came back
	Saved  map[uint32]uint64 // by group: reuses beyond the level that would be within it without them, estimated
	Sample int               // how many reuses of the sample that is
}

// Streams returns, of parts of the program, those of whose accesses to lines at most a tenth are reuses within a
// level where the part has it for itself, and how the reuses of other groups would be without them. part has
// that of each group, from 0 on, less than parts, or -1. It is about accesses by AddLines and AddLoop that were
// flushed. Cost: some 200 ns for each of 2^20 accesses, twice.
func (s *Stream) Streams(level uint64, parts int, part map[uint32]int) Streams {
	within := level / StreamLine >> s.between.shift
	alone := make([]*replay, parts)
	counts, near := make([]uint64, parts), make([]uint64, parts)
	for i := range alone {
		alone[i] = newReplay()
	}
	by := map[uint64]int{} // line: the part that accessed it last
	for _, r := range s.between.records {
		p := by[r.line] - 1
		if r.group != keeps {
			p = part[r.group]
			by[r.line] = p + 1
		}
		if p < 0 {
			continue
		}
		if d := alone[p].access(r.line); r.group != keeps {
			counts[p]++
			if d < within {
				near[p]++
			}
		}
	}
	out, streams := Streams{Saved: map[uint32]uint64{}}, make([]bool, parts)
	for p := range alone {
		if streams[p] = 10*near[p] < counts[p]; streams[p] {
			out.Parts, out.Lines = append(out.Parts, p), append(out.Lines, counts[p]<<s.between.shift)
		}
	}
	if len(out.Parts) == 0 {
		return out
	}
	all, others := newReplay(), newReplay()
	clear(by)
	for _, r := range s.between.records {
		p := by[r.line] - 1
		if r.group != keeps {
			p = part[r.group]
			by[r.line] = p + 1
		}
		with := all.access(r.line)
		if p >= 0 && streams[p] {
			continue
		}
		if without := others.access(r.line); r.group != keeps && with != stack.Cold && with >= within && without < within {
			out.Saved[r.group] += 1 << s.between.shift
			out.Sample++
		}
	}
	return out
}

// A replay is the distances of some records, in lines of the sample.
type replay struct {
	engine *stack.Online
	units  map[uint64]uint32
}

func newReplay() *replay { return &replay{stack.NewOnline(), map[uint64]uint32{}} }

func (r *replay) access(line uint64) uint64 {
	unit, known := r.units[line]
	if !known {
		unit = uint32(len(r.units))
		r.units[line] = unit
	}
	return r.engine.Access(unit, 1)
}
