// Package show holds the packages that show kept runs: figures, the report of an experiment, the
// page of a run. It has no code of its own.
package show
