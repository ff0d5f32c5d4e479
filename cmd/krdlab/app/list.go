package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/analyses"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/runtimes"
)

// A machineEntry is a machine that kernels can be run on.
type machineEntry struct {
	Name        string     `json:"name"`
	Substrate   string     `json:"substrate"`
	Description string     `json:"description,omitempty"`
	Machine     hw.Machine `json:"machine"`
	// numbers of a simulated machine that nobody measured or published
	Guesses []string `json:"guesses,omitempty"`
}

// A kernelEntry is a line of the table of kernels.
type kernelEntry struct {
	Name    string         `json:"name"`
	Summary string         `json:"summary"`
	Work    bool           `json:"work"` // OVR and WTI can be measured
	Params  []kernel.Param `json:"params"`
	Classes []kernel.Class `json:"classes,omitempty"`
}

// A schedulerEntry is a line of the table of schedulers.
type schedulerEntry struct {
	Name    string `json:"name"`
	Paper   string `json:"paper,omitempty"` // in the KRD paper
	Summary string `json:"summary"`
	Origin  string `json:"origin,omitempty"` // where it was published
	Year    int    `json:"year,omitempty"`
	// the runtime as which its operations are priced on a simulated machine
	Family string           `json:"family,omitempty"`
	Params []runtimes.Param `json:"params,omitempty"`
}

// An analysisEntry is a line of the table of analyses.
type analysisEntry struct {
	Name     string         `json:"name"`
	Summary  string         `json:"summary"`
	Needs    analysis.Needs `json:"needs"`
	Pictures []string       `json:"pictures,omitempty"` // ends of names of files
}

// A findingEntry is a line of the catalogue of findings.
type findingEntry struct {
	Code     doc.Code  `json:"code"`
	Level    doc.Level `json:"level"`
	Sentence string    `json:"sentence"` // with numbers and names for example
	Needs    string    `json:"needs,omitempty"`
	Next     string    `json:"next,omitempty"`
}

// listing is the document of `krdlab list --json`.
type listing struct {
	Kernels    []kernelEntry    `json:"kernels,omitempty"`
	Schedulers []schedulerEntry `json:"schedulers,omitempty"`
	Analyses   []analysisEntry  `json:"analyses,omitempty"`
	Machines   []machineEntry   `json:"machines,omitempty"`
	Findings   []findingEntry   `json:"findings,omitempty"`
}

// listCommand returns the command `krdlab list`.
func (a *app) listCommand() *cobra.Command {
	what := []string{"kernels", "schedulers", "analyses", "machines", "findings"}
	return withJSON(&cobra.Command{
		Use:   "list [kernels|schedulers|analyses|machines|findings]",
		Short: "Kernels, schedulers, analyses and machines that there are",
		Long: "List kernels, schedulers, analyses and machines; `krdlab list findings` prints the " +
			"catalogue of the findings of commands.",
		ValidArgs: what,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exactly(strings.Join(what, "|"))(c, args)
			}
			for _, arg := range args {
				if !slices.Contains(what, arg) {
					return usageError("krdlab list %s: there is no such list; %s", arg,
						request.Suggest(arg, what, ""))
				}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = what[:4]
			}
			l, err := a.listing(args)
			if err != nil {
				return err
			}
			return a.answer(c, l, l.write)
		},
	})
}

func (a *app) listing(what []string) (*listing, error) {
	l := &listing{}
	for _, w := range what {
		switch w {
		case "kernels":
			for _, k := range kernels.Table {
				l.Kernels = append(l.Kernels, kernelEntry{k.Name, k.Summary, k.Work, k.Params,
					k.Classes})
			}
		case "schedulers":
			for _, s := range runtimes.Schedulers {
				l.Schedulers = append(l.Schedulers, schedulerEntry{s.Name, s.Paper, s.Doc,
					s.Origin, s.Year, s.Family, s.Params})
			}
		case "analyses":
			for _, x := range analyses.Table {
				l.Analyses = append(l.Analyses, analysisEntry{x.Name, x.Summary, x.Needs, x.Formats()})
			}
		case "findings":
			l.Findings = findings()
		case "machines":
			t, err := a.host("")
			if err != nil {
				return nil, err
			}
			l.Machines = []machineEntry{{Name: request.Native, Substrate: loi.Native,
				Machine: t.Machine()}}
			for _, name := range machine.Names() {
				m, err := machine.ByName(name)
				if err != nil {
					return nil, err
				}
				topology, err := m.Topology()
				if err != nil {
					return nil, err
				}
				shape := topology.Machine()
				shape.Synthetic = false
				l.Machines = append(l.Machines, machineEntry{Name: name, Substrate: loi.Simulated,
					Description: m.Description, Machine: shape, Guesses: m.Guesses()})
			}
		}
	}
	return l, nil
}

