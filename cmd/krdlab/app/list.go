package app

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/request"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
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
}

// A schedulerEntry is a line of the table of schedulers.
type schedulerEntry struct {
	Name    string `json:"name"`
	Paper   string `json:"paper,omitempty"` // in the KRD paper
	Summary string `json:"summary"`
	// the runtime as which its operations are priced on a simulated machine
	Family string           `json:"family,omitempty"`
	Params []runtimes.Param `json:"params,omitempty"`
}

// listing is the document of `krdlab list --json`.
type listing struct {
	Kernels    []kernelEntry    `json:"kernels,omitempty"`
	Schedulers []schedulerEntry `json:"schedulers,omitempty"`
	Machines   []machineEntry   `json:"machines,omitempty"`
}

// listCommand is `krdlab list`.
func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	what := []string{"kernels", "schedulers", "machines"}
	c := &cobra.Command{
		Use:       "list [kernels|schedulers|machines]",
		Short:     "Kernels, schedulers and machines that there are",
		ValidArgs: what,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exactly("kernels|schedulers|machines")(c, args)
			}
			for _, arg := range args {
				if !strings.Contains(" "+strings.Join(what, " ")+" ", " "+arg+" ") {
					return usageError("krdlab list %s: there is no such list; %s", arg,
						request.Suggest(arg, what, ""))
				}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = what
			}
			l, err := a.listing(args)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.stdout, l)
			}
			return l.write(a.stdout)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

func (a *app) listing(what []string) (*listing, error) {
	l := &listing{}
	for _, w := range what {
		switch w {
		case "kernels":
			for _, k := range kernels.Table {
				l.Kernels = append(l.Kernels, kernelEntry{k.Name, k.Summary, k.Work, k.Params})
			}
		case "schedulers":
			for _, s := range runtimes.Schedulers {
				l.Schedulers = append(l.Schedulers, schedulerEntry{s.Name, s.Paper, s.Doc, s.Family,
					s.Params})
			}
		case "machines":
			t, err := a.topology()
			if err != nil {
				return nil, fmt.Errorf("this machine's topology: %w", err)
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

func (l *listing) write(w io.Writer) error {
	var b strings.Builder
	if l.Kernels != nil {
		b.WriteString("kernels\n")
		for _, k := range l.Kernels {
			fmt.Fprintf(&b, "  %-19s %s\n", k.Name, k.Summary)
			for _, p := range k.Params {
				fmt.Fprintf(&b, "  %-19s --%s %v%s\n", "", p.Name, p.Default, others(p))
			}
		}
	}
	if l.Schedulers != nil {
		b.WriteString("schedulers\n")
		for _, s := range l.Schedulers {
			paper := ""
			if s.Paper != "" {
				paper = "; the paper's " + s.Paper
			}
			fmt.Fprintf(&b, "  %-19s %s%s\n", s.Name, s.Summary, paper)
			if s.Family != "" {
				fmt.Fprintf(&b, "  %-19s simulated at the prices of family %s\n", "", s.Family)
			}
			for _, p := range s.Params {
				fmt.Fprintf(&b, "  %-19s :%s=%d %s; %d to %d\n", "", p.Name, p.Default, p.Help,
					p.Min, p.Max)
			}
		}
	}
	if l.Machines != nil {
		b.WriteString("machines\n")
		for _, m := range l.Machines {
			what := m.Machine.Describe()
			if m.Substrate == loi.Simulated {
				what = fmt.Sprintf("simulated: %s: %s of %s", m.Description,
					units.Count(m.Machine.Nodes, "node"), units.Count(m.Machine.CoresPerNode, "core"))
			}
			fmt.Fprintf(&b, "  %-19s %s; L2 %s, LLC %s\n", m.Name, what,
				m.Machine.L2Bytes, m.Machine.LLCBytes)
			if n := len(m.Guesses); n > 0 {
				fmt.Fprintf(&b, "  %-19s %d of its numbers are guesses; --json names them\n", "", n)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
