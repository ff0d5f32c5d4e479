package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// orNone returns exactly for a command that does without arguments too, with [app.orLatest].
func orNone(what ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return exactly(what...)(c, args)
	}
}

// ofLatest ends the help of such a command.
const ofLatest = "\n\nWithout an argument it takes the latest of the folder " + result.RunsDir +
	" that fits, and prints its name."

// A latest selects the input of a command without arguments: the latest folders that fit.
type latest struct {
	fits  func(path string) error
	needs string // what those have
	makes string // the command that makes one
}

// results are the latest experiments and runs.
var results = latest{dataset.HasResults, "results of krdlab run or sweep", "krdlab run matmul"}

// withTrace are the latest runs that keep a trace.
var withTrace = latest{func(path string) error {
	_, err := findTraces(path)
	return err
}, "a trace", "krdlab run matmul --trace full"}

// orLatest returns the arguments of c, which what names, or where there are none, the latest
// experiments or runs that fit, and prints which they are.
func (a *app) orLatest(c *cobra.Command, args []string, l latest, what ...string) ([]string,
	error) {
	if len(args) > 0 {
		return args, nil
	}
	found, skipped := dataset.Latest(result.RunsDir, len(what), l.fits)
	if len(found) < len(what) {
		there := "nothing"
		if len(found) > 0 {
			there = found[0] + " only"
		}
		if len(skipped) > 0 {
			there += " with " + l.needs + " (not " + firstOf(skipped) + ")"
		}
		return nil, usageError("%s: %s is missing, and the folder %s, whose latest would be taken, "+
			"has %s; type %s, or first %s", c.CommandPath(), what[0], result.RunsDir, there,
			typeThis(c), l.makes)
	}
	beside := ""
	if len(skipped) > 0 {
		beside = " (not " + firstOf(skipped) + ", without " + l.needs + ")"
	}
	fmt.Fprintf(a.stderr, "latest: %s%s\n", strings.Join(found, ", "), beside)
	return found, nil
}

// firstOf names the first of a list and counts the rest.
func firstOf(list []string) string {
	const most = 3
	if n := len(list) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), n)
	}
	return strings.Join(list, ", ")
}

// here reports whether word is a file, or where a command takes them too a folder with a trace or a
// document. It is then meant, and not what a table has of that name. A folder with something else,
// such as the sources of a kernel, is not.
func here(word string, folders bool) bool {
	info, err := os.Stat(word)
	if err != nil || !info.IsDir() {
		return err == nil
	}
	list, _ := os.ReadDir(word)
	return folders && slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return isTrace(e.Name()) || filepath.Ext(e.Name()) == ".json"
	})
}

// sayHere prints that a file or folder was taken in the place of what.
func (a *app) sayHere(word, what string) {
	fmt.Fprintf(a.stderr, "%s: taken is the file or folder here, not the %s of that name\n", word, what)
}

// oneTrace returns path, or the trace in it if it is a run directory with one.
func oneTrace(path string) (string, error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", noTrace(path)
	} else if err != nil || !info.IsDir() {
		return path, nil // opening it returns the error
	}
	traces, err := findTraces(path)
	if err != nil {
		return "", err
	}
	if len(traces) > 1 {
		return "", usageError("krdlab trace: %s holds %d traces: name one of %s", path, len(traces),
			strings.Join(traces, ", "))
	}
	return traces[0], nil
}

// ofTrace makes c a command of one trace, for which run is called with its file.
func ofTrace(c *cobra.Command, run func(c *cobra.Command, path string) error) *cobra.Command {
	c.Args = exactly("TRACE")
	c.ValidArgsFunction = cobra.FixedCompletions([]string{"loi"},
		cobra.ShellCompDirectiveFilterFileExt)
	c.RunE = func(c *cobra.Command, args []string) error {
		path, err := oneTrace(args[0])
		if err != nil {
			return err
		}
		return run(c, path)
	}
	return c
}

// openTrace opens a trace with the caches of g. Its errors name a remedy. told is as for
// [loi.Open].
func openTrace(path string, g given, told ...loi.Told) (*loi.Trace, error) {
	t, err := g.open(path, told)
	return t, traceError(path, err)
}

// opened opens a trace as openTrace, and shows how much was read, up to its return.
func (a *app) opened(path string, g given) (*loi.Trace, error) {
	show, done := bytesProgress[uint64](a, "open")
	defer done()
	return openTrace(path, g, show)
}

