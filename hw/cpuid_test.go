package hw

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// recorded holds the answers of a processor's CPUID; zeros for other leaves.
type recorded map[[2]uint32][4]uint32

func (r recorded) leaves() Leaves {
	return func(leaf, sub uint32) [4]uint32 { return r[[2]uint32{leaf, sub}] }
}

// with returns r with other answers; those of zeros are hidden.
func (r recorded) with(changes recorded) recorded {
	out := recorded{}
	for k, v := range r {
		out[k] = v
	}
	for k, v := range changes {
		out[k] = v
	}
	return out
}

// milan is a virtual machine of two CPUs on AMD's family 19h, model 1, as recorded there.
var milan = recorded{
	{0, 0}: {0xd, 0x68747541, 0x444d4163, 0x69746e65}, {1, 0}: {0xa00f11, 0, 0, 0},
	{0xb, 0}: {0x0, 0x1, 0x100, 0x1}, {0xb, 1}: {0x5, 0x2, 0x201, 0x1},
	{0x80000000, 0}: {0x80000021, 0, 0, 0}, {0x80000001, 0}: {0xa00f11, 0, 0x4003f3, 0},
	{0x80000005, 0}: {0, 0, 0x20080140, 0}, {0x80000006, 0}: {0, 0, 0x2006140, 0x8009140},
	{0x8000001d, 0}: {0x121, 0x1c0003f, 0x3f, 0x0}, {0x8000001d, 1}: {0x122, 0x1c0003f, 0x3f, 0x0},
	{0x8000001d, 2}: {0x143, 0x1c0003f, 0x3ff, 0x2},
	{0x8000001d, 3}: {0x4163, 0x3c0003f, 0x7fff, 0x1},
}

// legacy is milan without the leaf that has each cache: topology extensions are hidden.
var legacy = milan.with(recorded{{0x80000001, 0}: {0xa00f11, 0, 0x3f3, 0}})

// turin is a virtual machine on family 1Ah, model 2, whose hypervisor hides leaf 0x8000001D; the
// L3 is that of the package, 508 MiB.
var turin = legacy.with(recorded{{1, 0}: {0xb00f21, 0, 0, 0},
	{0x80000005, 0}: {0, 0, 0x300c0140, 0}, {0x80000006, 0}: {0, 0, 0x4008140, 1016<<18 | 0x9140}})

// icelake has leaf 4 and leaf 0xB of a server of Intel with two threads a core, as the manual lays
// them out: 48 KiB, 12 ways; 1.25 MiB, 20 ways; 54 MiB, 12 ways for up to 128 threads.
var icelake = recorded{
	{0, 0}: {0x1b, 0x756e6547, 0x6c65746e, 0x49656e69}, {1, 0}: {0x606a6, 0, 0, 0},
	{4, 0}: {1<<14 | 1<<5 | 1, 11<<22 | 63, 63, 0}, {4, 1}: {1<<14 | 1<<5 | 2, 7<<22 | 63, 63, 0},
	{4, 2}:   {1<<14 | 2<<5 | 3, 19<<22 | 63, 1023, 0},
	{4, 3}:   {127<<14 | 3<<5 | 3, 11<<22 | 63, 73727, 0},
	{0xb, 0}: {1, 2, 0x100, 0}, {0xb, 1}: {7, 128, 0x201, 0},
}

// genoa has leaf 0x80000026 beside hidden caches: 2 threads a core, complexes of 8 cores, dies of
// one complex, sockets of 16 dies.
var genoa = legacy.with(recorded{{1, 0}: {0xa10f11, 0, 0, 0},
	{0x80000000, 0}: {0x80000026, 0, 0, 0}, {0x80000026, 0}: {1, 2, 0x100, 0},
	{0x80000026, 1}: {4, 16, 0x201, 0}, {0x80000026, 2}: {4, 16, 0x302, 0},
	{0x80000026, 3}: {8, 192, 0x403, 0}})

// cpuinfo is a /proc/cpuinfo alone, with the APIC IDs of CPUs from 0.
func cpuinfo(ids ...int) files {
	var b strings.Builder
	for cpu, id := range ids {
		fmt.Fprintf(&b, "processor\t: %d\nmodel name\t: X\napicid\t\t: %d\n\n", cpu, id)
	}
	return files{"proc/cpuinfo": b.String()}
}

