package measure

import (
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/runtimes"
)

// The operations of a run take as long as the run, to the digit, where no cause is taken away;
// without all of them each scheduler takes about as long as the serial run over its cores.
func TestPast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kernel string
		params map[string]any
		model  request.CacheModel
		numa   request.NUMAPolicy
		data   bool
	}{
		{"matmul", map[string]any{"n": 256}, request.CacheBlocks, request.NUMANode0, false},
		{"matmul", map[string]any{"n": 128}, request.CacheLines, request.NUMADealt, false},
		{"matmul", map[string]any{"n": 128}, request.CacheLines, request.NUMADealt, true},
		{"fmm", map[string]any{"bodies": 2000}, request.CacheBlocks, request.NUMANode0, true},
		{"sor", map[string]any{"n": 256}, request.CacheBlocks, "", false},
	} {
		k, _ := kernels.ByName(c.kernel)
		m, err := machine.ByName(request.DefaultMachine)
		if err != nil {
			t.Fatal(err)
		}
		m.Costs.LockDelayPS = 5000 // locks hold up the memory
		topo, err := m.Topology()
		if err != nil {
			t.Fatal(err)
		}
		r := request.New(k)
		r.Machine, r.Cores, r.CacheModel = m, 12, c.model
		r.NUMA, r.RuntimeData = c.numa, c.data
		for name, v := range c.params {
			r.Params[name] = v
		}
		r.Schedulers = []runtimes.Scheduler{request.SerialScheduler()}
		for _, x := range runtimes.Schedulers {
			if !x.ThreadsOnly() && !x.Serial() {
				r.Schedulers = append(r.Schedulers, x)
			}
		}
		for _, x := range r.Schedulers {
			p, err := NewPast(t.Context(), &r, topo, x.Name, 1)
			if err != nil {
				t.Fatal(err)
			}
			if p.TimePS != p.RunPS {
				t.Errorf("%s under %s: %d ps, the run took %d", c.kernel, x.Name, p.TimePS, p.RunPS)
			}
			none, err := p.Without(AllCauses, nil)
			if err != nil {
				t.Fatal(err)
			}
			if span := p.SpanPS(); none < span || none > p.TimePS {
				t.Errorf("%s under %s: %d ps without any cause, expected %d, the span, to %d, the time", c.kernel,
					x.Name, none, span, p.TimePS)
			}
			p.Close()
		}
	}
}
