package native

import (
	"cmp"
	"debug/elf"
	"slices"
)

// A code is a function of the program, as the linker has it.
type code struct {
	from, to uint64
	does     *hook // the allocation that it makes or may lead to; nil: none is known
	system   bool  // from a header of the system
}

// codes are in the order of their addresses.
type codes []*code

func newCodes(symbols []elf.Symbol) (all codes) {
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			all = append(all, &code{from: s.Value, to: s.Value + s.Size})
		}
	}
	slices.SortFunc(all, func(a, b *code) int { return cmp.Compare(a.from, b.from) })
	return slices.CompactFunc(all, func(a, b *code) bool { return a.from == b.from })
}

// at returns the function that begins at an address, nil if none does.
func (l codes) at(pc uint64) *code {
	i, is := slices.BinarySearchFunc(l, pc, func(c *code, pc uint64) int { return cmp.Compare(c.from, pc) })
	if !is {
		return nil
	}
	return l[i]
}

// around returns the function that has the byte at an address, nil if none has.
func (l codes) around(pc uint64) *code {
	i, is := slices.BinarySearchFunc(l, pc, func(c *code, pc uint64) int { return cmp.Compare(c.from, pc) })
	if !is {
		i--
	}
	if i < 0 || pc >= l[i].to {
		return nil
	}
	return l[i]
}

// spread marks all functions that lead to an allocation by calls that are followed.
func spread(calls []call, follow func(*call) bool) {
	for more := true; more; {
		more = false
		for i := range calls {
			if c := &calls[i]; c.in != nil && c.in.does == nil && follow(c) {
				if c.does != nil && c.does.kind == allocations {
					c.in.does, more = c.does, true
				} else if c.of != nil && c.of.does != nil {
					c.in.does, more = c.of.does, true
				}
			}
		}
	}
}

// allocating leaves out the calls of functions that lead to no allocation, and adds where the others begin.
func allocating(calls []call) []call {
	spread(calls, func(*call) bool { return true })
	begun := map[*code]bool{}
	all := slices.DeleteFunc(calls, func(c call) bool { return c.does == nil && c.of.does == nil })
	for _, c := range all {
		if c.of != nil && !begun[c.of] {
			begun[c.of] = true
			all = append(all, call{pc: c.of.from + 1, of: c.of})
		}
	}
	return all
}

// through keeps the calls by which the program's own code reaches an allocation in functions from headers of
// the system alone, as calls that allocate, and those of the runtime.
func through(calls []call, at []place) ([]call, []place) {
	for i, c := range calls {
		if c.of != nil {
			c.of.does = nil
		}
		if c.does == nil && c.in == nil {
			c.of.system = system(at[i].file)
		}
	}
	spread(calls, func(c *call) bool { return c.in.system })
	var kept []call
	var places []place
	for i, c := range calls {
		if c.does == nil {
			if c.in == nil || !c.of.system || c.of.does == nil || system(at[i].own().file) {
				continue
			}
			c.does = c.of.does
		}
		kept, places = append(kept, c), append(places, at[i])
	}
	return kept, places
}