// interruptible runs f, which leaves nothing behind, and does not wait for its end if the context
// is done before.
func interruptible(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// findTraces returns path itself, or the traces of a run directory.
func findTraces(path string) (traces []string, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noTrace(path)
	} else if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	if traces, err = tracesIn(path); err != nil {
		return nil, err
	}
	sortAsRun(path, traces)
	if _, err := os.Stat(filepath.Join(path, dataset.PlanFile)); err == nil && len(traces) == 0 {
		return nil, ofSweep(path)
	}
	if _, err := os.Stat(filepath.Join(path, result.ManifestFile)); err != nil &&
		len(traces) == 0 {
		return nil, fmt.Errorf("%s: it is no run directory and holds no trace (*.loi, *.loi.zst)",
			path)
	}
	if len(traces) == 0 {
		return nil, fmt.Errorf("run directory %s holds no trace (*.loi, *.loi.zst)%s; %s", path,
			result.Ended(path), keepOne)
	}
	return traces, nil
}

// sortAsRun sorts the traces of a run directory as its schedulers were asked for.
func sortAsRun(dir string, traces []string) {
	var m struct{ Schedulers []string }
	if b, err := os.ReadFile(filepath.Join(dir, result.ManifestFile)); err != nil ||
		json.Unmarshal(b, &m) != nil {
		return
	}
	slices.SortStableFunc(traces, func(a, b string) int {
		at := func(path string) int {
			name, _, _ := strings.Cut(filepath.Base(path), ".")
			return slices.Index(m.Schedulers, name)
		}
		return cmp.Compare(at(a), at(b))
	})
}

// isTrace reports whether a file has the name of a trace.
func isTrace(path string) bool {
	return strings.HasSuffix(strings.TrimSuffix(path, ".zst"), ".loi")
}

// tracesIn returns the traces in a folder, sorted.
func tracesIn(dir string) (traces []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if isTrace(e.Name()) {
			traces = append(traces, filepath.Join(dir, e.Name()))
		}
	}
	return traces, err
}

// keepOne records how a run or a sweep comes to hold a trace.
const keepOne = "krdlab run and sweep keep their traces with --trace full"

// ofSweep returns the error of a sweep's folder in the place of a trace: it names a cell with one.
func ofSweep(path string) error {
	cells, err := os.ReadDir(filepath.Join(path, dataset.CellsDir))
	for _, c := range cells {
		dir := filepath.Join(path, dataset.CellsDir, c.Name())
		if traces, terr := tracesIn(dir); err == nil && terr == nil && len(traces) > 0 {
			return usageError("%s: it is the folder of a sweep; name the run directory of one of "+
				"its cells, such as %s", path, dir)
		}
	}
	return usageError("%s: it is the folder of a sweep, and no cell of it holds a trace; %s; "+
		"krdlab plot draws the reuse distances that the sweep has counted", path, keepOne)
}

// noTrace returns the error of a trace or run directory that is not there.
func noTrace(path string) error {
	if path == "" {
		return usageError("krdlab: the name of a trace or run directory is empty; type . for " +
			"this folder")
	}
	if _, err := os.Stat(path + ".partial"); err == nil {
		return fmt.Errorf("%s: there is no such file or folder; but "+
			"%s.partial is there, of a run that did not finish", path, path)
	}
	return fmt.Errorf("%s: there is no such file or folder; expected a "+
		"trace or a run directory", path)
}

// traceError adds what helps against an error of opening a trace.
func traceError(path string, err error) error {
	if errors.Is(err, loi.ErrNotTrace) {
		return fmt.Errorf("%w; a trace is a file that ends in .loi, and a run directory stands "+
			"for those in it", err)
	}
	if errors.Is(err, loi.ErrUnclean) {
		return fmt.Errorf("%w; try krdlab trace recover %s --out %s", err, path,
			strings.TrimSuffix(path, ".loi")+"-recovered.loi")
	}
	return err
}

