package machine

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"krdlab/hw/units"
)

// maxCPUs is how many CPUs a topology may have, maxNodes how many nodes: latencies are kept for
// each pair.
const (
	maxCPUs  = 8192
	maxNodes = 1024
)

var machineName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Validate checks what [Parse] checks: that no number is missing or out of its range and that none
// contradicts another. The error joins a *[FieldError] (without file and line) for each thing that
// is wrong.
func (m *Machine) Validate() error {
	if wrong := m.check(); len(wrong) > 0 {
		return join(wrong)
	}
	return nil
}

// A checker collects faults.
type checker struct{ wrong []*FieldError }

func (c *checker) need(ok bool, path, found, want string, args ...any) {
	if !ok {
		c.wrong = append(c.wrong, &FieldError{Field: path, Found: found, Want: fmt.Sprintf(want,
			args...)})
	}
}

// checkCounts checks the numbers that others are divided by and indexed with.
func (m *Machine) checkCounts() []*FieldError {
	var c checker
	m.walk(func(f *field) {
		if p, ok := f.at.(*int); ok && f.of == nil {
			c.need(*p >= 1 && *p <= maxCount, f.path, fmt.Sprint(*p), "%s", f.want())
		}
	})
	if len(c.wrong) > 0 {
		return c.wrong
	}
	c.need(m.Nodes <= maxNodes, "nodes", fmt.Sprint(m.Nodes), "at most %d", maxNodes)
	c.need(m.CoresPerNode <= maxCPUs && m.Cores() <= maxCPUs, "cores_per_node",
		fmt.Sprintf("%d nodes of %d cores", m.Nodes, m.CoresPerNode), "at most %d cores", maxCPUs)
	c.need(m.Nodes%m.NodesPerSocket == 0, "nodes_per_socket", fmt.Sprint(m.NodesPerSocket),
		"a divisor of the %d nodes", m.Nodes)
	c.need(m.Nodes%m.Memory.NodesPerDomain == 0, "memory.nodes_per_domain",
		fmt.Sprint(m.Memory.NodesPerDomain), "a divisor of the %d nodes", m.Nodes)
	if len(c.wrong) > 0 {
		return c.wrong
	}
	c.need(m.NodesPerSocket%m.Memory.NodesPerDomain == 0 ||
		m.Memory.NodesPerDomain%m.NodesPerSocket == 0, "memory.nodes_per_domain",
		fmt.Sprint(m.Memory.NodesPerDomain), "a divisor or a multiple of the %d nodes of a socket",
		m.NodesPerSocket)
	return c.wrong
}

func (m *Machine) check() []*FieldError {
	c := checker{wrong: m.checkCounts()}
	if len(c.wrong) > 0 {
		return c.wrong
	}
	c.need(machineName.MatchString(m.Name), "name", show(m.Name), "letters, digits, dots, "+
		"underscores and hyphens, at most 64")
	c.need(oneLine(m.Description), "description", show(m.Description), "one line of text")
	m.walk(func(f *field) {
		v, ok := f.number()
		if !ok || f.of == nil || f.base != nil && v == *f.base { // the price in [costs] is checked
			return
		}
		if f.least <= 1 {
			c.need(v >= f.least, f.path, f.of.Format(v), "more than that")
		} else {
			c.need(v >= f.least, f.path, f.of.Format(v), "at least %s: idle workers repeat it",
				f.of.Format(f.least))
		}
		c.need(v <= f.of.Max, f.path, f.of.Format(v), "at most %s", f.of.Format(f.of.Max))
	})
	if len(c.wrong) > 0 {
		return c.wrong
	}
	m.checkCaches(&c)
	m.checkMemory(&c)
	m.checkTables(&c)
	return c.wrong
}

