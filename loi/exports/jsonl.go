package exports

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"krdlab/loi"
)

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// The first line of JSON lines. Unknown values are null.
type jsonHeader struct {
	Type      string       `json:"type"` // "header"
	Version   int          `json:"version"`
	Clock     jsonClock    `json:"clock"`
	Substrate string       `json:"substrate"`
	Synthetic bool         `json:"synthetic"`
	Grain     string       `json:"grain"`
	Recovered bool         `json:"recovered"`
	Nodes     int          `json:"nodes"`
	L2Bytes   *uint64      `json:"l2_bytes"`
	LLCBytes  *uint64      `json:"llc_bytes"`
	L2Known   string       `json:"l2_known,omitempty"`
	LLCKnown  string       `json:"llc_known,omitempty"`
	Workers   []jsonWorker `json:"workers"`
	Objects   []jsonObject `json:"objects"`
	Kernels   []jsonKernel `json:"kernels"`
	Meta      [][2]string  `json:"meta"`
	Regions   []jsonRegion `json:"regions,omitempty"`
}

type jsonRegion struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Parent *int   `json:"parent"` // number of the region that it stands in
}

type jsonClock struct {
	Source    string   `json:"source"`
	Hz        *float64 `json:"hz"`
	Invariant bool     `json:"invariant"`
}

type jsonWorker struct {
	CPU       *int   `json:"cpu"`
	Node      int    `json:"node"`
	Records   uint64 `json:"records"`
	Discarded uint64 `json:"discarded"`
	LostBytes uint64 `json:"lost_bytes"`
}

type jsonObject struct {
	Name   string      `json:"name"`
	Kind   string      `json:"kind"`
	Blocks [][2]uint64 `json:"blocks,omitempty"` // count and bytes of each, of a partition
}

type jsonKernel struct {
	Name   string      `json:"name"`
	Params []jsonParam `json:"params"`
}

type jsonParam struct {
	Object string `json:"object"`
	Mode   string `json:"mode"`
	// number of the argument that names the block, where it is not the parameter's
	Arg *int `json:"arg,omitempty"`
}

