// Package atoms splits ranges of bytes that overlap in part into atoms, so that stack distances are
// right where accesses have several granularities.
//
// An object is an address space of bytes, and an access covers a [Shape] of it: one range, or the
// rows of a two-dimensional block. Two bytes belong to the same atom if every shape covers both of
// them or neither. Atoms are thus the largest sets of bytes that no access cuts; each shape is a
// union of them; and the distance of an atom in an LRU stack is that of each of its bytes. An atom
// need not be one interval: a tile of a matrix that is always touched whole is one, whatever the
// number of its rows, and so is the rest of a range around a smaller one.
//
// Where the order matters in which an access touches its bytes (package coherence), an atom must
// not be cut by it either: [Cutter.Ordered] asks for the largest atoms such that in no shape, its
// bytes in ascending order, bytes of one atom lie between those of another. A tile that is always
// touched whole is one still; one beside others in a block that is touched too is one for each row.
//
// It takes two passes over a trace. A [Cutter] collects the distinct shapes and cuts them; the
// [Map] that it leaves gives the atoms of each access.
//
// Base address and size are not taken for identity, as tracing tools commonly do (KRD paper, III:
// the identifier of a data structure "is usually its base address"). The bytes of a range and of a
// part of it would count twice, a first access to the part would be cold after one to the whole,
// and a tile given by its first byte and its extent would cover the tiles beside it.
//
// How it is cut: one sweep over the addresses of each object, over the beginnings and ends of rows,
// keeping the set of shapes that cover the place. Sets are hash-consed (sets.go), so that equal
// sets are the same number: intervals are merged into atoms exactly, without comparing sets and
// without signatures that could collide. Atoms are numbered in the order in which the sweep meets
// them first. All bytes of an atom lie in each shape that covers it, and so the atoms of a shape
// are those that were new between the beginning and the end of one of its rows: one run of
// consecutive numbers for a range, and at most one run a row for a block. Nothing is stored for
// each pair of a shape and an atom.
//
// Cost: O(R log A + R log C) for R rows of distinct shapes, where A is how many shapes extend over
// one address and C is how many cover one; plus the sort of the shapes. Memory: 32 bytes for each
// distinct shape, 11 to 22 in a hash table, 8 for its run of atoms, 8 for each further run of a
// two-dimensional shape, 8 for each atom: 61 to 78 bytes for each shape in all, its atoms included,
// in BenchmarkCut. While it cuts, 20 more for each shape; and the sets of the shapes that are under
// way at one address, 24 to 32 bytes for each of their nodes, at most O(log C) for each row of
// these shapes so far. Ordered atoms take 4 bytes more for each shape while it cuts, and time for
// each shape that covers an interval. Neither the length of the trace nor the number of bytes
// matters.
//
// # Rejected
//
// Partition refinement shape by shape, which visits every interval of every shape and is
// quadratic where large ranges slide over each other; random signatures of sets (XOR of a number
// for each shape), which are smaller, but must be verified to be exact.
package atoms
