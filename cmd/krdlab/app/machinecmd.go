package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/hw/cachemodel"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/kernels/calibrate"
	"krdlab/krd/doc"
)

// machineCommand returns the command `krdlab machine`, for the files of simulated machines.
func (a *app) machineCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "machine",
		Short: "Files of simulated machines: measure this one, show one",
		Long: "A simulated run takes place on a machine, which is a TOML file: built in (krdlab " +
			"list machines), or your own.\n" +
			"The fields are described in docs/machines.md.",
	})
	c.AddCommand(a.machineCalibrateCommand(), a.machineShowCommand())
	return c
}

// machineShowCommand returns the command `krdlab machine show`.
func (a *app) machineShowCommand() *cobra.Command {
	return withJSON(&cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Print a machine as TOML, guesses marked, sources at its end",
		Long: "Print a machine as the TOML file that --machine reads. Numbers that were neither " +
			"measured nor published are marked as \"estimated\" or \"not calibrated\"; the sources " +
			"of all numbers stand at the end. host is this computer as far as the operating system " +
			"describes it; the rest is a guess until it is calibrated.",
		Args: exactly("NAME|FILE"),
		ValidArgsFunction: cobra.FixedCompletions(append(machine.Names(), request.Host),
			cobra.ShellCompDirectiveDefault),
		RunE: func(c *cobra.Command, args []string) error {
			host, err := a.host("")
			if err != nil {
				return err
			}
			m, err := simulatedMachine(a.machinesOf(host), "krdlab machine show", args[0])
			if err != nil {
				return err
			}
			return a.answer(c, machineDocument{SchemaVersion: 1, Name: m.Name,
				Description: m.Description, Hash: m.Hash(), Numbers: m.Numbers()},
				func(*doc.Page) error {
					err := m.Write(a.stdout)
					if beyond := cachemodel.Fits(m); err == nil && beyond != nil {
						_, err = fmt.Fprintf(a.stdout, "\n# Kernels with data are not simulated on it: %v.\n", beyond)
					}
					return err
				})
		},
	})
}

// machineDocument is the document of `krdlab machine show --json` and, with the fields below, of
// `krdlab machine calibrate --json`.
type machineDocument struct {
	SchemaVersion int              `json:"schema_version"`
	Name          string           `json:"name"`
	Description   string           `json:"description,omitempty"`
	Hash          string           `json:"hash"` // of the numbers
	Numbers       []machine.Number `json:"numbers"`

	File      string `json:"file,omitempty"` // that was written
	Quick     bool   `json:"quick,omitempty"`
	ElapsedNS int64  `json:"elapsed_ns,omitempty"`
	// Missing are the operations of schedulers that calibration could not measure.
	Missing  []calibrate.Missing `json:"missing,omitempty"`
	Warnings []string            `json:"warnings,omitempty"`
}

// machineCalibrateCommand returns the command `krdlab machine calibrate`.
func (a *app) machineCalibrateCommand() *cobra.Command {
	var out string
	var caches given
	var quick bool
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure this computer and write the file of a simulated machine",
		Long: "Measure this computer and write it as a machine that can be simulated: clock, " +
			"latencies of caches and memories,\nbandwidths, what spawns, steals, joins and locks " +
			"cost under each scheduler, and how many operations of each kind a core does. It takes\n" +
			"some ten seconds; let nothing else run: where other programs disturb it, nothing is " +
			"written. Numbers that cannot be measured are guesses, and marked so in the file and the " +
			"output.",
		Example: "  krdlab machine calibrate --out here.toml\n  krdlab run matmul --machine " +
			"here.toml --sched all",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, out, "FILE.toml"); err != nil {
				return err
			}
			d, err := a.calibrate(c.Context(), out, caches, quick)
			if err != nil {
				if c.Context().Err() != nil {
					return failure.New(failure.Interrupted, "interrupted; nothing was written")
				}
				return err
			}
			return a.answer(c, d, d.write)
		},
	}
	c.Flags().StringVar(&out, "out", "", "the TOML `FILE` to write, which must not exist; the "+
		"machine has its name")
	cachesVar(c.Flags(), &caches)
	c.Flags().BoolVar(&quick, "quick", false,
		"fewer samples and sizes: a quarter of the time, less sure")
	return withJSON(c)
}

// calibrate measures this computer and writes the file.
func (a *app) calibrate(ctx context.Context, out string, caches given, quick bool) (*machineDocument,
	error) {
	t, err := a.sized(ctx, caches)
	if err != nil {
		return nil, err
	}
	d := &machineDocument{SchemaVersion: 1, Name: nameOf(out), File: out, Quick: quick}
	if load := hw.HostFacts().LoadAverage; load != nil && load[0] > 0.25*float64(len(t.CPUs)) {
		d.Warnings = append(d.Warnings, fmt.Sprintf("the load was %.2f when calibration began: "+
			"other programs disturb it", load[0]))
	}
	began := time.Now()
	m, missing, err := a.measureComputer(ctx, t, d.Name, quick)
	if err != nil {
		return nil, err
	}
	d.Description, d.Hash, d.Numbers, d.ElapsedNS = m.Description, m.Hash(), m.Numbers(),
		time.Since(began).Nanoseconds()
	d.Missing = missing
	if err := writeFile(ctx, out, m.Write); err != nil {
		return nil, err
	}
	return d, nil
}

