package experiments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"krdlab/hw"
)

// A Measure does the measuring that c asks for on the machine t: all repetitions of all schedulers and of the serial run. Traces go to
// dir.Path(TraceFile(scheduler)). It returns what was done, one Measured for each scheduler that was begun in the order of c.Schedulers,
// together with any error; when ctx is cancelled it ends the repetition, and returns what is complete and context.Cause(ctx). A failed
// numerical check is not an error: it stands in Measured.Check.
type Measure func(ctx context.Context, c *Config, t *hw.Topology, dir *RunDir, progress Progress) ([]*Measured, error)

// Progress is told how many of all repetitions are done and what is done next. It may be nil.
type Progress func(done, total int, next string)

// ErrCapability is wrapped by the error of a [Measure] that was asked for something that this machine cannot do (--counters perf).
var ErrCapability = errors.New("this machine cannot do what was asked")

// An Outcome is what a run left.
type Outcome struct {
	Results []Result
	Dir     string // the run directory, NAME.partial after an error; "" if nothing was done
}

// Document returns what is written as JSON: the result, or the array of results where several schedulers were asked for.
func (o *Outcome) Document(c *Config) any {
	if len(c.Schedulers) == 1 && len(o.Results) == 1 {
		return o.Results[0]
	}
	return o.Results
}

// Run checks c, makes the run directory, measures, sums up and completes the directory. After an error, what was done is summed up all
// the same, and kept in a directory that keeps its partial name.
//
// Errors: [*ConfigError] and [ErrExists] before anything is run; those of measure; those of writing the directory.
func Run(ctx context.Context, c *Config, argv []string, t *hw.Topology, measure Measure, progress Progress) (*Outcome, error) {
	out := &Outcome{}
	if err := c.Validate(t); err != nil {
		return out, err
	}
	start := time.Now()
	dir, err := createDir(c, start)
	if err != nil {
		return out, err
	}
	if err := c.checkSpace(t, dir.Partial(), hw.FreeMemory, hw.FreeDisk); err != nil {
		dir.discard()
		return out, err
	}
	manifest := NewManifest(c, argv, t, start)
	if err := dir.WriteJSON(ManifestFile, manifest); err != nil { // now, so that a killed run says what it was
		dir.discard()
		return out, err
	}
	if progress == nil {
		progress = func(int, int, string) {}
	}
	measured, runErr := measure(ctx, c, t, dir, progress)
	for _, m := range measured {
		out.Results = append(out.Results, Summarise(c, m))
	}
	if runErr == nil && len(out.Results) != len(c.Schedulers) {
		runErr = fmt.Errorf("%d schedulers were asked for and %d were run", len(c.Schedulers), len(out.Results))
	}
	if runErr != nil && len(out.Results) == 0 {
		if dir.discard() {
			return out, runErr
		}
	}
	manifest.finish(out.Results, runErr, time.Now())
	err = errors.Join(dir.WriteJSON(ManifestFile, manifest), dir.WriteJSON(ResultFile, out.Document(c)))
	out.Dir = dir.Partial()
	switch {
	case err != nil:
	case runErr != nil:
		err = dir.Keep()
	default:
		if err = dir.Commit(); err == nil {
			out.Dir = dir.Final()
		}
	}
	return out, errors.Join(runErr, err)
}

func createDir(c *Config, now time.Time) (*RunDir, error) {
	if c.Out != "" {
		return CreateRunDir(c.Out)
	}
	return CreateDefaultRunDir(c, now)
}
