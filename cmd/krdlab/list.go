package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments"
	"krdlab/hw"
)

// A machineEntry is a machine that kernels can be run on.
type machineEntry struct {
	Name      string     `json:"name"`
	Substrate string     `json:"substrate"`
	Machine   hw.Machine `json:"machine"`
}

// listing is the document of `krdlab list --json`.
type listing struct {
	Kernels    []experiments.Kernel    `json:"kernels,omitempty"`
	Schedulers []experiments.Scheduler `json:"schedulers,omitempty"`
	Machines   []machineEntry          `json:"machines,omitempty"`
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
			l.Kernels = experiments.Kernels()
		case "schedulers":
			l.Schedulers = experiments.Schedulers()
		case "machines":
			t, err := a.topology()
			if err != nil {
				return nil, fmt.Errorf("this machine's topology: %w", err)
			}
			l.Machines = []machineEntry{{"native", "native", t.Machine()}}
		}
	}
	return l, nil
}

func (l *listing) write(w io.Writer) error {
	var b strings.Builder
	if l.Kernels != nil {
		b.WriteString("kernels\n")
		for _, k := range l.Kernels {
			fmt.Fprintf(&b, "  %-19s %s; %s\n", k.Name, k.Summary, k.Describe(k.Defaults()))
		}
	}
	if l.Schedulers != nil {
		b.WriteString("schedulers\n")
		for _, s := range l.Schedulers {
			paper := ""
			if s.Paper != "" {
				paper = " (" + s.Paper + " in the KRD paper)"
			}
			fmt.Fprintf(&b, "  %-19s %s%s\n", s.Name, s.Summary, paper)
		}
	}
	if l.Machines != nil {
		b.WriteString("machines\n")
		for _, m := range l.Machines {
			fmt.Fprintf(&b, "  %-19s %s; L2 %s, LLC %s\n", m.Name, describeMachine(m.Machine), formatSize(m.Machine.L2Bytes), formatSize(m.Machine.LLCBytes))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
