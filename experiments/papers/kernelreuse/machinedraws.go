package kernelreuse

import (
	"krdlab/experiments/papers/claims"

	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
)

// mostMachineDraws is the highest number of a draw that any scale has.
const mostMachineDraws = 5

// drawnMachines are the first draws of a machine whose guesses have ranges. Of one that was fitted
// there are none: its prices would have to be fitted anew.
func drawnMachines(m *machine.Machine, draws int) (list []*machine.Machine, err error) {
	if len(m.Ranges) == 0 || len(m.Fits) > 0 {
		return nil, nil
	}
	for i := 1; i <= draws; i++ {
		d, err := m.Draw(i)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// drawsIn are the machines of an experiment that are draws of others there: the hash of the other
// by that of the draw. Errors: those of reading a file of a machine.
func drawsIn(e *dataset.Experiment) (map[string]string, error) {
	dir := filepath.Join(e.Dir, dataset.MachinesDir)
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	of := map[string]string{}
	for _, f := range files {
		m, err := machine.Load(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		list, err := drawnMachines(m, mostMachineDraws)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			of[d.Hash()] = m.Hash()
		}
	}
	return of, nil
}

// hashOf is that of the machine of a group, "" of a computer.
func hashOf(g *dataset.Group) string {
	if m := g.Cells[0].Result.Machine.Model; m != nil {
		return m.Hash
	}
	return ""
}

// held counts on how many draws of the site's machine a conclusion holds.
func (s *site) held(c *conclusion) (n int) {
	for i := range s.draws {
		if c.judge(&s.draws[i]) == claims.Agree {
			n++
		}
	}
	return n
}

// band is the median of a number over the draws, between the least and the greatest; unknown
// without any.
func (s *site) band(number func(s *site) result.Quantity) result.Quantity {
	var values []float64
	for i := range s.draws {
		if q := number(&s.draws[i]); q.Median.Known() {
			values = append(values, q.Median.Float())
		}
	}
	if len(values) == 0 {
		return result.Quantity{}
	}
	return ranged(estimate.Median(values), slices.Min(values), slices.Max(values), true, len(values))
}