func (m *Machine) checkCaches(c *checker) {
	first := uint64(m.L1.LineBytes)
	if first < 4 || first > 4096 || first&(first-1) != 0 {
		c.need(false, "l1.line", units.Sizes.Format(first), "a power of two from 4B to 4KiB")
		return
	}
	var below *Cache
	var belowName string
	for name, x := range m.caches() {
		line := uint64(x.LineBytes)
		c.need(line == first, name+".line", units.Sizes.Format(line),
			"%s as in l1: lines of different sizes are not modelled", units.Sizes.Format(first))
		set := line * uint64(x.Ways)
		c.need(x.Bytes%set == 0, name+".size", units.Sizes.Format(x.Bytes),
			"a multiple of %s (%d ways of %s)", units.Sizes.Format(set), x.Ways,
			units.Sizes.Format(line))
		if below != nil {
			c.need(x.Bytes >= below.Bytes, name+".size", units.Sizes.Format(x.Bytes),
				"at least the %s of %s", units.Sizes.Format(below.Bytes), belowName)
			c.need(x.LatencyPS >= below.LatencyPS, name+".latency",
				units.Times.Format(x.LatencyPS),
				"at least the %s of %s", units.Times.Format(below.LatencyPS), belowName)
		}
		below, belowName = x, name
	}
	c.need(!m.L1.Inclusive && !m.L2.Inclusive, "llc.inclusive", "inclusive private caches",
		"inclusion of the LLC only")
	if all := uint64(m.CoresPerNode) * m.L2.Bytes; m.LLC.Inclusive {
		c.need(m.LLC.Bytes >= all, "llc.size", units.Sizes.Format(m.LLC.Bytes),
			"at least %s, the L2 of %d cores, which an inclusive LLC holds",
			units.Sizes.Format(all),
			m.CoresPerNode)
	}
}

func (m *Machine) checkMemory(c *checker) {
	x := &m.Memory
	c.need(x.LocalPS >= m.LLC.LatencyPS, "memory.local", units.Times.Format(x.LocalPS),
		"at least the %s of llc", units.Times.Format(m.LLC.LatencyPS))
	c.need(x.PageBytes&(x.PageBytes-1) == 0 && x.PageBytes >= uint64(m.LLC.LineBytes),
		"memory.page", units.Sizes.Format(x.PageBytes), "a power of two of at least a line, %s",
		units.Sizes.Format(uint64(m.LLC.LineBytes)))
	c.need(x.Placement == Interleave || x.Placement == Node0, "memory.placement",
		show(x.Placement), "%q or %q", Interleave, Node0)
	c.need(len(x.RemotePS) == m.Nodes, remotePath, fmt.Sprintf("%d rows", len(x.RemotePS)),
		"one for each of %d nodes", m.Nodes)
	if len(x.RemotePS) != m.Nodes {
		return
	}
	for a, row := range x.RemotePS {
		if len(row) != m.Nodes {
			c.need(false, remotePath, fmt.Sprintf("%d columns in row %d", len(row), a+1),
				"one for each of %d nodes", m.Nodes)
			return
		}
		for b, ps := range row {
			da, db := m.Domain(a), m.Domain(b)
			pair := fmt.Sprintf("%s from memory %d to %d", units.Times.Format(ps), da+1, db+1)
			if da == db {
				c.need(ps == x.LocalPS, remotePath, pair, "%s as in memory.local",
					units.Times.Format(x.LocalPS))
			} else {
				c.need(ps >= x.LocalPS, remotePath, pair, "at least the %s of memory.local",
					units.Times.Format(x.LocalPS))
			}
			c.need(ps == x.RemotePS[da*x.NodesPerDomain][db*x.NodesPerDomain], remotePath, pair,
				"the same from and to all nodes of a memory")
			c.need(ps <= units.Times.Max, remotePath, pair, "at most %s",
				units.Times.Format(units.Times.Max))
			if len(c.wrong) > 0 && c.wrong[len(c.wrong)-1].Field == remotePath {
				return // one error of a matrix is enough
			}
		}
	}
}

func (m *Machine) checkTables(c *checker) {
	for _, name := range slices.Sorted(maps.Keys(m.Families)) {
		c.need(bareKey.MatchString(name), "families", show(name),
			"a name of letters, digits, underscores and hyphens")
	}
	m.checkRanges(c)
	places := m.places()
	for _, path := range slices.Sorted(maps.Keys(m.Sources)) {
		c.need(places[path], "sources", show(path),
			"the path of a field or table of this machine")
		c.need(oneLine(m.Sources[path]) && m.Sources[path] != "", "sources."+path,
			show(m.Sources[path]), "one line of text")
	}
}

// oneLine reports whether s is valid UTF-8 without control characters.
func oneLine(s string) bool {
	return strings.ToValidUTF8(s, "") == s && !strings.ContainsFunc(s, unicode.IsControl)
}