// simulatedMachine finds a machine to simulate by its name or file; asks begins the errors, and is
// the text that the name is typed after.
func simulatedMachine(machines *request.Machines, asks, name string) (*machine.Machine, error) {
	if name == request.Native || name == request.Auto {
		return nil, usageError("%s %s: that is no simulated machine; type %s %s for this computer "+
			"as it would be simulated", asks, name, asks, request.Host)
	}
	m, err := machines.Find(name)
	if info, serr := os.Stat(name); serr == nil && info.IsDir() && err != nil {
		return nil, usageError("%s %s: it is a folder; expected a TOML file, or the name of a "+
			"machine (krdlab list machines)", asks, name)
	}
	if wrong, ok := errors.AsType[*request.Error](err); ok {
		return nil, usageError("%s %q: there is no such machine, and no such file; %s", asks,
			wrong.Got, request.Suggest(wrong.Got, append([]string{request.Host},
				machine.Names()...), "krdlab list machines has all"))
	}
	return m, err
}

// measureComputer measures this computer, which t describes, as a machine of the name.
func (a *app) measureComputer(ctx context.Context, t *hw.Topology, name string,
	quick bool) (*machine.Machine, []calibrate.Missing, error) {
	show, done := a.progress()
	if show == nil {
		show = func(int, int, string) {}
	}
	defer done()
	began := time.Now()
	const more = 10 // steps of the bar for the second part, in tens of percent
	first := 0
	m, err := a.computer.hardware(ctx, t,
		machine.CalibrateOptions{Quick: quick, Beside: a.computer.beside},
		func(s machine.Step) {
			first = s.Total
			show(s.Done, s.Total+more, s.What)
		})
	if err != nil {
		return nil, nil, err
	}
	missing, err := a.computer.costs(ctx, t, m,
		calibrate.Options{Quick: quick, Beside: a.computer.beside},
		func(n, total int, next string) {
			show(first+n*more/total, first+more, next)
		})
	if err != nil {
		return nil, nil, err
	}
	m.Name = name
	m.Description = strings.TrimPrefix(m.Description+", calibrated "+
		began.UTC().Format(time.DateOnly), ", ")
	return m, missing, nil
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// nameOf returns the name of a machine whose file is at path: its own, unless that means something
// else to --machine.
func nameOf(path string) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.TrimSuffix(filepath.Base(path),
		".toml"), "-"), "-.")
	if name == "" || len(name) > 64 || slices.Contains(append(machine.Names(), request.Auto,
		request.Native, request.Host), name) {
		return "calibrated"
	}
	return name
}

// write prints what was measured, and what was not with the reason.
func (d *machineDocument) write(p *doc.Page) error {
	p.Line("%s: %s", d.Name, d.Description)
	measured, guessed := doc.NewTable(2), doc.NewTable(2)
	measured.Prose(1)
	guessed.Prose(2)
	guesses := 0
	for _, n := range d.Numbers {
		if n.Guessed {
			guesses++
			why := strings.TrimPrefix(strings.TrimPrefix(n.Source, machine.NotCalibrated), ": ")
			guessed.Row("  "+n.Path, oneLineOf(n.Text), why)
		} else if strings.HasPrefix(n.Source, "measured") {
			measured.Row("  "+n.Path, oneLineOf(n.Text))
		}
	}
	p.Table(measured)
	if guesses > 0 {
		p.Line("not measured, and only guessed")
		p.Table(guessed)
	}
	if len(d.Missing) > 0 {
		p.Line("not measured, by scheduler: the common price holds")
		p.Table(missingTable(d.Missing))
	}
	for _, warning := range d.Warnings {
		p.Line("warning: %s", warning)
	}
	file := d.File
	if !strings.ContainsAny(file, "/.") { // --machine would take it for a name
		file = "./" + file
	}
	p.Line("written to %s; use it: krdlab run matmul --machine %s", d.File, file)
	return p.Close()
}

// missingTable returns a table with a line for each scheduler and reason.
func missingTable(missing []calibrate.Missing) *doc.Table {
	table := doc.NewTable(3)
	table.Prose(1, 2)
	type line struct{ scheduler, why string }
	var order []line
	prices := map[line][]string{}
	for _, m := range missing {
		at := line{m.Scheduler, m.Why}
		if prices[at] == nil {
			order = append(order, at)
		}
		prices[at] = append(prices[at], m.Price)
	}
	for _, at := range order {
		table.Row("  "+at.scheduler, strings.Join(prices[at], ", "), at.why)
	}
	return table
}

// oneLineOf joins the lines of a matrix.
func oneLineOf(s string) string { return strings.Join(strings.Fields(s), " ") }
