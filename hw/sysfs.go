package hw

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/units"
)

const (
	cpuDir  = "sys/devices/system/cpu"
	nodeDir = "sys/devices/system/node"
)

// sysfs reads a topology. Problems become warnings; the assumption in their place stands in the
// same sentence.
type sysfs struct {
	fs.FS
	warnings []string
	voidable []string // of these, those about sizes of caches
	differ   []difference
}

// A difference is a list of CPUs that its map contradicts.
type difference struct {
	kind     string // the file without the number of the CPU or node
	sentence string // about the first
	files    int
}

var anyNumber = regexp.MustCompile(`(cpu|node)[0-9]+/`)

// contradict notes that the list in a file is not the map's, in one warning for all such files.
func (s *sysfs) contradict(file string, list []int, mapFile string, mask []int) {
	kind := anyNumber.ReplaceAllString(file, "$1/")
	i := slices.IndexFunc(s.differ, func(d difference) bool { return d.kind == kind })
	if i < 0 {
		i = len(s.differ)
		s.differ = append(s.differ, difference{kind: kind, sentence: fmt.Sprintf(
			"%s has %s, but %s has %s", file, FormatCPUList(list), path.Base(mapFile),
			FormatCPUList(mask))})
	}
	s.differ[i].files++
}

// warnDifferences makes the warnings of contradict.
func (s *sysfs) warnDifferences() {
	for _, d := range s.differ {
		also := ""
		if d.files > 1 {
			also = fmt.Sprintf(" (so in %d files)", d.files)
		}
		s.warn("%s%s; the map is believed", d.sentence, also)
	}
}

func (s *sysfs) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if !slices.Contains(s.warnings, w) {
		s.warnings = append(s.warnings, w)
	}
}

// cpuFiles holds the contents of the files of one CPU, before the CPUs are compared. Lists hold
// online CPUs only.
type cpuFiles struct {
	id             int
	pkg, die, numa int // -1 unknown
	coreID         int // -1 unknown
	siblings       []int
	// data and unified, ascending by level, CPUs as this CPU's files have them
	caches      []Cache
	hasTopology bool
}

// online returns the CPUs that are online and those that are present but not.
func (s *sysfs) online() (online, offline []int, err error) {
	var dirs []int
	entries, _ := fs.ReadDir(s, cpuDir)
	for _, e := range entries {
		if id, ok := numbered(e.Name(), "cpu"); ok {
			dirs = append(dirs, id)
		}
	}
	slices.Sort(dirs)
	present := dirs
	if text, ok := readText(s, cpuDir+"/present"); ok {
		if list, err := ParseCPUList(text); err == nil {
			present = list
		} else {
			s.warn("%s/present: %v; taken from the cpu folders instead", cpuDir, err)
		}
	}
	text, ok := readText(s, cpuDir+"/online")
	if ok {
		online, err = ParseCPUList(text)
		if err != nil {
			s.warn("%s/online: %v; taken from the cpu folders instead", cpuDir, err)
			online = nil
		}
	}
	switch {
	case online != nil:
	case dirs != nil:
		online = slices.Clone(dirs)
	default:
		online = s.cpuinfoProcessors()
		if online == nil {
			return nil, nil, fmt.Errorf("read topology: neither %s nor proc/cpuinfo names a CPU",
				cpuDir)
		}
		s.warn("no %s: %d CPUs are known from proc/cpuinfo", cpuDir, len(online))
	}
	slices.Sort(online)
	online = slices.DeleteFunc(online, func(id int) bool {
		n, ok := readInt(s, fmt.Sprintf("%s/cpu%d/online", cpuDir, id))
		off := ok && n == 0
		if off && text != "" {
			s.warn("CPU %d is in %s/online, but offline by its own file; left out", id,
				cpuDir)
		}
		return off
	})
	if len(online) == 0 {
		return nil, nil, fmt.Errorf("read topology: no CPU is online in %s", cpuDir)
	}
	for _, id := range present {
		if _, on := slices.BinarySearch(online, id); !on {
			offline = append(offline, id)
		}
	}
	return online, offline, nil
}

// cpuinfoProcessors returns the numbers of the "processor" lines of /proc/cpuinfo.
func (s *sysfs) cpuinfoProcessors() []int {
	text, _ := readText(s, "proc/cpuinfo")
	var ids []int
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) != "processor" {
			continue
		}
		if id, err := parseCPU(strings.TrimSpace(value)); err == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// numbered splits "cpu12" into its prefix and number.
func numbered(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	id, err := parseCPU(digits)
	return id, err == nil
}

