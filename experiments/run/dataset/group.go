package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/kernels"
	"krdlab/loi"
)

// A Key distinguishes results that must not be drawn or computed together.
type Key struct {
	Kernel    string
	Params    string // as [request.Describe] writes them
	Substrate string // "native" or "simulated"
	Machine   string // Cell.MachineName
	// of a simulated machine the cache model; the grain of traces where it is not the kernel's;
	// whether writes invalidate in its KRD
	Settings string
}

// String returns the key as a caption has it.
func (k Key) String() string {
	s := k.Kernel + " " + k.Params + ", " + k.Substrate + " on " + k.Machine
	if k.Settings != "" {
		s += ", " + k.Settings
	}
	return s
}

// A Group is the cells of one key: schedulers and core counts that can be compared.
type Group struct {
	Key
	Cells []*Cell

	pooled map[string]*result.Result // of cells of several seeds, by their IDs
}

// Place returns the key without the fields that differ between kernels.
func (g *Group) Place() Key {
	c, r := *g.Cells[0], *g.Cells[0].Result
	r.Settings.Grain = request.GrainKernel
	c.Result = &r
	k := KeyOf(&c)
	k.Kernel, k.Params = "", ""
	return k
}

// Changed returns the kernel with the parameters that are not its defaults.
func (g *Group) Changed() string {
	k, ok := kernels.ByName(g.Kernel)
	words := []string{g.Kernel}
	for _, p := range Params(g.Cells[0].Result) {
		if ok {
			if v, there := k.Defaults()[p.Key]; there && fmt.Sprint(v) == p.Value {
				continue
			}
		}
		words = append(words, p.Key+"="+p.Value)
	}
	return strings.Join(words, " ")
}

// Pages returns where the pages of the data of simulated cells are; "" natively, and for programs
// whose pages no model has.
func (g *Group) Pages() string {
	var list []string
	for _, c := range g.Cells {
		r := c.Result
		if w := r.Settings.NUMA.Words(); r.LLCModel != nil && r.Substrate == loi.Simulated &&
			!slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return strings.Join(list, "; ")
}

// KeyOf returns the key of a cell.
func KeyOf(c *Cell) Key {
	r := c.Result
	key := Key{Kernel: r.Kernel, Params: ParamsText(r), Substrate: r.Substrate,
		Machine: c.MachineName()}
	var more []string
	if m := r.Settings.Modelled(); m != "" {
		more = append(more, "cache model "+m)
	}
	if r.Settings.Grain == request.GrainTask {
		more = append(more, "task grain")
	}
	if r.Settings.Coherence {
		more = append(more, "coherent KRD")
	}
	if r.Machine.Synthetic {
		more = append(more, "synthetic topology "+r.Settings.Topology)
	}
	key.Settings = strings.Join(more, ", ")
	return key
}

// Params returns the parameters of a result in the order of the kernel's declaration, or of the
// alphabet where this krdlab does not have the kernel; parameters that are empty are left out.
func Params(r *result.Result) []loi.KV {
	var list []loi.KV
	if k, ok := kernels.ByName(r.Kernel); ok {
		list = request.ParamList(k, r.Params)
	} else {
		for _, name := range slices.Sorted(maps.Keys(r.Params)) {
			list = append(list, loi.KV{Key: name, Value: text(r.Params[name])})
		}
	}
	return slices.DeleteFunc(list, func(p loi.KV) bool { return p.Value == "" })
}

// ParamsText returns [Params] as n=4096 leaf=32x32x64.
func ParamsText(r *result.Result) string {
	var words []string
	for _, p := range Params(r) {
		words = append(words, p.Key+"="+p.Value)
	}
	return strings.Join(words, " ")
}

// Groups sorts the cells by key, in the order in which they first appear.
func (e *Experiment) Groups() []Group {
	var list []Group
	index := map[Key]int{}
	for i := range e.Cells {
		c := &e.Cells[i]
		key := KeyOf(c)
		n, ok := index[key]
		if !ok {
			n = len(list)
			index[key] = n
			list = append(list, Group{Key: key, pooled: map[string]*result.Result{}})
		}
		list[n].Cells = append(list[n].Cells, c)
	}
	return list
}

// Schedulers returns those of the group in the order of the table of schedulers, unknown ones last.
func (g *Group) Schedulers() []string {
	var list []string
	for _, c := range g.Cells {
		if !slices.Contains(list, c.Result.Scheduler) {
			list = append(list, c.Result.Scheduler)
		}
	}
	order := request.SchedulerNames()
	rank := func(s string) int {
		if i := slices.Index(order, s); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b string) int { return rank(a) - rank(b) })
	return list
}

// Cores returns the core counts of the group, ascending.
func (g *Group) Cores() []int {
	var list []int
	for _, c := range g.Cells {
		list = append(list, c.Result.Cores)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Results returns those of each scheduler at each number of cores, as [Group.At].
func (g *Group) Results() (list []*result.Result) {
	for _, s := range g.Schedulers() {
		for _, n := range g.Cores() {
			if r := g.At(s, n); r != nil {
				list = append(list, r)
			}
		}
	}
	return list
}

// At returns the result of a scheduler at a core count, nil where there is none. Several cells (of
// several seeds) are pooled, once in a group.
func (g *Group) At(scheduler string, cores int) *result.Result {
	var list []*Cell
	ids := scheduler
	for _, c := range g.Cells {
		if c.Result.Scheduler == scheduler && c.Result.Cores == cores {
			list, ids = append(list, c), ids+"\x00"+c.ID
		}
	}
	switch {
	case len(list) == 0:
		return nil
	case len(list) == 1 || g.pooled == nil:
		return pool(list)
	case g.pooled[ids] == nil:
		g.pooled[ids] = pool(list)
	}
	return g.pooled[ids]
}

// A Pooled holds the measurements of one configuration: cells that differ in the seed alone, their
// repetitions, and their runs as one result.
type Pooled struct {
	Cells  []*Cell
	Rows   []Row
	Result *result.Result
}

// Pool puts cells of one configuration together, which are at least one. Cost: a bootstrap.
func Pool(cells []*Cell) *Pooled {
	p := &Pooled{Cells: cells, Result: pool(cells)}
	for _, c := range cells {
		p.Rows = append(p.Rows, c.Rows()...)
	}
	return p
}

func pool(cells []*Cell) *result.Result {
	var results []*result.Result
	for _, c := range cells {
		results = append(results, c.Result)
	}
	return result.Pool(results)
}

// Nodes returns on how many nodes the workers of a result were; 0 if that is not known (go).
func Nodes(r *result.Result) int {
	seen := map[int]bool{}
	for _, p := range r.Repetitions {
		for _, w := range p.Workers {
			seen[w.Node] = true
		}
	}
	return len(seen)
}
