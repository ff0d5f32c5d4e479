package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"krdlab/experiments/run/request"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/exports"
	"krdlab/loi/imports"
)

// traceImport returns the command `krdlab trace import`.
func (a *app) traceImport() *cobra.Command {
	var out, nodes, line, each, l2, llc string
	var opt imports.Options
	c := &cobra.Command{
		Use: "import FILE --out TRACE", Short: "Make a trace of the records of another program",
		Long: "Make a trace of FILE (- is standard input), which may be compressed with zstd or " +
			"gzip. Formats:\n" +
			"  csv      columns time,worker,object,block,bytes,mode (r, w or rw); offset in " +
			"place of block for ranges of bytes\n" +
			"  parquet  the same columns\n" +
			"  lackey   what valgrind --tool=lackey --trace-mem=yes prints: the memory accesses " +
			"of any program\n" +
			"  din      what Dinero reads: a label (0 read, 1 write, 2 fetch of an instruction) and a " +
			"hexadecimal address a line\n" +
			"  keysize  the accesses of a cache, one key,size a line\n" +
			"  text     what krdlab trace export --format text writes, perhaps changed by hand",
		Example: "  krdlab trace import accesses.csv --nodes 0-5,6-11 --llc 18MiB --out " +
			"accesses.loi\n" +
			"  valgrind --tool=lackey --trace-mem=yes --log-fd=9 ls 9>ls.lackey >/dev/null\n" +
			"  krdlab trace import ls.lackey --out ls.loi\n  krdlab krd ls.loi --llc 32KiB:8",
		Args:              exactly("FILE"),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if args[0] == "" {
				return usageError(
					"krdlab trace import: the name of FILE is empty; - is standard input")
			}
			if err := required(c, out, "FILE.loi", args[0]); err != nil {
				return err
			}
			opt.Nodes = nodes
			for _, f := range []struct {
				name, text string
				to         *uint64
			}{{"line", line, &opt.LineBytes}, {"bytes", each, &opt.AccessBytes}, {"l2", l2, &opt.L2Bytes},
				{"llc", llc, &opt.LLCBytes}} {
				if f.text == "" {
					continue
				}
				if *f.to, err = units.ParseBytes(f.text); err != nil {
					return &request.Error{Flag: f.name, Got: f.text,
						Want: "expected a size such as 256KiB, 18MiB or 64"}
				}
			}
			show, done := bytesProgress[int64](a, "import")
			opt.Progress = show
			s, err := imports.Import(c.Context(), imports.Source{Path: args[0], Stdin: os.Stdin},
				out, opt)
			done()
			if err != nil {
				return importError(out, err)
			}
			return a.answer(c, imported{args[0], out, s, orNull(s.ClockHz)}, func(p *doc.Page) error {
				accesses := units.Count(s.Accesses, "access")
				if s.Accesses != 1 {
					accesses = fmt.Sprint(s.Accesses, " accesses")
				}
				p.Line("%s: %s, %s, %s, %s on %s, %s, time %d to %d", out, s.Format,
					units.Count(s.Executions, "kernel execution"), accesses,
					units.Count(s.Workers, "worker"), units.Count(s.Nodes, "node"),
					units.Count(s.Objects, "object"), s.FirstTime, s.LastTime)
				if s.Backward > 0 {
					p.Line("warning: %s came after a later one of their worker and were sorted in",
						units.Count(s.Backward, "row"))
				}
				return p.Close()
			})
		},
	}
	f := c.Flags()
	f.StringVar(&out, "out", "", "the trace `FILE` to write, which must not exist; .zst at its "+
		"end compresses it")
	choiceVar(c, &opt.Format, "format", "", imports.Formats(), "`FORMAT`: "+
		strings.Join(imports.Formats(), ", ")+" (default: what the file looks like)")
	f.StringVar(&nodes, "nodes", "", "which workers share a last-level cache, node by `NODE`: "+
		"0-5,6-11 (default: all are on node 0)")
	f.StringVar(&line, "line", "", "lackey, din: `SIZE` of a cache line (default 64)")
	f.StringVar(&each, "bytes", "", "din: `SIZE` of an access (default 4)")
	f.BoolVar(&opt.Instructions, "instructions", false,
		"lackey, din: fetches of instructions are accesses too")
	f.BoolVar(&opt.Sort, "sort", false, "sort by time where times of a worker go back, instead "+
		"of an error")
	f.BoolVar(&opt.Atoms, "atoms", false, "blocks may change their size: the bytes that both sizes "+
		"have stay the same")
	f.StringVar(&l2, "l2", "", "`SIZE` of the L2 of a core, for close, near and far (default "+
		"unknown)")
	f.StringVar(&llc, "llc", "", "`SIZE` of the last-level cache of a node (default unknown)")
	f.SortFlags = false
	return withJSON(c)
}

// imported is the document of `krdlab trace import --json`.
type imported struct {
	Path string `json:"path"`
	Out  string `json:"out"`
	imports.Summary
	ClockHz *float64 `json:"clock_hz"` // ticks a second; null: the input does not give it
}

// importFlags are the flags of the fields of imports.Options.
var importFlags = map[string]string{"Format": "format", "Nodes": "nodes", "LineBytes": "line", "AccessBytes": "bytes",
	"Instructions": "instructions", "Sort": "sort", "Atoms": "atoms"}

