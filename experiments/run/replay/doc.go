// Package replay has a machine's cache model do the accesses of a recorded trace, and returns the
// lines that missed last-level caches: what a native run has where there are no counters, and what
// `krdlab krd --replay` asks of any trace.
//
//	trace  ->  executions of all workers by start  ->  cache model  ->  result.LLCMisses
package replay

import ()

import ()
