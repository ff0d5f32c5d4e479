package hw

import (
	"cmp"
	"fmt"
	"slices"

	"krdlab/hw/units"
)

// coreLevel is, beside the levels of caches, the level of what shares a core.
const coreLevel = 0

// A rival is what the map of a file says, where the list says otherwise.
type rival struct {
	sentence string // "LIST says 0, but MAP says 0-1"
	byMap    []int
}

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
		s.believe(files, index, levels, level)
	}
	for _, level := range levels {
		what := "core"
		if level != coreLevel {
			what = fmt.Sprintf("L%d cache", level)
		}
		agree(files, s, what, func(f *cpuFiles) *[]int { return f.shared(level) })
	}
	s.split(files, index)
}

// believe takes the lists or the maps of a level for all CPUs, if some contradict each other: the
// form with more CPUs whose set all its members confirm; where there are equally many, the one that
// nests more often with the sets of the other levels; else the lists. Kernels have been wrong in a
// form throughout; a single wrong file is outvoted by agree.
func (s *sysfs) believe(files []cpuFiles, index map[int]int, levels []int, level int) {
	var sentences []string
	for i := range files {
		if r := files[i].rivals[level]; r != nil {
			sentences = append(sentences, r.sentence)
		}
	}
	if sentences == nil {
		return
	}
	byMap := func(f *cpuFiles) []int {
		if r := f.rivals[level]; r != nil {
			return r.byMap
		}
		return f.set(level)
	}
	byList := func(f *cpuFiles) []int { return f.set(level) }
	witnesses := func(of func(*cpuFiles) []int) (confirmed, nested int) {
		for i := range files {
			f := &files[i]
			set := of(f)
			if slices.Contains(set, f.id) && !slices.ContainsFunc(set, func(id int) bool {
				return !slices.Equal(of(&files[index[id]]), set)
			}) {
				confirmed++
			}
			for _, other := range levels {
				inner, outer := set, f.set(other)
				if other < level {
					inner, outer = outer, inner
				}
				if other != level && len(intersect(inner, outer)) == len(inner) {
					nested++
				}
			}
		}
		return confirmed, nested
	}
	listConfirmed, listNested := witnesses(byList)
	mapConfirmed, mapNested := witnesses(byMap)
	useMap := cmp.Or(mapConfirmed-listConfirmed, mapNested-listNested) > 0
	for i := range files {
		if p := files[i].shared(level); p != nil && useMap {
			*p = byMap(&files[i])
		}
	}
	also := ""
	if n := len(sentences); n > 1 {
		also = fmt.Sprintf(" (so for %d CPUs)", n)
	}
	s.warn("%s%s; %s", sentences[0], also, beliefs[useMap])
}

var beliefs = map[bool]string{false: "the list is believed",
	true: "the map is believed, as more of the other files agree with it"}

// believeNUMA does the same for NUMA nodes, each by itself: the form is believed that leaves fewer
// online CPUs in no node or in several; where that tells nothing, the list.
func (s *sysfs) believeNUMA(nodes []NUMANode, rivals map[int]*rival, online []int) {
	astray := func() (n int) {
		in := map[int]int{}
		for _, node := range nodes {
			for _, id := range node.CPUs {
				in[id]++
			}
		}
		for _, id := range online {
			if in[id] != 1 {
				n++
			}
		}
		return n
	}
	for i := range nodes {
		r := rivals[nodes[i].ID]
		if r == nil {
			continue
		}
		byList, before := nodes[i].CPUs, astray()
		nodes[i].CPUs = r.byMap
		useMap := astray() < before
		if !useMap {
			nodes[i].CPUs = byList
		}
		s.warn("%s; %s", r.sentence, beliefs[useMap])
	}
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
				s.warn("CPU %d says that %s share its %s, without itself; taken as its own",
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
			s.warn("CPU %d says that %s share its %s, and others contradict it; taken as %s",
				files[i].id, FormatCPUList(*c), what, FormatCPUList(g))
			*c = g
		}
	}
}
