package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/kernels/calibrate"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/analyses"
	"krdlab/krd/analysis/reuse"
	"krdlab/krd/doc"
	"krdlab/runtimes"
)

// An app is the program with what it touches: tests give it other writers, another machine, other
// ways of measuring and of running Go programs.
type app struct {
	stdout   *output
	stderr   io.Writer
	terminal bool // stderr is one: progress is shown
	argv     []string
	topology func() (*hw.Topology, error)
	measure  measure.Func
	goRun    func(context.Context, *goprogram.Request, []string, *hw.Topology) (*goprogram.Document, error)
	goBuild  func(context.Context, *goprogram.Request) (remove func(), err error) // for several runs
	computer computer
	helpErr  error // of help that was asked of something that is not there
	// keep, if not nil, takes the results of analyses before they are shown.
	keep    func(analysis.Result) error
	patient atomic.Bool // a first signal is for the program that the command runs: it ends the command
}

// computer is how this computer is measured: sizes of caches, the hardware, and what runtimes and
// kernels cost on it.
type computer struct {
	caches   func(context.Context, *hw.Topology) (*machine.Edges, error)
	hardware func(context.Context, *hw.Topology, machine.CalibrateOptions, func(machine.Step)) (
		*machine.Machine, error)
	costs func(context.Context, *hw.Topology, *machine.Machine, calibrate.Options,
		func(done, total int, next string)) ([]calibrate.Missing, error)
	beside float64 // the share of the CPUs that other programs may take meanwhile, 0: the default
}

func newApp(stdout, stderr io.Writer) *app {
	a := &app{stdout: &output{w: stdout}, stderr: stderr, topology: hw.Host,
		measure: measure.Run, goRun: goprogram.Run, goBuild: goprogram.Prepare,
		computer: computer{caches: machine.MeasureCaches,
			hardware: machine.Calibrate, costs: calibrate.Measure}}
	if f, ok := stderr.(*os.File); ok {
		a.terminal = term.IsTerminal(int(f.Fd()))
	}
	return a
}

// output remembers the first error of writing, so that a full disk under a help text is noticed
// too.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// page returns stdout as a page for people.
func (a *app) page() *doc.Page { return doc.NewPage(a.stdout, a.columns()) }

// columns returns the width of stdout: that of the terminal, or COLUMNS where it is none; 0 where
// neither gives one.
func (a *app) columns() int {
	columns := 0
	if f, ok := a.stdout.w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			columns = n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns == 0 {
		columns = n
	}
	return columns
}

// main runs the command line argv, program name first, and returns the exit code. Errors are
// printed on one line; below that of a task that panicked comes its stack.
func (a *app) main(argv []string) int {
	a.argv = argv
	ctx, end := a.interrupts()
	defer end()
	root := a.root()
	root.SetArgs(argv[1:])
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = a.helpErr
	}
	if err == nil {
		err = a.stdout.err
	}
	if err != nil {
		line := oneLine(err)
		if failure.Of(err) == failure.Interrupted && errors.Is(err, context.Canceled) {
			line = "krdlab: interrupted"
		}
		if !strings.HasPrefix(line, "krdlab ") && !strings.HasPrefix(line, "krdlab:") {
			line = "krdlab: " + line
		}
		if f, ok := a.stderr.(*os.File); ok && a.terminal {
			if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
				line = doc.Wrap(line, n, 2)
			}
		}
		fmt.Fprintln(a.stderr, line)
		if p, ok := errors.AsType[*runtimes.PanicError](err); ok {
			fmt.Fprintf(a.stderr, "%s\n", bytes.TrimSpace(p.Stack))
		}
	}
	return exitCode(err)
}

// grace is how long a command has to end after a signal.
const grace = 600 * time.Millisecond

