package experiments

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"krdlab/experiments/run/replay"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// replayOf replays the first trace of a scheduler of a simulated run.
func replayOf(t *testing.T, c *request.Request, dir, scheduler string) *result.LLCMisses {
	t.Helper()
	in, err := c.Kernel.New(c.Params, kernel.Env{Seed: c.Seed, Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	trace, err := loi.Open(filepath.Join(dir, result.TraceFile(scheduler)))
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	got, err := replay.Misses(trace, c.Machine, replay.Options{CacheModel: c.CacheModel,
		Place: in.(kernel.Modelled), Seed: c.Seed})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A simulated trace, replayed on the machine of the simulation, gives the misses that the
// simulation counted: the model is called with the same executions in the same order. On one core
// that is so for every scheduler, by blocks and by lines. On several, the order is that of the
// simulation but for executions that began at the same picosecond, and, at kernel grain, for tasks
// of several kernels, which the simulation prices at once when the task begins.
func TestReplayOfSimulation(t *testing.T) {
	hwtest.SkipRace(t)
	for i, test := range []struct {
		kernel string
		params kernel.Params
		grain  request.TraceGrain
		cores  int
		off    float64 // how far totals may be apart
	}{
		{"matmul", kernel.Params{"n": 512}, request.GrainKernel, 1, 0},
		{"fmm", kernel.Params{"bodies": 4000}, request.GrainTask, 1, 0},
		{"fmm", kernel.Params{"bodies": 4000}, request.GrainKernel, 1, 0},
		{"matmul", kernel.Params{"n": 512}, request.GrainKernel, 6, 0.001},
		{"matmul", kernel.Params{"n": 512}, request.GrainKernel, 24, 0.001},
		{"fmm", kernel.Params{"bodies": 4000}, request.GrainTask, 24, 0.001},
		{"fmm", kernel.Params{"bodies": 4000}, request.GrainKernel, 24, 0.05},
		{"fmm", kernel.Params{"bodies": 2000, "tasks": "exafmm", "layout": "cell"},
			request.GrainTask, 1, 0},
		{"fmm", kernel.Params{"bodies": 2000, "tasks": "exafmm", "layout": "cell"},
			request.GrainTask, 24, 0.001},
	} {
		models := []request.CacheModel{request.CacheBlocks, request.CacheLines}
		for _, caches := range long.Or(models[i%2:][:1], models) {
			t.Run(fmt.Sprintf("%s/%s/%d/%s", test.kernel, test.grain, test.cores, caches),
				func(t *testing.T) {
					var c *request.Request
					out := simulated(t, func(changed *request.Request) {
						k, _ := kernels.ByName(test.kernel)
						c = changed
						c.Kernel, c.Params, c.Grain, c.Cores, c.CacheModel, c.Reps = k,
							k.With(test.params), test.grain, test.cores, caches, 1
						c.Schedulers = long.Or(c.Schedulers[i%2*3:][:3], c.Schedulers)
						c.Machine.LLC.Bytes = uint64(c.Machine.CoresPerNode) *
							c.Machine.L2.Bytes // of the machine that is simulated too
					})
					for i := range out.Results {
						r := &out.Results[i]
						want, got := r.Repetitions[0].LLCModel, replayOf(t, c, out.Dir, r.Scheduler)
						if want.Total == 0 || float64(
							want.Total) != r.Summary.LLCMissesPerCore.Median.Float()*float64(
							r.Cores) {
							t.Errorf("%s: the simulation has %d misses, and %v per core",
								r.Scheduler,
								want.Total, r.Summary.LLCMissesPerCore)
						}
						if off := math.Abs(float64(got.Total)/float64(
							want.Total) - 1); off > test.off {
							t.Errorf("%s: %d misses replayed, %d simulated", r.Scheduler, got.Total,
								want.Total)
						}
						if test.off == 0 && !reflect.DeepEqual(got, want) {
							t.Errorf("%s: replayed %+v, simulated %+v", r.Scheduler, got, want)
						}
					}
				})
		}
	}
}
