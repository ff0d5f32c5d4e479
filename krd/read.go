package krd

import (
	"encoding/json"
	"fmt"
	"io"
	"math/bits"

	"krdlab/hw/failure"
)

// ErrDocument is wrapped by the error of JSON that is no result with a histogram.
var ErrDocument = failure.New(failure.Data, "no histogram of reuse distances")

// Read reads the JSON of `krdlab krd --json` of one trace, or of `krdlab trace go --json`, which
// holds one as "krd" and parts beside it; else the parts are nil. Errors wrap [ErrDocument] and
// name what was found.
func Read(r io.Reader) (*Report, *Parts, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, err
	}
	bad := func(format string, args ...any) (*Report, *Parts, error) {
		return nil, nil, fmt.Errorf("%w: %s; expected what krdlab krd --json of one trace or "+
			"krdlab trace go --json printed", ErrDocument, fmt.Sprintf(format, args...))
	}
	var outer struct {
		KRD   *json.RawMessage `json:"krd"`
		Trace *string          `json:"trace"`
		Unit  string           `json:"unit"`
		Parts
	}
	if err := json.Unmarshal(text, &outer); err != nil {
		return bad("%v", err)
	}
	if outer.Trace != nil {
		return bad("it is of a program whose accesses are in the trace %s", *outer.Trace)
	}
	if outer.KRD != nil {
		text = *outer.KRD
	}
	var report *Report
	if err := json.Unmarshal(text, &report); err != nil {
		return bad("%v", err)
	}
	switch {
	case report == nil || report.Distance == "" || report.Bins == nil:
		return bad("it has no bins")
	case report.SchemaVersion != SchemaVersion:
		return bad("schema_version is %d and not %d", report.SchemaVersion, SchemaVersion)
	case len(report.Bins) > len(tally{}.bins):
		return bad("there are %d bins, and at most %d can be", len(report.Bins),
			len(tally{}.bins))
	}
	if report.Unit == "" {
		report.Unit = outer.Unit
	}
	sum, over := bits.Add64(report.Cold, report.Infinite()-report.Cold, 0)
	for k, b := range report.Bins {
		if b.FromBytes != 1<<k>>1 || b.ToBytes != 1<<k {
			return bad("bin %d is from %d to %d bytes and not from %d to %d", k, b.FromBytes,
				b.ToBytes, uint64(1<<k>>1), uint64(1<<k))
		}
		var carry uint64
		sum, carry = bits.Add64(sum, b.Count, 0)
		over += carry
	}
	switch {
	case over > 0:
		return bad("bins and cold accesses sum to more than 2^64")
	case sum != report.Accesses:
		return bad("bins and cold accesses sum to %d, and accesses are %d", sum, report.Accesses)
	}
	return report, &outer.Parts, nil
}
