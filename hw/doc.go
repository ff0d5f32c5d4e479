// Package hw is what krdlab knows about the machine: its topology, its clock, which CPU a thread
// runs on, and what it can count.
//
// Words. A CPU is what Linux numbers (a hardware thread). A core has one or more CPUs (SMT
// siblings). A node is the set of CPUs that share one last-level cache (LLC), for this is what the
// analysis merges traces by (KRD paper, III-A); a NUMA node is a memory, and the two need not be
// the same: a socket with several core complexes (AMD) has several nodes in one NUMA node, and
// cores with private caches only are nodes of one core. Where the paper says NUMA node it has one
// LLC per socket.
//
// Everything about files goes through an [io/fs.FS] that is rooted at "/", so that snapshots of
// other machines are tests. What needs Linux has a portable twin that returns [ErrUnsupported].
// What is not known is nil, "" or an error, and the zero of a [Size] is "unknown": never a measured
// 0.
package hw

import "krdlab/hw/failure"

// ErrUnsupported is returned, wrapped with what was asked for, by what this operating system or
// processor cannot do.
var ErrUnsupported = failure.New(failure.Capability, "not supported on this platform")
