package hw

// cpuidOf executes CPUID on the CPU at hand.
func cpuidOf(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

// hostLeaves are those of the processor at hand.
var hostLeaves Leaves = func(leaf, sub uint32) (r [4]uint32) {
	r[0], r[1], r[2], r[3] = cpuidOf(leaf, sub)
	return r
}