// interrupts returns a context that SIGINT, SIGTERM and SIGHUP cancel; its cause is
// [context.Canceled], whichever it was. Unless end is called soon after, or the command is patient,
// the program is ended as it stands. A second SIGINT or SIGTERM ends it at once; a second SIGHUP
// does not, since a terminal that closes sends several.
func (a *app) interrupts() (_ context.Context, end func()) {
	signals, unheard := []os.Signal{os.Interrupt, syscall.SIGTERM}, make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signals = append(signals, syscall.SIGHUP)
		signal.Notify(unheard, syscall.SIGHUP)
	}
	signalled, stop := signal.NotifyContext(context.Background(), signals...)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	context.AfterFunc(signalled, func() {
		cancel()
		if context.Cause(signalled) == context.Canceled {
			return // by end, and not by a signal
		}
		stop()
		if a.patient.Load() {
			return
		}
		select {
		case <-ended:
		case <-time.After(grace):
			fmt.Fprintln(a.stderr, "krdlab: interrupted; what could not end in time was left as "+
				"it is, in folders whose names end in .partial")
			os.Exit(exitInterrupted)
		}
	})
	return ctx, func() {
		close(ended)
		stop()
		signal.Stop(unheard)
	}
}

// root returns the tree of commands.
func (a *app) root() *cobra.Command {
	root := group(&cobra.Command{
		Use:   "krdlab",
		Short: "What a task scheduler does to data reuse",
		Long: "krdlab runs task-parallel kernels under different schedulers, records which data each " +
			"kernel touches, and shows\nwhat the scheduler did to reuse (kernel reuse distance), to " +
			"cache misses, to overhead and to work time.\n\nText fits the terminal. Elsewhere " +
			"sentences have 80 columns and tables as many as they need; the variable COLUMNS sets " +
			"both.",
		Example: "  krdlab run matmul --sched workfirst --cores 2\n  krdlab run matmul --sched " +
			"all --n 1024\n  krdlab doctor",
	})
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableNoDescFlag = true // KRDLAB_COMPLETION_DESCRIPTIONS=0 does it
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		return cmp.Or(noEmptyFlag(c), noIdleFlag(c), noExcludedFlag(c))
	}
	root.SetUsageTemplate(strings.NewReplacer("{{if .Runnable}}",
		"{{if and .Runnable (not .HasAvailableSubCommands)}}",
		"{{.CommandPath}} [command]{{end}}",
		"{{if eq .Name \"run\"}}{{.UseLine}}{{else}}{{.CommandPath}} COMMAND{{end}}{{end}}",
		"{{.CommandPath}} [command] --help", "{{if eq .Name \"run\"}}{{.CommandPath}} "+
			"KERNEL{{else}}{{.CommandPath}} COMMAND{{end}} --help", ".FlagUsages",
		".FlagUsagesWrapped "+strconv.Itoa(a.flagColumns()), "Global Flags:", "Flags of every run:",
		"\nFlags:", "\nFlags of {{.Name}}:", "Additional Commands:", "More:",
		".NamePadding }} ", ".NamePadding }}  ").Replace(root.UsageTemplate()))
	root.SetHelpCommand(helpCommand())
	root.Version = version()
	root.SetVersionTemplate("krdlab {{.Version}}\n")
	root.InitDefaultVersionFlag() // in the help too
	analysing := []*cobra.Command{a.predictCommand()}
	for _, line := range analyses.Table {
		c := a.analysisCommand(line)
		if line == reuse.Analysis {
			c = a.replayable(c)
		}
		analysing = append(analysing, c)
	}
	analysing = append(analysing, a.interleavingsCommand())
	for _, g := range []struct {
		id, question string
		commands     []*cobra.Command
	}{
		{"run", "Run kernels:", []*cobra.Command{a.runCommand(), a.sweepCommand()}},
		{"program", "Look at a program, of Go or native:", append([]*cobra.Command{a.goCommand(), a.nativeCommand()},
			a.compilerCommands()...)},
		{"look", "Look at a run:", []*cobra.Command{a.whyCommand(), a.viewCommand(), a.reportCommand(),
			a.plotCommand()}},
		{"analyse", "Analyse a trace:", analysing},
		{"compare", "Compare runs:", []*cobra.Command{a.compareCommand(), a.correlateCommand(),
			a.surveyCommand(), a.modelCommand()}},
		{"machine", "This machine, and simulated ones:", []*cobra.Command{a.topoCommand(),
			a.doctorCommand(), a.machineCommand(), a.listCommand()}},
		{"data", "Traces, of Go programs and others:", []*cobra.Command{a.traceCommand()}},
		{"papers", "Redo papers:", []*cobra.Command{a.reproduceCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.question})
		for _, c := range g.commands {
			c.GroupID = g.id
		}
		root.AddCommand(g.commands...)
	}
	root.AddCommand(a.versionCommand(), a.manCommand())
	root.InitDefaultCompletionCmd()
	sayExitCodes(root)
	wrapHelp(root, a.helpWidth())
	standard := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { a.help(c, standard) })
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // what is wrong with its arguments is said as everywhere else
			group(c)
			for _, shell := range c.Commands() {
				shell.Args = exactly()
			}
		}
	}
	return root
}

