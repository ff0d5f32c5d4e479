package kernelreuse

import (
	"errors"
	"fmt"
	"slices"

	"krdlab/krd/doc"
)

// A drawn value is a measure of the first seeds of a draw, simulated.
type drawn struct {
	Draw      int     `json:"draw"`
	Kernel    string  `json:"kernel"`
	Params    string  `json:"params"` // those that were run, as n=4096 leaf=32x32x64
	Cores     int     `json:"cores"`
	Scheduler string  `json:"scheduler"`
	Measure   string  `json:"measure"` // the id of one of drawnQuantities
	Value     float64 `json:"value"`
	Unit      string  `json:"unit"`
	Hash      string  `json:"machine_hash"` // of the machine that was drawn
}

// Bands are the values of measures on machines whose guessed numbers were drawn within their
// ranges. Draw 0 is the machine as its file has it.
type Bands struct {
	MachineHash string // of draw 0
	Draws       int    // that are there, draw 0 included

	rows   []drawn
	values map[bandKey]map[int]float64 // by draw
}

type bandKey struct {
	kernel  string
	cores   int
	sched   string
	measure string
}

// At returns a measure in one draw, so that what is derived from several can be derived draw by
// draw; false where it is not known.
func (b *Bands) At(draw int, kernel string, cores int, scheduler, measure string) (float64, bool) {
	v, ok := b.values[bandKey{kernel, cores, scheduler, measure}][draw]
	return v, ok
}

// sorted returns the values of all draws, the lowest first.
func (b *Bands) sorted(k bandKey) []float64 {
	var list []float64
	for _, v := range b.values[k] {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

// newBands sorts values that are of one study. An error where they are not, or where there are
// none of draw 0.
func newBands(rows []drawn) (*Bands, error) {
	b := &Bands{rows: rows, values: map[bandKey]map[int]float64{}}
	hashes := map[int]string{}
	for _, r := range rows {
		k := bandKey{r.Kernel, r.Cores, r.Scheduler, r.Measure}
		if b.values[k] == nil {
			b.values[k] = map[int]float64{}
		}
		if _, twice := b.values[k][r.Draw]; twice {
			return nil, fmt.Errorf("found a second value of draw %d, %s, %d cores, %s, %s, "+
				"expected one", r.Draw, r.Kernel, r.Cores, r.Scheduler, r.Measure)
		}
		b.values[k][r.Draw] = r.Value
		if h := hashes[r.Draw]; h != "" && h != r.Hash {
			return nil, fmt.Errorf("found machines %s and %s in draw %d, expected one", h, r.Hash,
				r.Draw)
		}
		hashes[r.Draw] = r.Hash
	}
	if hashes[0] == "" {
		return nil, errors.New("found no value of draw 0, expected the machine as its file has it")
	}
	b.MachineHash, b.Draws = hashes[0], len(hashes)
	return b, nil
}

// drawnTable returns values as data.
func drawnTable(rows []drawn) *doc.Table {
	t := doc.NewData("draws", "draw", "kernel", "params", "cores", "scheduler", "measure", "value", "unit",
		"machine_hash")
	for _, d := range rows {
		t.Row(d.Draw, d.Kernel, d.Params, d.Cores, d.Scheduler, d.Measure, d.Value, d.Unit, d.Hash)
	}
	return t
}
