package runtimes

// PDF is parallel depth first (Blelloch, Gibbons and Matias, "Provably efficient scheduling for
// languages with fine-grained parallelism", Journal of the ACM 46(2), 1999): of all ready entries,
// a worker begins the one that the serial run would begin first. One queue for all, sorted by that
// order, holds the children of each phase and the continuations of joins. So the workers have begun
// the entries that the serial run begins first, but for premature nodes: at most as many as there
// are workers times the depth of the program; and P workers that share a cache touch about what one
// touches (Chen and others, "Scheduling threads for constructive cache sharing on CMPs", SPAA
// 2007).
//
// Departures: the original proceeds in rounds, in which P nodes of unit cost are taken at once, and
// keeps the order with a parallel prefix sum in batches (its alpha-queues); here a lock is taken for
// each operation, and an entry's place is found by a binary search whose comparisons go up to where
// the ways from the root part. A worker ends each entry that it has begun: it is not set aside when
// an earlier node becomes ready.
type PDF struct{}

func (PDF) Rules() Rules { return Central{TakeSerial}.Rules() }

// Look takes from the queue, which is everybody's own, and rests.
func (PDF) Look(s *Search) Move { return ownOrRest(s) }
