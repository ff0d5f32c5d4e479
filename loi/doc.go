// Package loi is the tracer: low-overhead instrumentation of kernels.
//
// The unit is one kernel execution: which kernel, on which worker, when it began and ended, and the blocks of data that it
// read and wrote (KRD paper, III-A). Identities are virtual (ViRDA, section 3): an [Object] is registered with a name and a
// partition into blocks, and records name blocks, never addresses.
package loi
