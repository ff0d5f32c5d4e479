package app

import (
	"fmt"
	"strings"

	"krdlab/hw/units"
	"krdlab/loi"
)

// traceDoc is the document of `krdlab trace info --json` and `verify --json`.
type traceDoc struct {
	Path      string            `json:"path"`
	Version   int               `json:"trace_version"`
	Bytes     uint64            `json:"bytes"`
	CleanEnd  bool              `json:"clean_end"`
	Recovered bool              `json:"recovered"`
	Verified  bool              `json:"verified"` // every record was read
	Substrate string            `json:"substrate"`
	Synthetic bool              `json:"synthetic"`
	Grain     string            `json:"grain"`
	Clock     clockDoc          `json:"clock"`
	L2Bytes   *uint64           `json:"l2_bytes"`
	LLCBytes  *uint64           `json:"llc_bytes"`
	L2Known   string            `json:"l2_known,omitempty"`
	LLCKnown  string            `json:"llc_known,omitempty"`
	Nodes     int               `json:"nodes"`
	Meta      map[string]string `json:"meta"`
	Records   uint64            `json:"records"`
	Discarded uint64            `json:"discarded"`
	Objects   []objectDoc       `json:"objects"`
	Kernels   []kernelDoc       `json:"kernels"`
	Workers   []workerDoc       `json:"workers"`
	// What was run, as far as it is known.
	Scheduler   string      `json:"scheduler,omitempty"`
	Kernel      string      `json:"kernel,omitempty"`
	Params      []nameDoc   `json:"params,omitempty"`
	Cores       int         `json:"cores,omitempty"`
	Seed        uint64      `json:"seed"`
	Machine     string      `json:"machine,omitempty"`
	MachineHash string      `json:"machine_hash,omitempty"`
	Unordered   bool        `json:"unordered"`
	Regions     []regionDoc `json:"regions"`
	Events      []eventDoc  `json:"events"`
}

type nameDoc struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type regionDoc struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`   // function, loop or task
	Parent *int   `json:"parent"` // number of the region that it stands in
}

type eventDoc struct {
	Kind  string `json:"kind"`
	Count uint64 `json:"count"`
}

type clockDoc struct {
	Source    string   `json:"source"`
	Hz        *float64 `json:"hz"` // null: unknown
	Invariant bool     `json:"invariant"`
}

type objectDoc struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"`   // partition, keyed or span
	Blocks *int    `json:"blocks"` // registered; null: it is no partition
	Bytes  *uint64 `json:"bytes"`
}

type kernelDoc struct {
	Name   string     `json:"name"`
	Params []paramDoc `json:"params"`
}

type paramDoc struct {
	Object string `json:"object"`
	Mode   string `json:"mode"`
	Arg    int    `json:"arg"` // number of the argument that names the block
}

type workerDoc struct {
	Worker    int    `json:"worker"`
	CPU       int    `json:"cpu"` // -1: not pinned
	Node      int    `json:"node"`
	Records   uint64 `json:"records"`
	Discarded uint64 `json:"discarded"`
	LostBytes uint64 `json:"lost_bytes"`
	// Discarded is then a lower bound
	LossUnknown bool `json:"loss_unknown,omitempty"`
	// The rest is null unless verified.
	Kernels     *uint64 `json:"kernels"`
	Accesses    *uint64 `json:"accesses"`
	Events      *uint64 `json:"events"`
	Flagged     *uint64 `json:"flagged"`
	Backward    *uint64 `json:"backward"`
	Overlapping *uint64 `json:"overlapping"`
	KernelNS    *uint64 `json:"kernel_ns"`
}

func newTraceDoc(in *loi.Info) *traceDoc {
	h := &in.Header
	d := &traceDoc{
		Path: in.Path, Version: in.Version, Bytes: in.Bytes, CleanEnd: in.Clean,
		Recovered: in.Recovered, Verified: in.Verified,
		Substrate: h.Substrate, Synthetic: h.Synthetic, Grain: h.Grain,
		Clock: clockDoc{h.Clock.Source, nil, h.Clock.Invariant}, L2Bytes: orNull(h.L2Bytes),
		LLCBytes: orNull(h.LLCBytes), L2Known: h.L2Known, LLCKnown: h.LLCKnown,
		Nodes: h.Nodes, Meta: map[string]string{}, Records: sum(in.Records),
		Discarded: sum(in.Discarded),
		Objects:   []objectDoc{}, Kernels: []kernelDoc{},
		Scheduler: h.Scheduler, Kernel: h.Kernel, Cores: h.Cores, Seed: h.Seed, Machine: h.Machine,
		MachineHash: h.MachineHash, Unordered: h.Unordered, Regions: []regionDoc{},
		Events: []eventDoc{},
	}
	for _, kv := range h.Params {
		d.Params = append(d.Params, nameDoc{kv.Key, kv.Value})
	}
	for _, r := range h.Registry.Regions {
		doc := regionDoc{Name: r.Name, Kind: r.Kind.String()}
		if r.Parent != loi.NoRegion {
			parent := int(r.Parent)
			doc.Parent = &parent
		}
		d.Regions = append(d.Regions, doc)
	}
	for _, e := range in.Events {
		d.Events = append(d.Events, eventDoc{e.Kind, e.Count})
	}
	if h.Clock.Hz > 0 {
		d.Clock.Hz = &h.Clock.Hz
	}
	for _, kv := range h.Notes() {
		d.Meta[kv.Key] = kv.Value
	}
	for i := range h.Registry.Objects {
		o := &h.Registry.Objects[i]
		doc := objectDoc{Name: o.Name, Kind: o.Kind.String()}
		if o.Kind == loi.Partition {
			blocks, bytes := o.Len(), o.Bytes()
			doc.Blocks, doc.Bytes = &blocks, &bytes
		}
		d.Objects = append(d.Objects, doc)
	}
	for _, k := range h.Registry.Kernels {
		doc := kernelDoc{k.Name, []paramDoc{}}
		for i, p := range k.Params {
			doc.Params = append(doc.Params, paramDoc{h.Registry.Objects[p.Object].Name,
				p.Mode.String(), k.ArgOf(i)})
		}
		d.Kernels = append(d.Kernels, doc)
	}
	for i, w := range h.Workers {
		doc := workerDoc{Worker: i, CPU: w.CPU, Node: w.Node, Records: in.Records[i],
			Discarded: in.Discarded[i], LostBytes: in.LostBytes[i],
			LossUnknown: in.LostBytes[i] > 0}
		if in.Verified {
			act := &in.Workers[i]
			doc.Kernels, doc.Accesses, doc.Events, doc.Flagged = &act.Kernels, &act.Accesses,
				&act.Events, &act.Flagged
			doc.Backward, doc.Overlapping = &act.Backward, &act.Overlapping
			if h.Clock.Hz > 0 {
				ns := uint64(float64(act.KernelTicks) * (1e9 / h.Clock.Hz))
				doc.KernelNS = &ns
			}
		}
		d.Workers = append(d.Workers, doc)
	}
	return d
}

