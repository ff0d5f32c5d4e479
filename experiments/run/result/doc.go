// Package result sums up the repetitions of a run, and reads and writes the documents of its
// directory ([Result], [Manifest], [ReplayReport]).
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
