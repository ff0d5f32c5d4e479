// Package papers holds the evaluations of the published papers that krdlab redoes, one package each.
// It has no code of its own.
package papers
