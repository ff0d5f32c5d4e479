package experiments

import (
	"fmt"

	"krdlab/hw"
	"krdlab/krd"
	"krdlab/loi"
)

// checkSpace compares the memory and the trace files that c needs with what is free, and returns a [*ConfigError] where it is not
// enough. What the system does not tell is not compared. folder is where the traces go; c must be valid.
func (c *Config) checkSpace(folder string, memory func() (hw.Memory, error), disk func(path string) (int64, error)) error {
	k, err := FindKernel(c.Kernel)
	if err != nil {
		return err
	}
	plan, err := k.Plan(c.Params)
	if err != nil {
		return paramError(err)
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
	need := c.traceBytes(plan.Executions, plan.Args)
	if free, err := disk(folder); err == nil && need > uint64(max(free, 0)) {
		return &ConfigError{"out", folder, fmt.Sprintf("the traces need up to %s, and %s is free there; "+
			"choose a folder with more room, --trace profile, a coarser or smaller kernel, or fewer schedulers",
			krd.FormatBytes(need), krd.FormatBytes(uint64(max(free, 0))))}
	}
	return nil
}

// traceBytes is an upper bound of the trace files of c: one for each traced repetition of each scheduler.
func (c *Config) traceBytes(executions uint64, args int) uint64 {
	reps := uint64(1)
	switch c.Trace {
	case TraceOff, TraceProfile:
		return 0
	case TraceFull:
		reps = uint64(c.Reps)
	}
	var n uint64
	for _, s := range c.Schedulers {
		n += reps * loi.Size(executions, args, c.WorkersOf(s), loi.Options{})
	}
	return n
}
