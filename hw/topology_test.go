package hw

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// files is a made-up /sys and /proc.
type files map[string]string

func (f files) fs() fs.FS {
	m := fstest.MapFS{}
	for name, text := range f {
		m[name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return m
}

// cpu adds a CPU: its package, core siblings, and caches as "level:type:size:sharing".
func (f files) cpu(id, pkg int, siblings string, caches ...string) files {
	dir := fmt.Sprintf("%s/cpu%d/", cpuDir, id)
	f[dir+"topology/physical_package_id"] = fmt.Sprint(pkg)
	f[dir+"topology/thread_siblings_list"] = siblings
	for i, c := range caches {
		p := strings.SplitN(c, ":", 4)
		index := fmt.Sprintf("%scache/index%d/", dir, i)
		f[index+"level"], f[index+"type"], f[index+"size"], f[index+"shared_cpu_list"] = p[0], p[1],
			p[2], p[3]
		f[index+"ways_of_associativity"], f[index+"coherency_line_size"] = "8", "64"
	}
	return f
}

// complexes is a processor of one NUMA node with two core complexes, SMT siblings numbered last:
// 0,4 1,5 | 2,6 3,7.
func complexes() files {
	f := files{cpuDir + "/online": "0-7", nodeDir + "/node0/cpulist": "0-7",
		nodeDir + "/node0/distance": "10"}
	for id := range 8 {
		core := id % 4
		sib := fmt.Sprintf("%d,%d", core, core+4)
		l3 := "0-1,4-5"
		if core > 1 {
			l3 = "2-3,6-7"
		}
		f.cpu(id, 0, sib, "1:Instruction:64K:"+sib, "1:Data:32K:"+sib, "2:Unified:512K:"+sib,
			"3:Unified:16M:"+l3)
	}
	return f
}

func nodesOf(top *Topology) [][]int {
	var out [][]int
	for _, n := range top.Nodes {
		out = append(out, n.CPUs)
	}
	return out
}

func mustRead(t *testing.T, f files) *Topology {
	t.Helper()
	top, err := ReadTopology(f.fs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	consistent(t, top)
	return top
}

func TestNodeIsLLCDomain(t *testing.T) {
	top := mustRead(t, complexes())
	if got, want := nodesOf(top), [][]int{{0, 1, 4, 5}, {2, 3, 6, 7}}; !reflect.DeepEqual(got,
		want) {
		t.Errorf("nodes %v, want %v", got, want)
	}
	want := Machine{Name: "unknown CPU", Nodes: 2, CoresPerNode: 2, Cores: 4, CPUs: 8,
		L1dBytes: 32 << 10, L2Bytes: 512 << 10, LLCBytes: 16 << 20,
		CachesKnown: CachesKnown{Told, Told, Told}, LineBytes: 64}
	if got := top.Machine(); got != want {
		t.Errorf("machine %+v, want %+v", got, want)
	}
	if d := top.Distance(0, 1); d != 10 {
		t.Errorf("two complexes of one NUMA node are %d apart, want 10", d)
	}
	if top.Warnings != nil {
		t.Errorf("warnings %q, want none", top.Warnings)
	}
}

// TestCoresWithoutL3 reads two low-power cores beside the ring that the L3 serves, as some hybrid
// processors do: their L2 is their last cache.
func TestCoresWithoutL3(t *testing.T) {
	f := files{cpuDir + "/online": "0-3"}
	f.cpu(0, 0, "0", "1:Data:48K:0", "2:Unified:2M:0", "3:Unified:24M:0-1")
	f.cpu(1, 0, "1", "1:Data:48K:1", "2:Unified:2M:1", "3:Unified:24M:0-1")
	f.cpu(2, 0, "2", "1:Data:32K:2", "2:Unified:1536K:2-3")
	f.cpu(3, 0, "3", "1:Data:32K:3", "2:Unified:1536K:2-3")
	top := mustRead(t, f)
	if got, want := nodesOf(top), [][]int{{0, 1}, {2, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("nodes %v, want %v", got, want)
	}
	if m := top.Machine(); m.LLCBytes != 24<<20 || m.L2Bytes != 1536<<10 || m.L1dBytes != 32<<10 {
		t.Errorf("machine %+v, want an LLC of 24 MiB, the L2 and the L1 of the small cores", m)
	}
}

// A last-level cache for each core is warned of: an L3, as in VMs, and the L2 of an Ampere Altra,
// two packages of 80 cores, for which the kernel may report no cache behind it. One core alone is
// no wonder.
func TestPrivateLLC(t *testing.T) {
	for _, x := range []struct {
		cores  int
		caches []string
		want   []string
	}{
		{160, []string{"1:Data:64K:%d", "2:Unified:1024K:%d"},
			[]string{"each of 160 cores has an L2 cache of its own: this is rare in hardware"}},
		{4, []string{"1:Data:64K:%d", "2:Unified:1024K:%d", "3:Unified:8192K:%d"},
			[]string{"each of 4 cores has an L3 cache of its own: this is rare in hardware"}},
		{2, []string{"1:Data:64K:%d", "2:Unified:1024K:%d", "3:Unified:8192K:0-1"}, nil},
		{1, []string{"1:Data:64K:%d", "2:Unified:1024K:%d"}, nil},
	} {
		f := files{cpuDir + "/online": fmt.Sprintf("0-%d", x.cores-1)}
		for id := range x.cores {
			var caches []string
			for _, c := range x.caches {
				caches = append(caches, strings.ReplaceAll(c, "%d", fmt.Sprint(id)))
			}
			f.cpu(id, id/80, fmt.Sprint(id), caches...)
		}
		warned(t, mustRead(t, f), x.want...)
	}
}

func TestContradictions(t *testing.T) {
	l3 := func(f files, cpu int, list string) files {
		f[fmt.Sprintf("%s/cpu%d/cache/index3/shared_cpu_list", cpuDir, cpu)] = list
		return f
	}
	set := func(f files, name, text string) files { f[name] = text; return f }
	two := [][]int{{0, 1, 4, 5}, {2, 3, 6, 7}}
	for _, tt := range []struct {
		name    string
		files   files
		nodes   [][]int
		cores   int
		warning string
	}{
		{"one CPU claims another node", l3(complexes(), 2, "0-3"), two, 4,
			"CPU 2 has 0-3 as those that share its L3 cache"},
		{"one CPU leaves itself out", l3(complexes(), 2, "3,6-7"), two, 4, "without itself"},
		{"a list that is none", l3(complexes(), 2, "zebra"), two, 4, `"zebra"`},
		{"a descending range", l3(complexes(), 2, "7-2"), two, 4, `"7-2"`},
		{"a sibling of two cores", set(complexes(), cpuDir+"/cpu0/topology/thread_siblings_list",
			"0-1,4"), two, 4, "share its core"},
		{"a core across caches", set(set(complexes(), cpuDir+"/cpu1/topology/thread_siblings_list",
			"1-2"), cpuDir+"/cpu2/topology/thread_siblings_list", "1-2"), two, 6,
			"do not share a last-level cache"},
		{"a list and a mask that differ",
			set(complexes(), cpuDir+"/cpu2/cache/index3/shared_cpu_map", "0000000f"), two, 4,
			"has 2-3,6-7, but shared_cpu_map has 0-3; the map is believed"},
		{"a broken mask", set(complexes(), cpuDir+"/cpu2/cache/index3/shared_cpu_map", "xyz"), two,
			4, "hexadecimal"},
		{"a size that is none", set(complexes(), cpuDir+"/cpu2/cache/index3/size", "big"), two, 4,
			`size: "big", expected a size such as 64`},
		{"an online CPU that is offline", set(complexes(), cpuDir+"/cpu7/online", "0"),
			[][]int{{0, 1, 4, 5}, {2, 3, 6}}, 4, "but offline by its own file"},
		{"a CPU in two NUMA nodes", set(complexes(), nodeDir+"/node3/cpulist", "7"), two, 4,
			"NUMA nodes 0 and 3"},
		{"distances that are none", set(complexes(), nodeDir+"/node0/distance", "near"), two, 4,
			"not a list of numbers"},
		{"too many distances", set(complexes(), nodeDir+"/node0/distance", "10 20"), two, 4,
			"2 numbers for 1 NUMA nodes"},
		{"an online list that is none", set(complexes(), cpuDir+"/online", "all"), two, 4,
			"taken from the cpu folders"},
		{"a cache across packages", set(complexes(), cpuDir+"/cpu7/topology/physical_package_id",
			"1"), two, 4, "packages 0 and 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := mustRead(t, tt.files)
			if got := nodesOf(top); !reflect.DeepEqual(got, tt.nodes) {
				t.Errorf("nodes %v, want %v", got, tt.nodes)
			}
			if len(top.Cores) != tt.cores {
				t.Errorf("%d cores, want %d", len(top.Cores), tt.cores)
			}
			if !slices.ContainsFunc(top.Warnings, func(w string) bool {
				return strings.Contains(w,
					tt.warning)
			}) {
				t.Errorf("warnings %q, want one with %q", top.Warnings, tt.warning)
			}
		})
	}
}

func TestMissingFiles(t *testing.T) {
	strip := func(f files, part string) files {
		for name := range f {
			if strings.Contains(name, part) {
				delete(f, name)
			}
		}
		return f
	}
	all := [][]int{seq(0, 7, 1)}
	noCaches := strip(complexes(), "/cache/")
	if top := mustRead(t, noCaches); !reflect.DeepEqual(nodesOf(top), all) || len(top.Cores) != 4 ||
		len(top.Warnings) != 1 || !strings.Contains(top.Warnings[0], "no cache files") {
		t.Errorf("without caches: nodes %v, %d cores, warnings %q", nodesOf(top), len(top.Cores),
			top.Warnings)
	} else if m, _ := json.Marshal(top.Machine()); !strings.Contains(string(m),
		`"l1d_bytes":null,"l2_bytes":null,"llc_bytes":null`) {
		t.Errorf("without caches the machine is %s, want null sizes", m)
	}
	if top := mustRead(t, strip(complexes(), "/topology/")); len(top.Cores) != 8 ||
		len(top.Nodes) != 2 {
		t.Errorf("without topology files: %d cores in %d nodes, want 8 in 2", len(top.Cores),
			len(top.Nodes))
	}
	if top := mustRead(t, strip(complexes(), "index3")); len(top.Nodes) != 4 ||
		top.Machine().LLCBytes != 512<<10 {
		t.Errorf("without an L3: %d nodes, LLC %d, want 4 and the L2's size", len(top.Nodes),
			top.Machine().LLCBytes)
	}
	if top := mustRead(t,
		files{"proc/cpuinfo": "processor\t: 0\nmodel name\t: A  B\nprocessor\t: 1"}); len(
		top.CPUs) != 2 || len(top.Nodes) != 1 || top.Name != "A B" || top.Warnings == nil {
		t.Errorf("from cpuinfo alone: %+v", top)
	}
	if top, err := ReadTopology(fstest.MapFS{}, nil); err == nil {
		t.Errorf("no error from an empty file system, but %+v", top)
	}
}

func TestAllowed(t *testing.T) {
	v2 := "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0"
	v1 := "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0"
	for _, tt := range []struct {
		name string
		add  files
		want []int
		warn bool
	}{
		{"nothing known", files{}, seq(0, 7, 1), false},
		{"mask", files{"proc/self/status": "Name:\tx\nCpus_allowed_list:\t2-3,9"}, []int{2, 3},
			false},
		{"v2", files{"proc/self/cgroup": "0::/a/b", "proc/mounts": v2,
			"sys/fs/cgroup/a/b/cpuset.cpus.effective": "1-2"}, []int{1, 2}, false},
		{"v2, set by the parent", files{"proc/self/cgroup": "0::/a/b", "proc/mounts": v2,
			"sys/fs/cgroup/a/cpuset.cpus.effective": "1-2"}, []int{1, 2}, false},
		{"v2, path of the host", files{"proc/self/cgroup": "0::/../../docker/x", "proc/mounts": v2,
			"sys/fs/cgroup/cpuset.cpus.effective": "5"}, []int{5}, false},
		{"v1", files{"proc/self/cgroup": "3:cpuset:/j\n2:cpu,cpuacct:/k", "proc/mounts": v1,
			"sys/fs/cgroup/cpuset/j/cpuset.cpus": "0,6"}, []int{0, 6}, false},
		{"v1, noprefix", files{"proc/self/cpuset": "/j",
			"proc/mounts": "none /dev/cpuset cpuset rw 0 0", "dev/cpuset/j/cpus": "4"}, []int{4},
			false},
		{"v1 and mask", files{"proc/self/status": "Cpus_allowed_list:\t6-7",
			"proc/self/cpuset": "/j", "proc/mounts": v1,
			"sys/fs/cgroup/cpuset/j/cpuset.effective_cpus": "0-6"}, []int{6}, false},
		{"cpuset without the mask's", files{"proc/self/status": "Cpus_allowed_list:\t6-7",
			"proc/self/cpuset": "/j", "proc/mounts": v1, "sys/fs/cgroup/cpuset/j/cpuset.cpus": "0"},
			[]int{6, 7}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := complexes()
			for name, text := range tt.add {
				f[name] = text
			}
			top := mustRead(t, f)
			if got := top.Allowed(); !slices.Equal(got, tt.want) {
				t.Errorf("allowed %v, want %v", got, tt.want)
			}
			if (top.Warnings != nil) != tt.warn {
				t.Errorf("warnings %q", top.Warnings)
			}
		})
	}
}

// TestGarbage replaces and removes files at random: never a panic, always a partition.
func TestGarbage(t *testing.T) {
	junk := []string{"", "-1", "0", "65535", "0-8191", "8192", "1,1", "fffffffff", "0-", "3-2",
		"ffffffff,ffffffff", "x", "\x00\xff", "99999999999999999999", "K", "0K"}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := complexes().masks(t)
		for id := range 8 {
			f[fmt.Sprintf("%s/cpu%d/topology/core_id", cpuDir, id)] = fmt.Sprint(id % 4)
		}
		names := make([]string, 0, len(f))
		for name := range f {
			names = append(names, name)
		}
		slices.Sort(names)
		for range 1 + r.IntN(12) {
			name := names[r.IntN(len(names))]
			if r.IntN(3) == 0 {
				delete(f, name)
			} else {
				f[name] = junk[r.IntN(len(junk))]
			}
		}
		top, err := ReadTopology(f.fs(), nil)
		if err == nil {
			consistent(t, top)
			_, err = top.Place(3, Binding{}, true)
		}
		if t.Failed() || err != nil && len(top.Allowed()) > 0 {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func TestHost(t *testing.T) {
	top, err := Host()
	if err != nil {
		t.Fatal(err)
	}
	consistent(t, top)
	mask, err := Affinity()
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	for _, id := range top.Allowed() {
		if !slices.Contains(mask, id) {
			t.Errorf("CPU %d is allowed and not in the inherited mask %v", id, mask)
		}
	}
}
