package hw

import (
	"cmp"
	"fmt"
	"slices"

	"krdlab/hw/units"
)

// coreLevel is, beside the levels of caches, the level of what shares a core.
const coreLevel = 0

// shared returns where f keeps the CPUs with which it shares its cache of a level, or its core; nil
// if it has no such cache.
func (f *cpuFiles) shared(level int) *[]int {
	if level == coreLevel {
		return &f.siblings
	}
	for i := range f.caches {
		if f.caches[i].Level == level {
			return &f.caches[i].CPUs
		}
	}
	return nil
}

// set returns the CPUs of shared.
func (f *cpuFiles) set(level int) []int {
	if p := f.shared(level); p != nil {
		return *p
	}
	return nil
}

// settle makes what the CPUs say of each other agree: after it, siblings and the CPUs of each cache
// level are partitions, and siblings are of one core.
func (s *sysfs) settle(files []cpuFiles, index map[int]int) {
	levels := []int{coreLevel}
	for i := range files {
		f := &files[i]
		f.caches = slices.CompactFunc(f.caches, func(a, b Cache) bool { return a.Level == b.Level })
		for _, c := range f.caches {
			if !slices.Contains(levels, c.Level) {
				levels = append(levels, c.Level)
			}
		}
	}
	slices.Sort(levels)
	for _, level := range levels {
		what := "core"
		if level != coreLevel {
			what = fmt.Sprintf("L%d cache", level)
		}
		agree(files, s, what, func(f *cpuFiles) *[]int { return f.shared(level) })
	}
	s.split(files, index)
}

// split makes cores of their own of siblings whose core_ids differ and none of whose L1d caches is
// shared by CPUs of different core_ids. Both must say so: core_ids alone are missing or made up on
// some machines, and L1d caches look private in some VMs.
func (s *sysfs) split(files []cpuFiles, index map[int]int) {
	var first []int
	count := 0
	for i := range files {
		of := func(id int) *cpuFiles { return &files[index[id]] }
		core := files[i].siblings
		differ := func(id int) bool { return of(id).coreID != files[i].coreID }
		if core[0] != files[i].id || !slices.ContainsFunc(core, differ) ||
			slices.ContainsFunc(core, func(id int) bool {
				f := of(id)
				l1 := f.set(1)
				return f.coreID < 0 || l1 == nil || slices.ContainsFunc(intersect(l1, core),
					func(other int) bool { return of(other).coreID != f.coreID })
			}) {
			continue
		}
		if count++; first == nil {
			first = core
		}
		cores := map[int][]int{}
		for _, id := range core {
			cores[of(id).coreID] = append(cores[of(id).coreID], id)
		}
		for _, id := range core {
			of(id).siblings = cores[of(id).coreID]
		}
	}
	if count > 0 {
		s.warn("the siblings %s have different core_ids and L1d caches of their own (%s of "+
			"siblings in all); taken as different cores", FormatCPUList(first),
			units.Count(count, "set"))
	}
}

// agree turns the claims of the CPUs into a partition. claim returns where a CPU keeps its claim,
// nil when it has no part in it. Claims are taken in the order of how many members make the same
// one; each takes those of its CPUs that are still free.
func agree(files []cpuFiles, s *sysfs, what string, claim func(*cpuFiles) *[]int) {
	type vote struct {
		cpus  []int
		count int
	}
	votes := map[string]*vote{}
	for i := range files {
		c := claim(&files[i])
		if c == nil {
			continue
		}
		if !slices.Contains(*c, files[i].id) {
			if *c != nil {
				s.warn("CPU %d has a list of those that share its %[3]s, %[2]s, without itself; taken as its own",
					files[i].id, FormatCPUList(*c), what)
			}
			*c = []int{files[i].id}
		}
		key := FormatCPUList(*c)
		if votes[key] == nil {
			votes[key] = &vote{cpus: *c}
		}
		votes[key].count++
	}
	order := make([]*vote, 0, len(votes))
	for _, v := range votes {
		order = append(order, v)
	}
	slices.SortFunc(order, func(a, b *vote) int {
		return cmp.Or(b.count-a.count, len(a.cpus)-len(b.cpus), slices.Compare(a.cpus, b.cpus))
	})
	has := map[int]bool{}
	for i := range files {
		has[files[i].id] = claim(&files[i]) != nil
	}
	group := map[int][]int{}
	for _, v := range order {
		var free []int
		for _, id := range v.cpus {
			if group[id] == nil && has[id] {
				free = append(free, id)
			}
		}
		for _, id := range free {
			group[id] = free
		}
	}
	for i := range files {
		c := claim(&files[i])
		if c == nil {
			continue
		}
		if g := group[files[i].id]; !slices.Equal(g, *c) {
			s.warn("CPU %d has %s as those that share its %s, and others contradict it; taken as %s",
				files[i].id, FormatCPUList(*c), what, FormatCPUList(g))
			*c = g
		}
	}
}
