package app

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/result"
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

func (a *app) traceInfo() *cobra.Command {
	return withJSON(ofTrace(&cobra.Command{
		Use: "info TRACE", Short: "Describe a trace without going through its records",
	}, func(c *cobra.Command, path string) error {
		show, done := bytesProgress[uint64](a, "info")
		in, err := loi.Stat(path, show)
		done()
		if in == nil {
			return traceError(path, err)
		}
		return errors.Join(a.writeInfo(c, in), traceError(path, err))
	}))
}

func (a *app) traceVerify() *cobra.Command {
	return withJSON(ofTrace(&cobra.Command{
		Use: "verify TRACE", Short: "Check every byte and every record of a trace",
		Long: "Check every byte of a trace against its checksums and every record against what the " +
			"trace declares.\nThe exit code is 5 if anything is wrong. Discarded records and stamps " +
			"out of order are reported, and are no error.",
	}, func(c *cobra.Command, path string) error {
		return interruptible(c.Context(), func() error {
			show, done := bytesProgress[uint64](a, "verify")
			in, err := loi.Verify(path, show)
			done()
			if err != nil {
				return traceError(path, err)
			}
			return a.writeInfo(c, in)
		})
	}))
}

func (a *app) traceRecover() *cobra.Command {
	var out string
	c := withJSON(ofTrace(&cobra.Command{
		Use: "recover TRACE --out FILE", Short: "Recover the intact records of a trace without a " +
			"clean end, or with damage",
		Long: "Write the intact records of a trace that was killed or damaged to a new trace, which " +
			"is marked as recovered. The record that a worker was writing when it was killed is " +
			"lost, and so are damaged and cut-off ones. For each worker the output lists the records " +
			"kept, until when, and how many are missing, or that their number is unknown: krdlab krd " +
			"then needs --allow-loss.",
	}, func(c *cobra.Command, path string) error {
		if err := required(c, out, "FILE", path); err != nil {
			return err
		}
		var r loi.RecoverReport
		err := interruptible(c.Context(), func() (err error) {
			show, done := bytesProgress[uint64](a, "recover")
			defer done()
			r, err = loi.Recover(path, out, show)
			return err
		})
		if failure.Of(err) == failure.Interrupted {
			os.Remove(out) // there may be a half of it, and it was not there before
			return err
		}
		if err != nil {
			return outError(out, err)
		}
		return a.writeRecovered(c, path, out, &r)
	}))
	c.Flags().StringVar(&out, "out", "", "the recovered trace `FILE`, which must not exist")
	return c
}

// recovered is the document of `krdlab trace recover --json`.
type recovered struct {
	Path string `json:"path"`
	Out  string `json:"out"`
	*loi.RecoverReport
	// by worker, since the first kernel kept; null: none was kept, or the clock's rate is unknown
	KeptUntilNS []result.Number `json:"kept_until_ns"`
	Warnings    []string        `json:"warnings"`
}

func (a *app) writeRecovered(c *cobra.Command, path, out string, r *loi.RecoverReport) error {
	d := recovered{path, out, r, nil, []string{}}
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
	return a.answer(c, d, func(p *doc.Page) error {
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
	})
}

func sum(v []uint64) (n uint64) {
	for _, x := range v {
		n += x
	}
	return n
}
