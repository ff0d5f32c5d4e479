// Package planted holds inputs whose true conclusion is known, since they were made so, and as many
// with none; its test has krdlab conclude from each. It has no code of its own.
//
//	truth_test.go    what a planted truth is
//	planted_test.go  runs krdlab and scores what it finds; docs/findings.md has the table
//	tables_test.go   and its siblings hold the truths, one file for each group; the program that is
//	                 tested has a scheduler with defects (schedulers_test.go)
//
// Adding one: a truth in the file of its group, with the least input that shows it; then
// go test ./experiments/test/planted -update.
package planted
