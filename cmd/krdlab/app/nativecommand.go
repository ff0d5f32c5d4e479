package app

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
	"krdlab/loi/native"
)

// nativeShowable are the parts that `krdlab native` shows.
var nativeShowable = []string{showReuse, showWaits}

// nativeCommand returns the command `krdlab native`.
func (a *app) nativeCommand() *cobra.Command {
	r := goprogram.Request{Unit: goprogram.Lines}
	var show []string
	var out, dir, pprof string
	var caches given
	c := &cobra.Command{
		Use:   "native [flags] -- PROGRAM [ARGS]",
		Short: "Data reuse and waits of a C, C++ or Fortran program, by line, the most important first",
		Long: "Run a program that was built by krdlab cc, c++ or fc once, and answer: which functions and lines " +
			"reuse data beyond which cache, where these data were allocated, and which threads wait for what.\n" +
			"Findings come first; then what is farthest by function and by allocation. --json has all.\n" +
			"Accesses are those of the program's own code, as the compiler left them: its registers, and what " +
			"libraries access, are not observed.",
		Example: "  make CC='krdlab cc' && krdlab native -- ./sort 1000000\n" +
			"  krdlab native --stack --dir runs/sort -- ./sort 1000000\n" +
			"  krdlab native --out sort.loi -- ./sort 1000 && krdlab krd sort.loi",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%s: expected a program and its arguments: %s -- ./program ARGS", c.CommandPath(),
					c.CommandPath())
			}
			for i, s := range show {
				if !slices.Contains(nativeShowable, s) || slices.Contains(show[:i], s) {
					return usageError("%s: --show %s: expected each once, of %s", c.CommandPath(),
						strings.Join(show, ","), strings.Join(nativeShowable, ", "))
				}
			}
			for _, x := range []struct{ flag, value string }{{"out", out}, {"dir", dir}} {
				if x.value != "" {
					if err := newFile(x.flag, x.value); err != nil {
						return err
					}
				}
			}
			if r.For < 0 {
				return usageError("%s: --for %v: expected a time such as 30s", c.CommandPath(), r.For)
			}
			path, err := native.Executable(args[0])
			if err != nil {
				return err
			}
			if r.Native, err = native.Open(path); err != nil {
				return err
			}
			r.Build.Path, r.Args, r.Trace, r.Out = args[0], args[1:], out, dir
			if out != "" {
				_, err := a.runGo(c, &r, caches, nil, "")
				return err
			}
			return a.showGo(c, &r, show, caches, pprof)
		},
	}
	f := c.Flags()
	f.SetInterspersed(false)
	f.StringSliceVar(&show, "show", nativeShowable, "`WHAT`, separated by commas: "+strings.Join(nativeShowable, ", "))
	f.DurationVar(&r.For, "for", 0, "interrupt the program after this `TIME`, such as 30s, and show what there is")
	f.StringVar(&out, "out", "", "write the accesses to this trace `FILE` instead of analysing them; it must not exist")
	f.StringVar(&dir, "dir", "", "the run `FOLDER`, which must not exist (default a new one under krdlab-runs)")
	choiceVar(c, (*string)(&r.Unit), "unit", goprogram.Units[0], goprogram.Units, "what one datum of the trace is, `WHAT`: "+
		"line (of 64 bytes, each object beginning on its own) or datum (what one access has)")
	f.BoolVar(&r.Build.Sync, "sync", false, "record in the trace of --out what threads wait for: who starts whom, "+
		"locks, conditions, barriers, semaphores, atomic operations; krdlab graph and krdlab explore read it")
	f.StringVar(&pprof, "pprof", "", "write a profile to this `FILE` for go tool pprof: by line, accesses, cold ones, "+
		"those beyond each cache, and bytes that these move")
	f.BoolVar(&r.Build.Regions, "calls", false, "record functions as regions: accesses are told apart by the calls that "+
		"led to them, in profiles, on the page and in traces")
	f.BoolVar(&r.Build.Stack, "stack", false, "observe the stack too: what of it the compiler has in memory and not in "+
		"registers")
	sampleFlags(c, &r)
	traceLimitVar(f, &r.TraceLimit, "")
	needs(f, "out", "--out FILE.loi", "trace-limit", "sync", "unit")
	excludes(c, "out", "dir", "pprof", "show", "sample", "overhead")
	cachesVar(f, &caches)
	f.Bool("json", false, "print the result as one JSON document")
	f.SortFlags = false
	return c
}

// compilerCommands returns the commands that stand for the user's compilers.
func (a *app) compilerCommands() (all []*cobra.Command) {
	for _, l := range native.Languages {
		all = append(all, &cobra.Command{
			Use:   l.Name + " ARGS",
			Short: "The " + l.Of + " compiler, for programs that krdlab native runs",
			Long: fmt.Sprintf("Run the %s compiler with the same arguments, so that the program records its accesses for "+
				"krdlab native: compiled with %s, and linked with krdlab's runtime in the sanitizer's place.\n"+
				"The compiler is that of the variable %s, or %s. Without krdlab native the program does what it always "+
				"does.", l.Of, "-fsanitize=thread -g", l.Variable, strings.Join(l.Compilers, ", ")),
			Example:            "  krdlab " + l.Name + " -O2 -o program " + l.File,
			DisableFlagParsing: true,
			RunE: func(c *cobra.Command, args []string) error {
				if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
					return c.Help()
				}
				argv, err := l.Command(c.Context(), args)
				if err != nil {
					return err
				}
				return syscall.Exec(argv[0], argv, os.Environ())
			},
		})
	}
	return all
}
