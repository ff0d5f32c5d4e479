package machine

import (
	"fmt"
	"maps"
	"slices"
)

// RuntimeCosts are measurements that this package cannot make, since what they measure is built on
// it: operations of the runtimes and rates of kernels. Who has them fills them in and calls Apply;
// what is absent stays as it was.
type RuntimeCosts struct {
	// picoseconds, by the names of a file's [costs]: spawn, pop, steal_local, ...
	Costs    map[string]uint64
	Families map[string]map[string]uint64 // the same, of a family's own
	// of a core in the leaf of the matrix product; 0 is not measured
	FlopsPerSecond uint64
	Kernels        map[string]Rate
	Source         string // how and when they were measured: one line
}

// Apply puts the measurements and their source into m. Errors: a name that is no cost; no source;
// those of [Machine.Validate], and m is then of no use any more.
func (r RuntimeCosts) Apply(m *Machine) error {
	if r.Source == "" {
		return fmt.Errorf("apply measured costs: the source is empty, expected how they were " +
			"measured")
	}
	if m.Sources == nil {
		m.Sources = map[string]string{}
	}
	base := m.Costs // of families that are new
	put := func(table string, c *Costs, values map[string]uint64) error {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			prices := c.prices()
			i := slices.IndexFunc(prices, func(p price) bool { return p.name == name })
			if i < 0 {
				return fmt.Errorf("apply measured costs: %s.%s: no such cost", table, name)
			}
			*prices[i].at = values[name]
			m.Sources[table+"."+name] = r.Source
		}
		return nil
	}
	if err := put("costs", &m.Costs, r.Costs); err != nil {
		return err
	}
	// what a family did not have of its own follows the costs of all
	for name, c := range m.Families {
		for i, p := range c.prices() {
			if *p.at == *base.prices()[i].at {
				*p.at = *m.Costs.prices()[i].at
			}
		}
		m.Families[name] = c
	}
	for _, name := range slices.Sorted(maps.Keys(r.Families)) {
		c := m.CostsOf(name)
		if m.Families == nil {
			m.Families = map[string]Costs{}
		}
		if err := put("families."+name, &c, r.Families[name]); err != nil {
			return err
		}
		m.Families[name] = c
	}
	if r.FlopsPerSecond != 0 {
		m.FlopsPerSecond = r.FlopsPerSecond
		m.Sources["core.flops"] = r.Source
	}
	for _, name := range slices.Sorted(maps.Keys(r.Kernels)) {
		if m.Kernels == nil {
			m.Kernels = map[string]Rate{}
		}
		m.Kernels[name] = r.Kernels[name]
		m.Sources["kernels."+name] = r.Source
	}
	if err := m.Validate(); err != nil {
		return fmt.Errorf("apply measured costs: %w", err)
	}
	return nil
}
