package hw

import "slices"

// Caches are those of each core of a computer, as its user gives them or as they were measured.
// Levels without a size are left as they are.
type Caches struct {
	L1d, L2, LLC Cache
	Cores        int // that share an LLC; 0: those of a node, as the topology has it
}

// WithCaches returns a copy of t with the caches of c in place of its own. With c.Cores, the nodes
// are made anew: each takes so many cores of a package, in their order.
func (t *Topology) WithCaches(c Caches) *Topology {
	files := make([]cpuFiles, len(t.CPUs))
	for i, cpu := range t.CPUs {
		f := cpuFiles{id: cpu.ID, pkg: cpu.Package, die: cpu.Die, numa: cpu.NUMA, coreID: cpu.Core,
			siblings: t.Cores[cpu.Core].CPUs, hasTopology: true}
		for level, x := range []struct {
			have, given Cache
			shared      []int
		}{{cpu.L1d, c.L1d, f.siblings}, {cpu.L2, c.L2, f.siblings},
			{cpu.LLC, c.LLC, t.Nodes[cpu.Node].CPUs}} {
			own := x.have
			if x.given.Bytes > 0 {
				own = x.given
				if own.CPUs = x.have.CPUs; level == 2 || own.CPUs == nil {
					own.CPUs = x.shared
				}
			}
			if level == 2 && own.Level == 2 || own.Bytes == 0 {
				continue // the L2 is the last one, or nothing is known
			}
			own.Level = level + 1
			f.caches = append(f.caches, own)
		}
		files[i] = f
	}
	s := &sysfs{}
	for i := range files {
		f := &files[i]
		if at := slices.IndexFunc(f.caches, func(c Cache) bool { return c.Level == 3 }); at >= 0 &&
			c.Cores > 0 {
			f.caches[at].CPUs = s.complexOf(files, nil, i, c.Cores)
		}
	}
	out := &Topology{Name: t.Name, Synthetic: t.Synthetic, NUMA: t.NUMA, Offline: t.Offline}
	out.assemble(files, s)
	for i := range out.CPUs {
		out.CPUs[i].Allowed = t.CPUs[i].Allowed
	}
	for _, w := range t.Warnings {
		if !slices.Contains(t.voidable, w) {
			out.Warnings = append(out.Warnings, w)
		}
	}
	return out
}
