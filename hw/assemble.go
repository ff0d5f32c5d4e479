package hw

import (
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
	t, err := readTopology(os.DirFS("/"), mask, hostLeaves)
	if err != nil && runtime.GOOS != "linux" {
		t = flat(runtime.NumCPU())
		t.Name = runtime.GOOS + "/" + runtime.GOARCH
		t.Warnings = append(t.Warnings, fmt.Sprintf("%s has no topology to read: %d CPUs are taken as "+
			"cores of one node", runtime.GOOS, len(t.CPUs)))
		return t, nil
	}
	return t, err
}

// ReadTopology reads what sys/devices/system and proc below the root of fsys say. Missing and
// contradictory files become Warnings with the assumptions in their place; the only error is that
// no CPU is found. CPUs are Allowed that the cgroup cpusets (v1 and v2) and proc/self/status
// permit. For the machine that the program runs on use [Host].
//
// Where the list and the map of a file contradict each other, the map is believed; where CPUs
// contradict each other about what they share, the set that most of its members confirm. Siblings
// whose core_ids and L1d caches both differ are cores of their own (the modules of AMD's family 15h
// list two cores as siblings). A CPU whose files name no cache beyond L1 is a node of its own core
// when others have them; when none has, each package (die) is taken as one node.
//
// Where the files name no cache, or no topology, CPUID does: cpuid is that of any CPU of the
// machine, nil where it is not at hand. Where neither gives a size, or the size of an LLC is of a
// package whose division is not told, or larger than any cache of the processor's family, a table
// of families does, and [Cache.Known] records that.
func ReadTopology(fsys fs.FS, cpuid Leaves) (*Topology, error) {
	return readTopology(fsys, nil, cpuid)
}

// readTopology takes mask for the affinity mask; nil: that of proc/self/status.
func readTopology(fsys fs.FS, mask []int, cpuid Leaves) (*Topology, error) {
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
	s.ask(files, cpuid)
	if !slices.ContainsFunc(files, func(f cpuFiles) bool { return f.hasTopology }) {
		s.warn("no topology files: each CPU is taken as a core of its own")
	}
	s.warnDifferences()
	s.settle(files, index)
	t.assemble(files, s)
	allowed := s.allowed(online, mask)
	for i := range t.CPUs {
		_, t.CPUs[i].Allowed = slices.BinarySearch(allowed, t.CPUs[i].ID)
	}
	t.Warnings, t.voidable = shorten(s.warnings, 20), s.voidable
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
