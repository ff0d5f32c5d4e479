// Package result is what came out of a run: the documents ([Result], [Manifest], [ReplayReport]),
// the numbers in them, how repetitions are summed up, and the directory that keeps them.
//
//	repetitions (Measured)  ->  Summarise  ->  Result  ->  RunDir
//	                                             |
//	                           several seeds  ->  Pool
//
// A number that was not measured is unknown ([Number]) and never 0. Statistics are in one place:
// medians with intervals of order statistics ([QuantityOf]), ratios with bootstrap intervals (KRD
// paper, I-A).
//
// # Rejected
//
// Sentences of warnings made when a result is marshalled: this package would import package brief,
// which makes them from its codes.
package result

import ()