// known returns nil for 0, which stands for an unknown value.
func known[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func newJSONHeader(t *loi.Trace) *jsonHeader {
	h := &t.Header
	out := &jsonHeader{
		Type: "header", Version: 1, Clock: jsonClock{h.Clock.Source, known(h.Clock.Hz),
			h.Clock.Invariant},
		Substrate: h.Substrate, Synthetic: h.Synthetic, Grain: h.Grain, Recovered: t.Recovered,
		Nodes:   h.Nodes,
		L2Bytes: known(h.L2Bytes), LLCBytes: known(h.LLCBytes), L2Known: h.L2Known,
		LLCKnown: h.LLCKnown, Workers: []jsonWorker{},
		Objects: []jsonObject{},
		Kernels: []jsonKernel{}, Meta: [][2]string{},
	}
	for i, w := range h.Workers {
		line := jsonWorker{nil, w.Node, t.Records()[i], t.Discarded()[i], t.LostBytes()[i]}
		if w.CPU >= 0 {
			line.CPU = &w.CPU
		}
		out.Workers = append(out.Workers, line)
	}
	for i := range h.Registry.Objects {
		o := &h.Registry.Objects[i]
		line := jsonObject{Name: o.Name, Kind: o.Kind.String()}
		for _, r := range o.Blocks {
			line.Blocks = append(line.Blocks, [2]uint64{uint64(r.Count), r.Bytes})
		}
		out.Objects = append(out.Objects, line)
	}
	for _, k := range h.Registry.Kernels {
		line := jsonKernel{Name: k.Name, Params: []jsonParam{}}
		for i, p := range k.Params {
			param := jsonParam{Object: h.Registry.Objects[p.Object].Name, Mode: letters(p.Mode)}
			if k.Of != nil {
				arg := k.ArgOf(i)
				param.Arg = &arg
			}
			line.Params = append(line.Params, param)
		}
		out.Kernels = append(out.Kernels, line)
	}
	for _, kv := range h.Notes() {
		out.Meta = append(out.Meta, [2]string{kv.Key, kv.Value})
	}
	for _, r := range h.Registry.Regions {
		line := jsonRegion{Name: r.Name, Kind: r.Kind.String()}
		if r.Parent != loi.NoRegion {
			parent := int(r.Parent)
			line.Parent = &parent
		}
		out.Regions = append(out.Regions, line)
	}
	return out
}

// jsonLines writes the lines after the first.
type jsonLines struct {
	out     *output
	t       *loi.Trace
	clock   clock
	objects []string // how an access begins, up to its number
	kernels []string // names, quoted
	nodes   []string // `,"worker":w,"node":n` by worker
}

// writeJSONLines writes one JSON object a line: the header, then one for each kernel execution and
// event. A task that stamped itself and not its kernels has a line of its own before theirs, which
// say "unstamped".
func writeJSONLines(w io.Writer, t *loi.Trace, p *loi.Progress) error {
	clock, err := newClock(t, "jsonl")
	if err != nil {
		return err
	}
	header, err := json.Marshal(newJSONHeader(t))
	if err != nil {
		return fmt.Errorf("export as jsonl: %w", err)
	}
	j := &jsonLines{out: newOutput(w), t: t, clock: clock}
	j.out.b = append(append(j.out.b, header...), '\n')
	for i := range t.Header.Registry.Objects {
		o, field := &t.Header.Registry.Objects[i], "block"
		if o.Kind == loi.Span {
			field = "offset"
		}
		j.objects = append(j.objects, `{"object":`+jsonString(o.Name)+`,"`+field+`":`)
	}
	for _, k := range t.Header.Registry.Kernels {
		j.kernels = append(j.kernels, jsonString(k.Name))
	}
	for i, w := range t.Header.Workers {
		j.nodes = append(j.nodes, sprint(`,"worker":%d,"node":%d`, i, w.Node))
	}
	for e, err := range t.Ordered(everything(p)) {
		if err == nil {
			j.event(e)
			err = j.out.spill()
		}
		if err != nil {
			return err
		}
	}
	return j.out.flush()
}

func jsonString(s string) string {
	b, _ := json.Marshal(s) // a string always has a form in JSON
	return string(b)
}

func (j *jsonLines) event(e *loi.Event) {
	switch e.Type {
	case loi.EventRecord:
		j.begin("event", e.Worker)
		j.out.b = append(j.out.b, sprint(`,"event":"%v"`, e.Record.Event)...)
		j.number(`,"time":`, j.clock.at(e.Start))
		j.out.b = append(j.out.b, `,"args":[`...)
		for i, a := range e.Args {
			if i > 0 {
				j.out.b = append(j.out.b, ',')
			}
			j.out.b = strconv.AppendUint(j.out.b, uint64(a), 10)
		}
		j.out.b = append(j.out.b, "]}\n"...)
	case loi.TaskRecord:
		j.begin("task", e.Worker)
		j.number(`,"start":`, j.clock.at(e.Start))
		j.number(`,"end":`, j.clock.at(e.End))
		j.number(`,"kernels":`, uint64(len(e.Calls)))
		j.flags(e.Flags)
		j.out.b = append(j.out.b, "}\n"...)
		for i := range e.Calls {
			c := &e.Calls[i]
			j.execution(e, c.Kernel, e.Flags|loi.Unstamped, e.CallAccesses(c))
		}
	default:
		j.execution(e, e.Kernel, e.Flags, e.Accesses())
	}
}

func (j *jsonLines) begin(typ string, worker int) {
	j.out.b = append(j.out.b, `{"type":"`...)
	j.out.b = append(j.out.b, typ...)
	j.out.b = append(j.out.b, '"')
	j.out.b = append(j.out.b, j.nodes[worker]...)
}

func (j *jsonLines) number(name string, v uint64) {
	j.out.b = strconv.AppendUint(append(j.out.b, name...), v, 10)
}

func (j *jsonLines) flags(fl loi.Flags) {
	for _, f := range [...]struct {
		flag loi.Flags
		text string
	}{{loi.Preempted, `,"preempted":true`}, {loi.Moved, `,"moved":true`},
		{loi.Unstamped, `,"unstamped":true`}} {
		if fl&f.flag != 0 {
			j.out.b = append(j.out.b, f.text...)
		}
	}
}

// execution writes the line of one kernel execution with the stamps of e.
func (j *jsonLines) execution(e *loi.Event, k loi.KernelID, fl loi.Flags, list []loi.Access) {
	j.begin("kernel", e.Worker)
	j.out.b = append(append(j.out.b, `,"kernel":`...), j.kernels[k]...)
	j.number(`,"start":`, j.clock.at(e.Start))
	j.number(`,"end":`, j.clock.at(e.End))
	j.flags(fl)
	j.out.b = append(j.out.b, `,"accesses":[`...)
	for i := range list {
		a := &list[i]
		if i > 0 {
			j.out.b = append(j.out.b, ',')
		}
		j.number(j.objects[a.Object], a.Block)
		j.number(`,"bytes":`, a.Bytes)
		if a.Rows > 1 {
			j.number(`,"rows":`, uint64(a.Rows))
			j.number(`,"stride":`, a.Stride)
		}
		j.out.b = append(j.out.b, `,"mode":"`...)
		j.out.b = append(j.out.b, letters(a.Mode)...)
		j.out.b = append(j.out.b, `"}`...)
	}
	j.out.b = append(j.out.b, "]}\n"...)
}
