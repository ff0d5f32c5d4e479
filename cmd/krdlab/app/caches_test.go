package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/loi"
)

// untold returns a computer of two cores that reports no caches.
func untold() (*hw.Topology, error) {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"sys/devices/system/cpu/online": "0-1", "sys/devices/system/cpu/present": "0-1",
		"proc/cpuinfo": "processor\t: 0\nprocessor\t: 1"} {
		fsys[name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	for _, id := range []string{"0", "1"} {
		for name, text := range map[string]string{"core_id": id, "physical_package_id": "0",
			"thread_siblings_list": id} {
			fsys["sys/devices/system/cpu/cpu"+id+"/topology/"+name] = &fstest.MapFile{
				Data: []byte(text + "\n")}
		}
	}
	return hw.ReadTopology(fsys, nil)
}

// Where the system reports no LLC, a run measures it once and keeps it; where that is refused it
// prints so and runs without; where it is interrupted nothing runs. Commands that only list measure
// nothing.
func TestUntoldCaches(t *testing.T) {
	edges := &machine.Edges{L1dBytes: 32 << 10, L2Bytes: 1 << 20, LLCBytes: 16 << 20, Cores: 2}
	refused := &machine.DisturbedError{What: "random walks", PS: []float64{1, 2}}
	for _, x := range []struct {
		err, want error
		known     hw.Known
		calls     int
	}{{nil, nil, hw.Measured, 1}, {refused, nil, "", 2},
		{context.Canceled, context.Canceled, "", 1}} {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		a, _, stderr := fakeApp(t, nil)
		a.topology = untold
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		calls := 0
		a.computer.caches = func(got context.Context, _ *hw.Topology) (*machine.Edges, error) {
			calls++
			if errors.Is(x.err, context.Canceled) {
				cancel()
				return nil, got.Err()
			}
			return edges, x.err
		}
		for _, args := range [][]string{{"list"}, {"topo"}} {
			root := a.root()
			root.SetArgs(args)
			if err := root.ExecuteContext(ctx); err != nil || calls != 0 {
				t.Errorf("%v: %d measurements, %v", args, calls, err)
			}
		}
		top, err := a.sized(ctx, "")
		if !errors.Is(err, x.want) {
			t.Fatalf("%v, want %v", err, x.want)
		}
		if err == nil && top.Machine().CachesKnown.LLC != x.known {
			t.Errorf("the LLC is %q, want %q", top.Machine().CachesKnown.LLC, x.known)
		}
		if said := strings.Contains(stderr.String(), "the load average is ") && strings.Contains(
			stderr.String(), "give it with --caches"); said != (x.err == error(refused)) {
			t.Errorf("%v: %s", x.err, stderr)
		}
		if a.sized(ctx, ""); x.want == nil && calls != x.calls {
			t.Errorf("%d measurements, want %d", calls, x.calls)
		}
	}
}

// The caches that are given of a trace are those of its header, and workers share LLCs in the order
// of their nodes.
func TestGivenCachesOfTrace(t *testing.T) {
	var h loi.Header
	for _, node := range []int{2, 0, 2, 0, 0} {
		h.Workers = append(h.Workers, loi.Worker{Node: node})
	}
	h.Nodes = 2
	if err := given("32KiB,1MiB,8MiB@2").describe(&h); err != nil {
		t.Fatal(err)
	}
	var nodes []int
	for _, w := range h.Workers {
		nodes = append(nodes, w.Node)
	}
	if h.L2Bytes != 1<<20 || h.LLCBytes != 8<<20 || h.LLCKnown != "given" || h.Nodes != 3 ||
		!slices.Equal(nodes, []int{1, 0, 2, 0, 1}) {
		t.Errorf("%+v", h)
	}
}
