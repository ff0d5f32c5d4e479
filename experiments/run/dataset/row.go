package dataset

import (
	"fmt"

	"krdlab/experiments/run/result"
	"krdlab/krd"
)

// A Row is one repetition of a cell. Values that were not measured are not known.
type Row struct {
	Cell *Cell
	Rep  int // from 0

	TimeNS, WorkNS             result.Number
	SerialTimeNS, SerialWorkNS result.Number // of the serial repetition that it ran beside
	// for these two repetitions: speed-up = cores / (OVR x WTI)
	Speedup, OVR, WTI result.Number
	KernelNS          result.Number // mean time of a kernel execution
	LLCMissesPerCore  result.Number
	LLCSource         string // "perf_event", "model", or ""
	MissSource        string // as [result.Result.MissesFrom] names it
	// Disturbed: the repetition, or the serial one beside it, was.
	Disturbed bool
	// KRD is that of this repetition; nil: it was not traced.
	KRD *krd.Histogram
}

// Rows returns a row for each repetition of each cell.
func (e *Experiment) Rows() []Row {
	var rows []Row
	for i := range e.Cells {
		rows = append(rows, e.Cells[i].Rows()...)
	}
	return rows
}

// Rows returns a row for each repetition.
func (c *Cell) Rows() []Row {
	r := c.Result
	rows := make([]Row, len(r.Repetitions))
	for i := range r.Repetitions {
		p := &r.Repetitions[i]
		row := Row{
			Cell: c, Rep: i, TimeNS: result.Some(float64(p.TimeNS)),
			WorkNS:           result.SomeInt(p.WorkNS),
			LLCMissesPerCore: p.LLCMissesPerCore,
			Disturbed:        len(p.Disturbed) > 0,
		}
		if p.KRD != nil && p.KRD.Accesses > 0 {
			row.KRD = p.KRD
		}
		if r.LLCSource != nil && p.LLCMissesPerCore.Known() {
			row.LLCSource, row.MissSource = *r.LLCSource, r.MissesFrom()
		}
		if p.Kernels != nil && *p.Kernels > 0 {
			row.KernelNS = result.Some(row.WorkNS.Float() / float64(*p.Kernels))
		}
		if s := r.Serial.At(i); s != nil {
			row.Disturbed = row.Disturbed || len(s.Disturbed) > 0
			row.SerialTimeNS, row.SerialWorkNS = result.Some(float64(s.TimeNS)),
				result.SomeInt(s.WorkNS)
			if s.TimeNS > 0 {
				row.Speedup = result.Some(row.SerialTimeNS.Float() / row.TimeNS.Float())
			}
			wti := row.WorkNS.Float() / row.SerialWorkNS.Float()
			row.OVR = result.Some(float64(r.Cores) / (row.Speedup.Float() * wti))
			if r.Inflates() {
				row.WTI = result.Some(wti)
			}
		}
		rows[i] = row
	}
	return rows
}

func text(v any) string { return fmt.Sprint(v) }
