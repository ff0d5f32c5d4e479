package measure

import (
	"fmt"
	"reflect"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// On one core a run on a thread and one in virtual time have the same KRD: every scheduler, every
// kernel that records kernels, by default one in four pairs of a scheduler and a size. A size may
// be so small that a kernel touches nothing, but not all of them.
func TestOneCoreEveryKernel(t *testing.T) {
	compared, pairs, every := 0, 0, long.Or(4, 1)
	for _, k := range kernels.Table {
		none := 0 // comparisons of runs that touched nothing
		before := compared
		for _, small := range k.Small {
			in, err := k.New(k.With(small), kernel.Env{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			if len(in.Registry().Kernels) == 0 || len(in.Registry().Objects) == 0 {
				continue // fib has no kernel work, hence no reuse
			}
			for _, s := range runtimes.Schedulers {
				if s.Rules().Spawn == runtimes.SpawnGo {
					continue
				}
				if pairs++; pairs%every != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%s", k.Name, small, s.Name), func(t *testing.T) {
					native, virtual := histogram(t, s, in, false), histogram(t, s, in, true)
					if native.Accesses == 0 {
						none++
					}
					if !reflect.DeepEqual(native, virtual) {
						t.Errorf("on a thread:\n%+v\nin virtual time:\n%+v", native, virtual)
					}
					compared++
				})
			}
		}
		if none > 0 && none == compared-before {
			t.Errorf("%s: no accesses", k.Name)
		}
	}
	if compared == 0 {
		t.Error("no kernel was compared")
	}
}
