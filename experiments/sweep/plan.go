package sweep

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// A Plan is the cells of a sweep, and the machines that they are simulated on.
type Plan struct {
	Cells    []dataset.PlannedCell
	Machines map[string]*machine.Machine // by the name in PlannedCell.Machine

	topologies map[string]*hw.Topology
	names      map[*machine.Machine]string
}

// NewPlan returns the plan that runs requests in their order, which have been validated. Their Out
// and Notice are not used. Errors: a [*request.Error] where there are none, or two are
// the same.
func NewPlan(requests []request.Request) (*Plan, error) {
	if len(requests) == 0 {
		return nil, &request.Error{Flag: "kernel", Got: "(none)",
			Want: "there is nothing to run: the plan has no cells"}
	}
	p := &Plan{Machines: map[string]*machine.Machine{}}
	seen := map[string]string{}
	for i := range requests {
		c := &requests[i]
		name := dataset.Native
		if c.Machine != nil {
			name = p.nameOf(c.Machine)
		}
		cell := dataset.PlannedCell{
			SchemaVersion: dataset.SchemaVersion, Index: i, Kernel: c.Kernel.Name, Params: c.Params,
			Schedulers: request.Names(c.Schedulers), Cores: c.Cores, Seed: c.Seed,
			Machine: name, Settings: c.Asked().Settings,
		}
		what := identity(cell)
		cell.ID = idOf(cell)
		if other, ok := seen[what]; ok {
			return nil, &request.Error{Flag: "kernel", Got: cell.Kernel,
				Want: fmt.Sprintf("the plan has the same cell twice: %s and %s", other, cell.ID)}
		}
		seen[what] = cell.ID
		p.Cells = append(p.Cells, cell)
	}
	return p, nil
}

// idOf names the folder of a cell.
func idOf(c dataset.PlannedCell) string {
	id := fmt.Sprintf("%04d-%s", c.Index, c.Kernel)
	if k, ok := kernels.ByName(c.Kernel); ok {
		if v, ok := c.Params[k.Size]; ok {
			id += fmt.Sprintf("-%c%v", k.Size[0], v)
		}
	}
	return fmt.Sprintf("%s-c%d-s%d", id, c.Cores, c.Seed)
}

// identity returns all fields of a cell that change the run.
func identity(c dataset.PlannedCell) string {
	c.Index, c.ID = 0, ""
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // params are whole numbers and texts
	}
	return string(b)
}

// nameOf enters a machine and returns the name of its file: its own, and the beginning of its hash
// where another machine has that name, or the name would not do for a file.
func (p *Plan) nameOf(m *machine.Machine) string {
	if name := p.names[m]; name != "" {
		return name
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, m.Name)
	other, taken := p.Machines[name]
	same := taken && other.Hash() == m.Hash() && other.Name == m.Name
	if !same && (taken || name != m.Name || name == dataset.Native || strings.HasPrefix(name, ".")) {
		name = strings.TrimLeft(name, ".") + "-" + m.Hash()[:8]
	}
	if !same {
		p.Machines[name] = m
	}
	if p.names == nil {
		p.names = map[*machine.Machine]string{}
	}
	p.names[m] = name
	return name
}

// Request returns the request of a cell, to be run into the experiment dir, and the machine that
// its workers are placed on; host is this computer.
func (p *Plan) Request(i int, dir string, host *hw.Topology) (*request.Request, *hw.Topology,
	error) {
	cell := &p.Cells[i]
	r := &request.Request{Params: cell.Params, Cores: cell.Cores, Seed: cell.Seed,
		Settings: cell.Settings, Out: filepath.Join(dir, dataset.CellsDir, cell.ID)}
	r.CacheModel = cmp.Or(r.CacheModel, request.CacheBlocks)
	var err error
	r.Kernel, err = request.FindKernel(cell.Kernel)
	if err == nil {
		r.Schedulers, err = request.FindSchedulers(cell.Schedulers)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("cell %s: %w", cell.ID, err)
	}
	if cell.Machine == dataset.Native {
		if r.Caches != "" {
			c, err := request.ParseCaches(r.Caches)
			if err != nil {
				return nil, nil, fmt.Errorf("cell %s: %w", cell.ID, err)
			}
			host = host.WithCaches(c)
		}
		return r, host, nil
	}
	r.Machine = p.Machines[cell.Machine]
	if r.Machine == nil {
		return nil, nil, fmt.Errorf("cell %s: there is no machine %q", cell.ID, cell.Machine)
	}
	t := p.topologies[cell.Machine]
	if t == nil {
		if t, err = r.Machine.Topology(); err != nil {
			return nil, nil, fmt.Errorf("cell %s: %w", cell.ID, err)
		}
		if p.topologies == nil {
			p.topologies = map[string]*hw.Topology{}
		}
		p.topologies[cell.Machine] = t
	}
	return r, t, nil
}