// group makes c a command that only holds others: alone it shows its help, and an unknown name is
// answered with the nearest.
func group(c *cobra.Command) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return noCommand(c, args)
	}
	return c
}

// noCommand returns the error of args whose first is no command of c. The command may be a later
// one, or krdlab run the one that is missing before a kernel.
func noCommand(c *cobra.Command, args []string) error {
	first := ""
	if !c.HasParent() && slices.Contains(request.KernelNames(), args[0]) {
		first = "run"
	}
	for _, word := range args[1:] {
		if slices.Contains(subcommands(c), word) {
			first = word
		}
	}
	do := "type " + c.CommandPath() + " " + first + " " + args[0]
	if first == "" {
		do = request.Suggest(args[0], subcommands(c), "see "+c.CommandPath()+" --help")
	}
	return usageError("%s %s: there is no such command; %s", c.CommandPath(), args[0], do)
}

// helpCommand returns the command `krdlab help COMMAND...`.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND...]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			switch {
			case err != nil:
				return usageError("krdlab help: %v", err)
			case len(rest) > 0 && found.HasSubCommands():
				return found.RunE(found, rest) // a group lists its commands
			case len(rest) > 0:
				return usageError("krdlab help: %s has no command %q; type krdlab help %s",
					found.CommandPath(), rest[0], strings.TrimPrefix(found.CommandPath(),
						"krdlab "))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

