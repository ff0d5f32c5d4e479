package study

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"krdlab/examples"
	"krdlab/experiments"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/sweep"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/scratch"
	"krdlab/loi/front/build"
)

// ErrToolchain is the error where there is no Go toolchain.
var ErrToolchain = failure.New(failure.Capability, "the go command is not there: the programs are "+
	"built from their sources, which needs the Go toolchain (https://go.dev/dl)")

// A Worker does steps: it keeps in a temporary folder what several of them need.
type Worker struct {
	Folder        *Folder
	Command       []string // as typed
	sweep.Options          // this computer, and who is told of progress

	work  *scratch.Folder
	runs  int
	built map[string]*build.Program // rewritten, by name
	// traces are the simulated ones, by what was asked
	traces map[string]string
}

func newWorker(f *Folder, opt sweep.Options) (*Worker, error) {
	work, err := scratch.Make("", "krdlab-"+f.Kind+"-")
	return &Worker{Folder: f, Command: opt.Argv, Options: opt, work: work, built: map[string]*build.Program{},
		traces: map[string]string{}}, err
}

// SciMark returns the folder of SciMark's sources, a module. Errors: see [Worker.Sources].
func (w *Worker) SciMark() (string, error) {
	return w.Sources("scimark", examples.SciMark, map[string]string{
		"go.mod": "module scimark\n\ngo 1.24\n"})
}

// Sources lays out the folder name of files, and beside these others by their names, once, and
// returns it. Errors: [ErrToolchain]; those of the file system.
func (w *Worker) Sources(name string, files fs.FS, others map[string]string) (string, error) {
	dir := filepath.Join(w.work.Path, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return "", ErrToolchain
	}
	sub, err := fs.Sub(files, name)
	if err == nil {
		err = os.CopyFS(dir, sub)
	}
	for file, text := range others {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666)
		}
	}
	return dir, err
}

// Native builds the program of the folder dir, which Sources returned, as it is, once, and returns
// its file.
func (w *Worker) Native(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(w.work.Path, "native-"+filepath.Base(dir))
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	c := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return "", failure.OfContext(ctx, failure.Errorf(failure.Failed, "go build: %w: %s", err, out))
	}
	return binary, nil
}

// Rewritten rewrites and builds a program, once for each name.
func (w *Worker) Rewritten(ctx context.Context, name string, opt build.Request) (
	*build.Program, error) {
	if b := w.built[name]; b != nil {
		return b, nil
	}
	dir := filepath.Join(w.work.Path, "rewritten-"+name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var b *build.Program
	err := w.work.Lend(func() (err error) {
		b, err = build.Run(ctx, opt, dir)
		return err
	})
	if err == nil {
		w.built[name] = b
	}
	return b, err
}

// RunDir returns the name of a run directory that is removed at the end.
func (w *Worker) RunDir() string {
	w.runs++
	return filepath.Join(w.work.Path, fmt.Sprintf("run-%d", w.runs))
}

// Simulate runs a request of one scheduler on a simulated machine, once for each that differs, and
// returns its trace, which is removed at the end.
func (w *Worker) Simulate(ctx context.Context, r *request.Request, scheduler, on string) (string,
	error) {
	r.Reps, r.Warmup, r.Trace, r.Out = 1, 0, request.TraceFull, w.RunDir()
	var err error
	if r.Schedulers, err = request.FindSchedulers([]string{scheduler}); err != nil {
		return "", err
	}
	if r.Machine, err = machine.ByName(on); err != nil {
		return "", err
	}
	asked := r.Asked()
	key := fmt.Sprint(asked.Name, asked.Params, asked.Settings.Structure, on)
	if path := w.traces[key]; path != "" {
		return path, nil
	}
	t, err := r.Machine.Topology()
	if err != nil {
		return "", err
	}
	out, err := experiments.Run(ctx, r, w.Command, t, nil, nil)
	if err != nil {
		return "", err
	}
	traces, err := filepath.Glob(filepath.Join(out.Dir, "*.loi*"))
	if err != nil || len(traces) != 1 {
		return "", failure.Errorf(failure.Failed, "%d traces of one run: %w", len(traces), err)
	}
	w.traces[key] = traces[0]
	return traces[0], nil
}

// Sweep runs the cells that requests plan, in the experiment folder name of the study's, and returns
// its folder. One that is there with its plan is gone on with, and requests is not called. Errors:
// that of requests; cells that failed, the first of them; those of [sweep.Run].
func (w *Worker) Sweep(ctx context.Context, name string, requests func() ([]request.Request, error)) (
	dir string, err error) {
	dir = filepath.Join(w.Folder.Dir, name)
	plan, err := sweep.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		var list []request.Request
		if list, err = requests(); err == nil {
			plan, err = sweep.NewPlan(list)
		}
		if err == nil {
			_, err = sweep.Create(dir, plan, dataset.Info{Kind: w.Folder.Kind, Argv: w.Command,
				Created: time.Now().UTC().Truncate(time.Second), Build: result.ReadBuild(),
				Notes: []string{fmt.Sprintf("scale %s", w.Folder.Scale)}})
		}
	}
	if err != nil {
		return dir, err
	}
	sum, err := sweep.Run(ctx, dir, plan, w.Options)
	if err == nil && len(sum.Failures) > 0 {
		x := sum.Failures[0]
		err = failure.Errorf(failure.Failed, "%d of %d cells failed, the first, %s, with: %s",
			len(sum.Failures), len(plan.Cells), x.ID, x.Error)
	}
	if _, werr := sweep.WriteTables(dir); err == nil {
		err = werr
	}
	return dir, err
}
