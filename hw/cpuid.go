package hw

import "math/bits"

// Leaves executes CPUID: it returns EAX, EBX, ECX and EDX of a leaf and a subleaf. Nil where the
// processor has no such instruction, or where the machine is not the one at hand.
//
// Sources: Intel, Software Developer's Manual, volume 2A, CPUID; AMD, Architecture Programmer's
// Manual, volume 3, appendix E.
type Leaves func(leaf, sub uint32) [4]uint32

const (
	eax = iota
	ebx
	ecx
	edx
)

// has reports whether the processor has a leaf.
func (l Leaves) has(leaf uint32) bool {
	return l != nil && l(leaf&0x8000_0000, 0)[eax] >= leaf
}

// A toldCache is a cache from CPUID.
type toldCache struct {
	Cache
	// CPUs whose APIC IDs are equal without their low shift bits share it. perCore: those of one
	// core; noDivision: the size is that of a package, whose division is not known
	shift uint
}

const (
	perCore    = 64 + iota // the CPUs of a core
	noDivision             // the caches of a package together
)

// caches returns the data and unified caches: leaf 4 (Intel), 0x8000001D (AMD), or, where that is
// hidden, 0x80000005 and 6. Nil where none has any.
func (l Leaves) caches() []toldCache {
	const topologyExtensions = 1 << 22
	switch {
	case l.has(0x8000_001d) && l(0x8000_0001, 0)[ecx]&topologyExtensions != 0:
		if c := l.enumerate(0x8000_001d); c != nil {
			return c
		}
	case l.has(4):
		if c := l.enumerate(4); c != nil {
			return c
		}
	}
	if l.has(0x8000_0006) {
		return l.legacy()
	}
	return nil
}

// enumerate reads a leaf that has a cache in each subleaf.
func (l Leaves) enumerate(leaf uint32) (out []toldCache) {
	for sub := range uint32(16) {
		const data, unified = 1, 3
		r := l(leaf, sub)
		kind := r[eax] & 0x1f
		if kind == 0 {
			break
		}
		line, partitions, ways := r[ebx]&0xfff+1, r[ebx]>>12&0x3ff+1, r[ebx]>>22+1
		size := uint64(line) * uint64(partitions) * uint64(ways) * (uint64(r[ecx]) + 1)
		level := int(r[eax] >> 5 & 7)
		if kind != data && kind != unified || level == 0 || size > 1<<40 {
			continue
		}
		if fully := r[eax]&(1<<9) != 0; fully {
			ways = 0
		}
		out = append(out, toldCache{Cache{Level: level, Bytes: Size(size), Ways: int(ways),
			LineBytes: int(line), Known: Told}, uint(bits.Len32(r[eax] >> 14 & 0xfff))})
	}
	return out
}

// legacy reads the leaves that AMD's processors have had since the K6. The L3 is in units of 512
// KiB, and stands for all of the package.
func (l Leaves) legacy() (out []toldCache) {
	// code 9 refers to leaf 0x8000001D, 15 is fully associative
	ways := []int{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 16, 10: 32, 11: 48, 12: 64, 13: 96,
		14: 128, 15: 0}
	add := func(level int, bytes uint64, ways int, line uint32, shift uint) {
		if bytes > 0 {
			out = append(out, toldCache{Cache{Level: level, Bytes: Size(bytes), Ways: ways,
				LineBytes: int(line), Known: Told}, shift})
		}
	}
	if one := l(0x8000_0005, 0)[ecx]; one>>16&0xff == 0xff {
		add(1, uint64(one>>24)<<10, 0, one&0xff, perCore)
	} else {
		add(1, uint64(one>>24)<<10, int(one>>16&0xff), one&0xff, perCore)
	}
	six := l(0x8000_0006, 0)
	add(2, uint64(six[ecx]>>16)<<10, ways[six[ecx]>>12&0xf], six[ecx]&0xff, perCore)
	add(3, uint64(six[edx]>>18)<<19, ways[six[edx]>>12&0xf], six[edx]&0xff, noDivision)
	return out
}

// An apicLayout assigns the bits of an APIC ID: those from a shift up number the cores, the core
// complexes, the dies and the packages of the machine. complex and die are 0 where CPUID has none.
type apicLayout struct{ core, complex, die, pkg uint }

// layout reads leaf 0x80000026 (AMD), 0x1F or 0xB; ok is false where none has it.
func (l Leaves) layout() (a apicLayout, ok bool) {
	for _, leaf := range []uint32{0x8000_0026, 0x1f, 0xb} {
		if !l.has(leaf) {
			continue
		}
		a, last := apicLayout{}, uint(0)
		for sub := range uint32(8) {
			r := l(leaf, sub)
			kind, shift := r[ecx]>>8&0xff, uint(r[eax]&0x1f)
			if kind == 0 || r[ebx]&0xffff == 0 {
				break
			}
			switch { // Intel's shift leads to the level above, AMD's to the level itself
			case kind == 1:
				a.core = shift
			case leaf == 0x8000_0026 && kind == 2:
				a.complex = shift
			case leaf == 0x8000_0026 && kind == 3:
				a.die = shift
			case leaf != 0x8000_0026 && kind == 5:
				a.die = last
			}
			last, a.pkg, ok = shift, shift, true
		}
		if ok {
			return a, true
		}
	}
	return a, false
}
