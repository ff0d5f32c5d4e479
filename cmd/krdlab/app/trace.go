package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/result"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// traceCommand holds what can be done with a trace file.
func (a *app) traceCommand() *cobra.Command {
	c := group(&cobra.Command{Use: "trace", Short: "Look at, check, recover, import, export or " +
		"compress a trace file"})
	c.AddCommand(a.traceInfo(), a.traceVerify(), a.traceRecover(), a.traceImport(), a.traceExport(),
		a.traceCompress(), a.traceGo())
	return c
}

// oneTrace returns path, or the trace in it if it is a run directory with one.
func oneTrace(path string) (string, error) {
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", noTrace(path)
	} else if err != nil || !info.IsDir() {
		return path, nil // opening it says what is wrong
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

func filesOnly(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"loi"}, cobra.ShellCompDirectiveFilterFileExt
}

func (a *app) traceInfo() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "info TRACE", Short: "What a trace holds, without going through its records",
		Args: exactly("TRACE"), ValidArgsFunction: filesOnly,
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if args[0], err = oneTrace(args[0]); err != nil {
				return err
			}
			in, err := loi.Stat(args[0])
			if in == nil {
				return traceError(args[0], err)
			}
			if werr := a.writeInfo(in, asJSON); werr != nil {
				return werr
			}
			return traceError(args[0], err)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

func (a *app) traceVerify() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "verify TRACE", Short: "Check every byte and every record of a trace",
		Long: "Check every byte of a trace against its checksums and every record against what " +
			"the trace declares.\nThe exit code is 5 if anything is wrong. Discarded records and " +
			"stamps out of order are told, and are no error.",
		Args: exactly("TRACE"), ValidArgsFunction: filesOnly,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if args[0], err = oneTrace(args[0]); err != nil {
				return err
			}
			return interruptible(c.Context(), func() error {
				in, err := loi.Verify(args[0])
				if err != nil {
					return traceError(args[0], err)
				}
				return a.writeInfo(in, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

func (a *app) traceRecover() *cobra.Command {
	var out string
	var asJSON bool
	c := &cobra.Command{
		Use: "recover TRACE --out FILE", Short: "Make the most of a trace without a clean end, " +
			"or with damage",
		Long: "Write what is whole of a trace that was killed or damaged to a new trace, which " +
			"says that it was recovered.\n" +
			"The record that a worker was writing when it was killed is gone; what is damaged or " +
			"cut off is given up. For each worker\n" +
			"it says what was kept, up to what time, and what is missing, or that nobody knows " +
			"how much: krdlab krd then wants --allow-loss.",
		Args: exactly("TRACE"), ValidArgsFunction: filesOnly,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if args[0], err = oneTrace(args[0]); err != nil {
				return err
			}
			if out == "" {
				return usageError("krdlab trace recover: --out is missing; type krdlab trace "+
					"recover %s --out FILE, a new file", args[0])
			}
			if err := newFile("out", out); err != nil {
				return err
			}
			var r loi.RecoverReport
			err = interruptible(c.Context(), func() (err error) {
				r, err = loi.Recover(args[0], out)
				return err
			})
			if failure.Of(err) == failure.Interrupted {
				os.Remove(out) // there may be a half of it, and it was not there before
				return err
			}
			if err != nil {
				return outError(out, err)
			}
			return a.writeRecovered(args[0], out, &r, asJSON)
		},
	}
	c.Flags().StringVar(&out, "out", "", "the recovered trace `FILE`, which must not exist")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return c
}

// writeFile writes a new file; a file that could not be completed is removed.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return outError(path, err)
	}
	b := bufio.NewWriterSize(&untilDone{ctx, f}, 1<<16)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// untilDone is a writer that fails once the context is done.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u *untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
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

// outError makes a file that exists a wrong request.
func outError(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return failure.Errorf(failure.Request, "--out %s: it exists already and is never "+
			"overwritten; choose another", path)
	}
	return err
}

// recovered is the document of `krdlab trace recover --json`.
type recovered struct {
	Path        string   `json:"path"`
	Out         string   `json:"out"`
	CleanEnd    bool     `json:"clean_end"`    // there was nothing to recover
	Records     []uint64 `json:"records"`      // by worker
	Discarded   []uint64 `json:"discarded"`    // missing; at least so many where LossUnknown is set
	LossUnknown []bool   `json:"loss_unknown"` // by worker
	LostBytes   []uint64 `json:"lost_bytes"`   // at least
	Unfinished  []bool   `json:"unfinished"`
	// by worker, since the first kernel kept; null: none was kept, or the clock's rate is unknown
	KeptUntilNS  []result.Number `json:"kept_until_ns"`
	SkippedBytes uint64          `json:"skipped_bytes"`
	BadChunks    int             `json:"bad_chunks"`
	Disordered   uint64          `json:"disordered"`
	Warnings     []string        `json:"warnings"`
}

func (a *app) writeRecovered(path, out string, r *loi.RecoverReport, asJSON bool) error {
	d := recovered{path, out, r.Clean, r.Records, r.Discarded, r.LossUnknown, r.LostBytes,
		r.Unfinished, nil, r.SkippedBytes, r.BadChunks, r.Disordered, []string{}}
	for _, ticks := range r.Until {
		n := result.Number{}
		if ticks >= 0 && r.Clock.Hz > 0 {
			n = result.Some(float64(ticks) * 1e9 / r.Clock.Hz)
		}
		d.KeptUntilNS = append(d.KeptUntilNS, n)
	}
	warn := func(format string, args ...any) {
		d.Warnings = append(d.Warnings,
			fmt.Sprintf(format, args...))
	}
	if !r.Clean {
		warn("the trace had no clean end")
	}
	if r.Damaged() {
		warn("%d chunks are damaged or missing, with at least %d bytes, and %d bytes between "+
			"chunks were skipped", r.BadChunks, sum(r.LostBytes), r.SkippedBytes)
	}
	unknown := 0
	for _, u := range r.LossUnknown {
		if u {
			unknown++
		}
	}
	if n := sum(r.Discarded); unknown > 0 {
		warn("how many records are missing is not known of %d of %d workers, so that krdlab krd "+
			"wants --allow-loss", unknown, len(r.LossUnknown))
	} else if n > 0 {
		warn("%d records are missing, so that krdlab krd wants --allow-loss", n)
	}
	if r.Disordered > 0 {
		warn("%d records have stamps that go back or overlap", r.Disordered)
	}
	if asJSON {
		return writeJSON(a.stdout, d)
	}
	p := a.page()
	fmt.Fprintf(p, "%s: %s of %s, times since the first kernel kept\n", out,
		units.Count(sum(r.Records), "record"), units.Count(len(r.Records), "worker"))
	for i, n := range r.Records {
		fmt.Fprintf(p, "  worker %d: %d records", i, n)
		if d.KeptUntilNS[i].Known() {
			fmt.Fprintf(p, ", up to %s", doc.Time(d.KeptUntilNS[i]))
		}
		switch {
		case r.LossUnknown[i]:
			fmt.Fprint(p, "; how many are missing is not known")
		case r.Discarded[i] > 0:
			fmt.Fprintf(p, "; %d are missing", r.Discarded[i])
		case r.Unfinished[i]:
			fmt.Fprint(p, "; one that was being written is gone")
		}
		fmt.Fprintln(p)
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(p, "warning: %s\n", w)
	}
	return p.Close()
}

func sum(v []uint64) (n uint64) {
	for _, x := range v {
		n += x
	}
	return n
}