// Without any file of /sys, caches and topology are those of CPUID, and what that cannot tell is
// the family's, and is known as that.
func TestCPUID(t *testing.T) {
	all := CachesKnown{Told, Told, Told}
	llc := CachesKnown{Told, Told, Assumed}
	for _, x := range []struct {
		name        string
		ids         []int
		cpuid       recorded
		nodes       [][]int
		cores       int
		l1, l2, llc Size
		ways        int
		known       CachesKnown
		warning     string
	}{
		{"AMD", []int{0, 1}, milan, [][]int{{0, 1}}, 2, 32 * kib, 512 * kib, 32 * mib, 16, all, ""},
		{"AMD, caches of a package", []int{0, 1}, legacy, [][]int{{0, 1}}, 2, 32 * kib, 512 * kib,
			32 * mib, 16, llc, "256 MiB are told"},
		{"AMD, Zen 5, caches of a package", []int{0, 1}, turin, [][]int{{0, 1}}, 2, 48 * kib, mib,
			32 * mib, 16, llc, "32 MiB for 8 cores, as in AMD's Zen 5 (508 MiB are told"},
		{"AMD, no leaf of caches", []int{0, 1}, legacy.with(recorded{{0x80000005, 0}: {},
			{0x80000006, 0}: {}}), [][]int{{0, 1}}, 2, 32 * kib, 512 * kib, 32 * mib, 16,
			CachesKnown{Assumed, Assumed, Assumed}, "L1d 32 KiB and L2 512 KiB are assumed"},
		{"AMD, more CPUs than a complex has cores", seq(0, 11, 1), turin,
			[][]int{seq(0, 7, 1), seq(8, 11, 1)}, 12, 48 * kib, mib, 32 * mib, 16, llc, ""},
		{"AMD, complexes told, their size not", []int{0, 1, 16, 17}, genoa,
			[][]int{{0, 1}, {2, 3}}, 2, 32 * kib, 512 * kib, 32 * mib, 16, llc, ""},
		{"AMD, an L3 larger than any", []int{0, 1}, milan.with(recorded{
			{0x8000001d, 3}: {0x4163, 0x3c0003f, 0x7ffff, 0x1}}), [][]int{{0, 1}}, 2, 32 * kib,
			512 * kib, 32 * mib, 16, llc, "512 MiB are told"},
		{"Intel, two packages", []int{0, 1, 2, 3, 128, 129, 130, 131}, icelake,
			[][]int{{0, 1, 2, 3}, {4, 5, 6, 7}}, 4, 48 * kib, 1280 * kib, 54 * mib, 12, all, ""},
		{"Intel, siblings are numbered last", []int{0, 2, 1, 3}, icelake, [][]int{{0, 1, 2, 3}}, 2,
			48 * kib, 1280 * kib, 54 * mib, 12, all, ""},
		{"Intel, no leaf of caches", []int{0, 2}, icelake.with(recorded{{4, 0}: {}}),
			[][]int{{0, 1}}, 2, 48 * kib, 1280 * kib, 0, 0, CachesKnown{Assumed, Assumed, ""},
			"L1d 48 KiB"},
		{"an unknown processor's package", []int{0, 1}, legacy.with(recorded{{0, 0}: {1},
			{1, 0}: {}}), [][]int{{0, 1}}, 2, 32 * kib, 512 * kib, 0, 0, CachesKnown{Told, Told, ""},
			""},
		{"IDs that are all one", []int{0, 0, 0}, turin, [][]int{{0, 1, 2}}, 3, 48 * kib, mib,
			32 * mib, 16, llc, "each CPU is taken as a core"},
	} {
		t.Run(x.name, func(t *testing.T) {
			top, err := ReadTopology(cpuinfo(x.ids...).fs(), x.cpuid.leaves())
			if err != nil {
				t.Fatal(err)
			}
			consistent(t, top)
			if got := nodesOf(top); !reflect.DeepEqual(got, x.nodes) || len(top.Cores) != x.cores {
				t.Errorf("nodes %v of %d cores, want %v of %d", got, len(top.Cores), x.nodes,
					x.cores)
			}
			m := top.Machine()
			if m.L1dBytes != x.l1 || m.L2Bytes != x.l2 || m.LLCBytes != x.llc ||
				m.CachesKnown != x.known || top.Nodes[0].LLC.Ways != x.ways ||
				top.Nodes[0].LLC.Level != 3 {
				t.Errorf("L1d %v, L2 %v, %+v (%v), want %v, %v, %v of %d ways (%v)", m.L1dBytes,
					m.L2Bytes, top.Nodes[0].LLC, m.CachesKnown, x.l1, x.l2, x.llc, x.ways, x.known)
			}
			if all := strings.Join(top.Warnings, "\n"); !strings.Contains(all, x.warning) {
				t.Errorf("warnings %q, want %q", top.Warnings, x.warning)
			}
		})
	}
}

// CPUID is not read for facts in the files, but for a size of an LLC that cannot be.
func TestFilesBeforeCPUID(t *testing.T) {
	f := complexes()
	f["proc/cpuinfo"] = cpuinfo(seq(0, 7, 1)...)["proc/cpuinfo"]
	plain, err := ReadTopology(complexes().fs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadTopology(f.fs(), turin.leaves())
	if err != nil {
		t.Fatal(err)
	}
	plain.Name = got.Name
	if !reflect.DeepEqual(plain, got) {
		t.Errorf("%+v, without CPUID %+v", got, plain)
	}
	for cpu := range 8 {
		f[fmt.Sprintf("%s/cpu%d/cache/index3/size", cpuDir, cpu)] = "520192K"
		f[fmt.Sprintf("%s/cpu%d/cache/index3/shared_cpu_list", cpuDir, cpu)] = "0-7"
	}
	if got, err = ReadTopology(f.fs(), turin.leaves()); err != nil {
		t.Fatal(err)
	}
	if m := got.Machine(); m.LLCBytes != 32*mib || m.CachesKnown.LLC != Assumed || len(got.Nodes) != 1 {
		t.Errorf("an L3 of 508 MiB for 4 cores became %v (%v)", m.LLCBytes, m.CachesKnown)
	}
}

// The processor at hand answers as the operating system does, where both tell.
func TestHostCPUID(t *testing.T) {
	if hostLeaves == nil {
		t.Skip("no CPUID on this processor")
	}
	top, err := Host()
	if err != nil {
		t.Fatal(err)
	}
	caches := hostLeaves.caches()
	if caches == nil {
		t.Skip("CPUID tells no cache here")
	}
	for _, c := range caches {
		for _, cpu := range top.CPUs {
			for _, have := range []Cache{cpu.L1d, cpu.L2, cpu.LLC} {
				if have.Level == c.Level && have.Known == Told && c.shift != noDivision &&
					(have.Bytes != c.Bytes || have.LineBytes != c.LineBytes) {
					t.Errorf("CPU %d: L%d %+v, CPUID tells %+v", cpu.ID, c.Level, have, c.Cache)
				}
			}
		}
	}
}
