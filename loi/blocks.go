package loi

import (
	"math"
	"sort"
)

// objectIndex finds the size of a block.
type objectIndex struct {
	kind  ObjectKind
	base  uint32   // dense number of block 0
	n     uint32   // blocks
	ends  []uint32 // block after each run
	bytes []uint64 // of a block in each run
}

// kernelIndex is the declared signature of a kernel, ready to check and number arguments.
type kernelIndex struct {
	limits []uint32 // of each argument: blocks of the smallest object that it numbers
	bases  []uint32 // of each parameter: dense number of its object's block 0
	of     []uint8  // as Kernel.Of
}

// index prepares t.objects and t.kernels from a valid header.
func (t *Trace) index() {
	var base uint32
	for i := range t.Header.Registry.Objects {
		x := objectIndex{kind: t.Header.Registry.Objects[i].Kind, base: base}
		for _, r := range t.Header.Registry.Objects[i].Blocks {
			x.n += r.Count
			x.ends = append(x.ends, x.n)
			x.bytes = append(x.bytes, r.Bytes)
		}
		base += x.n
		t.objects = append(t.objects, x)
	}
	for i, k := range t.Header.Registry.Kernels {
		x := kernelIndex{limits: t.Header.Registry.Limits(KernelID(i)), of: k.Of}
		for _, p := range k.Params {
			x.bases = append(x.bases, t.objects[p.Object].base)
		}
		t.kernels = append(t.kernels, x)
	}
}

// Limits returns how many blocks each argument of k can name: those of the smallest object that it
// numbers.
func (r *Registry) Limits(k KernelID) []uint32 {
	kernel := &r.Kernels[k]
	limits := make([]uint32, kernel.Args())
	for i := range limits {
		limits[i] = math.MaxUint32
	}
	for i, p := range kernel.Params {
		limit := &limits[kernel.ArgOf(i)]
		*limit = min(*limit, uint32(r.Objects[p.Object].Len()))
	}
	return limits
}

// CheckArgs returns the fault of the arguments of an execution of k, which has these limits; "" for
// none.
func (k *Kernel) CheckArgs(args, limits []uint32) string {
	if len(args) != len(limits) {
		return sprint("a record of kernel %q has %d arguments, expected %d", k.Name, len(args),
			len(limits))
	}
	for i, a := range args {
		if a >= limits[i] {
			return sprint("a record of kernel %q has block %d as argument %d, expected less than %d",
				k.Name, a, i, limits[i])
		}
	}
	return ""
}

// BlockBase returns the number of block 0 of a partition in the dense numbering of all registered
// blocks: objects in the order of the registry, their blocks in order, from 0.
func (t *Trace) BlockBase(o ObjectID) uint32 { return t.objects[o].base }

// Blocks returns the number of blocks of all partitions, one more than the largest dense block
// number.
func (t *Trace) Blocks() uint32 {
	if len(t.objects) == 0 {
		return 0
	}
	last := &t.objects[len(t.objects)-1]
	return last.base + last.n
}

// BlockBytes returns the size of a block of a partition. Cost: logarithmic in the number of size
// runs of the object.
func (t *Trace) BlockBytes(o ObjectID, block uint32) uint64 { return t.objects[o].size(block) }

func (x *objectIndex) size(block uint32) uint64 {
	if len(x.ends) == 1 {
		return x.bytes[0]
	}
	return x.bytes[sort.Search(len(x.ends), func(i int) bool { return block < x.ends[i] })]
}
