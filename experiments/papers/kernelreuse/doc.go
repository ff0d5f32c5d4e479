// Package kernelreuse redoes the evaluation of the KRD paper (figures 1, 2, 4, 5, 6 and table I) and
// sets the paper's statements beside what came out.
//
// A [Claim] is one statement of the paper, with its words. It has parts, the pairs of an order or a
// value, and readings: what the sentence may mean, and what the paper leaves open (Qthreads' order
// of victims, FMM's tasks). A part holds if the 95 % interval of a number passes a test of package
// claims; with [Bands] the interval is widened by what the number comes to when guessed parameters
// are drawn. Its [Basis] says whether the machine was fitted to a claim, or was
// changed with it in view.
//
// Beside the evaluation there are studies, each a plan and an outcome (study.go), the text, tables
// and figure that follow from its cells: what one rule of a scheduler is worth (ablation.go), what
// the conclusions come to on other machines (machines.go), native runs beside simulated ones
// (validate.go), and draws of the paper's machine (draws.go).
package kernelreuse