// findings returns the catalogue.
func findings() (list []findingEntry) {
	for _, code := range doc.Codes() {
		e, _ := code.In()
		f := doc.Find(code, e.Example...)
		list = append(list, findingEntry{code, e.Level, f.Sentence(), e.Needs.String(), f.Next()})
	}
	return list
}

func (l *listing) write(p *doc.Page) error {
	// what there is to say of each, on lines of its own
	part := func(title string, fill func(add func(name string, lines ...string))) {
		p.Line("%s", title)
		t := doc.NewTable(1)
		t.Prose(1)
		fill(func(name string, lines ...string) {
			for _, line := range lines {
				t.Row("  "+name, line)
				name = ""
			}
		})
		p.Table(t)
	}
	if l.Kernels != nil {
		part("kernels", func(add func(string, ...string)) {
			for _, k := range l.Kernels {
				lines := []string{k.Summary}
				for _, p := range k.Params {
					lines = append(lines, fmt.Sprintf("--%s %v%s", p.Name, p.Default, others(p)))
				}
				for _, c := range k.Classes {
					lines = append(lines, fmt.Sprintf("--class %s: %s", c.Name, classParams(k, c)))
				}
				add(k.Name, lines...)
			}
		})
	}
	if l.Schedulers != nil {
		part("schedulers", func(add func(string, ...string)) {
			for _, s := range l.Schedulers {
				lines := []string{s.Summary}
				if s.Paper != "" {
					lines[0] += "; the paper's " + s.Paper
				}
				if s.Origin != "" {
					lines = append(lines, fmt.Sprintf("%s, %d", s.Origin, s.Year))
				}
				if s.Family != "" {
					lines = append(lines, "simulated at the prices of family "+s.Family)
				}
				for _, p := range s.Params {
					lines = append(lines, fmt.Sprintf(":%s=%d %s; %d to %d", p.Name, p.Default,
						p.Help, p.Min, p.Max))
				}
				add(s.Name, lines...)
			}
		})
	}
	if l.Analyses != nil {
		part("analyses", func(add func(string, ...string)) {
			for _, x := range l.Analyses {
				add(x.Name, x.Summary)
			}
		})
	}
	if l.Findings != nil {
		part("findings", func(add func(string, ...string)) {
			for _, f := range l.Findings {
				add(string(f.Code), string(f.Level)+": "+f.Sentence)
			}
		})
	}
	if l.Machines != nil {
		part("machines", func(add func(string, ...string)) {
			for _, m := range l.Machines {
				what := m.Machine.Describe()
				if m.Substrate == loi.Simulated {
					what = fmt.Sprintf("simulated: %s: %s of %s", m.Description,
						units.Count(m.Machine.Nodes, "node"),
						units.Count(m.Machine.CoresPerNode, "core"))
				}
				lines := []string{fmt.Sprintf("%s; L2 %s, LLC %s", what, m.Machine.L2Bytes,
					m.Machine.LLCBytes)}
				if n := len(m.Guesses); n > 0 {
					lines = append(lines, fmt.Sprintf("%d of its numbers are guesses; --json names "+
						"them", n))
				}
				add(m.Name, lines...)
			}
		})
	}
	return p.Close()
}

// classParams lists the parameters of a class that differ from the defaults, in the order of k's.
func classParams(k kernelEntry, c kernel.Class) string {
	var words []string
	for _, p := range k.Params {
		if v, ok := c.Params[p.Name]; ok {
			words = append(words, fmt.Sprintf("--%s %v", p.Name, v))
		}
	}
	if words == nil {
		return "as by default"
	}
	return strings.Join(words, " ")
}

// others names the choices of p besides its default.
func others(p kernel.Param) string {
	var names []string
	for _, c := range p.Choices {
		if c != p.Default {
			names = append(names, c)
		}
	}
	if names == nil {
		return ""
	}
	return " (or " + strings.Join(names, ", ") + ")"
}
