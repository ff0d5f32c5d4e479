package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/hw"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// topoCommand returns the command `krdlab topo`.
func (a *app) topoCommand() *cobra.Command {
	var again bool
	var caches given
	var root string
	c := &cobra.Command{
		Use:   "topo",
		Short: "Nodes, cores and caches of this machine, and where workers would run",
		Long: "Show the nodes (last-level caches), cores, SMT siblings, caches and NUMA nodes of " +
			"this machine, and on which\n" +
			"CPUs this process may run.",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if again {
				return a.topoMeasured(c.Context())
			}
			t, err := a.host(caches)
			if root != "" {
				t, err = otherMachine(root)
			}
			if err != nil {
				return err
			}
			return a.answer(c, t, func(p *doc.Page) error { return writeTopology(p, t) })
		},
	}
	cachesVar(c.Flags(), &caches)
	c.Flags().BoolVar(&again, "measure", false, "measure the sizes of the caches, some 10 s without "+
		"other load, and keep them for the commands that follow, which use them where the system "+
		"reports none")
	c.Flags().StringVar(&root, "root", "", "read the proc and sys folders of this `FOLDER`: a "+
		"snapshot of another machine")
	c.MarkFlagsMutuallyExclusive("root", "measure", "caches")
	return withJSON(c)
}

// otherMachine reads the topology of a machine from a copy of its proc and sys folders.
func otherMachine(root string) (*hw.Topology, error) {
	const want = "expected one that holds the proc and sys folders of a machine"
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--root %s: there is no such folder; %s", root, want)
	case err == nil && !info.IsDir():
		return nil, fmt.Errorf("--root %s: it is no folder; %s", root, want)
	}
	var t *hw.Topology
	if err == nil {
		t, err = hw.ReadTopology(os.DirFS(root), nil)
	}
	if err != nil {
		return nil, fmt.Errorf("--root %s: %w", root, err)
	}
	return t, nil
}

// topoMeasured runs `krdlab topo --measure`.
func (a *app) topoMeasured(ctx context.Context) error {
	t, err := a.topology()
	if err != nil {
		return fmt.Errorf("this machine's topology: %w", err)
	}
	e, err := a.measureCaches(ctx, t)
	p := a.page()
	if e != nil {
		for _, x := range e.Curve {
			p.Line("%10s  %6.1f ns", units.Bytes(x.Bytes), float64(x.PS)/1000)
		}
	}
	if err != nil {
		return errors.Join(p.Close(), err)
	}
	p.Line("measured: L1d %s, L2 %s, LLC %s for %s", units.Bytes(e.L1dBytes), units.Bytes(e.L2Bytes),
		units.Bytes(e.LLCBytes), units.Count(e.Cores, "core"))
	p.Line("in use: %s", e.Of(t).Machine().Caches())
	return p.Close()
}

func writeTopology(p *doc.Page, t *hw.Topology) error {
	m := t.Machine()
	fmt.Fprintf(p, "%s\n", m.Describe())
	fmt.Fprintf(p, "%s; an LLC for each node, lines of %s\n", m.Caches(), hw.Size(m.LineBytes))
	for i, n := range t.Nodes {
		fmt.Fprintf(p, "node %d: L%s %s, package %s, NUMA %s\n", i, number(n.LLC.Level, 0),
			n.LLC.Bytes, number(n.Package, -1), hw.FormatCPUList(n.NUMA))
		for _, core := range n.Cores {
			cpus := t.Cores[core].CPUs
			fmt.Fprintf(p, "  core %d: CPU %s%s\n", core, hw.FormatCPUList(cpus),
				notAllowed(t, cpus))
		}
	}
	for _, n := range t.NUMA {
		fmt.Fprintf(p, "NUMA node %d: CPUs %s, memory %s", n.ID, hw.FormatCPUList(n.CPUs),
			n.Bytes)
		if n.Distance != nil {
			fmt.Fprintf(p, ", distances %s", strings.Trim(fmt.Sprint(n.Distance), "[]"))
		}
		fmt.Fprintln(p)
	}
	if len(t.Offline) > 0 {
		fmt.Fprintf(p, "offline: CPUs %s\n", hw.FormatCPUList(t.Offline))
	}
	fmt.Fprintf(p, "this process may use CPUs %s\n", hw.FormatCPUList(t.Allowed()))
	if cpus, err := t.Available(hw.Binding{}, false); err == nil {
		fmt.Fprintf(p, "workers run, in this order, on CPUs %s\n",
			strings.Trim(strings.ReplaceAll(fmt.Sprint(cpus), " ", ","), "[]"))
	}
	for _, warning := range t.Warnings {
		fmt.Fprintf(p, "warning: %s\n", warning)
	}
	return p.Close()
}

// number prints v, n/a where it is the value that stands for what is not known.
func number(v, unknown int) string {
	if v == unknown {
		return units.NotAvailable
	}
	return fmt.Sprint(v)
}

func notAllowed(t *hw.Topology, cpus []int) string {
	var not []int
	for _, cpu := range cpus {
		if !slices.Contains(t.Allowed(), cpu) {
			not = append(not, cpu)
		}
	}
	if not == nil {
		return ""
	}
	return "; this process may not use " + hw.FormatCPUList(not)
}
