// Package cachemodel computes the time of the memory accesses of kernels on a simulated machine,
// and how many of them miss its caches.
//
// A [Model] holds the private L2 of each core, the last-level cache (LLC) of each node and the
// memories of a machine while a program runs on it. The program's data are blocks at addresses (a
// [Layout]). [Model.Kernel] makes a core access some blocks, beside so much work, and returns the
// time. [Counters] count the events, for each core and kernel.
//
// # Model
//
// Two granularities (see [Granularity]): whole blocks in fully associative LRU caches, which is
// fast, and lines in set-associative ones. Lines that are always accessed together are computed
// together where that gives the same result: see groupLines.
//
// Replacement is LRU. An LLC is touched by misses of an L2 only. An inclusive one
// (machine.Cache.Inclusive; Nehalem and Westmere) is filled by every miss, and units that it evicts
// leave the L2s of the node. Another is a victim cache: misses fill the L2 only, units that an L2
// evicts go to the LLC, and a hit there leaves the copy where it is. (AMD's L3 is mostly exclusive
// and Intel's of today decides case by case; which hits keep a copy is not published, so that the
// capacity of L2 and LLC together is a little underrated.)
//
// Coherence is by invalidation. A write takes the unit from all other caches; where there are some,
// and the unit was in the writer's L2, the writer waits for the farthest as for a fetch. Data that
// another node has modified come from there, at the latency between the nodes; if they are read,
// they are written to memory at the same time, and both nodes then share them. Data that another
// core of the node has modified come through the LLC and that core's L2, at the sum of their
// latencies.
//
// Memory: a page has its home by interleaving or first touch. A memory, and the link of a node
// where the machine has one, serves lines at a rate. Requests are spread over the time that the
// execution takes anyhow, and wait where there is no room (see server). Modified lines that leave
// the caches are served too, but no core waits for them.
//
// The time of a line depends on how the block is gone through (see [Pattern]): its latency at the
// level where it hits, divided by the number of misses that a core overlaps in short rows or in
// gathering, or in a stream the time at the core's bandwidth from there. Streams, but for their
// first lines, and gathered lines come while the core computes. Hits in the L1 cost nothing here:
// they are in the kernel's work, whose data is in the L1. An access of fewer lines than the overlap
// costs less than one latency: lines of other accesses of the kernel are taken to be under way too.
//
// Lock operations make the memory path unavailable: see [Model.LockOperation].
//
// # Not modelled
//
// The L1 (an access costs at least as much as the L2, also if the block was just accessed);
// prefetchers, but for streams; caches that are full when a run begins; TLBs and page walks;
// replacement other than LRU, and inserting elsewhere than at the top; several hardware threads on
// a core; latencies within a node that depend on the slice of the LLC; false sharing of lines by
// blocks in block mode; instruction fetches and stacks. A block is accessed once, from its first
// line to its last, by a kernel; that the leaf of a matrix product goes over it several times is L1
// business.
//
// A block that is larger than a cache goes through it in block mode: nothing is left of it, nor of
// anything else. In line mode its last lines stay.
//
// # Reproducibility
//
// All state and arithmetic are integers; nothing depends on the host, its clock or the order of a
// map. The same calls give the same results on every computer; TestGolden has a hash of them.
//
// # Sources
//
// Nehalem's and Westmere's caches (inclusion, lines that another core has modified, read from
// there): Molka, Hackenberg, Schoene, Mueller, "Memory performance and cache coherency effects on
// an Intel Nehalem multiprocessor system", PACT 2009. Delays by bus locking: KRD paper, IV-B. That
// a miss costs latency over memory-level parallelism: Chou, Fahs, Abraham, "Microarchitecture
// optimizations for exploiting memory-level parallelism", ISCA 2004. Reuse distances measure LRU
// over whole blocks (KRD paper, III): without other cores, writes and an L2, an LLC of C bytes hits
// if distance + size <= C.
//
// # Rejected
//
// Tags of physical addresses in the sets would need 32 bits or more, and a search in each of 24 L2s
// for each write. A stationary place for each line, with the order in a word apart, halves the work
// of a hit in small sets but not in those of 16 ways, and does not go beyond 16. An exact directory
// in line mode would be written at each eviction from an L2, in another place than the one at hand.
// A memory that is one queue, busy until a time, lets a request for a later time hold up earlier
// ones: where a worker carries out a task of many kernels in one step (FMM), others waited 3 to 17
// us a call of p2p-self for nothing. Asking the L2 for all lines of a chunk before the first miss
// is dealt with was no faster (BenchmarkLines 11.4 against 10.2 ns a line); sets of 16 ways without
// branches were slower (a hit is in the first word for four of five), and so was reading the
// directory and the LLC's sets for all rows of a block ahead. Huge pages for the directory made no
// difference.
//
// For the times of kernels (pattern.go, krdlab/hw/ops; simulated over native time on two cores of
// Zen 4): a rate for each kernel would be right for the kernels that were measured and give nothing
// for others. One rate for all was wrong by factors of 0.07 to 2.9. All lines at latency over one
// overlap: sor took 2.9 times its native time, because the words at the sides of its tiles, a line
// each, were short rows. All lines of a run at the core's bandwidth: heat, whose rows are 2 KiB,
// took half of its time; 0.95 with the first three lines at the price of short rows. Patterns
// stated by kernels: the places of blocks give the same, but for single words here and there.
package cachemodel
