package loi

// Limits of a trace. A caller that would exceed one gets an error before anything is written.
const (
	MaxKernels    = maxKernels
	MaxRegions    = maxRegions
	MaxOperations = maxOperations
)