// orNull returns nil for the 0 that stands for what is not known.
func orNull(n uint64) *uint64 {
	if n == 0 {
		return nil
	}
	return &n
}

// writeInfo prints what is known of a trace.
func (a *app) writeInfo(in *loi.Info, asJSON bool) error {
	d := newTraceDoc(in)
	if asJSON {
		return writeJSON(a.stdout, d)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", in)
	clock := "rate unknown"
	if d.Clock.Hz != nil {
		clock = fmt.Sprintf("%.6g MHz", *d.Clock.Hz/1e6)
	}
	fmt.Fprintf(&b, "substrate %s, clock %s (%s), a pair of stamps for each %s\n", d.Substrate,
		d.Clock.Source, clock, d.Grain)
	fmt.Fprintf(&b, "%s, L2 %s, LLC %s\n", units.Count(d.Nodes, "node"),
		strings.TrimSpace(sizeOrNA(d.L2Bytes)+" "+d.L2Known),
		strings.TrimSpace(sizeOrNA(d.LLCBytes)+" "+d.LLCKnown))
	for _, kv := range in.Header.Notes() {
		fmt.Fprintf(&b, "%s: %s\n", kv.Key, kv.Value)
	}
	for _, o := range d.Objects {
		switch {
		case o.Blocks != nil:
			fmt.Fprintf(&b, "object %s: %d blocks, %s\n", o.Name, *o.Blocks,
				units.Bytes(*o.Bytes))
		case o.Kind == loi.Keyed.String():
			fmt.Fprintf(&b, "object %s: blocks named by keys\n", o.Name)
		default:
			fmt.Fprintf(&b, "object %s: ranges of an address space\n", o.Name)
		}
	}
	for _, k := range d.Kernels {
		var params []string
		for i, p := range k.Params {
			arg := ""
			if p.Arg != i {
				arg = fmt.Sprintf(" of argument %d", p.Arg)
			}
			params = append(params, p.Mode+" "+p.Object+arg)
		}
		fmt.Fprintf(&b, "kernel %s(%s)\n", k.Name, strings.Join(params, ", "))
	}
	for _, r := range d.Regions {
		fmt.Fprintf(&b, "region %s: %s", r.Name, r.Kind)
		if r.Parent != nil {
			fmt.Fprintf(&b, " in %s", d.Regions[*r.Parent].Name)
		}
		b.WriteByte('\n')
	}
	for _, w := range d.Workers {
		missing := fmt.Sprintf("%d discarded", w.Discarded)
		if w.LossUnknown {
			missing = "an unknown number lost"
		}
		fmt.Fprintf(&b, "worker %d: CPU %s, node %d, %d records, %s", w.Worker,
			number(w.CPU, -1), w.Node, w.Records, missing)
		if d.Verified {
			fmt.Fprintf(&b, "; %d kernels, %d accesses, %d events", *w.Kernels, *w.Accesses,
				*w.Events)
		}
		b.WriteByte('\n')
	}
	for _, e := range d.Events {
		fmt.Fprintf(&b, "events of kind %s: %d\n", e.Kind, e.Count)
	}
	for i, w := range d.Workers {
		if d.Verified && *w.Backward+*w.Overlapping > 0 {
			fmt.Fprintf(&b, "warning: worker %d: %d records start before the one before them "+
				"did, %d before it ended\n", i, *w.Backward, *w.Overlapping)
		}
	}
	if d.Verified {
		fmt.Fprintf(&b, "verified: every byte and every record is as it should be\n")
	}
	p := a.page()
	fmt.Fprint(p, b.String())
	return p.Close()
}

func sizeOrNA(n *uint64) string {
	if n == nil {
		return "n/a"
	}
	return units.Bytes(*n)
}
