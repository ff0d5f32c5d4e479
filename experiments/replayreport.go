package experiments

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// A ReplayReport is what the replay of one trace found: the document of `krdlab krd --replay`.
type ReplayReport struct {
	SchemaVersion int        `json:"schema_version"`
	Source        string     `json:"source"` // LLCSourceModel
	Machine       string     `json:"machine"`
	CacheModel    CacheModel `json:"cache_model"`
	// Placed says that blocks lie where the trace's program has them; if not, they follow each other, each in one piece.
	Placed bool `json:"placed"`
	Cores  int  `json:"cores"` // workers, or under go the number of cores that it was given
	// LLCMissesPerCore is Total / Cores.
	LLCMissesPerCore Number `json:"llc_misses_per_core"`
	LLCMisses
	Warnings []string `json:"warnings"`
}

// ReplayReportOf replays a trace on m (see [Replay]) and says what came out. Where opt.Place is nil it makes an instance of the program that
// the trace names, if this is one of krdlab's, to ask where its blocks lie; its data is not computed.
func ReplayReportOf(t *loi.Trace, m *machine.Machine, opt ReplayOptions) (*ReplayReport, error) {
	r := &ReplayReport{SchemaVersion: SchemaVersion, Source: LLCSourceModel, Machine: m.Name, CacheModel: opt.CacheModel, Warnings: []string{}}
	if r.CacheModel == "" {
		r.CacheModel = CacheBlocks
	}
	seed, err := strconv.ParseUint(metaOf(t, "seed"), 10, 64)
	if err == nil && opt.Seed == 0 {
		opt.Seed = seed // of the first repetition of a simulated run
	}
	if opt.Place == nil {
		in, err := programOf(t, seed)
		if err != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("where blocks lie is not known (%v): taken as one behind the other", err))
		} else {
			defer in.Close()
			opt.Place = in.(kernel.Modelled)
		}
	}
	r.Placed = opt.Place != nil
	misses, err := Replay(t, m, opt)
	if err != nil {
		return nil, err
	}
	r.LLCMisses = *misses
	r.Cores = len(t.Header.Workers)
	if underGo(t) {
		r.Cores, _ = strconv.Atoi(metaOf(t, "cores"))
	}
	if r.Cores > 0 {
		r.LLCMissesPerCore = Some(float64(r.Total) / float64(r.Cores))
	}
	if lost := sum(t.Discarded()); lost > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d records were discarded while tracing: what they left in the caches is missing", lost))
	}
	if t.Recovered {
		r.Warnings = append(r.Warnings, "the trace had no clean end and was recovered: the last kernel of each worker may be missing")
	}
	if t.Header.Synthetic {
		r.Warnings = append(r.Warnings, "the worker-to-node map was imposed and is not the machine's")
	}
	return r, nil
}

func metaOf(t *loi.Trace, key string) string {
	for _, kv := range t.Header.Meta {
		if kv.Key == key {
			return kv.Value
		}
	}
	return ""
}

// programOf makes the program of a trace anew, without its data. It is an error if that is not possible, or if its blocks are others.
func programOf(t *loi.Trace, seed uint64) (kernel.Instance, error) {
	name := metaOf(t, "kernel")
	k, ok := kernels.ByName(name)
	if !ok {
		return nil, fmt.Errorf("the trace's program %q is none of krdlab's", name)
	}
	params, err := parseDescription(k, metaOf(t, "params"))
	if err != nil {
		return nil, err
	}
	if err := checkParams(k, params); err != nil {
		return nil, err
	}
	in, err := k.New(params, kernel.Env{Seed: seed, Dry: true})
	if err != nil {
		return nil, err
	}
	if _, ok := in.(kernel.Modelled); !ok {
		err = fmt.Errorf("%s does not tell the places of its blocks", name)
	} else if got := in.Registry(); !reflect.DeepEqual(got.Objects, t.Header.Registry.Objects) {
		err = fmt.Errorf("%s with %s has other blocks now than in the trace", name, metaOf(t, "params"))
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// parseDescription reads what Describe writes: every parameter of k in order. Words may contain spaces.
func parseDescription(k *kernel.Kernel, text string) (kernel.Params, error) {
	p := kernel.Params{}
	rest := text
	for i := range k.Params {
		d := &k.Params[i]
		value, ok := strings.CutPrefix(rest, d.Name+"=")
		if !ok {
			return nil, fmt.Errorf("the trace has the parameters %q, expected %s in its place", text, d.Name)
		}
		rest = ""
		if i+1 < len(k.Params) {
			if value, rest, ok = strings.Cut(value, " "+k.Params[i+1].Name+"="); !ok {
				return nil, fmt.Errorf("the trace has the parameters %q, without %s", text, k.Params[i+1].Name)
			}
			rest = k.Params[i+1].Name + "=" + rest
		}
		p[d.Name] = value
		if d.Kind == kernel.IntParam {
			n, err := strconv.Atoi(value)
			if err != nil {
				return nil, fmt.Errorf("the trace has %s=%s, expected a whole number", d.Name, value)
			}
			p[d.Name] = n
		}
	}
	return p, nil
}

// WriteText prints the report for a person.
func (r *ReplayReport) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "LLC misses by model, no measurement: replay of the trace through the LRU caches of %s, %s\n", r.Machine, r.CacheModel)
	nodes := newTable(1, "node", "workers", "misses per core", "lines missed")
	for _, n := range r.Nodes {
		nodes.AppendRow([]any{n.Node, n.Workers, formatCount(Some(float64(n.Misses) / float64(n.Workers))), n.Misses})
	}
	perCore := notAvailable
	if r.LLCMissesPerCore.Known() {
		perCore = formatCount(r.LLCMissesPerCore)
	}
	nodes.AppendFooter([]any{"all", r.Cores, perCore, r.Total})
	b.WriteString(render(nodes))
	if len(r.Kernels) > 1 {
		table := newTable(1, "kernel", "lines missed")
		for _, k := range r.Kernels {
			table.AppendRow([]any{k.Name, k.Misses})
		}
		b.WriteString("\n" + render(table))
	}
	for _, m := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", m)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
