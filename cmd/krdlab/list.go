package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments"
	"krdlab/hw"
	"krdlab/hw/machine"
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
	Guesses     []string   `json:"guesses,omitempty"` // numbers of a simulated machine that nobody measured or published
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
					return usageError("krdlab list %s: there is no such list; %s", arg, experiments.Suggest(arg, what))
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
				l.Schedulers = append(l.Schedulers, schedulerEntry{s.Name, s.Paper, s.Doc})
			}
		case "machines":
			t, err := a.topology()
			if err != nil {
				return nil, fmt.Errorf("this machine's topology: %w", err)
			}
			l.Machines = []machineEntry{{Name: machineNative, Substrate: loi.Native, Machine: t.Machine()}}
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
				l.Machines = append(l.Machines, machineEntry{Name: name, Substrate: loi.Simulated, Description: m.Description, Machine: shape, Guesses: m.Guesses()})
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
		}
	}
	if l.Machines != nil {
		b.WriteString("machines\n")
		for _, m := range l.Machines {
			what := describeMachine(m.Machine)
			if m.Substrate == loi.Simulated {
				what = fmt.Sprintf("simulated: %s: %d nodes of %d cores", m.Description, m.Machine.Nodes, m.Machine.CoresPerNode)
			}
			fmt.Fprintf(&b, "  %-19s %s; L2 %s, LLC %s\n", m.Name, what, formatSize(m.Machine.L2Bytes), formatSize(m.Machine.LLCBytes))
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
