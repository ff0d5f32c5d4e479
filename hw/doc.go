// Package hw measures and controls this computer: topology, clock, the CPU of each thread, and
// hardware counters.
//
// Words. A CPU is a hardware thread, as Linux numbers them. A core has one or more CPUs (SMT
// siblings). A node is the set of CPUs that share one last-level cache (LLC), since the analysis
// merges traces by these (KRD paper, III-A); a NUMA node is a memory, and the two need not be the
// same: a socket with several core complexes (AMD) has several nodes in one NUMA node, and cores
// with private caches only are nodes of one core. Where the paper says NUMA node it has one LLC per
// socket.
//
// Everything about files goes through an [io/fs.FS] that is rooted at "/", so that snapshots of
// other machines are tests. Functions that need Linux have a portable twin that returns
// [ErrUnsupported]. An unknown value is nil, "" or an error, and the zero of a [Size] is "unknown":
// never a measured 0.
//
// # Rejected
//
//   - github.com/klauspost/cpuid for caches (cpuid.go): it has the sizes of L1 and L2 without their
//     ways, lines and sharers, and takes no recorded leaves, so that no test could hide a leaf. The
//     leaves that are needed beside it give all that it gives, in a hundred lines.
//   - Unfenced RDTSC to compare clocks: the processor reads it before the load that it follows.
//     Between synchronous clocks this gave an offset of 90 +- 37 ns. The stamps that compare clocks
//     are fenced; those of kernels are not.
//   - Reading the frequency of the TSC in place of measuring it: CPUID leaf 15H is absent on AMD
//     and in many virtual machines, and /proc/cpuinfo rounds (clock.go).
//   - A parent process that translates exit codes (abort.go): it would have to pass on signals and
//     die with its child. Recovering panics in main reaches neither other goroutines nor a heap
//     without memory. SIGABRT, which Go raises if told to, has a handler of three instructions.
package hw

import "krdlab/hw/failure"

// ErrUnsupported is returned, wrapped with what was asked for, by what this operating system or
// processor cannot do.
var ErrUnsupported = failure.New(failure.Capability, "not supported on this platform")
