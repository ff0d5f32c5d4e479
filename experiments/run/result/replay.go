package result

import (
	"krdlab/experiments/run/request"
)

// A ReplayReport is the result of the replay of one trace: the document of `krdlab krd --replay`.
type ReplayReport struct {
	SchemaVersion int                `json:"schema_version"`
	Source        string             `json:"source"` // LLCSourceModel
	Machine       string             `json:"machine"`
	CacheModel    request.CacheModel `json:"cache_model"`
	// Placed records that blocks lie where the trace's program has them; if not, they follow each
	// other, each in one piece.
	Placed bool `json:"placed"`
	Cores  int  `json:"cores"` // workers, or under go the number of cores that it was given
	// LLCMissesPerCore is Total / Cores.
	LLCMissesPerCore Number `json:"llc_misses_per_core"`
	LLCMisses
	Warnings     []string  `json:"warnings"` // the sentences of WarningCodes
	WarningCodes []Warning `json:"warning_codes,omitempty"`
}
