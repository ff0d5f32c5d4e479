package hw

import (
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/units"
)

// ask fills in what the files do not tell: topology and caches from CPUID, and sizes from the table
// of families. An LLC whose division among CPUs is not told, or that is larger than any cache of
// the family, is replaced by the family's. CPUID is asked on one CPU: all are taken as alike.
func (s *sysfs) ask(files []cpuFiles, l Leaves) {
	id := s.apicIDs(files)
	layout, laid := l.layout()
	hasTopology := func(f cpuFiles) bool { return f.hasTopology }
	if laid && id != nil && !slices.ContainsFunc(files, hasTopology) {
		for i := range files {
			f := &files[i]
			f.hasTopology, f.pkg, f.coreID = true, id[i]>>layout.pkg, id[i]>>layout.core
			f.siblings = s.sharing(files, id, i, layout.core)
			if layout.die > 0 {
				f.die = id[i] >> layout.die & (1<<(layout.pkg-layout.die) - 1)
			}
		}
	}
	hasCaches := func(f cpuFiles) bool { return f.caches != nil }
	if !slices.ContainsFunc(files, hasCaches) {
		for _, c := range l.caches() {
			s.tell(files, id, c, layout.complex)
		}
	}
	fam := familyOf(s, l)
	if fam != nil && !slices.ContainsFunc(files, hasCaches) {
		for i := range files {
			for level, c := range []Cache{fam.l1d, fam.l2, {}} { // an LLC, of no known size
				c.Level = level + 1
				if c.Bytes > 0 {
					c.CPUs = core(&files[i])
				}
				files[i].caches = append(files[i].caches, c)
			}
		}
		s.doubtful("no cache is told: L1d %s and L2 %s are assumed, as in %s", fam.l1d.Bytes,
			fam.l2.Bytes, fam.name)
	}
	if fam != nil && fam.complex.Bytes > 0 {
		s.doubt(files, id, fam)
	}
	for i := range files { // an LLC of a package, of whose division nothing is known
		for k := range files[i].caches {
			if c := &files[i].caches[k]; c.Level == 3 && c.CPUs == nil {
				*c = Cache{Level: 3, CPUs: s.complexOf(files, id, i, len(files))}
			}
		}
	}
}

// tell gives the CPUs a cache from CPUID; complex is the shift of APIC IDs to core complexes, 0
// where CPUID has none.
func (s *sysfs) tell(files []cpuFiles, id []int, c toldCache, complex uint) {
	for i := range files {
		f := &files[i]
		own := c.Cache
		switch {
		case c.shift == noDivision:
			if complex > 0 && id != nil {
				own = Cache{Level: 3, CPUs: s.sharing(files, id, i, complex)}
			}
		case c.shift < perCore && id != nil:
			own.CPUs = s.sharing(files, id, i, c.shift)
		case c.Level < 3:
			own.CPUs = core(f)
		}
		f.caches = append(f.caches, own)
	}
}

// doubt replaces an LLC that cannot be that of one core complex of the family, and gives one to
// CPUs for which only caches below it are told.
func (s *sysfs) doubt(files []cpuFiles, id []int, fam *family) {
	whole := fam.complex
	whole.Level = 3
	most := max(whole.Bytes, fam.stacked)
	var found Size
	doubted := 0
	for i := range files {
		at := slices.IndexFunc(files[i].caches, func(c Cache) bool { return c.Level == 3 })
		told := Cache{}
		if at >= 0 {
			told = files[i].caches[at]
		}
		if told.CPUs != nil && told.Bytes > 0 && told.Bytes <= most {
			continue
		}
		doubted++
		found = told.Bytes
		c := whole
		if c.CPUs = told.CPUs; c.CPUs == nil || told.Bytes > most {
			c.CPUs = s.complexOf(files, id, i, fam.complexCores)
		}
		if at < 0 {
			files[i].caches = append(files[i].caches, c)
		} else {
			files[i].caches[at] = c
		}
	}
	if doubted == 0 {
		return
	}
	reported := "no L3 is told"
	if found > 0 {
		reported = found.String() + " are told, of a package or a machine"
	}
	s.doubtful("the LLC is assumed: %s for %s, as in AMD's %s (%s)", whole.Bytes,
		units.Count(fam.complexCores, "core"), fam.name, reported)
}

// doubtful warns of a size, which another that is given or measured makes void.
func (s *sysfs) doubtful(format string, args ...any) {
	s.warn(format, args...)
	s.voidable = append(s.voidable, s.warnings[len(s.warnings)-1])
}

// core returns the CPUs of f's core, f itself where siblings are not known.
func core(f *cpuFiles) []int {
	if f.siblings != nil {
		return slices.Clone(f.siblings)
	}
	return []int{f.id}
}

// sharing returns the CPUs whose APIC IDs are that of files[i] without the low bits, ascending.
func (s *sysfs) sharing(files []cpuFiles, id []int, i int, shift uint) (cpus []int) {
	for j := range files {
		if id[j]>>shift == id[i]>>shift {
			cpus = append(cpus, files[j].id)
		}
	}
	return cpus
}

// complexOf returns the CPUs of the core complex of files[i] if each n cores of a package, in the
// order of their APIC IDs, are one.
func (s *sysfs) complexOf(files []cpuFiles, id []int, i, n int) (cpus []int) {
	var order []int // of the package, by APIC ID
	for j := range files {
		if files[j].pkg == files[i].pkg {
			order = append(order, j)
		}
	}
	if id != nil {
		slices.SortFunc(order, func(a, b int) int { return id[a] - id[b] })
	}
	cores := map[int]int{} // the number of the core of a CPU
	next := 0
	for _, j := range order {
		if _, done := cores[files[j].id]; done {
			continue
		}
		for _, cpu := range core(&files[j]) {
			cores[cpu] = next
		}
		next++
	}
	for _, j := range order {
		if cores[files[j].id]/n == cores[files[i].id]/n {
			cpus = append(cpus, files[j].id)
		}
	}
	slices.Sort(cpus)
	return cpus
}

// apicIDs returns the APIC ID of each CPU from /proc/cpuinfo; nil where it does not have one for
// each, all different.
func (s *sysfs) apicIDs(files []cpuFiles) []int {
	text, _ := readText(s, "proc/cpuinfo")
	of, cpu := map[int]int{}, -1
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			continue
		}
		switch strings.TrimSpace(key) {
		case "processor":
			cpu = n
		case "apicid":
			of[cpu] = n
		}
	}
	var ids []int
	for _, f := range files {
		id, ok := of[f.id]
		if !ok || id < 0 || slices.Contains(ids, id) {
			return nil
		}
		ids = append(ids, id)
	}
	return ids
}
