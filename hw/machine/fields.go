package machine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/ops"
	"krdlab/hw/units"
)

// A field is a number, word or text of a machine, with its place in a file.
type field struct {
	path     string
	of       *units.Dimension // nil for counts, words and texts
	at       any              // *string, *int, *uint64, *bool, *float64; of memory.remote *Machine
	optional bool             // may be absent, and then has the zero value, 1 for counts
	least    uint64           // of a number with a unit
	words    []string         // the values that a text may have; nil for any
	base     *uint64          // of a family's price: the one in [costs], which it has by default
}

const (
	remotePath     = "memory.remote"
	placementPath  = "memory.placement"
	familiesPrefix = "families."
	ratesPrefix    = "rates."
)

// walk calls f for each field that m may have, in the order of a file. f may change the value.
// Reading, writing, checks, hashing, ranges and sources are walks.
func (m *Machine) walk(f func(*field)) {
	need := func(path string, of *units.Dimension, at any) {
		f(&field{path: path, of: of, at: at, least: 1})
	}
	may := func(path string, of *units.Dimension, at any) {
		f(&field{path: path, of: of, at: at, optional: true})
	}
	need("name", nil, &m.Name)
	may("description", nil, &m.Description)
	need("nodes", nil, &m.Nodes)
	need("cores_per_node", nil, &m.CoresPerNode)
	may("nodes_per_socket", nil, &m.NodesPerSocket)
	need("core.clock", units.Clocks, &m.CoreHz) // before all times, which may be in cycles
	for k := range ops.Kinds {
		need(ratesPrefix+k.String(), units.Rates, &m.Rates[k])
	}
	for name, c := range m.caches() {
		need(name+".size", units.Sizes, &c.Bytes)
		need(name+".ways", nil, &c.Ways)
		need(name+".line", units.Sizes, &c.LineBytes)
		need(name+".latency", units.Times, &c.LatencyPS)
		if c != &m.L1 {
			need(name+".bandwidth", units.Bandwidths, &c.BytesPerSecond)
		}
	}
	need("llc.inclusive", nil, &m.LLC.Inclusive)
	x := &m.Memory
	may("memory.nodes_per_domain", nil, &x.NodesPerDomain)
	need("memory.local", units.Times, &x.LocalPS)
	need(remotePath, units.Times, m)
	need("memory.core_bandwidth", units.Bandwidths, &x.CoreBytesPerSecond)
	need("memory.bandwidth", units.Bandwidths, &x.BytesPerSecond)
	may("memory.node_bandwidth", units.Bandwidths, &x.NodeBytesPerSecond)
	need("memory.page", units.Sizes, &x.PageBytes)
	f(&field{path: placementPath, at: &x.Placement, words: []string{Interleave, Node0}})
	need("memory.overlap", nil, &x.OverlapMisses)
	need("memory.gather", nil, &x.GatherMisses)
	costs := m.Costs.prices()
	for _, p := range costs {
		f(&field{path: "costs." + p.name, of: units.Times, at: p.at, least: p.least,
			optional: p.name == "kernel" || p.name == "frame"})
	}
	for _, name := range slices.Sorted(maps.Keys(m.Families)) {
		c := m.Families[name]
		for i, p := range c.prices() {
			f(&field{path: familiesPrefix + name + "." + p.name, of: units.Times, at: p.at,
				least: p.least, optional: true, base: costs[i].at})
		}
		if c != m.Families[name] { // a walk that only reads must not write
			m.Families[name] = c
		}
	}
}

// caches yields the caches by their names in a file, those next to the core first.
func (m *Machine) caches() func(func(string, *Cache) bool) {
	return func(yield func(string, *Cache) bool) {
		_ = yield("l1", &m.L1) && yield("l2", &m.L2) && yield("llc", &m.LLC)
	}
}

// A price is a field of Costs.
type price struct {
	name  string
	at    *uint64
	least uint64
}

// leastPS is the least price of what a worker without work may repeat until another makes progress:
// below, virtual time hardly passes meanwhile, and a run takes practically without end.
const leastPS = 1000

