package sweep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"krdlab/experiments"
	"krdlab/experiments/dataset"
	"krdlab/kernels"
)

// pace estimates how long cells take from those that are done: proportional to the kernel executions of a cell, by kernel and substrate,
// and where nothing of that kind is done, to all.
type pace struct {
	plan    *Plan
	weights []float64
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
	pc := &pace{plan: p, weights: make([]float64, len(p.Cells)), state: make([]cellState, len(p.Cells)), seen: map[string]rate{}}
	for i := range p.Cells {
		pc.weights[i] = weigh(&p.Cells[i])
	}
	return pc
}

// weigh returns a number that is roughly proportional to the time that a cell takes, among cells of its kind.
func weigh(c *dataset.PlannedCell) float64 {
	one := 1.0
	if k, ok := kernels.ByName(c.Kernel); ok {
		if plan, err := k.Plan(c.Params); err == nil && plan.Executions > 0 {
			one = float64(plan.Executions)
		}
	}
	n := float64(len(c.Schedulers))
	if c.Machine == dataset.Native { // schedulers run on all cores, serial on one
		return float64(c.Settings.Reps+c.Settings.Warmup) * one * (1 + n/float64(c.Cores))
	}
	return float64(c.Settings.Reps) * one * (1 + n)
}

func (p *pace) kind(i int) string {
	c := &p.plan.Cells[i]
	if c.Machine == dataset.Native {
		return c.Kernel + " native"
	}
	return c.Kernel
}

// learn enters that cell i took so long.
func (p *pace) learn(i int, took time.Duration) {
	p.state[i] = isDone
	for _, kind := range []string{p.kind(i), ""} {
		r := p.seen[kind]
		p.seen[kind] = rate{r.seconds + took.Seconds(), r.weight + p.weights[i]}
	}
}

func (p *pace) fail(i int) { p.state[i] = hasFailed }

// read learns from the manifest of a finished cell.
func (p *pace) read(dir string, i int) {
	p.state[i] = isDone
	b, err := os.ReadFile(filepath.Join(dir, dataset.CellsDir, p.plan.Cells[i].ID, experiments.ManifestFile))
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

// estimate returns how long cell i takes; ok is false if nothing was done yet.
func (p *pace) estimate(i int) (seconds float64, ok bool) {
	r, ok := p.seen[p.kind(i)]
	if !ok {
		r, ok = p.seen[""]
	}
	if !ok || r.weight == 0 {
		return 0, false
	}
	return p.weights[i] * r.seconds / r.weight, true
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

// left is how long the rest takes one process when part of cell i is done; negative if that is not known. Before a first cell is done, it is
// estimated from the elapsed time of that part.
func (p *pace) left(i int, part float64, elapsed time.Duration) time.Duration {
	sum := 0.0
	for j, w := range p.weights {
		if p.state[j] != todo {
			continue
		}
		s, ok := p.estimate(j)
		if !ok {
			if i < 0 || part < 0.02 {
				return -1
			}
			s = elapsed.Seconds() / part * w / p.weights[i]
		}
		if j == i {
			s *= 1 - part
		}
		sum += s
	}
	return time.Duration(sum * float64(time.Second))
}
