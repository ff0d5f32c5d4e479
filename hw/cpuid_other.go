//go:build !amd64

package hw

// hostLeaves are nil: the processor has no CPUID.
var hostLeaves Leaves
