package hw

import (
	"cmp"
	"slices"
)

// assemble makes CPUs, Cores and Nodes of files that agree with each other.
func (t *Topology) assemble(files []cpuFiles, s *sysfs) {
	// the first CPU of a package or die, which orders them
	lowest := func(key func(cpuFiles) [2]int) map[[2]int]int {
		first := map[[2]int]int{}
		for _, f := range files {
			if id, ok := first[key(f)]; !ok || f.id < id {
				first[key(f)] = f.id
			}
		}
		return first
	}
	pkg := func(f cpuFiles) [2]int { return [2]int{f.pkg, 0} }
	die := func(f cpuFiles) [2]int { return [2]int{f.pkg, f.die} }
	firstOfPkg, firstOfDie := lowest(pkg), lowest(die)
	t.Packages = len(firstOfPkg)
	for d := range firstOfDie {
		if d[1] >= 0 {
			t.Dies++
		}
	}

	domains := s.domains(files)
	byID := map[int]cpuFiles{}
	for _, f := range files {
		byID[f.id] = f
	}
	slices.SortFunc(domains, func(a, b []int) int {
		fa, fb := byID[a[0]], byID[b[0]]
		return cmp.Or(firstOfPkg[pkg(fa)]-firstOfPkg[pkg(fb)],
			firstOfDie[die(fa)]-firstOfDie[die(fb)], a[0]-b[0])
	})
	at := map[int]int{}
	for _, f := range files {
		at[f.id] = len(t.CPUs)
		t.CPUs = append(t.CPUs, CPU{ID: f.id, Package: f.pkg, Die: f.die, NUMA: f.numa,
			L1d: f.cache(1), L2: f.cache(2), LLC: f.llc()})
	}
	for n, cpus := range domains {
		node := Node{CPUs: cpus, LLC: byID[cpus[0]].llc(), Package: byID[cpus[0]].pkg}
		for _, id := range cpus {
			f := byID[id]
			if f.pkg != node.Package {
				s.warn("node %d (CPUs %s) has CPUs of packages %d and %d", n, FormatCPUList(cpus),
					node.Package, f.pkg)
			}
			if f.numa >= 0 && !slices.Contains(node.NUMA, f.numa) {
				node.NUMA = append(node.NUMA, f.numa)
			}
			siblings := intersect(f.siblings, cpus)
			if len(siblings) < len(f.siblings) {
				s.warn("the CPUs %s of one core do not share a last-level cache; taken as cores "+
					"of their own", FormatCPUList(f.siblings))
			}
			if id == siblings[0] {
				node.Cores = append(node.Cores, len(t.Cores))
				for thread, sibling := range siblings {
					t.CPUs[at[sibling]].Core, t.CPUs[at[sibling]].Thread = len(t.Cores), thread
				}
				t.Cores = append(t.Cores, Core{CPUs: siblings, Node: n})
			}
			t.CPUs[at[id]].Node = n
		}
		slices.Sort(node.NUMA)
		t.Nodes = append(t.Nodes, node)
	}
	if level := t.Nodes[0].LLC.Level; len(t.Nodes) > 1 && len(t.Nodes) == len(t.Cores) && level > 1 {
		where := "in VMs that hide the topology of their host"
		if level == 2 {
			where += ", and where the system does not tell the cache behind it"
		}
		s.warn("each of %d cores has an L%d cache of its own: this is rare in hardware, and common %s",
			len(t.Cores), level, where)
	}
}

// cache returns the data or unified cache of a level; the zero Cache when the files name none.
func (f cpuFiles) cache(level int) Cache {
	for _, c := range f.caches {
		if c.Level == level {
			return c
		}
	}
	return Cache{}
}

// llc returns the cache of the highest level above 1.
func (f cpuFiles) llc() Cache {
	if n := len(f.caches); n > 0 && f.caches[n-1].Level > 1 {
		return f.caches[n-1]
	}
	return Cache{}
}

// domains returns the LLC domains, each ascending.
func (s *sysfs) domains(files []cpuFiles) [][]int {
	var without []int
	for _, f := range files {
		if f.llc().Level == 0 {
			without = append(without, f.id)
		}
	}
	key := func(f cpuFiles) (level, a, b int) { // what the CPUs of a domain have in common
		if c := f.llc(); c.Level != 0 {
			return c.Level, c.CPUs[0], 0
		}
		if len(without) < len(files) {
			return -1, f.siblings[0], 0
		}
		if f.pkg >= 0 {
			return -2, f.pkg, f.die
		}
		return -3, f.numa, 0
	}
	switch {
	case len(without) == len(files):
		s.doubtful(
			"no cache files: cache sizes are unknown, and each package (die) is taken as one node")
	case len(without) > 0:
		s.warn("CPUs %s have no files of a cache beyond L1, the others do; each of their cores "+
			"is taken as a node of unknown LLC size", FormatCPUList(without))
	}
	index := map[[3]int]int{}
	var out [][]int
	for _, f := range files {
		level, a, b := key(f)
		k := [3]int{level, a, b}
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f.id)
	}
	return out
}