// importError names the flags of what is wrong with the options.
func importError(out string, err error) error {
	if o, ok := errors.AsType[*imports.OptionError](err); ok {
		if flag := importFlags[o.Option]; flag != "" {
			return usageError("--%s: %s", flag, o.What)
		}
	}
	if d, ok := errors.AsType[*imports.DataError](err); ok {
		if flag := importFlags[d.Option]; flag != "" {
			return fmt.Errorf("%w; add --%s", d, flag)
		}
	}
	return outError(out, err)
}

// traceExport returns the command `krdlab trace export`.
func (a *app) traceExport() *cobra.Command {
	var format, out string
	formats := exports.Formats()
	c := ofTrace(&cobra.Command{
		Use:   "export TRACE --format " + strings.Join(formats, "|"),
		Short: "Write a trace for people and other programs",
		Long: "Write all of a trace as text, which people can read; its accesses as CSV or " +
			"Parquet, one row each, or its executions as JSON\n" +
			"lines; or as a timeline for the Perfetto UI (https://ui.perfetto.dev): a track for " +
			"each worker, kernels with their accesses,\n" +
			"steals as arrows, and how many workers are idle.",
		Example: "  krdlab trace export workfirst.loi --format perfetto --out workfirst.pftrace\n" +
			"  krdlab trace export workfirst.loi --format parquet --out workfirst.parquet",
	}, func(c *cobra.Command, path string) error {
		if out != "" {
			if err := newFile("out", out); err != nil {
				return err
			}
		}
		t, err := a.opened(path, "")
		if err != nil {
			return err
		}
		defer t.Close()
		var opt exports.Options
		if out == "" {
			return exports.Write(&untilDone{c.Context(), a.stdout}, t, format, opt)
		}
		show, done := bytesProgress[uint64](a, "export")
		defer done()
		opt.Progress = show
		if err := writeFile(c.Context(), out, func(w io.Writer) error {
			return exports.Write(w, t, format, opt)
		}); err != nil {
			return err
		}
		info, err := os.Stat(out)
		if err != nil {
			return err
		}
		ticks := ""
		if hz := t.Header.Clock.Hz; hz > 0 {
			ticks = ", " + strconv.FormatFloat(hz, 'f', -1, 64) + " ticks a second"
		}
		p := a.page()
		p.Line("%s: %s of %s, %s%s", out, format, path, units.Count(info.Size(), "byte"), ticks)
		return p.Close()
	})
	choiceVar(c, &format, "format", "text", formats, "`FORMAT`: "+strings.Join(formats, ", "))
	c.Flags().StringVar(&out, "out", "", "the `FILE` to write, which must not exist (default "+
		"standard output)")
	return c
}

// traceCompress returns the command `krdlab trace compress`.
func (a *app) traceCompress() *cobra.Command {
	var out string
	c := ofTrace(&cobra.Command{
		Use:   "compress TRACE --out FILE.zst",
		Short: "Compress a trace with zstd, or decompress it",
		Long: "Write a trace compressed with zstd if --out ends in .zst, and plain otherwise. " +
			"All commands read either.",
	}, func(c *cobra.Command, path string) error {
		if err := required(c, out, "FILE.loi.zst", path); err != nil {
			return err
		}
		show, done := bytesProgress[uint64](a, "compress")
		err := loi.Compress(path, out, show)
		done()
		if errors.Is(err, fs.ErrExist) {
			return outError(out, err)
		} else if err != nil {
			return traceError(path, err)
		}
		before, err := os.Stat(path)
		if err != nil {
			return err
		}
		after, err := os.Stat(out)
		if err != nil {
			return err
		}
		p := a.page()
		p.Line("%s: %d bytes, %s had %d", out, after.Size(), path, before.Size())
		return p.Close()
	})
	c.Flags().StringVar(&out, "out", "", "the `FILE` to write, which must not exist")
	return c
}

// bytesProgress returns what shows how many bytes have been worked off, and how many a second, each
// second from the first on, nil where stderr is no terminal, and what clears it.
func bytesProgress[N int64 | uint64](a *app, what string) (show func(done, total N), end func()) {
	return countProgress[N](a, what, progressbar.OptionShowBytes(true), progressbar.OptionShowCount(),
		progressbar.OptionUseIECUnits(true))
}

// untilShown is how long nothing of a progress is shown; a variable for tests.
var untilShown = time.Second

// countProgress shows progress as bytesProgress does, in any unit.
func countProgress[N int64 | uint64](a *app, what string,
	how ...progressbar.Option) (show func(done,
	total N), end func()) {
	if !a.terminal {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	ended := false
	show = func(done, total N) {
		if ended { // a trace is read again
			return
		}
		if bar == nil {
			bar = progressbar.NewOptions64(int64(total), append(how,
				progressbar.OptionSetWriter(a.stderr), progressbar.OptionClearOnFinish(),
				progressbar.OptionSetDescription(what), progressbar.OptionThrottle(untilShown))...)
			bar.Reset() // its first second begins
		}
		_ = bar.Set64(int64(done)) // a terminal that cannot be written to is no reason to stop
	}
	return show, func() {
		ended = true
		if bar != nil {
			_ = bar.Finish()
		}
	}
}
