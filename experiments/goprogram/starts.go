package goprogram

import (
	"cmp"
	"maps"
	"slices"

	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/collect"
)

// starts splits the groups of accesses by the function that their goroutine began with, for the stream; what
// comes of it is put together again for all else. A goroutine is named by the function of its go statement or,
// where that is not known or hands on to another, by that of its first access. Cost: 4 bytes for each group
// and function, and a look-up for each access.
type starts struct {
	of     map[uint64]int    // by goroutine, of those that have accessed something: its function
	begun  map[uint64]string // of others that have begun
	names  []string          // of functions
	number map[string]int
	split  [][]uint32   // by function and group: 1 + the group of the stream
	from   []startGroup // by group of the stream
}

type startGroup struct {
	group uint32
	start int
}

// mostStarts is how many functions are told apart; others are one.
const mostStarts = 64

const otherStarts = "other functions"

func newStarts() *starts {
	return &starts{of: map[uint64]int{}, begun: map[uint64]string{}, number: map[string]int{}}
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

// start returns the number of the function of a goroutine that makes accesses of a group.
func (s *starts) start(a *analysis, goroutine uint64, group uint32) int {
	n, ok := s.of[goroutine]
	if ok {
		return n
	}
	name := s.begun[goroutine]
	if k := a.reader.Groups[group]; name == "" && k.Site > 0 {
		name = a.sites[k.Site-1].Function
	}
	n, ok = s.number[name]
	if !ok {
		if n = len(s.names); n == mostStarts {
			n--
			s.names[n] = otherStarts
		} else {
			s.names, s.split = append(s.names, name), append(s.split, nil)
		}
		s.number[name] = n
	}
	delete(s.begun, goroutine)
	s.of[goroutine] = n
	return n
}

// group returns the group of the stream.
func (s *starts) group(start int, group uint32) uint32 {
	split := &s.split[start]
	for int(group) >= len(*split) {
		*split = append(*split, make([]uint32, int(group)+1)...)
	}
	if (*split)[group] == 0 {
		s.from = append(s.from, startGroup{group, start})
		(*split)[group] = uint32(len(s.from))
	}
	return (*split)[group] - 1
}

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
		name := s.names[k.start]
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