// lines returns the plan as plan.jsonl has it.
func (p *Plan) lines() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, c := range p.Cells {
		if err := e.Encode(c); err != nil {
			return nil, fmt.Errorf("cell %s: %w", c.ID, err)
		}
	}
	return b.Bytes(), nil
}

// A DifferentPlanError reports that a folder holds another experiment than the one requested.
type DifferentPlanError struct {
	Dir  string
	What []string // what differs, one by one
}

func (e *DifferentPlanError) Error() string {
	return fmt.Sprintf("%s holds another sweep (%s); choose another --out, or go on with that "+
		"one: krdlab sweep resume %s", e.Dir, strings.Join(e.What, "; "), e.Dir)
}

// Class implements [failure.Classed].
func (*DifferentPlanError) Class() failure.Class { return failure.Request }

// differences lists the differences of two plans; none if they are the same.
func differences(there, asked *Plan) []string {
	var what []string
	a, b := there.dimensions(), asked.dimensions()
	for i := range a {
		if a[i].values != b[i].values {
			what = append(what, fmt.Sprintf("%s %s there, %s asked for", a[i].name, a[i].values,
				b[i].values))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(asked.Machines)) {
		if other := there.Machines[name]; other != nil &&
			other.Hash() != asked.Machines[name].Hash() {
			what = append(what, fmt.Sprintf("the numbers of machine %s", name))
		}
	}
	if len(what) > 0 {
		return what
	}
	x, errX := there.lines()
	y, errY := asked.lines()
	if errX != nil || errY != nil || !bytes.Equal(x, y) {
		what = append(what, "the order or the combinations of its cells")
	}
	return what
}

type dimension struct{ name, values string }

// dimensions returns the distinct values of everything in a plan, for comparing and for showing it.
func (p *Plan) dimensions() []dimension {
	var list []dimension
	add := func(name string, of func(c *dataset.PlannedCell) string) {
		var values []string
		for i := range p.Cells {
			if v := of(&p.Cells[i]); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		list = append(list, dimension{name, strings.Join(values, " | ")})
	}
	add("kernels", func(c *dataset.PlannedCell) string { return c.Kernel })
	add("parameters", func(c *dataset.PlannedCell) string { return paramsText(c.Kernel, c.Params) })
	add("schedulers", func(c *dataset.PlannedCell) string {
		return strings.Join(c.Schedulers,
			",")
	})
	add("cores", func(c *dataset.PlannedCell) string { return fmt.Sprint(c.Cores) })
	add("seeds", func(c *dataset.PlannedCell) string { return fmt.Sprint(c.Seed) })
	add("machines", func(c *dataset.PlannedCell) string { return c.Machine })
	add("repetitions", func(c *dataset.PlannedCell) string { return fmt.Sprint(c.Settings.Reps) })
	add("warm-ups", func(c *dataset.PlannedCell) string { return fmt.Sprint(c.Settings.Warmup) })
	add("settings", func(c *dataset.PlannedCell) string { return settingsText(c.Settings) })
	return list
}

func paramsText(name string, p kernel.Params) string {
	r := result.Result{Kernel: name, Params: p}
	return dataset.ParamsText(&r)
}

func settingsText(s request.Settings) string {
	s.Reps, s.Warmup = 0, 0
	words := []string{"bind " + s.Bind.String(), "trace " + string(s.Trace), "grain " + string(s.Grain),
		"counters " + string(s.Counters), "memory " + string(s.NUMA)}
	if m := s.Modelled(); m != "" {
		words = append(words, "cache model "+m)
	}
	if s.Reuse.Cores {
		words = append(words, "KRD of cores")
	}
	if s.Coherence {
		words = append(words, "coherent KRD")
	}
	if s.Oversubscribe {
		words = append(words, "oversubscribed")
	}
	if s.SMT {
		words = append(words, "SMT")
	}
	if s.Topology != "" {
		words = append(words, "topology "+s.Topology)
	}
	if s.Caches != "" {
		words = append(words, "caches "+s.Caches)
	}
	if s.TraceLimit != 0 {
		words = append(words, fmt.Sprintf("trace limit %d", s.TraceLimit))
	}
	return strings.Join(words, ", ")
}

// Name returns a name for the folder of the plan, which is the same for the same plan.
func (p *Plan) Name() string {
	h := sha256.New()
	if b, err := p.lines(); err == nil {
		h.Write(b)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Machines)) {
		io.WriteString(h, p.Machines[name].Hash())
	}
	var names []string
	for _, c := range p.Cells {
		if !slices.Contains(names, c.Kernel) {
			names = append(names, c.Kernel)
		}
	}
	what := strings.Join(names, "+")
	if len(names) > 6 {
		what = fmt.Sprintf("%dkernels", len(names))
	}
	return fmt.Sprintf("sweep-%s-%x", what, h.Sum(nil)[:4])
}
