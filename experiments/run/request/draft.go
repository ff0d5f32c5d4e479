package request

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// A Draft is a request without its machine, and the settings that depend on it, which are chosen
// later.
type Draft struct {
	// Request holds the settings that were given. Machine is chosen by Resolve.
	Request
	Place string // [Auto], [Native], [Host], the name or the TOML file of a machine

	// Settings that were not given depend on the machine: all of its cores, its schedulers, the
	// place of its pages.
	AllCores, AllSchedulers, DefaultNUMA bool
	// Pinned records that workers were given places, which are those of this computer.
	Pinned bool
}

// A Choice is a request with the machine that its workers are placed on.
type Choice struct {
	Request
	Topology *hw.Topology
	// TooFew records that the request is simulated because this computer has that many cores only;
	// 0: it is not for that reason.
	TooFew int
}

// place chooses the machine to simulate, nil for a native run.
func (d *Draft) place(machines *Machines) (m *machine.Machine, tooFew int, err error) {
	switch d.Place {
	case Native:
		return nil, 0, nil
	case Auto:
		have := AllCores(machines.Host, d.SMT)
		real := d.Oversubscribe || d.SMT || d.Topology != "" || d.Pinned ||
			d.Counters == CountersPerf
		if d.AllCores || d.Cores <= have || real {
			return nil, 0, nil
		}
		m, err := machines.Find(DefaultMachine)
		if err == nil && d.Cores > m.Cores() {
			err = &Error{Flag: "cores", Got: fmt.Sprint(d.Cores),
				Want: fmt.Sprintf(
					"this process may use %d, and %s, which would be simulated, has %d; use fewer, "+
						"name a larger one with --machine (krdlab list machines), or add "+
						"--oversubscribe",
					have, m.Name, m.Cores())}
		}
		return m, have, err
	}
	m, err = machines.Find(d.Place)
	return m, 0, err
}

// Resolve chooses the machine and fills in what depends on it. Errors: those of
// [Machines.Find]; an [*Error] where no machine that may be chosen has the cores. Settings that do
// not fit together are found by [Request.Validate].
func (d *Draft) Resolve(machines *Machines) (*Choice, error) {
	m, tooFew, err := d.place(machines)
	if err != nil {
		return nil, err
	}
	c := &Choice{Request: d.Request, Topology: machines.Host, TooFew: tooFew}
	c.Machine = m
	if m != nil && d.Caches != "" {
		if c.Caches = ""; d.Place != Host {
			return nil, &Error{Flag: "caches", Got: d.Caches, Want: "it describes this computer, and " +
				m.Name + ", which is simulated, has caches of its own; leave it out, or write a machine " +
				"file (krdlab machine show " + m.Name + ")"}
		}
	}
	if m != nil {
		if c.Topology, err = machines.topology(m); err != nil {
			return nil, err
		}
		if d.DefaultNUMA {
			c.NUMA = NUMAPolicy(m.Memory.Placement)
		}
		c.Warmup = 0
		if d.AllSchedulers {
			c.Schedulers = slices.DeleteFunc(slices.Clone(c.Schedulers),
				runtimes.Scheduler.ThreadsOnly)
		}
	}
	if d.AllCores {
		c.Cores = AllCores(c.Topology, c.SMT)
		if c.Bind.List != nil {
			c.Cores = len(c.Bind.List)
		}
		if made, err := hw.Synthetic(d.Topology); err == nil {
			c.Cores = len(made.CPUs)
		}
	}
	if d.AllSchedulers {
		c.Schedulers = slices.DeleteFunc(slices.Clone(c.Schedulers),
			func(s runtimes.Scheduler) bool { return !s.Holds(c.Cores) })
	}
	return c, nil
}

// A Sweep is the cross product of machines, parameters, seeds and cores.
type Sweep struct {
	Draft  // what all have in common; of its Place, Params, Seed and Cores nothing is used
	Places []string
	Params []kernel.Params
	Seeds  []uint64
	Cores  []uint64 // with Parts nil too: powers of two up to the cores of a node, and each whole node
	Parts  []string // node, half and all: the cores of a node, of half of the nodes and of all
	// SimulatedTrace is how simulated ones are traced; "": as in the draft.
	SimulatedTrace TraceMode
	// Elsewhere records that native ones will be run on a computer that is unknown here.
	Elsewhere bool
}

