package reproduce

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"krdlab/experiments/dataset"
	"krdlab/hw/machine"
	"krdlab/krd/doc"
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

// exactly is v as if nothing else could have come out.
func (v interval) exactly() interval {
	v.low, v.high, v.sure = v.mid, v.mid, v.known
	return v
}

// held counts on how many draws of the site's machine a conclusion holds.
func (s *site) held(c *conclusion) (n int) {
	for i := range s.draws {
		if c.judge(&s.draws[i]) == Agree {
			n++
		}
	}
	return n
}

// band is between what a number lies on the draws; unknown without any.
func (s *site) band(number func(s *site) interval) interval {
	var values []float64
	for i := range s.draws {
		if v := number(&s.draws[i]); v.known {
			values = append(values, v.mid)
		}
	}
	if len(values) == 0 {
		return interval{}
	}
	return interval{mid: values[0], low: slices.Min(values), high: slices.Max(values),
		n: len(values), known: true, sure: true}
}

// drawsText has, of the machines of which there are draws, how often each conclusion holds and
// between what the numbers lie.
func drawsText(p *doc.Page, list []site) {
	list = slices.DeleteFunc(slices.Clone(list), func(s site) bool { return len(s.draws) == 0 })
	if len(list) == 0 {
		return
	}
	p.Line("\nmatmul on machines whose guesses are drawn within their ranges, one seed each: on how " +
		"many draws a conclusion holds by its values, and between what numbers lie\n")
	head := []string{"machine", "cores", "draws"}
	for i := range conclusions {
		head = append(head, strconv.Itoa(i+1))
	}
	t := doc.NewTable(1, head...)
	for i := range list {
		s := &list[i]
		row := []any{s.machine(), s.cores, len(s.draws)}
		for n := range conclusions {
			row = append(row, s.held(&conclusions[n]))
		}
		t.Row(row...)
	}
	p.Table(t)
	p.Line("")
	t = doc.NewTable(3, "machine", "cores", "scheduler", "time / MTH", "OVR", "WTI",
		"beyond LLC, %")
	t.Keys = 3
	for i := range list {
		s := &list[i]
		for n, name := range Schedulers {
			row := []any{"", "", name}
			if n == 0 {
				row = []any{s.machine(), s.cores, name}
			}
			over := s.band(func(s *site) interval { return s.over(milliseconds, name) })
			row = append(row, over.ends(2))
			for _, m := range []measure{ovr, wti} {
				row = append(row, s.band(func(s *site) interval { return s.of(m, name) }).ends(2))
			}
			row = append(row, s.band(func(s *site) interval {
				return s.of(beyondLLC, name)
			}).ends(1))
			t.Row(row...)
		}
	}
	p.Table(t)
}

// ends writes a band with a number of decimals.
func (v interval) ends(decimals int) string {
	if !v.known {
		return doc.NotAvailable
	}
	return fmt.Sprintf("%.*f to %.*f", decimals, v.low, decimals, v.high)
}
