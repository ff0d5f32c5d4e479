// Package causes attributes a part of a reuse distance histogram: it finds the kernels and objects
// of the accesses in a range of distances, the objects touched in between, and the kernels that had
// used the data before.
//
// A [Counter] takes the accesses of one node in merged order; [Counter.Merge] adds up several
// nodes, and [Counter.Result] ranks.
//
// Kernels and objects are ranked as in the virda paper (4.3: tables 3 to 5 and 7 to 9, "hot
// methods, classes and fields with long distances"): a reuse is put down to its code and to its
// data, and the rankings give their share of the accesses in the range. That share alone favours
// frequent accesses, so the share of a row's own accesses stands beside it.
//
// Two more rankings answer open questions. An access is far because of the data touched since the
// last one: its distance is split by object, and (object, object touched between) ranks where the
// bytes of all those distances come from; an object paired with itself evicts itself. And a reuse
// has two ends, and either may be moved: (kernel of the last access, kernel of this one), as Beyls
// and D'Hollander report them (Refactoring for Data Locality, IEEE Computer 42(2), 2009), counts
// how often each pair is in the range.
//
// Accesses may be counted by a group of the caller besides, such as the path of calls that leads to
// them: [Counter.In].
//
// How a distance is split: each object has a stack of its own units, on the weights of package
// stack, whose slots know the time of their access; and the objects are kept in the order of their
// last accesses. For an access whose last one was at time p, the objects are gone through from the
// most recent one to the first not touched after p, and each gives its bytes after p: exact, and
// the parts add up to the distance. Only accesses in the range are split.
package causes
