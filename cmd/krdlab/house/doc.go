// Package house has the tests that read all sources of the tree: imports, sizes, words, classes of
// errors, and code that may stand in some places only. They are apart from those of package app,
// which collect garbage at each repetition of a run: the parsed tree would be looked through each time.
package house
