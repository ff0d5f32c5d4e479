package hw

import (
	"io/fs"
	"strconv"
)

// A family holds the published facts on the caches of a range of processors. It stands in for facts
// that neither the operating system nor CPUID has, and excludes sizes of an LLC that cannot be
// those of one cache.
//
// Sources: AMD, Software Optimization Guides for families 17h (55723), 19h (56665, 57647) and 1Ah
// (58455), chapters on the cache hierarchy; Hygon's Dhyana is AMD's family 17h (Linux,
// arch/x86/kernel/cpu/hygon.c); Intel, 64 and IA-32 Architectures Optimization Reference Manual,
// 2.1 to 2.5. Models: Linux, arch/x86/kernel/cpu/amd.c and arch/x86/include/asm/intel-family.h.
type family struct {
	vendor       string
	number       int
	first, last  int // models
	name         string
	l1d, l2      Cache
	complex      Cache // the LLC of a core complex; none where the LLC is the package's
	complexCores int
	stacked      Size // of a complex with a stacked cache, the largest sold; 0: none is
}

func size(bytes Size, ways int) Cache {
	return Cache{Bytes: bytes, Ways: ways, LineBytes: 64, Known: Assumed}
}

const (
	kib = Size(1 << 10)
	mib = Size(1 << 20)
)

var (
	zenL1, zen5L1 = size(32*kib, 8), size(48*kib, 12)
	zenL2, zen4L2 = size(512*kib, 8), size(1*mib, 8)
	skylakeL2     = size(1*mib, 16)
)

// families are in the order in which they are looked through.
var families = []family{
	{"AuthenticAMD", 0x17, 0x00, 0x0f, "Zen", zenL1, zenL2, size(8*mib, 16), 4, 0},
	{"AuthenticAMD", 0x17, 0x10, 0x2f, "Zen with graphics", zenL1, zenL2, size(4*mib, 16), 4, 0},
	{"AuthenticAMD", 0x17, 0x30, 0x3f, "Zen 2", zenL1, zenL2, size(16*mib, 16), 4, 0},
	{"AuthenticAMD", 0x17, 0x60, 0x6f, "Zen 2 with graphics", zenL1, zenL2, size(4*mib, 16), 4, 0},
	{"AuthenticAMD", 0x17, 0x70, 0x7f, "Zen 2", zenL1, zenL2, size(16*mib, 16), 4, 0},
	{"AuthenticAMD", 0x17, 0x90, 0xaf, "Zen 2 with graphics", zenL1, zenL2, size(4*mib, 16), 4, 0},
	{"AuthenticAMD", 0x19, 0x00, 0x0f, "Zen 3", zenL1, zenL2, size(32*mib, 16), 8, 96 * mib},
	{"AuthenticAMD", 0x19, 0x10, 0x1f, "Zen 4", zenL1, zen4L2, size(32*mib, 16), 8, 96 * mib},
	{"AuthenticAMD", 0x19, 0x20, 0x2f, "Zen 3", zenL1, zenL2, size(32*mib, 16), 8, 96 * mib},
	{"AuthenticAMD", 0x19, 0x40, 0x5f, "Zen 3 with graphics", zenL1, zenL2, size(16*mib, 16), 8, 0},
	{"AuthenticAMD", 0x19, 0x60, 0x6f, "Zen 4", zenL1, zen4L2, size(32*mib, 16), 8, 96 * mib},
	{"AuthenticAMD", 0x19, 0x70, 0x7f, "Zen 4 with graphics", zenL1, zen4L2, size(16*mib, 16), 8, 0},
	{"AuthenticAMD", 0x19, 0xa0, 0xaf, "Zen 4c", zenL1, zen4L2, size(16*mib, 16), 8, 0},
	{"AuthenticAMD", 0x1a, 0x00, 0x0f, "Zen 5", zen5L1, size(1*mib, 16), size(32*mib, 16), 8, 0},
	{"AuthenticAMD", 0x1a, 0x10, 0x1f, "Zen 5c", zen5L1, size(1*mib, 16), size(32*mib, 16), 16, 0},
	{"AuthenticAMD", 0x1a, 0x40, 0x4f, "Zen 5", zen5L1, size(1*mib, 16), size(32*mib, 16), 8, 96 * mib},
	{"HygonGenuine", 0x18, 0x00, 0xff, "Dhyana", zenL1, zenL2, size(8*mib, 16), 4, 0},
	{"GenuineIntel", 0x06, 0x3f, 0x3f, "Haswell server", size(32*kib, 8), size(256*kib, 8), Cache{}, 0, 0},
	{"GenuineIntel", 0x06, 0x4f, 0x4f, "Broadwell server", size(32*kib, 8), size(256*kib, 8), Cache{}, 0, 0},
	{"GenuineIntel", 0x06, 0x55, 0x55, "Skylake server", size(32*kib, 8), skylakeL2, Cache{}, 0, 0},
	{"GenuineIntel", 0x06, 0x6a, 0x6a, "Ice Lake server", size(48*kib, 12), size(1280*kib, 20), Cache{}, 0, 0},
	{"GenuineIntel", 0x06, 0x8f, 0x8f, "Sapphire Rapids", size(48*kib, 12), size(2*mib, 16), Cache{}, 0, 0},
	{"GenuineIntel", 0x06, 0xcf, 0xcf, "Emerald Rapids", size(48*kib, 12), size(2*mib, 16), Cache{}, 0, 0},
	{"GenuineIntel", 0x06, 0xad, 0xad, "Granite Rapids", size(48*kib, 12), size(2*mib, 16), Cache{}, 0, 0},
}

// familyOf returns the row of the processor in fsys's /proc/cpuinfo or, where that does not name
// it, in CPUID; nil if there is none.
func familyOf(fsys fs.FS, l Leaves) *family {
	vendor, named := cpuinfoField(fsys, "vendor_id")
	field := func(key string) int {
		text, _ := cpuinfoField(fsys, key)
		n, err := strconv.Atoi(text)
		if err != nil {
			named = false
		}
		return n
	}
	number, model := field("cpu family"), field("model")
	if !named && l.has(1) {
		r := l(0, 0)
		vendor = ""
		for _, reg := range []uint32{r[ebx], r[edx], r[ecx]} {
			vendor += string([]byte{byte(reg), byte(reg >> 8), byte(reg >> 16), byte(reg >> 24)})
		}
		a := l(1, 0)[eax]
		number, model = int(a>>8&0xf), int(a>>4&0xf|a>>12&0xf0)
		if number == 0xf {
			number += int(a >> 20 & 0xff)
		}
	}
	for i := range families {
		if f := &families[i]; f.vendor == vendor && f.number == number && f.first <= model &&
			model <= f.last {
			return f
		}
	}
	return nil
}
