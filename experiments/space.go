package experiments

import (
	"fmt"

	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/loi"
)

// checkSpace compares the memory and the trace files that c needs on the machine t with what is free, and returns a [*ConfigError] where
// it is not enough. What the system does not tell is not compared. folder is where the traces go; c must be valid.
func (c *Config) checkSpace(t *hw.Topology, folder string, memory func() (hw.Memory, error), disk func(path string) (int64, error)) error {
	k, err := FindKernel(c.Kernel)
	if err != nil {
		return err
	}
	plan, err := k.Plan(c.Params)
	if err != nil {
		return paramError(err)
	}
	if c.Simulated != nil {
		plan.Bytes = 0 // data is not filled in
	}
	if free, err := memory(); err == nil && plan.Bytes > uint64(max(free.FreeBytes, 0)) {
		by := ""
		if free.LimitedBy != "" {
			by = " under the limit in " + free.LimitedBy
		}
		flag, got := "kernel", c.Kernel
		if n, ok := c.Params["n"]; ok {
			flag, got = "n", fmt.Sprint(n)
		}
		return &ConfigError{flag, got, fmt.Sprintf("%s needs %s of memory, and %s is free%s; choose a smaller size",
			c.Kernel, krd.FormatBytes(plan.Bytes), krd.FormatBytes(uint64(max(free.FreeBytes, 0))), by)}
	}
	if !k.Work {
		return nil // there is nothing to trace
	}
	need := c.traceBytes(t, plan, func(int) loi.Options { return c.traceLimit() })
	if free, err := disk(folder); err == nil && need > uint64(max(free, 0)) {
		return c.noDiskFor(need, free, folder)
	}
	return nil
}

func (c *Config) noDiskFor(need uint64, free int64, folder string) error {
	return &ConfigError{"out", folder, fmt.Sprintf("the traces need up to %s, and %s is free there; "+
		"choose a folder with more room, --trace profile, a coarser or smaller kernel, fewer schedulers, or --trace-limit",
		krd.FormatBytes(need), krd.FormatBytes(uint64(max(free, 0))))}
}

// traceBytes is an upper bound of the trace files of c, written with options that depend on the number of recorders: a file for each
// traced repetition of each scheduler.
func (c *Config) traceBytes(t *hw.Topology, plan kernel.Plan, options func(recorders int) loi.Options) uint64 {
	reps := uint64(1)
	switch c.Trace {
	case TraceOff, TraceProfile:
		return 0
	case TraceKRD:
		one := uint64(0) // at a time
		for _, s := range c.Schedulers {
			recorders := c.recordersOf(s, t)
			one = max(one, c.traceSize(plan, recorders, options(recorders)))
		}
		return one
	case TraceFull:
		reps = uint64(c.Reps)
	}
	var n uint64
	for _, s := range c.Schedulers {
		recorders := c.recordersOf(s, t)
		n += reps * c.traceSize(plan, recorders, options(recorders))
	}
	return n
}

// traceSize is an upper bound of one trace file of a run that does what plan says.
func (c *Config) traceSize(plan kernel.Plan, recorders int, opt loi.Options) uint64 {
	records, params := c.recordsOf(plan)
	return loi.Size(records, params, recorders, opt)
}

// recordsOf returns how many records a run leaves, and with how many parameters records of that size have. At task grain a record
// is a word with the number of kernels and one for each of them.
func (c *Config) recordsOf(plan kernel.Plan) (records uint64, params int) {
	if c.Grain == GrainTask && plan.Tasks > 0 {
		return plan.Tasks, 2 * int(1+(plan.Executions+plan.Tasks-1)/plan.Tasks)
	}
	return plan.Executions, plan.Args
}

// recordersOf returns how many recorders a trace of a scheduler has: one for each worker; for go, whose kernels are recorded by the CPU
// that they end on, one for each CPU that the process may use, and for those numbered below them.
func (c *Config) recordersOf(scheduler string, t *hw.Topology) int {
	if scheduler == krd.SchedulerGo {
		return lastCPU(t) + 1
	}
	return c.WorkersOf(scheduler)
}

// traceLimit are the options of a trace that grows as it is written.
func (c *Config) traceLimit() loi.Options { return loi.Options{MaxBytes: c.TraceLimit} }

const (
	maxFirstChunk = 256 << 20
	diskShare     = 4 // of the free disk, 1/diskShare at most is taken before a run
)

// traceOptions returns how traces are written where free bytes of disk are free (negative: not known). Every recorder gets a first chunk
// for its share of the records and a quarter more, so that the work of getting pages is done before the region that is timed; at
// most 256 MiB each, and all of one trace at most a quarter of the free disk and of the limit. Where all traces of c would then not
// fit, chunks grow as they are needed.
func (c *Config) traceOptions(t *hw.Topology, plan kernel.Plan, free int64) func(recorders int) loi.Options {
	room := uint64(maxFirstChunk) << 20
	if free >= 0 {
		room = uint64(free)
	}
	if c.TraceLimit > 0 {
		room = min(room, c.TraceLimit)
	}
	sized := func(recorders int) loi.Options {
		opt := c.traceLimit()
		workers := uint64(recorders)
		records, params := c.recordsOf(plan)
		share := records * loi.RecordBytes(params) / workers * 5 / 4
		if first := min(share, maxFirstChunk, room/diskShare/workers); first > defaultFirstChunk {
			opt.FirstChunkBytes = int(first)
		}
		return opt
	}
	if free >= 0 && c.traceBytes(t, plan, sized) > uint64(free) {
		return func(int) loi.Options { return c.traceLimit() }
	}
	return sized
}

// defaultFirstChunk is what loi begins with by itself.
const defaultFirstChunk = 64 << 10
