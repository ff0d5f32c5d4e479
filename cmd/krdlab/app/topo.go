package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/show"
	"krdlab/hw"
)

// topoCommand is `krdlab topo`.
func (a *app) topoCommand() *cobra.Command {
	var asJSON bool
	var root string
	c := &cobra.Command{
		Use:   "topo",
		Short: "Nodes, cores and caches of this machine, and where workers would run",
		Long: "Show the nodes (last-level caches), cores, SMT siblings, caches and NUMA nodes of " +
			"this machine, and on which\n" +
			"CPUs this process may run.",
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			read := a.topology
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
	c.Flags().StringVar(&root, "root", "", "read the proc and sys folders of this `FOLDER`: a "+
		"snapshot of another machine")
	return c
}

func writeTopology(p *show.Page, t *hw.Topology) error {
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