func subcommands(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// flagError explains what is wrong with a flag in the way that [request.Error] does.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	help := "see " + c.CommandPath() + " --help"
	switch {
	case errors.As(err, &unknown):
		if !c.HasParent() && c.Flags().NArg() > 0 {
			return noCommand(c, c.Flags().Args())
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		meant := "--" + unknown.GetSpecifiedName()
		name := meant
		if short := unknown.GetSpecifiedShortnames(); short != "" { // perhaps a name with one dash
			name, meant = "-"+short, "--"+short
		}
		if _, args, ok := strings.Cut(c.Use, " [-- "); ok && c.Flags().NArg() > 0 {
			help = fmt.Sprintf("one of the program's own follows --: %s %s -- %s; %s", c.CommandPath(),
				strings.Join(c.Flags().Args(), " "), strings.TrimSuffix(args, "]"), help)
		}
		return usageError("%s: there is no flag %s; %s", c.CommandPath(), name,
			request.Suggest(meant, names, help))
	case errors.As(err, &value):
		if hint, ok := errors.AsType[hintError](err); ok {
			return &request.Error{Flag: value.GetFlag().Name, Got: value.GetValue(),
				Want: string(hint)}
		}
		kind := map[string]string{"int": "a whole number", "uint64": "a whole number, 0 or more",
			"bool": "true or false"}[value.GetFlag().Value.Type()]
		if kind == "" {
			kind = "a " + value.GetFlag().Value.Type()
		}
		return &request.Error{Flag: value.GetFlag().Name, Got: value.GetValue(),
			Want: "it must be " + kind + "; " + help}
	case errors.As(err, &missing):
		return usageError("--%s needs a value; %s", missing.GetSpecifiedName(), help)
	}
	return usageError("%s: %v; %s", c.CommandPath(), err, help)
}

// expectedNote is the annotation of a flag that says what its value is to be, where the name in its
// help is not enough.
const expectedNote = "krdlab-expected"

// noEmptyFlag refuses a flag that was given no text where no text means that it was not given: most
// often that is a variable of a shell that is not set, and what was asked for would be left out in
// silence.
func noEmptyFlag(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.String() == "" && (f.DefValue == "" || f.Annotations[expectedNote] != nil)
		if l, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(l.GetSlice()) == 0 || slices.Contains(l.GetSlice(), "")
		}
		if err != nil || !empty {
			return
		}
		kind, _ := pflag.UnquoteUsage(f)
		want := "expected " + kind
		if note := f.Annotations[expectedNote]; note != nil {
			want = note[0]
		}
		err = &request.Error{Flag: f.Name, Got: `""`, Want: want +
			", or leave the flag out; see " + c.CommandPath() + " --help"}
	})
	return err
}

// expects notes what the value of a flag is to be, for the error of one that is empty.
func expects(flags *pflag.FlagSet, name, what string) {
	if err := flags.SetAnnotation(name, expectedNote, []string{what}); err != nil {
		panic(err) // the flag is not defined
	}
}

// exactly returns a check that a command has the arguments what names, such as "TRACE|RUNDIR".
func exactly(what ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(what) == 0 && len(args) > 0 && c.HasAvailableSubCommands():
			return noCommand(c, args)
		case len(args) < len(what):
			return usageError("%s: %s is missing; type %s", c.CommandPath(), what[len(args)],
				typeThis(c))
		case len(args) > len(what):
			return usageError("%s: %q is one argument too many; type %s%s", c.CommandPath(),
				args[len(what)], typeThis(c), withEquals(c, args[len(what)]))
		}
		return nil
	}
}

// withEquals returns a hint for an error about an argument that may be meant for a flag that is
// given: one whose value is optional, or a list, of numbers if the argument is one.
func withEquals(c *cobra.Command, word string) (hint string) {
	number := func(s string) bool { return s != "" && strings.Trim(s, "0123456789,-") == "" }
	c.Flags().Visit(func(f *pflag.Flag) {
		_, several := f.Value.(*list)
		if v := f.Value.String(); (several || f.Name == "sched") && number(v) == number(word) {
			hint += fmt.Sprintf("; if it is for --%s, type --%s %s,%s", f.Name, f.Name, v, word)
		}
		if f.NoOptDefVal != "" && f.Value.Type() != "bool" && f.Value.String() == f.NoOptDefVal {
			hint = fmt.Sprintf("; if it is for --%s, type --%s=%s", f.Name, f.Name, word)
		}
	})
	return hint
}

// typeThis returns the form of a command, as an error quotes it.
func typeThis(c *cobra.Command) string {
	return strings.NewReplacer("[", "", "]", "").Replace(strings.TrimSuffix(c.UseLine(),
		" [flags]"))
}

// writeJSON writes v, indented, as one document.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// oneLine joins the lines of an error, as errors.Join makes them. One of a file that is not there
// names the file first, or the folder that is missing.
func oneLine(err error) string {
	text := strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
	if p, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(p, fs.ErrNotExist) {
		what := "there is no such file"
		if dir := filepath.Dir(p.Path); !isDir(dir) {
			what = "there is no folder " + dir
		}
		text = strings.Replace(text, p.Error(), p.Path+": "+what, 1)
	}
	return text
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
