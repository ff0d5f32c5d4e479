// Package replay feeds the accesses of a recorded trace to the cache model of a machine, and
// returns the lines that missed last-level caches. Native runs have their misses from it where
// there are no counters; `krdlab krd --replay` prints them for any trace.
//
//	trace  ->  executions of all workers by start  ->  cache model  ->  result.LLCMisses
package replay