// Requests returns a valid request for each combination: machine by machine, then by parameters,
// seeds and cores. Errors: those of [Draft.Resolve] and [Request.Validate]; that of ctx.
func (s *Sweep) Requests(ctx context.Context, machines *Machines) ([]Request, error) {
	var list []Request
	for _, place := range s.Places {
		cores, err := s.coresOf(place, machines)
		if err != nil {
			return nil, err
		}
		for _, p := range s.Params {
			for _, seed := range s.Seeds {
				for _, n := range cores {
					if ctx.Err() != nil {
						return nil, context.Cause(ctx)
					}
					d := s.Draft
					d.Place, d.Request.Params, d.Seed = place, p, seed
					d.Request.Cores, d.AllCores = int(min(n, 1<<31)), false
					r, err := s.request(&d, machines)
					if err != nil {
						return nil, err
					}
					list = append(list, *r)
				}
			}
		}
	}
	if s.Draft.Caches != "" && !slices.Contains(s.Places, Host) &&
		!slices.ContainsFunc(list, func(r Request) bool { return r.Machine == nil }) {
		return nil, &Error{Flag: "caches", Got: s.Draft.Caches, Want: "it describes this computer, and " +
			"all cells are simulated on machines that have caches of their own; leave it out"}
	}
	return list, nil
}

func (s *Sweep) request(d *Draft, machines *Machines) (*Request, error) {
	if m, _, err := d.place(machines); err == nil && m != nil {
		d.Caches = "" // they are for the native requests
	}
	c, err := d.Resolve(machines)
	if err != nil {
		return nil, err
	}
	if c.Machine != nil && s.SimulatedTrace != "" {
		c.Trace = s.SimulatedTrace
	}
	if s.Elsewhere && c.Machine == nil {
		if c.Topology, err = hw.Synthetic(fmt.Sprintf("1x%d",
			min(max(1, c.Cores), MaxWorkers))); err != nil {
			return nil, err
		}
		c.Topology.NUMA = []hw.NUMANode{{ID: 0, Bytes: 1}, {ID: 1, Bytes: 1}} // --numa is known there
	}
	return &c.Request, c.Validate(c.Topology)
}

// Words for numbers of cores, which depend on the machine.
const (
	oneNode   = "node"
	halfNodes = "half"
	allNodes  = "all"
)

// IsPart reports whether s is a word for a number of cores.
func IsPart(s string) bool { return slices.Contains([]string{oneNode, halfNodes, allNodes}, s) }

// coresOf returns the numbers of cores of a sweep in a place, ascending, each once.
func (s *Sweep) coresOf(place string, machines *Machines) ([]uint64, error) {
	if s.Parts == nil && s.Cores != nil {
		return s.Cores, nil
	}
	d := s.Draft
	d.Place, d.AllCores = place, true
	c, err := d.Resolve(machines)
	if err != nil {
		return nil, err
	}
	node := max(1, c.Topology.Machine().CoresPerNode)
	list := slices.Clone(s.Cores)
	for _, part := range s.Parts {
		switch part {
		case oneNode:
			list = append(list, uint64(min(node, c.Cores)))
		case halfNodes:
			list = append(list, uint64(min((c.Cores/node+1)/2*node, c.Cores)))
		default:
			list = append(list, uint64(c.Cores))
		}
	}
	if s.Parts == nil {
		for n := 1; n < min(node, c.Cores); n *= 2 {
			list = append(list, uint64(n))
		}
		for n := node; n < c.Cores; n += node {
			list = append(list, uint64(n))
		}
		list = append(list, uint64(c.Cores))
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// ParseBinding reads where workers are pinned: compact, scatter or a list of CPUs.
func ParseBinding(text string) (hw.Binding, error) {
	b, err := hw.ParseBinding(text)
	if err != nil {
		want := "choose compact, scatter or a list of CPUs such as 0,2,4-7"
		if _, err := hw.ParseCPUList(text); err != nil && strings.ContainsAny(text, "0123456789") {
			want = fmt.Sprintf("%v; %s", err, want)
		}
		return b, &Error{Flag: "bind", Got: text, Want: want}
	}
	return b, nil
}
