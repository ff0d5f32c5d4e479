package hw

import "github.com/intel-go/cpuid"

// Features returns what the processor can do (CPUID) with the operating system's consent (XCR0:
// bits 1 and 2 for AVX, 5 to 7 for AVX-512 as well).
func Features() CPUFeatures {
	avx, avx512 := cpuid.EnabledAVX, cpuid.EnabledAVX && cpuid.EnabledAVX512
	return CPUFeatures{
		AVX2:     avx && cpuid.HasExtendedFeature(cpuid.AVX2),
		FMA:      avx && cpuid.HasFeature(cpuid.FMA),
		AVX512F:  avx512 && cpuid.HasExtendedFeature(cpuid.AVX512F),
		AVX512VL: avx512 && cpuid.HasExtendedFeature(cpuid.AVX512VL),
		BMI1:     cpuid.HasExtendedFeature(cpuid.BMI1),
		BMI2:     cpuid.HasExtendedFeature(cpuid.BMI2),
	}
}

// countsLLC reports whether the kernel's event e counts the LLC where its name promises it. On AMD
// (family 17h on) cache-misses is event 64H, the L2's misses, and LLC-load-misses does not exist:
// the L3 counts in a PMU of its own, for the whole complex (Linux, arch/x86/events/amd/core.c).
func countsLLC(e Event) bool {
	return e != LLCMisses && e != LLReadMisses || cpuid.VendorIdentificatorString == "GenuineIntel"
}
