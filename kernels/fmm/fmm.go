// Package fmm computes the potential and acceleration of N bodies in three dimensions by the fast
// multipole method with a dual tree traversal: the irregular kernel of the KRD paper (II-B).
//
// Bodies are sorted along the Morton curve into an octree (tree.go). Each cell gets a centre and a
// radius (geometry.go) and, from the leaves up, multipoles (passes.go). The traversal, which a run
// times, goes through pairs of cells: two that are far from each other meet by their expansions
// (kernel m2l), two leaves body by body (p2p, p2p-self), of others the larger is opened or both are
// (traverse.go), as tasks (task.go, pairs.go). Afterwards locals are handed down to the bodies and
// checked against the direct sum (check.go, reference.go). The arithmetic of expansions and pairs
// is in package laplace.
//
// The data that decide the shape of the traversal are computed before it, from positions and
// charges alone and rounded operation by operation, so that the shape is the same under every
// scheduler and on every computer.
//
// Sources: W. Dehnen, "A hierarchical O(N) force calculation algorithm", J. Comput. Phys. 179,
// 2002; R. Yokota, "An FMM based on dual tree traversal for many-core architectures", J. Algorithms
// Comput. Technol. 7, 2013; H. Cheng, L. Greengard, V. Rokhlin, "A fast adaptive multipole
// algorithm in three dimensions", J. Comput. Phys. 155, 1999.
//
// # Rejected
//
//   - One number as the cutoff of tasks and as the rule when both cells are opened, as in exaFMM,
//     by default (it is --tasks exafmm, pairs.go): at 300 it makes half as many M2L more than
//     opening the larger cell always does, and the number of tasks would change the numbers.
//   - exaFMM's memory for the cells of the tree themselves, under --layout cell: the traversal
//     reads them from an array of their own, and the header of a packed cell holds the centre and
//     room for the rest.
//   - Locks, or copies of results for each worker: phases with disjoint targets need neither, and
//     fix the order of updates.
package fmm
