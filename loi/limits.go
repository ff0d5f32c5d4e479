package loi

// What a trace has at most: who would exceed that finds out before it writes one.
const (
	MaxKernels    = maxKernels
	MaxRegions    = maxRegions
	MaxOperations = maxOperations
)
