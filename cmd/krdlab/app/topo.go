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

// topoCommand is `krdlab topo`.
func (a *app) topoCommand() *cobra.Command {
	var asJSON, again bool
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
			read := func() (*hw.Topology, error) { return a.host(caches) }
			switch {
			case root != "" && (again || caches != ""):
				return usageError("krdlab topo --root %s: it is of another machine, and goes with "+
					"neither --measure nor --caches", root)
			case again && caches != "":
				return usageError("krdlab topo: --measure and --caches exclude each other")
			case again:
				return a.topoMeasured(c.Context())
			}
			if root != "" {
				const want = "expected one that holds the proc and sys folders of a machine"
				switch info, err := os.Stat(root); {
				case errors.Is(err, fs.ErrNotExist):
					return fmt.Errorf("--root %s: there is no such folder; %s", root, want)
				case err != nil:
					return fmt.Errorf("--root %s: %w", root, err)
				case !info.IsDir():
					return fmt.Errorf("--root %s: it is no folder; %s", root, want)
				}
				read = func() (*hw.Topology, error) {
					t, err := hw.ReadTopology(os.DirFS(root), nil)
					if err != nil {
						return nil, fmt.Errorf("--root %s: %w", root, err)
					}
					return t, nil
				}
			}
			t, err := read()
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(a.stdout, t)
			}
			return writeTopology(a.page(), t)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cachesVar(c.Flags(), &caches)
	c.Flags().BoolVar(&again, "measure", false, "measure the sizes of the caches, some 10 s without "+
		"other load, and keep them for the commands that follow, which take them for what nobody tells")
	c.Flags().StringVar(&root, "root", "", "read the proc and sys folders of this `FOLDER`: a "+
		"snapshot of another machine")
	return c
}

// topoMeasured is `krdlab topo --measure`.
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
	var b strings.Builder
	m := t.Machine()
	fmt.Fprintf(&b, "%s\n", m.Describe())
	fmt.Fprintf(&b, "%s; an LLC for each node, lines of %s\n", m.Caches(), hw.Size(m.LineBytes))
	for i, n := range t.Nodes {
		fmt.Fprintf(&b, "node %d: L%s %s, package %s, NUMA %s\n", i, number(n.LLC.Level, 0),
			n.LLC.Bytes, number(n.Package, -1), hw.FormatCPUList(n.NUMA))
		for _, core := range n.Cores {
			cpus := t.Cores[core].CPUs
			fmt.Fprintf(&b, "  core %d: CPU %s%s\n", core, hw.FormatCPUList(cpus),
				notAllowed(t, cpus))
		}
	}
	for _, n := range t.NUMA {
		fmt.Fprintf(&b, "NUMA node %d: CPUs %s, memory %s", n.ID, hw.FormatCPUList(n.CPUs),
			n.Bytes)
		if n.Distance != nil {
			fmt.Fprintf(&b, ", distances %s", strings.Trim(fmt.Sprint(n.Distance), "[]"))
		}
		b.WriteByte('\n')
	}
	if len(t.Offline) > 0 {
		fmt.Fprintf(&b, "offline: CPUs %s\n", hw.FormatCPUList(t.Offline))
	}
	fmt.Fprintf(&b, "this process may use CPUs %s\n", hw.FormatCPUList(t.Allowed()))
	if cpus, err := t.Available(hw.Binding{}, false); err == nil {
		fmt.Fprintf(&b, "workers run, in this order, on CPUs %s\n",
			strings.Trim(strings.ReplaceAll(fmt.Sprint(cpus), " ", ","), "[]"))
	}
	for _, warning := range t.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	fmt.Fprint(p, b.String())
	return p.Close()
}

// number prints v, n/a where it is the value that stands for what is not known.
func number(v, unknown int) string {
	if v == unknown {
		return "n/a"
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
	return ", of which this process may not use " + hw.FormatCPUList(not)
}
