package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A fact is a line of the environment: what the manifests say of one thing.
type fact struct {
	Name   string
	Values []factValue // more than one where cells differ
}

type factValue struct {
	Text  string
	Cells int // that say so; 0 where all do
}

const unknown = "not known"

// questions are the rows of the environment, in its order. An answer of "" is left out.
var questions = []struct {
	name string
	ask  func(m *result.Manifest) string
}{
	{"Processor", func(m *result.Manifest) string { return orNot(m.System.CPUModel) }},
	{"Microcode", func(m *result.Manifest) string { return m.System.Microcode }},
	{"Virtual machine", func(m *result.Manifest) string {
		switch v := m.System.Virtual; {
		case v == nil:
			return unknown
		case *v && m.System.Hypervisor != "":
			return "yes, " + m.System.Hypervisor
		default:
			return units.Yes(*v)
		}
	}},
	{"Memory", func(m *result.Manifest) string {
		if m.Memory == nil {
			return unknown
		}
		return units.Bytes(uint64(m.Memory.TotalBytes))
	}},
	{"Vector instructions", func(m *result.Manifest) string {
		var has []string
		for _, f := range []struct {
			name string
			has  bool
		}{{"AVX2", m.Features.AVX2}, {"FMA", m.Features.FMA}, {"AVX-512F", m.Features.AVX512F}} {
			if f.has {
				has = append(has, f.name)
			}
		}
		return strings.Join(has, ", ")
	}},
	{"Operating system", func(m *result.Manifest) string {
		return strings.TrimSpace(m.Build.OS + "/" + m.Build.Arch + " " + m.System.KernelVersion)
	}},
	{"Frequency governor", func(m *result.Manifest) string {
		return orNot(
			strings.Join(m.System.Governors, ", "))
	}},
	{"Boost", func(m *result.Manifest) string { return known(m.System.Boost) }},
	{"SMT", func(m *result.Manifest) string {
		smt := m.System.SMT // as Linux spells it
		for _, word := range []string{"not", "force"} {
			if rest, ok := strings.CutPrefix(smt, word); ok {
				smt = word + " " + rest
			}
		}
		return orNot(smt)
	}},
	{"perf_event_paranoid", func(m *result.Manifest) string {
		if m.System.PerfEventParanoid == nil {
			return unknown
		}
		return fmt.Sprint(*m.System.PerfEventParanoid)
	}},
	{"Load average before the run (1 min)", func(m *result.Manifest) string {
		if m.System.LoadAverage == nil {
			return unknown
		}
		return fmt.Sprintf("%.2f", m.System.LoadAverage[0])
	}},
	{"CPU quota of the cgroup", func(m *result.Manifest) string {
		if m.System.CPUQuota == nil {
			return "none known"
		}
		return fmt.Sprintf("%.2f CPUs", *m.System.CPUQuota)
	}},
	{"Transparent huge pages",
		func(m *result.Manifest) string { return orNot(m.System.HugePages) }},
	{"NUMA balancing", func(m *result.Manifest) string { return known(m.System.NUMABalancing) }},
	{"Clock of the stamps", func(m *result.Manifest) string {
		if m.Clock.Source == "" {
			return unknown
		}
		s := m.Clock.Source
		if m.Clock.Hz > 0 {
			s += fmt.Sprintf(" at %.4g GHz", m.Clock.Hz/1e9)
		}
		if m.Clock.Reason != "" {
			s += ": " + m.Clock.Reason
		}
		return s
	}},
	{"Go", func(m *result.Manifest) string { return m.Build.GoVersion }},
	{"Revision of krdlab", func(m *result.Manifest) string {
		if m.Build.Revision == nil {
			return "not known: the build was not stamped"
		}
		if m.Build.Modified != nil && *m.Build.Modified {
			return *m.Build.Revision + ", modified"
		}
		return *m.Build.Revision
	}},
	{"Build flags", func(m *result.Manifest) string {
		var words []string
		for _, k := range []string{"-race", "-tags", "-gcflags", "-ldflags", "-trimpath", "GOAMD64",
			"GOARM64", "GOEXPERIMENT"} {
			if v := m.Build.Flags[k]; v != "" {
				words = append(words, k+"="+v)
			}
		}
		return strings.Join(words, " ")
	}},
	{"GOMAXPROCS, GOGC", func(m *result.Manifest) string {
		if m.Build.GOMAXPROCS == 0 {
			return ""
		}
		gc := "off"
		if m.Build.GOGC != nil {
			gc = fmt.Sprintf("%d %%", *m.Build.GOGC)
		}
		return fmt.Sprintf("%d, %s", m.Build.GOMAXPROCS, gc)
	}},
	{"CPU placement", func(m *result.Manifest) string { return m.Settings.Bind.String() }},
	{"Memory placement", func(m *result.Manifest) string {
		return cmp.Or(m.Settings.NUMA.Words(),
			string(m.Settings.NUMA))
	}},
	{"Repetitions, warm-ups", func(m *result.Manifest) string {
		return fmt.Sprintf("%d, %d",
			m.Settings.Reps, m.Settings.Warmup)
	}},
}

func orNot(s string) string {
	if s == "" {
		return unknown
	}
	return s
}

func known(b *bool) string {
	if b == nil {
		return unknown
	}
	return onOff(*b)
}

// manifests returns those of the experiment, one for each cell of the plan.
func manifests(e *dataset.Experiment) (list []*result.Manifest) {
	seen := map[string]bool{}
	for _, c := range e.Cells {
		if c.Manifest != nil && !seen[c.ID] {
			seen[c.ID] = true
			list = append(list, c.Manifest)
		}
	}
	return list
}

