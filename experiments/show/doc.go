// Package show holds what a person looks at: figures, the report of an experiment, the page of a run.
// It has no code of its own.
package show