func analysisError(path string, err error) error {
	if strings.HasPrefix(err.Error(), path) {
		return err
	}
	if errors.Is(err, loi.ErrLoss) {
		return fmt.Errorf("%s: %w; add --allow-loss to analyse what there is", path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// sayUnfinished warns where path is the directory of a run that did not finish.
func (a *app) sayUnfinished(path string) {
	dir, err := filepath.Abs(path)
	info, serr := os.Stat(path)
	if err != nil || serr != nil || !info.IsDir() || !strings.HasSuffix(dir, dataset.PartialSuffix) {
		return
	}
	for _, w := range doc.Sentences([]result.Warning{result.Warn(result.UnfinishedRun, path)}) {
		fmt.Fprintf(a.stderr, "warning: %s\n", w)
	}
}

// sayCoherent warns where path is the directory of a run whose own reuse distances are coherent.
func (a *app) sayCoherent(path string) {
	e, err := dataset.Load(path)
	if err != nil { // a trace, or a folder of traces
		return
	}
	for i := range e.Cells {
		if e.Cells[i].Result.Settings.Coherence {
			fmt.Fprintf(a.stderr, "warning: the results in %s have coherent distances, these are "+
				"not; type --coherence for the same\n", path)
			return
		}
	}
}

// loadExperiment reads an experiment, or a run, to compute with. Faults in readable parts are in
// its Problems. It is an error if nothing of it can be used, unless empty.
func loadExperiment(dir string, empty bool) (*dataset.Experiment, error) {
	if dir == "" {
		return nil, usageError("krdlab: the name of an experiment or run is empty; type . for " +
			"this folder")
	}
	e, err := dataset.Load(dir)
	switch {
	case err == nil && len(e.Cells) == 0 && !empty:
		what := fmt.Sprintf("none of the %d cells of its plan can be used", len(e.Plan))
		if len(e.Plan) == 1 {
			what = "the only cell of its plan cannot be used"
		}
		return nil, fmt.Errorf("%s: %s: %s; type krdlab sweep status %s",
			dir, what, firstProblem(e), dir)
	case err == nil:
		return e, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, err
	}
	return nil, failure.As(failure.Data, err)
}

// firstProblem returns the first problem of a cell; without any, the reason that nothing can be
// used.
func firstProblem(e *dataset.Experiment) string {
	if i := slices.IndexFunc(e.Problems,
		func(p dataset.Problem) bool { return p.Cell != "" }); i >= 0 {
		return e.Problems[i].String()
	}
	return "the plan is empty"
}

// includeDisturbed defines the flag of commands that leave disturbed results out.
func includeDisturbed(c *cobra.Command) {
	c.Flags().Bool("include-disturbed", false, "use results that other programs disturbed, too")
}

// folders completes the names of folders.
var folders = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)

// experiments calls use with the experiments or runs that args name, or the latest ones where there
// are no arguments; what names the arguments of c. Disturbed results are left out where c has
// --include-disturbed without it. The error is that of use, or else counts the cells that could not
// be used. It does not wait for use when the context is done.
func (a *app) experiments(c *cobra.Command, args, what []string,
	use func([]*dataset.Experiment) error) error {
	args, err := a.orLatest(c, args, results, what...)
	if err != nil {
		return err
	}
	return interruptible(c.Context(), func() error {
		var list []*dataset.Experiment
		for _, dir := range args {
			e, err := loadExperiment(dir, false)
			if all, ferr := c.Flags().GetBool("include-disturbed"); err == nil && ferr == nil &&
				!all {
				e, err = a.undisturbed(dir, e)
			}
			if err != nil {
				return err
			}
			list = append(list, e)
		}
		return allUsed(use(list), list...)
	})
}

// undisturbed returns e without disturbed results, and prints to stderr how many it leaves out.
func (a *app) undisturbed(dir string, e *dataset.Experiment) (*dataset.Experiment, error) {
	clean, n := e.Undisturbed()
	switch {
	case n > 0 && len(clean.Cells) == 0:
		return nil, failure.As(failure.Data, fmt.Errorf("%s: other programs disturbed all of its "+
			"%s; --include-disturbed uses them", dir, units.Count(n, "result")))
	case n > 0:
		fmt.Fprintf(a.stderr, "krdlab: %s: %d of %d results are left out, as other programs "+
			"disturbed them; --include-disturbed uses them\n", dir, n, len(e.Cells))
	}
	return clean, nil
}

// sayNotes prints which computers are taken as one machine and which are not.
func (a *app) sayNotes(e *dataset.Experiment) {
	for _, n := range e.Notes {
		fmt.Fprintf(a.stderr, "warning: %s\n", n)
	}
}

// sayDoubts prints the notes of an experiment and all that is wrong with its cells.
func (a *app) sayDoubts(e *dataset.Experiment) {
	a.sayNotes(e)
	for _, p := range e.Problems {
		fmt.Fprintf(a.stderr, "warning: %s\n", p)
	}
}

// sayProblems returns what is wrong with the cells of an experiment.
func (a *app) sayProblems(e *dataset.Experiment, kinds ...dataset.ProblemKind) {
	for _, p := range e.Problems {
		if slices.Contains(kinds, p.Kind) {
			fmt.Fprintln(a.stderr, oneLine(errors.New(p.String())))
		}
	}
}

// allUsed returns err, or else an error that counts the cells of experiments that are finished and
// could not be used; nil if all could.
func allUsed(err error, experiments ...*dataset.Experiment) error {
	if err != nil {
		return err
	}
	var said []string
	for _, e := range experiments {
		unused := e.Unused()
		if len(unused) == 0 {
			continue
		}
		inPart := ""
		if e.UnusedInPart {
			inPart = ", or not in full"
		}
		said = append(said, fmt.Sprintf("%d of %d cells not used%s; why: krdlab sweep status %s",
			len(unused), len(e.Plan), inPart, e.Dir))
	}
	if said == nil {
		return nil
	}
	return failure.Errorf(failure.Incomplete, "%s", strings.Join(said, "; "))
}
