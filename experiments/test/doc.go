// Package test holds what only tests of experiments use: a browser, an experiment made of formulas.
// It has no code of its own.
package test