// environment asks the manifests. Where they differ, each answer has the number of cells that give
// it.
func factsOf(e *dataset.Experiment) (facts []fact) {
	all := manifests(e)
	if len(all) == 0 {
		return nil
	}
	first, last := all[0].Started, all[0].Started
	for _, m := range all {
		if m.Started.Before(first) {
			first = m.Started
		}
		for _, t := range []*time.Time{&m.Started, m.Finished} {
			if t != nil && t.After(last) {
				last = *t
			}
		}
	}
	const layout = "2006-01-02 15:04:05"
	facts = append(facts, fact{"Time (UTC)",
		[]factValue{{Text: first.UTC().Format(layout) + " to " + last.UTC().Format(layout)}}})
	for _, q := range questions {
		f := fact{Name: q.name}
		for _, m := range all {
			text := q.ask(m)
			i := slices.IndexFunc(f.Values, func(v factValue) bool { return v.Text == text })
			if i < 0 {
				f.Values, i = append(f.Values, factValue{Text: text}), len(f.Values)
			}
			f.Values[i].Cells++
		}
		switch {
		case len(f.Values) == 1 && f.Values[0].Text == "":
			continue
		case len(f.Values) == 1:
			f.Values[0].Cells = 0
		default:
			f.limit()
		}
		facts = append(facts, f)
	}
	return facts
}

// limit keeps a few of many answers, such as load averages, which differ in each cell.
func (f *fact) limit() {
	const most = 5
	for i := range f.Values {
		if f.Values[i].Text == "" {
			f.Values[i].Text = "none"
		}
	}
	if len(f.Values) <= most {
		return
	}
	var texts []string
	for _, v := range f.Values {
		texts = append(texts, v.Text)
	}
	slices.Sort(texts)
	f.Values = []factValue{{Text: fmt.Sprintf("%d different values, in the order of the alphabet "+
		"from %s to %s", len(texts), texts[0], texts[len(texts)-1])}}
}

// factsTable returns facts as a table.
func factsTable(title string, facts []fact) *doc.Table {
	t := doc.NewTable(2, "", "")
	t.Title = title
	t.Prose(1)
	for _, f := range facts {
		name := f.Name
		for _, v := range f.Values {
			text := v.Text
			if v.Cells > 0 {
				text += " (" + plural(v.Cells, "cell") + ")"
			}
			t.Row(name, text)
			name = ""
		}
	}
	return t
}

// environment returns the section of the computer, the program and the machines.
func environment(e *dataset.Experiment) *doc.Doc {
	d := section("environment", "Environment")
	facts := factsOf(e)
	title := "The computer and the program."
	if len(natives(e)) == 0 {
		title = "The computer that simulated, on which simulated numbers do not depend, and the program."
	}
	about := &doc.Fold{Doc: doc.Doc{Title: "Computers, machines and programs"}}
	d.Add(about)
	if len(facts) == 0 {
		about.Say("No manifest can be read, so that nothing is known of the environment.")
	} else {
		about.Add(factsTable(title, facts))
	}
	places(about, e)
	for _, f := range machineFiles(e) {
		d.Add(f.fold())
	}
	return d
}

// places adds each machine of the results, once.
func places(d *doc.Fold, e *dataset.Experiment) {
	type key struct {
		name string
		hw.Machine
	}
	seen := map[key]bool{}
	for i := range e.Cells {
		c := &e.Cells[i]
		m := c.Result.Machine
		if seen[key{c.MachineName(), m.Machine}] {
			continue
		}
		seen[key{c.MachineName(), m.Machine}] = true
		title := "Machine " + orNot(c.MachineName()) + "."
		if c.Result.Substrate == loi.Simulated {
			title = "Simulated machine " + orNot(c.MachineName()) + "."
		}
		var facts []fact
		add := func(name string, texts ...string) {
			f := fact{Name: name}
			for _, text := range texts {
				f.Values = append(f.Values, factValue{Text: text})
			}
			facts = append(facts, f)
		}
		add("Nodes (last-level caches) × cores", positive(m.Nodes)+" × "+positive(m.CoresPerNode))
		add("CPUs", positive(m.CPUs))
		for _, s := range []struct {
			name string
			size hw.Size
		}{{"L1d", m.L1dBytes}, {"L2 of a core", m.L2Bytes}, {"Last-level cache of a node",
			m.LLCBytes}, {"Cache line", hw.Size(m.LineBytes)}} {
			if s.size == 0 {
				add(s.name, unknown)
			} else {
				add(s.name, units.Bytes(uint64(s.size)))
			}
		}
		if known := m.CachesKnown.String(); known != "" {
			add("Sizes of caches are", known)
		}
		add("Time from", orNot(m.TimeSource))
		if m.Synthetic {
			add("Topology", "synthetic: the map of workers to nodes was imposed")
		}
		if c.Manifest != nil && c.Manifest.Topology != nil && c.Result.Substrate != loi.Simulated {
			var nodes []string // what shares a last-level cache
			for n, node := range c.Manifest.Topology.Nodes {
				nodes = append(nodes, fmt.Sprintf("node %d: CPUs %s, package %d, NUMA %s", n,
					hw.FormatCPUList(node.CPUs), node.Package, hw.FormatCPUList(node.NUMA)))
			}
			add("Nodes", nodes...)
		}
		d.Add(factsTable(title, facts))
	}
}

func positive(n int) string {
	if n <= 0 {
		return unknown
	}
	return fmt.Sprint(n)
}
