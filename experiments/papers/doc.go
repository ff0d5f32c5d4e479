// Package papers holds packages that redo the evaluation of published papers, one package for each
// paper. It has no code of its own.
package papers
