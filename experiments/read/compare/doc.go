// Package compare compares two experiments, or two runs: it finds differences, and tests whether
// they are more than chance.
//
// Configurations are matched by kernel, parameters, substrate, machine, cache model, scheduler and
// core count; their seeds are pooled. So a simulated number is never compared with a measured one.
// For each quantity the repetitions of both sides are tested by Mann-Whitney's U, two-sided, as
// benchstat does (benchmath): without assuming a distribution. Since many tests are made, those
// that hold after Holm's correction over all of them (A Simple Sequentially Rejective Multiple Test
// Procedure, Scandinavian Journal of Statistics 6, 1979) are told apart from those that do not.
//
// Values that are the same on both sides, all of them, are no test: identical simulated runs have
// no differences to be tested.
//
// The parts: match.go matches configurations, quantity.go defines the quantities, holm.go corrects,
// text.go prints; samples.go compares a sampled and an exact result of a Go program,
// traces.go two traces of one program.
package compare
