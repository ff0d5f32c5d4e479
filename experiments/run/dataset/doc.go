// Package dataset reads the folders that runs and sweeps leave on disk. An experiment is a folder
// of cells, a cell one configuration under one scheduler.
//
// An experiment folder:
//
//	experiment.json        what it is: Info
//	plan.jsonl             one line for each cell of the plan: PlannedCell; written before anything runs
//	machines/NAME.toml     the simulated machines that the plan names
//	cells/ID/              a run directory (manifest.json, result.json, traces); its schedulers were interleaved
//	cells/ID.partial/      one that was not finished
//	cells/ID.failed.json   why a cell failed: Failure
//
// A single run directory is an experiment of one cell. Cells that cannot be used are Problems and
// do not hide others.
package dataset

import "krdlab/experiments/run/result"

// Names of what an experiment folder holds.
const (
	InfoFile      = "experiment.json"
	PlanFile      = "plan.jsonl"
	MachinesDir   = result.MachinesDir
	CellsDir      = "cells"
	PartialSuffix = ".partial"
	FailedSuffix  = ".failed.json"
)

// SchemaVersion is the version of [Info], [PlannedCell] and [Failure]. Fields may be added under
// the same version, never renamed.
const SchemaVersion = 1
