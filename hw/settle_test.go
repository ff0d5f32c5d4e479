package hw

import (
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// cpuMask writes CPUs below 128 as sysfs does: four words, the highest first.
func cpuMask(t *testing.T, list string) string {
	t.Helper()
	cpus, err := ParseCPUList(list)
	if err != nil {
		t.Fatal(err)
	}
	var words [4]uint32
	for _, id := range cpus {
		words[3-id/32] |= 1 << (id % 32)
	}
	return fmt.Sprintf("%08x,%08x,%08x,%08x", words[0], words[1], words[2], words[3])
}

// masks gives each list of f its mask beside it.
func (f files) masks(t *testing.T) files {
	t.Helper()
	for name, list := range f {
		for suffix, mask := range map[string]string{"thread_siblings_list": "thread_siblings",
			"shared_cpu_list": "shared_cpu_map", "cpulist": "cpumap"} {
			if stem, ok := strings.CutSuffix(name, suffix); ok {
				f[stem+mask] = cpuMask(t, list)
			}
		}
	}
	return f
}

// modules is a machine of four packages with two nodes of four modules each. A module is two cores
// with an L1d each and an L2 in common. The kernel lists them as siblings, and its lists of who
// shares the L2 contradict its maps.
func modules(t *testing.T) files {
	f := files{cpuDir + "/online": "0-63"}
	for id := range 64 {
		module, node := fmt.Sprintf("%d-%d", id&^1, id|1), fmt.Sprintf("%d-%d", id&^7, id|7)
		f.cpu(id, id/16, module, fmt.Sprintf("1:Data:16K:%d", id), "1:Instruction:64K:"+module,
			"2:Unified:2M:"+module, "3:Unified:6M:"+node)
		f[fmt.Sprintf("%s/cpu%d/topology/core_id", cpuDir, id)] = fmt.Sprint(id % 8)
		f[fmt.Sprintf("%s/node%d/cpulist", nodeDir, id/8)] = node
	}
	f.masks(t)
	for id := range 64 {
		for _, index := range []int{1, 2} {
			f[fmt.Sprintf("%s/cpu%d/cache/index%d/shared_cpu_list", cpuDir, id, index)] =
				fmt.Sprint(id)
		}
	}
	return f
}

func TestModules(t *testing.T) {
	top := mustRead(t, modules(t))
	if len(top.Cores) != 64 || len(top.Nodes) != 8 || len(top.NUMA) != 8 || top.Packages != 4 {
		t.Errorf("%d cores, %d nodes, %d NUMA nodes, %d packages, want 64, 8, 8, 4",
			len(top.Cores), len(top.Nodes), len(top.NUMA), top.Packages)
	}
	for _, c := range top.CPUs {
		if c.Thread != 0 || !slices.Equal(c.L1d.CPUs, []int{c.ID}) ||
			!slices.Equal(c.L2.CPUs, []int{c.ID &^ 1, c.ID | 1}) || len(c.LLC.CPUs) != 8 {
			t.Fatalf("CPU %d: thread %d, L1d %v, L2 %v, LLC %v", c.ID, c.Thread, c.L1d.CPUs,
				c.L2.CPUs, c.LLC.CPUs)
		}
	}
	warned(t, top, "cpu0/cache/index2/shared_cpu_list has 0, but shared_cpu_map has 0-1 (so in "+
		"64 files); the map is believed", "the siblings 0-1 have different core_ids and L1d caches "+
		"of their own (32 sets of siblings in all)")
	if p, err := top.Place(64, Binding{}, false); err != nil || len(p.CPUs) != 64 {
		t.Errorf("64 workers are placed as %+v, %v; want a core for each", p, err)
	}

	// With one witness only they stay siblings.
	oneCoreID, oneL1d := modules(t), modules(t)
	for id := range 64 {
		oneCoreID[fmt.Sprintf("%s/cpu%d/topology/core_id", cpuDir, id)] = fmt.Sprint(id % 8 / 2)
		for _, name := range []string{"list", "map"} {
			dir := fmt.Sprintf("%s/cpu%d/cache/index", cpuDir, id)
			oneL1d[dir+"0/shared_cpu_"+name] = oneL1d[dir+"2/shared_cpu_map"]
		}
		delete(oneL1d, fmt.Sprintf("%s/cpu%d/cache/index0/shared_cpu_list", cpuDir, id))
	}
	for name, f := range map[string]files{"equal core_ids": oneCoreID, "shared L1d": oneL1d} {
		if top := mustRead(t, f); len(top.Cores) != 32 {
			t.Errorf("%s: %d cores, want 32 of two siblings", name, len(top.Cores))
		}
	}
}

// warned checks that a topology has these warnings, given in part, and no others.
func warned(t *testing.T, top *Topology, parts ...string) {
	t.Helper()
	ok := len(top.Warnings) == len(parts)
	for i, part := range parts {
		ok = ok && strings.Contains(top.Warnings[i], part)
	}
	if !ok {
		t.Errorf("warnings %q, want %q", top.Warnings, parts)
	}
}

// ended is f with text behind each list and mask of CPUs that topology and node folders have.
func (f files) ended(text string) fs.FS {
	m := f.fs().(fstest.MapFS)
	for name, file := range m {
		if strings.Contains(name, "/topology/thread_siblings") ||
			strings.HasPrefix(name, nodeDir+"/") && strings.Contains(name, "/cpu") {
			file.Data = append(file.Data, text...)
		}
	}
	return m
}

// TestTrailingNUL: a NUL byte of the kernel behind lists and masks changes nothing. The machine has
// 128 CPUs, two to a core, and four NUMA nodes.
func TestTrailingNUL(t *testing.T) {
	f := files{cpuDir + "/online": "0-127"}
	for id := range 128 {
		core, node := fmt.Sprintf("%d-%d", id&^1, id|1), fmt.Sprintf("%d-%d", id&^31, id|31)
		f.cpu(id, id/64, core, "1:Data:64K:"+core, "2:Unified:512K:"+core, "3:Unified:32M:"+node)
		f[fmt.Sprintf("%s/node%d/cpulist", nodeDir, id/32)] = node
	}
	f.masks(t)
	masksOnly := files{}
	for name, text := range f {
		if !strings.HasSuffix(name, "list") {
			masksOnly[name] = text
		}
	}
	for name, f := range map[string]files{"lists": f, "masks": masksOnly} {
		want := mustRead(t, f)
		if len(want.Cores) != 64 || len(want.Nodes) != 4 || want.Warnings != nil ||
			!slices.Equal(want.Nodes[3].NUMA, []int{3}) {
			t.Fatalf("%s: %d cores, %d nodes, warnings %q", name, len(want.Cores),
				len(want.Nodes), want.Warnings)
		}
		got, err := ReadTopology(f.ended("\x00"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: with NUL bytes %d cores, %d nodes, NUMA %+v, warnings %q", name,
				len(got.Cores), len(got.Nodes), got.NUMA, got.Warnings)
		}
		if got, err = ReadTopology(f.ended("x"), nil); err != nil || len(got.Warnings) == 0 {
			t.Errorf("%s: with a letter behind them: warnings %q, %v", name, got.Warnings, err)
		}
	}
}

// TestListAgainstMap: of a list and a map that contradict each other the map is believed, with a
// warning. A topology with a wrong list is that of the machine without the fault.
func TestListAgainstMap(t *testing.T) {
	sane := func() files { return complexes().masks(t) }
	cache := func(cpu int, name string) string {
		return fmt.Sprintf("%s/cpu%d/cache/%s", cpuDir, cpu, name)
	}
	all := func(name, text string) files {
		f := sane()
		for id := range 8 {
			f[fmt.Sprintf("%s/cpu%d/%s", cpuDir, id, name)] = text
		}
		return f
	}
	set := func(name, text string) files { f := sane(); f[name] = text; return f }
	own := sane() // the L2 private by the lists
	for id := range 8 {
		own[cache(id, "index2/shared_cpu_list")] = fmt.Sprint(id)
	}
	for _, tt := range []struct {
		name, warning string
		files         files
		mapIsWrong    bool
	}{
		{"a wrong list of one L3", "cpu2/cache/index3/shared_cpu_list has 0-3, but " +
			"shared_cpu_map has 2-3,6-7; the map is believed",
			set(cache(2, "index3/shared_cpu_list"), "0-3"), false},
		{"one list for all L3", "cpu2/cache/index3/shared_cpu_list has 0-1,4-5, but " +
			"shared_cpu_map has 2-3,6-7 (so in 4 files); the map is believed",
			all("cache/index3/shared_cpu_list", "0-1,4-5"), false},
		{"one list for all cores", "thread_siblings_list has 0,4, but",
			all("topology/thread_siblings_list", "0,4"), false},
		{"lists of L2 that split cores", "cpu0/cache/index2/shared_cpu_list has 0, but", own,
			false},
		{"a NUMA node's list", "node0/cpulist has 0-3, but cpumap has 0-7; the map is believed",
			set(nodeDir+"/node0/cpulist", "0-3"), false},
		{"a wrong map of one L3", "shared_cpu_map has 0-3; the map is believed",
			set(cache(2, "index3/shared_cpu_map"), cpuMask(t, "0-3")), true},
		{"one map for all cores", "thread_siblings has 0,4 (so in 6 files); the map is believed",
			all("topology/thread_siblings", cpuMask(t, "0,4")), true},
		{"a NUMA node's map", "node0/cpulist has 0-7, but cpumap has 0-3; the map is believed",
			set(nodeDir+"/node0/cpumap", cpuMask(t, "0-3")), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := mustRead(t, tt.files)
			consistent(t, top)
			if tt.mapIsWrong {
				if !slices.ContainsFunc(top.Warnings, func(w string) bool {
					return strings.Contains(w, tt.warning)
				}) {
					t.Errorf("warnings %q, want one with %q", top.Warnings, tt.warning)
				}
				return
			}
			warned(t, top, tt.warning)
			want := mustRead(t, sane())
			if !reflect.DeepEqual(top.CPUs, want.CPUs) || !reflect.DeepEqual(top.Cores, want.Cores) ||
				!slices.Equal(nodesOf(top)[1], nodesOf(want)[1]) {
				t.Errorf("it is taken as %+v, cores %v; want %+v, cores %v", top.CPUs, top.Cores,
					want.CPUs, want.Cores)
			}
		})
	}
}
