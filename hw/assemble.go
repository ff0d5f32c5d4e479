package hw

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Host returns the topology of this machine with the affinity mask that the process inherited.
// Where the system has no /sys and no /proc (not Linux) it is one node of [runtime.NumCPU] cores,
// with a warning. Cost: milliseconds on tens of CPUs.
func Host() (*Topology, error) {
	mask, err := Affinity()
	if err != nil {
		mask = nil
	}
	t, err := readTopology(os.DirFS("/"), mask)
	if err != nil && runtime.GOOS != "linux" {
		t = flat(runtime.NumCPU())
		t.Name = runtime.GOOS + "/" + runtime.GOARCH
		t.Warnings = append(t.Warnings, fmt.Sprintf("%s tells no topology: %d CPUs are taken as "+
			"cores of one node", runtime.GOOS, len(t.CPUs)))
		return t, nil
	}
	return t, err
}

// ReadTopology reads what sys/devices/system and proc below the root of fsys say. Missing and
// contradictory files become Warnings with what is assumed instead; the only error is that no CPU
// is found. CPUs are Allowed that the cgroup cpusets (v1 and v2) and proc/self/status permit. For
// the machine that the program runs on use [Host].
//
// Where CPUs contradict each other about what they share, the set that most of its members confirm
// wins. A CPU whose files name no cache beyond L1 is a node of its own core when others have them;
// when none has, each package (die) is taken as one node.
func ReadTopology(fsys fs.FS) (*Topology, error) { return readTopology(fsys, nil) }

// readTopology takes mask for the affinity mask; nil: what proc/self/status says.
func readTopology(fsys fs.FS, mask []int) (*Topology, error) {
	s := &sysfs{FS: fsys}
	online, offline, err := s.online()
	if err != nil {
		return nil, err
	}
	t := &Topology{Offline: offline, NUMA: s.readNUMA(online)}
	t.Name, _ = cpuinfoField(fsys, "model name")
	t.Name = strings.Join(strings.Fields(t.Name), " ")
	if t.Name == "" {
		t.Name = "unknown CPU"
	}
	files := make([]cpuFiles, len(online))
	index := make(map[int]int, len(online))
	for i, id := range online {
		files[i] = s.readCPU(id, online)
		index[id] = i
	}
	for _, n := range t.NUMA {
		for _, id := range n.CPUs {
			if f := &files[index[id]]; f.numa < 0 {
				f.numa = n.ID
			} else {
				s.warn("CPU %d is in NUMA nodes %d and %d; taken as in %d", id, f.numa, n.ID,
					f.numa)
			}
		}
	}
	if !slices.ContainsFunc(files, func(f cpuFiles) bool { return f.hasTopology }) {
		s.warn("no topology files: each CPU is taken as a core of its own")
	}
	s.settle(files, index)
	t.assemble(files, s)
	allowed := s.allowed(online, mask)
	for i := range t.CPUs {
		_, t.CPUs[i].Allowed = slices.BinarySearch(allowed, t.CPUs[i].ID)
	}
	t.Warnings = shorten(s.warnings, 20)
	return t, nil
}

// shorten keeps a machine with a thousand CPUs from a thousand warnings.
func shorten(warnings []string, n int) []string {
	if len(warnings) <= n {
		return warnings
	}
	return append(slices.Clone(warnings[:n]), fmt.Sprintf("and %d more warnings of this kind",
		len(warnings)-n))
}

// settle makes what the CPUs say of each other agree: after it, siblings and the CPUs of each cache
// level are partitions.
func (s *sysfs) settle(files []cpuFiles, index map[int]int) {
	agree(files, s, "core", func(f *cpuFiles) *[]int { return &f.siblings })
	var levels []int
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
		agree(files, s, fmt.Sprintf("L%d cache", level), func(f *cpuFiles) *[]int {
			for i := range f.caches {
				if f.caches[i].Level == level {
					return &f.caches[i].CPUs
				}
			}
			return nil
		})
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
