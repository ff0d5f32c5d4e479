package sweep

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"time"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/hw/textfile"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// pace estimates how long cells take from those of their kind that are done, in proportion to
// kernel executions. Kinds are not estimated from each other: an execution of one kernel takes a
// thousand times as long as one of another.
type pace struct {
	plan    *Plan
	weights []float64
	kinds   []string
	state   []cellState
	seen    map[string]rate // by kind
}

type cellState int

const (
	todo cellState = iota
	isDone
	hasFailed
)

type rate struct{ seconds, weight float64 }

func newPace(p *Plan) *pace {
	n := len(p.Cells)
	pc := &pace{plan: p, weights: make([]float64, n), kinds: make([]string, n),
		state: make([]cellState, n), seen: map[string]rate{}}
	for i := range p.Cells {
		pc.kinds[i], pc.weights[i] = weigh(&p.Cells[i])
	}
	return pc
}

// weigh returns a number that is roughly proportional to the time that a cell takes among cells of
// its kind, and that kind. Where a kernel does not tell its executions beforehand, each of its
// sizes is a kind.
func weigh(c *dataset.PlannedCell) (kind string, weight float64) {
	kind, weight = c.Kernel+" simulated", 1
	if c.Machine == dataset.Native {
		kind = c.Kernel + " native"
	}
	plan, err := kernel.Plan{}, errors.ErrUnsupported
	if k, ok := kernels.ByName(c.Kernel); ok {
		plan, err = k.Plan(c.Params)
	}
	if err == nil && plan.Executions > 0 {
		weight = float64(plan.Executions)
	} else {
		kind += " " + paramsText(c.Kernel, c.Params)
	}
	n := float64(len(c.Schedulers))
	if c.Machine == dataset.Native { // schedulers run on all cores, serial on one
		return kind, float64(c.Settings.Reps+c.Settings.Warmup) * weight * (1 + n/float64(c.Cores))
	}
	return kind, float64(c.Settings.Reps) * weight * (1 + n)
}

// learn enters that cell i took so long.
func (p *pace) learn(i int, took time.Duration) {
	p.state[i] = isDone
	r := p.seen[p.kinds[i]]
	p.seen[p.kinds[i]] = rate{r.seconds + took.Seconds(), r.weight + p.weights[i]}
}

func (p *pace) fail(i int) { p.state[i] = hasFailed }

// read learns from the manifest of a finished cell.
func (p *pace) read(dir string, i int) {
	p.state[i] = isDone
	b, err := textfile.Read(filepath.Join(dir, dataset.CellsDir, p.plan.Cells[i].ID,
		result.ManifestFile))
	if err != nil {
		return // it is known only that the cell is there
	}
	var m struct {
		Started  time.Time  `json:"started"`
		Finished *time.Time `json:"finished"`
	}
	if json.Unmarshal(b, &m) == nil && m.Finished != nil {
		p.learn(i, m.Finished.Sub(m.Started))
	}
}

// settled is how many cells are done or have failed.
func (p *pace) settled() (n int) {
	for _, s := range p.state {
		if s != todo {
			n++
		}
	}
	return n
}

// share is how much of the work is done when part of cell i is, 0 to 1.
func (p *pace) share(i int, part float64) float64 {
	done, all := 0.0, 0.0
	for j, w := range p.weights {
		all += w
		if p.state[j] != todo {
			done += w
		} else if j == i {
			done += part * w
		}
	}
	return done / all
}

// A Left is how long the cells that are not done take one process.
type Left struct {
	Cells   int           // that are not done
	Untimed int           // of which it is not known, since none of their kind is done
	Time    time.Duration // of the others
}

// Known says whether it is the time of all cells.
func (l Left) Known() bool { return l.Untimed == 0 }

// left estimates the rest. part of cell i is done, if i is not negative, which took elapsed; where
// no cell of its kind is done, that part is what is gone by if fair: if it has some of everything
// that the cell consists of.
func (p *pace) left(i int, part float64, elapsed time.Duration, fair bool) (l Left) {
	sum := 0.0
	for j, w := range p.weights {
		if p.state[j] != todo {
			continue
		}
		l.Cells++
		r := p.seen[p.kinds[j]]
		if r.weight == 0 && i >= 0 && fair && p.kinds[i] == p.kinds[j] {
			r = rate{elapsed.Seconds(), part * p.weights[i]}
		}
		if r.weight == 0 {
			l.Untimed++
			continue
		}
		s := w * r.seconds / r.weight
		if j == i {
			s *= 1 - part
		}
		sum += s
	}
	l.Time = time.Duration(sum * float64(time.Second))
	return l
}
