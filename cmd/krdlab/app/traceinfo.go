package app

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/hw"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// traceDoc is the document of `krdlab trace info --json` and `verify --json`.
type traceDoc struct {
	*loi.Info
	*loi.Header
	Clock     clockDoc          `json:"clock"`
	L2Bytes   *uint64           `json:"l2_bytes"`
	LLCBytes  *uint64           `json:"llc_bytes"`
	Meta      map[string]string `json:"meta"`
	Records   uint64            `json:"records"`
	Discarded uint64            `json:"discarded"`
	Objects   []objectDoc       `json:"objects"`
	Kernels   []kernelDoc       `json:"kernels"`
	Workers   []workerDoc       `json:"workers"`
	Regions   []regionDoc       `json:"regions"`
	Events    []loi.EventCount  `json:"events"`
}

type regionDoc struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`   // function, loop or task
	Parent *int   `json:"parent"` // number of the region that it stands in
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
	d := &traceDoc{Info: in, Header: h,
		Clock:   clockDoc{h.Clock.Source, orNull(h.Clock.Hz), h.Clock.Invariant},
		L2Bytes: orNull(h.L2Bytes), LLCBytes: orNull(h.LLCBytes), Meta: map[string]string{},
		Records: sum(in.Records), Discarded: sum(in.Discarded), Objects: []objectDoc{},
		Kernels: []kernelDoc{}, Regions: []regionDoc{}, Events: append([]loi.EventCount{},
			in.Events...)}
	for _, r := range h.Registry.Regions {
		doc := regionDoc{Name: r.Name, Kind: r.Kind.String()}
		if r.Parent != loi.NoRegion {
			doc.Parent = new(int(r.Parent))
		}
		d.Regions = append(d.Regions, doc)
	}
	for _, kv := range h.Notes() {
		d.Meta[kv.Key] = kv.Value
	}
	for i := range h.Registry.Objects {
		o := &h.Registry.Objects[i]
		doc := objectDoc{Name: o.Name, Kind: o.Kind.String()}
		if o.Kind == loi.Partition {
			doc.Blocks, doc.Bytes = new(o.Len()), new(o.Bytes())
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
				doc.KernelNS = new(uint64(float64(act.KernelTicks) * (1e9 / h.Clock.Hz)))
			}
		}
		d.Workers = append(d.Workers, doc)
	}
	return d
}

// orNull returns nil for the 0 that stands for what is not known.
func orNull[T uint64 | float64](n T) *T {
	if n == 0 {
		return nil
	}
	return &n
}

// writeInfo prints what is known of a trace.
func (a *app) writeInfo(c *cobra.Command, in *loi.Info) error {
	d := newTraceDoc(in)
	return a.answer(c, d, d.write)
}

func (d *traceDoc) write(p *doc.Page) error {
	p.Line("%s", d.Info)
	clock := "rate unknown"
	if d.Clock.Hz != nil {
		clock = fmt.Sprintf("%.6g MHz", *d.Clock.Hz/1e6)
	}
	p.Line("substrate %s, clock %s (%s), a pair of stamps for each %s", d.Substrate,
		d.Clock.Source, clock, d.Grain)
	p.Line("%s, L2 %s, LLC %s", units.Count(d.Nodes, "node"),
		strings.TrimSpace(hw.Size(d.Header.L2Bytes).String()+" "+d.L2Known),
		strings.TrimSpace(hw.Size(d.Header.LLCBytes).String()+" "+d.LLCKnown))
	for _, kv := range d.Notes() {
		p.Line("%s: %s", kv.Key, kv.Value)
	}
	for _, o := range d.Objects {
		what := map[string]string{loi.Keyed.String(): "blocks named by keys",
			loi.Span.String(): "ranges of an address space"}[o.Kind]
		if o.Blocks != nil {
			what = fmt.Sprintf("%d blocks, %s", *o.Blocks, units.Bytes(*o.Bytes))
		}
		p.Line("object %s: %s", o.Name, what)
	}
	for _, k := range d.Kernels {
		var params []string
		for i, param := range k.Params {
			text := param.Mode + " " + param.Object
			if param.Arg != i {
				text += fmt.Sprintf(" of argument %d", param.Arg)
			}
			params = append(params, text)
		}
		p.Line("kernel %s(%s)", k.Name, strings.Join(params, ", "))
	}
	for _, r := range d.Regions {
		in := ""
		if r.Parent != nil {
			in = " in " + d.Regions[*r.Parent].Name
		}
		p.Line("region %s: %s%s", r.Name, r.Kind, in)
	}
	var warnings []string
	for _, w := range d.Workers {
		missing, more := fmt.Sprintf("%d discarded", w.Discarded), ""
		if w.LossUnknown {
			missing = "an unknown number lost"
		}
		if d.Verified {
			more = fmt.Sprintf("; %d kernels, %d accesses, %d events", *w.Kernels, *w.Accesses,
				*w.Events)
			if *w.Backward+*w.Overlapping > 0 {
				warnings = append(warnings, fmt.Sprintf("warning: worker %d: %d records start before "+
					"the one before them did, %d before it ended", w.Worker, *w.Backward,
					*w.Overlapping))
			}
		}
		p.Line("worker %d: CPU %s, node %d, %d records, %s%s", w.Worker, number(w.CPU, -1), w.Node,
			w.Records, missing, more)
	}
	for _, e := range d.Events {
		p.Line("events of kind %s: %d", e.Kind, e.Count)
	}
	for _, w := range warnings {
		p.Line("%s", w)
	}
	if d.Verified {
		p.Line("verified: every byte and every record is as it should be")
	}
	return p.Close()
}
