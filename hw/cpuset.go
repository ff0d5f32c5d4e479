package hw

import (
	"path"
	"slices"
	"strings"
)

// allowed returns the online CPUs that the process may use: those of mask (nil: of
// proc/self/status) that its cgroup cpusets permit too. On a live system the mask alone is enough;
// in a snapshot one or the other may be missing.
func (s *sysfs) allowed(online, mask []int) []int {
	allowed := online
	if mask == nil {
		text, _ := readText(s, "proc/self/status")
		for line := range strings.Lines(text) {
			if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
				cpus, err := ParseCPUList(list)
				if err != nil {
					s.warn("proc/self/status: %v; ignored", err)
				}
				mask = cpus
			}
		}
	}
	if mask != nil {
		allowed = intersect(allowed, mask)
	}
	for _, g := range s.cgroups("cpuset") {
		name, ok := s.effective(g)
		if !ok {
			continue
		}
		set := s.cpuSet(name, ParseCPUList)
		both := intersect(allowed, set)
		if len(both) == 0 {
			s.warn("%s allows %s, but the affinity mask of the process has none of them; the "+
				"cpuset is ignored", name, FormatCPUList(set))
			continue
		}
		allowed = both
	}
	return allowed
}

// A cgroup is where a control group of the process is found: below mount, at dir (both without a
// leading slash).
type cgroup struct {
	mount, dir string
	v2         bool
}

// cgroups returns the groups that may govern a controller: v1 hierarchies that have it, and the v2
// hierarchy.
func (s *sysfs) cgroups(controller string) []cgroup {
	v1, v2 := "", ""
	text, _ := readText(s, "proc/self/cgroup")
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(f) != 3:
		case f[0] == "0" && f[1] == "":
			v2 = f[2]
		case slices.Contains(strings.Split(f[1], ","), controller):
			v1 = f[2]
		}
	}
	if controller == "cpuset" { // older kernels, and processes whose cgroup file is hidden
		if dir, ok := readText(s, "proc/self/cpuset"); ok {
			if v1 == "" {
				v1 = dir
			}
			if v2 == "" {
				v2 = dir
			}
		}
	}
	var out []cgroup
	text, _ = readText(s, "proc/mounts")
	for line := range strings.Lines(text) {
		f := strings.Fields(line) // device, mount point, type, options
		if len(f) < 4 {
			continue
		}
		mount := strings.Trim(f[1], "/")
		switch {
		case f[2] == "cgroup2" && v2 != "":
			out = append(out, cgroup{mount, strings.Trim(v2, "/"), true})
		case f[2] == "cgroup" && v1 != "" && slices.Contains(strings.Split(f[3], ","), controller),
			f[2] == "cpuset" && v1 != "" && controller == "cpuset":
			out = append(out, cgroup{mount, strings.Trim(v1, "/"), false})
		}
	}
	return out
}

// upward yields the folder of g and then its parents up to the mount point. A limit of a parent
// holds for its children, and a container may see the mount point only.
func (g cgroup) upward(yield func(string) bool) {
	for dir := g.dir; yield(path.Join(g.mount, dir)) && dir != "" && dir != "." && dir != "/"; {
		dir = path.Dir(dir)
	}
}

// effective returns the name of the cpuset file that holds for g: v2, or v1 with and without the
// prefix. Of a group without the controller the nearest ancestor's set holds.
func (s *sysfs) effective(g cgroup) (string, bool) {
	for dir := range g.upward {
		for _, name := range []string{"cpuset.cpus.effective", "cpuset.effective_cpus",
			"cpuset.cpus", "effective_cpus", "cpus"} {
			full := path.Join(dir, name)
			if _, ok := readText(s, full); ok {
				return full, true
			}
		}
	}
	return "", false
}
