package hw

// CPUFeatures are the instructions that assembly here asks for: those that the processor has and
// whose registers the operating system saves (XGETBV); both are needed.
type CPUFeatures struct {
	AVX2     bool `json:"avx2"`
	FMA      bool `json:"fma"`
	AVX512F  bool `json:"avx512f"`
	AVX512VL bool `json:"avx512vl"`
	BMI1     bool `json:"bmi1"`
	BMI2     bool `json:"bmi2"`
}
