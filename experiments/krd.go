package experiments

// KRD is a histogram of kernel reuse distances, the document of `krdlab krd --json`.
type KRD struct {
	SchemaVersion int    `json:"schema_version"`
	Distance      string `json:"distance"` // "exclusive" or "inclusive"
	Weight        string `json:"weight"`   // "count" or "bytes"
	Accesses      uint64 `json:"accesses"`
	Cold          uint64 `json:"cold"`
	Shared        uint64 `json:"shared"`
	Close         uint64 `json:"close"`
	Near          uint64 `json:"near"`
	Far           uint64 `json:"far"`
}
