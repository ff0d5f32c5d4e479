package hw

// CPUFeatures are the vector instructions that the processor has and whose registers the operating system saves (XGETBV); both are needed.
type CPUFeatures struct {
	AVX2    bool `json:"avx2"`
	FMA     bool `json:"fma"`
	AVX512F bool `json:"avx512f"`
}
