package tasks

import (
	"math"
	"math/big"
	"slices"

	"krdlab/krd/analysis/interleave/engine"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// Unit is that of distances.
const Unit = "bytes"

// Result returns the distances of a group in the form that those over interleavings of threads
// have: a distance is the least of its bin, counts are of accesses over all runs, and an interval
// is one of the mean over runs.
func (x *Exploration) Result(g *Group) *engine.Result {
	r := &engine.Result{SchemaVersion: engine.SchemaVersion, Method: g.Name, Unit: Unit,
		Runs: len(g.Runs), Objects: []engine.Object{}, Warnings: []string{}}
	if g.Kind == KindSampler && g.Name == string(PCT) {
		r.Depth = x.Depth
	}
	of := x.AccessesOf()
	runs := float64(len(g.Runs))
	for i, name := range x.Objects {
		o := engine.Object{Name: name, Accesses: of[i], Distances: []engine.Distance{}}
		for b := range x.sizes {
			if int(x.objectOf[b]) != i || g.least[b] == 0 {
				continue
			}
			least, most := int(g.least[b]-1), int(g.most[b]-1)
			if o.Minimum == nil {
				o.Minimum, o.Maximum = &least, &most
			}
			*o.Minimum, *o.Maximum = min(*o.Minimum, least), max(*o.Maximum, most)
		}
		for k := range bins + 1 {
			// cold ones first, as in package interleave
			d, k := -1, (k+bins)%(bins+1)
			if k < bins {
				d = int(uint64(1) << k >> 1)
			}
			n := g.Counts[i][k]
			if n == 0 {
				continue
			}
			p := float64(n) / (float64(of[i]) * runs)
			y := engine.Distance{Distance: d, Count: &engine.Count{}, Probability: p}
			y.Count.SetUint64(n)
			if g.Kind != KindAll {
				spread := max(0, g.squares[i][k]/runs-float64(n)*float64(n)/runs/runs)
				half := engine.Z95 * math.Sqrt(spread/max(1, runs-1)) / float64(of[i])
				low, high := max(0, p-half), min(1, p+half)
				if runs > 1 {
					y.Low, y.High = &low, &high
				}
				y.Run = engine.Wilson(float64(g.reached[i][k]), runs)
			} else {
				y.Reached = &engine.Count{Int: *big.NewInt(int64(g.reached[i][k]))}
			}
			o.Distances = append(o.Distances, y)
		}
		r.Objects = append(r.Objects, o)
	}
	return r
}

// AccessesOf returns the number of accesses to each object.
func (d *DAG) AccessesOf() []int {
	of := make([]int, len(d.Objects))
	for i, u := range d.units {
		if d.more == nil || d.more[i] == 0 {
			of[d.objectOf[u]]++
		}
	}
	return of
}

// A Range is values of schedules.
type Range struct {
	Minimum, Low, Median, High, Maximum uint64 // Low and High: quantiles of 5 and 95 %
	Mean                                float64
}

// RangeOf returns the range of the accesses beyond the LLC, or only the far reuses, of an object
// over the runs of a group; of all objects if it is negative. Quantiles are values that occur.
func (g *Group) RangeOf(object int, withCold bool) Range {
	list := make([]uint64, 0, len(g.Runs))
	sum := 0.0
	for i := range g.Runs {
		v := g.Runs[i].sum(object, withCold)
		list = append(list, v)
		sum += float64(v)
	}
	slices.Sort(list)
	at := func(q float64) uint64 { return list[int(q*float64(len(list)-1)+0.5)] }
	return Range{at(0), at(0.05), at(0.5), at(0.95), at(1), sum / float64(len(list))}
}

// Widths compares two groups, object by object. The width of a block is that of the range of its
// distances, from the least to the largest that any access to it has in any run of a group. Returned
// are the number of blocks that are reused in both groups, the medians of their widths in g and in
// by, and the median of the quotients, of blocks whose width in by is not 0.
func (x *Exploration) Widths(g, by *Group) (blocks []int, of, beside, quotient []float64) {
	n := len(x.Objects)
	lists := make([][3][]float64, n)
	for b := range x.sizes {
		if g.least[b] == 0 || by.least[b] == 0 {
			continue
		}
		l := &lists[x.objectOf[b]]
		w, v := float64(g.most[b]-g.least[b]), float64(by.most[b]-by.least[b])
		l[0], l[1] = append(l[0], w), append(l[1], v)
		if v > 0 {
			l[2] = append(l[2], w/v)
		}
	}
	for o := range lists {
		blocks = append(blocks, len(lists[o][0]))
		of, beside = append(of, median(lists[o][0])), append(beside, median(lists[o][1]))
		quotient = append(quotient, median(lists[o][2]))
	}
	return blocks, of, beside, quotient
}

// median returns the median of a list; NaN of an empty one.
func median(list []float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	slices.Sort(list)
	if n := len(list); n%2 == 0 {
		return (list[n/2-1] + list[n/2]) / 2
	}
	return list[len(list)/2]
}

// Steps returns s as it can be followed: with the pieces that run no kernel, each as late as it can
// be, by the worker of the piece that waits for it.
func (d *DAG) Steps(s *Schedule) []dag.Step {
	f := &follower{graph: d.graph, number: make([]uint32, len(d.graph.Tasks)),
		phase: make([]int, len(d.graph.Tasks))}
	for _, v := range s.Order {
		at := d.places[v]
		f.worker = uint32(s.Worker[v])
		f.reach(int(at.task), int(at.phase))
		if at.child == loi.AfterPhase {
			f.children(int(at.task))
			f.after(int(at.task))
			continue
		}
		f.step(at.task, at.child)
		if of := d.graph.Tasks[at.task].Phases[at.phase].Children[at.child].Task; of >= 0 {
			f.begun(of)
		}
	}
	f.children(0)
	return f.steps
}

// A follower makes the steps of a schedule.
type follower struct {
	graph  *dag.Graph
	steps  []dag.Step
	number []uint32 // of each task; 0: not begun, but for task 0
	phase  []int    // of each task, the one that it is in
	tasks  uint32
	worker uint32
}

func (f *follower) step(task, child uint32) {
	f.steps = append(f.steps, dag.Step{Task: f.number[task], Child: child, Worker: f.worker})
}

func (f *follower) begun(task int) {
	f.tasks++
	f.number[task] = f.tasks
}

// begin begins a task, if it has not begun.
func (f *follower) begin(task int) {
	if task == 0 || f.number[task] != 0 {
		return
	}
	t := &f.graph.Tasks[task]
	f.reach(t.Parent, t.Phase)
	f.step(uint32(t.Parent), uint32(t.Child))
	f.begun(task)
}

// reach takes a task to a phase.
func (f *follower) reach(task, phase int) {
	f.begin(task)
	for f.phase[task] < phase {
		f.children(task)
		f.after(task)
	}
}

// children ends those of the task's phase that have not ended: the rest of them has no kernels.
func (f *follower) children(task int) {
	for c := range f.graph.Tasks[task].Phases[f.phase[task]].Children {
		x := &f.graph.Tasks[task].Phases[f.phase[task]].Children[c]
		switch {
		case x.Task >= 0:
			f.begin(x.Task)
			f.reach(x.Task, len(f.graph.Tasks[x.Task].Phases))
		case x.Piece.First == 0:
			f.step(uint32(task), uint32(c))
		}
	}
}

// after ends the phase of a task.
func (f *follower) after(task int) {
	f.step(uint32(task), loi.AfterPhase)
	f.phase[task]++
}
