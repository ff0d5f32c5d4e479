// Package test holds packages for tests of experiments alone: a browser, planted truths, an experiment
// made of formulas. It has no code of its own.
package test