func (c *Costs) prices() []price {
	return []price{
		{"spawn", &c.SpawnPS, 0},
		{"pop", &c.PopPS, leastPS},
		{"steal_local", &c.StealLocalPS, 0},
		{"steal_remote", &c.StealRemotePS, 0},
		{"steal_failed", &c.StealFailedPS, leastPS},
		{"mail", &c.MailPS, leastPS},
		{"join", &c.JoinPS, leastPS},
		{"rest", &c.RestPS, leastPS},
		{"lock", &c.LockPS, leastPS},
		{"lock_handover", &c.LockHandoverPS, 0},
		{"lock_delay", &c.LockDelayPS, 0},
		{"kernel", &c.KernelPS, 0},
		{"frame", &c.FramePS, 0},
	}
}

// Least returns the least picoseconds that a machine may have for a price in [costs], 0 where any
// will do.
func Least(name string) uint64 {
	for _, p := range new(Costs).prices() {
		if p.name == name {
			return p.least
		}
	}
	return 0
}

// fields returns those that a walk meets, by their paths.
func (m *Machine) fields() map[string]field {
	all := make(map[string]field, 128)
	m.walk(func(f *field) { all[f.path] = *f })
	return all
}

// field returns the field at a path; false where no walk meets it.
func (m *Machine) field(path string) (field, bool) {
	f, ok := m.fields()[path]
	return f, ok
}

// ranged reports whether the field is a number that a file of its machine has.
func (f field) ranged() bool {
	_, one := f.number()
	return f.shown() && (one || f.of != nil)
}

// shown reports whether a file has the field: not one with the value that its absence means.
func (f *field) shown() bool {
	switch p := f.at.(type) {
	case *Machine:
		return p.Domains() > 1
	case *uint64:
		if f.base != nil {
			return *p != *f.base
		}
		return !f.optional || *p != 0
	case *int:
		return !f.optional || *p != 1
	case *string:
		return !f.optional || *p != ""
	case *float64:
		return *p != 0
	}
	return true
}

// label reports whether the field is the name or the description, which decide no result.
func (f *field) label() bool {
	_, text := f.at.(*string)
	return text && f.words == nil
}

// number returns the value of a field with one number.
func (f *field) number() (uint64, bool) {
	switch p := f.at.(type) {
	case *uint64:
		return *p, true
	case *int:
		return uint64(max(*p, 0)), true
	}
	return 0, false
}

// numbers returns the number of a field, or those of memory.remote between different memories.
func (f *field) numbers() (list []uint64) {
	if v, ok := f.number(); ok {
		return []uint64{v}
	}
	if m, ok := f.at.(*Machine); ok {
		for a, row := range m.Memory.RemotePS {
			for b, ps := range row {
				if m.Domain(a) != m.Domain(b) {
					list = append(list, ps)
				}
			}
		}
	}
	return list
}

// put sets the number of a field; all of memory.remote become equal.
func (f *field) put(v uint64) {
	switch p := f.at.(type) {
	case *uint64:
		*p = v
	case *int:
		*p = int(v)
	case *Machine:
		p.fillRemote(false, v)
	}
}

// fillRemote sets the latencies of memory.remote within memories (own) or between them.
func (m *Machine) fillRemote(own bool, ps uint64) {
	for a, row := range m.Memory.RemotePS {
		for b := range row {
			if own == (m.Domain(a) == m.Domain(b)) {
				row[b] = ps
			}
		}
	}
}

// text returns the value as a file has it.
func (f *field) text() string {
	switch p := f.at.(type) {
	case *Machine:
		return p.remoteText()
	case *string:
		return quote(*p)
	case *bool:
		return strconv.FormatBool(*p)
	case *float64:
		if *p < 1<<53 { // whole numbers of TOML end at 2^63
			return strconv.FormatFloat(*p, 'f', -1, 64)
		}
		return strconv.FormatFloat(*p, 'e', -1, 64)
	}
	v, _ := f.number()
	return numberText(f.of, v)
}

// numberText returns a number as a file has it.
func numberText(of *units.Dimension, v uint64) string {
	if of == nil {
		return strconv.FormatUint(v, 10)
	}
	return quote(of.Format(v))
}

// maxCount bounds nodes, cores, ways and the like.
const maxCount = 1 << 24

// want returns what a file must have in the field.
func (f *field) want() string {
	switch f.at.(type) {
	case *bool:
		return "true or false"
	case *float64:
		return "a number above 0"
	}
	switch {
	case f.of != nil:
		return f.of.What
	case f.words != nil:
		return `"` + strings.Join(f.words, `" or "`) + `"`
	case f.label():
		return "one line of text"
	}
	return fmt.Sprintf("a whole number from 1 to %d", maxCount)
}
