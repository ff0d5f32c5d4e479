package calibrate

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest"
	"krdlab/hw/machine"
	"krdlab/runtimes"
)

func host(t *testing.T) (*hw.Topology, *machine.Machine) {
	t.Helper()
	top, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.Host(top)
	if errors.Is(err, machine.ErrNotKnown) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return top, m
}

// On the computer of the test: every price is there, more than nothing, and in an order that holds
// on any computer; a price that is not measured has the reason. Its speed does not matter.
func TestMeasureHere(t *testing.T) {
	hwtest.SkipRace(t)
	top, m := host(t)
	guessed := m.Costs
	last, calls := 0, 0
	progress := func(done, total int, next string) {
		if done < last || done > total || next == "" {
			t.Errorf("%d of %d after %d, %q", done, total, last, next)
		}
		last = done
		if calls++; done == total {
			calls = -1
		}
	}
	missing, err := Measure(t.Context(), top, m, Options{Quick: true, Beside: 1}, progress)
	if _, refused := errors.AsType[*machine.DisturbedError](err); refused ||
		errors.Is(err, errNoise) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if calls != -1 {
		t.Errorf("the progress ended at %d", last)
	}
	cpus, err := top.Available(hw.Binding{}, false)
	if err != nil {
		t.Fatal(err)
	}
	families := []string{""}
	for _, p := range scheduled(runtimes.Schedulers) {
		families = append(families, p.Family)
		missed := func(price string) bool {
			return slices.ContainsFunc(missing, func(x Missing) bool {
				return x.Scheduler == p.Name && x.Price == price && x.Why != ""
			})
		}
		if len(top.Nodes) == 1 && !missed("steal_remote") {
			t.Errorf("%s: a steal between nodes with one node: %+v", p.Name, missing)
		}
		if missed("steal_local") && p.Rules().Queue != runtimes.ShareWorker {
			t.Errorf("%s steals nothing within a node: %+v", p.Name, missing)
		}
	}
	for _, name := range families {
		c := m.CostsOf(name)
		for what, ps := range map[string]uint64{"spawn": c.SpawnPS, "pop": c.PopPS,
			"steal_local": c.StealLocalPS, "steal_remote": c.StealRemotePS,
			"steal_failed": c.StealFailedPS, "mail": c.MailPS, "join": c.JoinPS, "rest": c.RestPS,
			"lock": c.LockPS, "lock_handover": c.LockHandoverPS} {
			if ps == 0 {
				t.Errorf("%s: %s is nothing", name, what)
			}
		}
	}
	if len(cpus) == 1 && !m.Guessed("costs.steal_local") {
		t.Errorf("a steal with one core: %q", m.Source("costs.steal_local"))
	}
	if len(top.Nodes) == 1 {
		if why := m.Source("costs.steal_remote"); !m.Guessed("costs.steal_remote") ||
			!strings.Contains(why, "two nodes") && !strings.Contains(why, "pinned") {
			t.Errorf("a steal between nodes with one node: %q", why)
		}
		if m.Costs.StealRemotePS < max(guessed.StealRemotePS, m.Costs.StealLocalPS) {
			t.Errorf("a steal between nodes takes %d ps, one within %d", m.Costs.StealRemotePS,
				m.Costs.StealLocalPS)
		}
	}
	if !m.Guessed("costs.lock_delay") || m.Costs.LockDelayPS != 0 ||
		m.Sources["costs.lock_delay"] == "" {
		t.Errorf("lock_delay is %d: %q", m.Costs.LockDelayPS, m.Source("costs.lock_delay"))
	}
	for _, path := range []string{"rates.fused", "rates.hash", "costs.lock"} {
		if m.Guessed(path) {
			t.Errorf("%s was not measured: %q", path, m.Source(path))
		}
	}

	var text bytes.Buffer
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	again, err := machine.Parse("written.toml", text.Bytes())
	if err != nil {
		t.Fatalf("what was written does not read: %v\n%s", err, &text)
	}
	if again.Hash() != m.Hash() {
		t.Errorf("what was written reads as another machine:\n%s", &text)
	}
}

func TestMeasureStops(t *testing.T) {
	top, m := host(t)
	ctx, stop := context.WithCancel(t.Context())
	n := 0
	_, err := Measure(ctx, top, m, Options{Quick: true}, func(int, int, string) { n++; stop() })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%d measurements after the stop, error %v", n, err)
	}
}
