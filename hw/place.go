package hw

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/hw/failure"
)

// A Binding is the order in which workers get CPUs. The zero Binding is compact.
type Binding struct {
	Scatter bool  // round robin over the nodes; otherwise a node is filled before the next
	List    []int // these CPUs in this order; overrides the above and smt
}

// MarshalText returns what [ParseBinding] reads.
func (b Binding) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText sets b as [ParseBinding] does.
func (b *Binding) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBinding(string(text))
	return err
}

// ParseBinding reads "compact" (or ""), "scatter" or a list of CPUs like "0-3,8".
func ParseBinding(s string) (Binding, error) {
	switch s {
	case "", "compact":
		return Binding{}, nil
	case "scatter":
		return Binding{Scatter: true}, nil
	}
	list, err := ParseCPUList(s)
	if err != nil || len(list) == 0 {
		return Binding{}, fmt.Errorf(
			"binding %q: want compact, scatter or a list of CPUs like 0-3,8", s)
	}
	return Binding{List: list}, nil
}

// String inverts ParseBinding for ascending lists.
func (b Binding) String() string {
	switch {
	case b.List != nil:
		return FormatCPUList(b.List)
	case b.Scatter:
		return "scatter"
	}
	return "compact"
}

// A BindError names a CPU of an explicit list that the process cannot use.
type BindError struct {
	CPU     int
	Reason  string // "offline", "not there", "outside the affinity mask or cpuset of the process"
	Allowed []int
}

const outside = "outside the affinity mask or cpuset of the process"

func (e *BindError) Error() string {
	return fmt.Sprintf("CPU %d is %s; allowed are %s", e.CPU, e.Reason, FormatCPUList(e.Allowed))
}

// Class implements [failure.Classed].
func (*BindError) Class() failure.Class { return failure.Request }

// Available returns the CPUs that workers may be bound to, in the order of binding: one for each
// core that has an allowed CPU (the lowest-numbered allowed sibling), or, with smt, all allowed
// CPUs, every core's first before any second of the same node. Errors: no CPU is allowed;
// *[BindError] for a list.
func (t *Topology) Available(b Binding, smt bool) ([]int, error) {
	if b.List != nil {
		return b.List, t.check(b.List)
	}
	nodes := make([][]int, len(t.Nodes))
	for n, node := range t.Nodes {
		for thread := 0; ; thread++ { // the thread-th allowed sibling of every core
			more := false
			for _, core := range node.Cores {
				if cpus := t.allowedOf(t.Cores[core]); thread < len(cpus) {
					nodes[n] = append(nodes[n], cpus[thread])
					more = true
				}
			}
			if !more || !smt {
				break
			}
		}
	}
	var out []int
	if b.Scatter {
		for i := 0; ; i++ {
			before := len(out)
			for _, cpus := range nodes {
				if i < len(cpus) {
					out = append(out, cpus[i])
				}
			}
			if len(out) == before {
				break
			}
		}
	} else {
		out = slices.Concat(nodes...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("of %d CPUs that are online the process may use none", len(t.CPUs))
	}
	return out, nil
}

func (t *Topology) allowedOf(c Core) []int {
	var cpus []int
	for _, id := range c.CPUs {
		if t.find(id).Allowed {
			cpus = append(cpus, id)
		}
	}
	return cpus
}

func (t *Topology) check(list []int) error {
	for _, id := range list {
		switch c := t.find(id); {
		case c != nil && c.Allowed:
		case c != nil:
			return &BindError{id, outside, t.Allowed()}
		case slices.Contains(t.Offline, id):
			return &BindError{id, "offline", t.Allowed()}
		default:
			return &BindError{id, "not there", t.Allowed()}
		}
	}
	return nil
}

// A Placement is where workers run: worker i on CPUs[i], whose node is Nodes[i].
type Placement struct {
	CPUs      []int `json:"cpus"`
	Nodes     []int `json:"nodes"` // indices in Topology.Nodes
	Available int   `json:"available"`
	// more workers than available CPUs: they wrap around
	Oversubscribed bool `json:"oversubscribed"`
}

// Place binds n workers in the order of [Topology.Available], beginning again when the CPUs are
// used up (whether that is wanted is the caller's decision: see Oversubscribed). n must be at least
// 1.
func (t *Topology) Place(n int, b Binding, smt bool) (Placement, error) {
	if n < 1 {
		return Placement{}, fmt.Errorf("place %d workers: at least 1 is needed", n)
	}
	cpus, err := t.Available(b, smt)
	if err != nil {
		return Placement{}, fmt.Errorf("place %d workers: %w", n, err)
	}
	p := Placement{Available: len(cpus), Oversubscribed: n > len(cpus)}
	for i := range n {
		cpu := cpus[i%len(cpus)]
		p.CPUs = append(p.CPUs, cpu)
		p.Nodes = append(p.Nodes, t.find(cpu).Node)
	}
	return p, nil
}

// String shows the CPUs of each node, as "node 0: 0-5; node 1: 6,7".
func (p Placement) String() string {
	byNode := map[int][]int{}
	var order []int
	for i, n := range p.Nodes {
		if byNode[n] == nil {
			order = append(order, n)
		}
		byNode[n] = append(byNode[n], p.CPUs[i])
	}
	var parts []string
	for _, n := range order {
		parts = append(parts, fmt.Sprintf("node %d: %s", n, FormatCPUList(byNode[n])))
	}
	return strings.Join(parts, "; ")
}