// cpus reads a set of CPUs that is given as a list, a mask, or both; list and mask are full names,
// and the names of older kernels follow as further pairs. It returns online CPUs only; nil when
// there is no such file. Where list and mask differ, it is the mask's.
func (s *sysfs) cpus(online []int, names ...string) []int {
	for i := 0; i+1 < len(names); i += 2 {
		list := intersect(s.cpuSet(names[i], ParseCPUList), online)
		mask := intersect(s.cpuSet(names[i+1], parseCPUMask), online)
		if list != nil && mask != nil && !slices.Equal(list, mask) {
			s.contradict(names[i], list, names[i+1], mask)
		}
		if mask != nil {
			return mask
		}
		if list != nil {
			return list
		}
	}
	return nil
}

func (s *sysfs) cpuSet(name string, parse func(string) ([]int, error)) []int {
	text, ok := readText(s, name)
	if !ok {
		return nil
	}
	cpus, err := parse(text)
	if err != nil {
		s.warn("%s: %v; ignored", name, err)
		return nil
	}
	slices.Sort(cpus)
	return cpus
}

func (s *sysfs) readCPU(id int, online []int) cpuFiles {
	dir := fmt.Sprintf("%s/cpu%d/", cpuDir, id)
	topo := dir + "topology/"
	c := cpuFiles{id: id, numa: -1}
	c.pkg = s.id(topo + "physical_package_id")
	c.die = s.id(topo + "die_id")
	c.coreID = s.id(topo + "core_id")
	c.siblings = s.cpus(online, topo+"core_cpus_list", topo+"core_cpus",
		topo+"thread_siblings_list", topo+"thread_siblings")
	c.hasTopology = c.pkg >= 0 || c.siblings != nil
	entries, _ := fs.ReadDir(s, dir+"cache")
	for _, e := range entries {
		if _, ok := numbered(e.Name(), "index"); !ok {
			continue
		}
		if cache, ok := s.readCache(dir+"cache/"+e.Name()+"/", online); ok {
			c.caches = append(c.caches, cache)
		}
	}
	slices.SortStableFunc(c.caches, func(a, b Cache) int { return a.Level - b.Level })
	return c
}

// id reads a number of the kernel; it writes -1 (or, on some ARM systems, 65535) for none.
func (s *sysfs) id(name string) int {
	n, ok := readInt(s, name)
	if !ok || n < 0 || n == 0xffff {
		return -1
	}
	return n
}

// readCache reads one cache folder; ok is false for an instruction cache and for one without a
// level.
func (s *sysfs) readCache(dir string, online []int) (c Cache, ok bool) {
	kind, _ := readText(s, dir+"type")
	level, hasLevel := readInt(s, dir+"level")
	if kind == "Instruction" || !hasLevel || level < 1 {
		return Cache{}, false
	}
	c.Level = level
	if text, ok := readText(s, dir+"size"); ok {
		n, err := units.ParseBytes(text) // "32K", "12288K"
		if err != nil {
			s.warn("%ssize: %v; the size is taken as unknown", dir, err)
		}
		if c.Bytes = Size(n); n > 0 {
			c.Known = Told
		}
	}
	c.Ways, _ = readInt(s, dir+"ways_of_associativity")
	c.LineBytes, _ = readInt(s, dir+"coherency_line_size")
	c.CPUs = s.cpus(online, dir+"shared_cpu_list", dir+"shared_cpu_map")
	return c, true
}

// readNUMA reads the NUMA nodes, ascending by number.
func (s *sysfs) readNUMA(online []int) []NUMANode {
	entries, _ := fs.ReadDir(s, nodeDir)
	var nodes []NUMANode
	for _, e := range entries {
		id, ok := numbered(e.Name(), "node")
		if !ok {
			continue
		}
		dir := fmt.Sprintf("%s/node%d/", nodeDir, id)
		n := NUMANode{ID: id}
		n.CPUs = s.cpus(online, dir+"cpulist", dir+"cpumap")
		text, _ := readText(s, dir+"meminfo")
		for line := range strings.Lines(text) {
			if f := strings.Fields(line); len(f) == 5 && f[2] == "MemTotal:" {
				kib, _ := strconv.ParseInt(f[3], 10, 52)
				n.Bytes = Size(kib << 10)
			}
		}
		text, _ = readText(s, dir+"distance")
		for _, f := range strings.Fields(text) {
			d, err := strconv.Atoi(f)
			if err != nil || d < 1 {
				s.warn("%sdistance: %q is not a list of numbers from 1; ignored", dir, text)
				n.Distance = nil
				break
			}
			n.Distance = append(n.Distance, d)
		}
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b NUMANode) int { return a.ID - b.ID })
	for i := range nodes {
		if d := nodes[i].Distance; d != nil && len(d) != len(nodes) {
			s.warn("%s/node%d/distance has %d numbers for %d NUMA nodes; ignored", nodeDir,
				nodes[i].ID, len(d), len(nodes))
			nodes[i].Distance = nil
		}
	}
	return nodes
}
