package machine

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"krdlab/hw"

	"krdlab/hw/ops"
)

func named(t *testing.T, name string) *Machine {
	t.Helper()
	m, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The paper's machine has the paper's numbers.
func TestPaper(t *testing.T) {
	m := named(t, "westmere-ex-4s")
	if m.Nodes != 4 || m.CoresPerNode != 6 || m.CoreHz != 1_860_000_000 || m.L1.Bytes != 32<<10 ||
		m.L2.Bytes != 256<<10 || m.LLC.Bytes != 18<<20 {
		t.Errorf("%+v", m)
	}
	if sets := m.LLC.Bytes / uint64(m.LLC.Ways*m.LLC.LineBytes); sets != 18432 {
		t.Errorf("the last-level cache has %d sets", sets)
	}
	for _, path := range []string{"nodes", "cores_per_node", "core.clock", "l1.size", "l1.ways",
		"l2.size", "l2.ways", "llc.size", "llc.ways"} {
		if s := m.Source(path); !strings.HasPrefix(s, "KRD paper") || m.Guessed(path) {
			t.Errorf("%s is from %q", path, s)
		}
	}
	for _, path := range []string{"memory.local", "costs.spawn"} {
		if !m.Guessed(path) {
			t.Errorf("%s is said to be known: %q", path, m.Source(path))
		}
	}
	ps, err := m.WorkPS(ops.Count{ops.Fused: 2 * 32 * 32 * 64})
	if want := 15.35e6; err != nil || math.Abs(float64(ps)/want-1) > 1e-3 {
		t.Errorf("a leaf takes %d ps, not about %g (%v)", ps, want, err)
	}
}

// Every number of a built-in machine has a source.
func TestSources(t *testing.T) {
	for _, name := range Names() {
		m := named(t, name)
		for _, path := range m.Paths() {
			if m.Source(path) == "" {
				t.Errorf("%s: %s has no source", name, path)
			}
		}
	}
}

func TestByNameUnknown(t *testing.T) {
	for _, name := range []string{"", "none", "../machines/desktop", "desktop.toml"} {
		_, err := ByName(name)
		if !errors.Is(err, ErrNoSuchMachine) || !strings.Contains(err.Error(),
			"there are desktop, epyc-2s, grace, granite-rapids-2s, turin-2s, westmere-ex-4s, xeon-2s") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The topology is that of hw.Synthetic with names, caches and distances added.
func TestTopologySynthetic(t *testing.T) {
	m := named(t, "westmere-ex-4s")
	got, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	want, err := hw.Synthetic("4x6")
	if err != nil {
		t.Fatal(err)
	}
	if d := got.Distance(0, 3); d != 14 || got.Distance(2, 2) != 0 ||
		got.NUMA[1].Distance[1] != 10 {
		t.Errorf("distances: %d to node 3, %v", d, got.NUMA)
	}
	for i, c := range got.CPUs {
		if c.L2.Bytes != 256<<10 || !slices.Equal(c.L2.CPUs, []int{i}) || c.LLC.Bytes != 18<<20 ||
			len(c.LLC.CPUs) != 6 || c.LLC.Ways != 16 {
			t.Errorf("CPU %d has %+v and %+v", i, c.L2, c.LLC)
		}
	}
	info := got.Machine()
	if info != (hw.Machine{Name: "westmere-ex-4s", Nodes: 4, CoresPerNode: 6, Cores: 24, CPUs: 24,
		L1dBytes: 32 << 10, L2Bytes: 256 << 10, LLCBytes: 18 << 20, LineBytes: 64,
		Synthetic: true}) {
		t.Errorf("%+v", info)
	}
	p, err := got.Place(12, hw.Binding{}, false)
	if err != nil || p.String() != "node 0: 0-5; node 1: 6-11" {
		t.Errorf("12 workers are on %v (%v)", p, err)
	}

	got.Name = want.Name
	for i := range got.CPUs {
		got.CPUs[i].L1d, got.CPUs[i].L2, got.CPUs[i].LLC = hw.Cache{}, hw.Cache{}, hw.Cache{}
	}
	for i := range got.Nodes {
		got.Nodes[i].LLC = hw.Cache{}
		got.NUMA[i].Distance = nil
	}
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("the topology is\n%s\nthat of Synthetic\n%s", a, b)
	}
}

// A socket of chiplets is several nodes of one memory.
func TestTopologyChiplets(t *testing.T) {
	m := named(t, "epyc-2s")
	x, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Nodes) != 16 || len(x.NUMA) != 2 || x.Packages != 2 || x.Dies != 16 ||
		len(x.CPUs) != 128 || len(x.NUMA[1].CPUs) != 64 || x.NUMA[1].CPUs[0] != 64 {
		t.Errorf("%d nodes, %d memories, %d packages, %d dies, %d CPUs", len(x.Nodes), len(x.NUMA),
			x.Packages, x.Dies, len(x.CPUs))
	}
	if x.Distance(0, 7) != 10 || x.Distance(0, 8) != 18 || x.Nodes[9].Package != 1 ||
		x.CPUs[127].Die != 7 {
		t.Errorf("distances %d and %d", x.Distance(0, 7), x.Distance(0, 8))
	}
	g, err := Parse("good.toml", []byte(good(t)))
	if err != nil {
		t.Fatal(err)
	}
	if y, err := g.Topology(); err != nil || y.Distance(0, 1) != 10 || y.Distance(0, 2) != 15 ||
		y.Distance(3, 1) != 15 {
		t.Errorf("%+v (%v)", y.NUMA, err)
	}
	if m.Memory.RemotePS[0][7] != m.Memory.LocalPS || m.Memory.RemotePS[7][8] != 215_000 ||
		m.Domain(7) != 0 || m.Domain(8) != 1 || m.NodeOf(63) != 7 {
		t.Errorf("latencies %v", m.Memory.RemotePS[7])
	}
}

func TestWork(t *testing.T) {
	m := &Machine{Rates: ops.Count{ops.Fused: 3e9, ops.Chain: 1e12}}
	for _, c := range []struct {
		n    ops.Count
		want uint64 // 0 for an error
	}{
		{ops.Count{ops.Fused: 6}, 2000}, {ops.Count{ops.Fused: 10}, 3333},
		{ops.Count{ops.Fused: 6, ops.Chain: 5}, 2005},
		{ops.Count{ops.Fused: 5e16}, 16_666_666_666_666_666_666}, {ops.Count{ops.Fused: 6e16}, 0},
		{ops.Count{ops.Chain: math.MaxUint64}, math.MaxUint64},
		{ops.Count{ops.Fused: 3, ops.Chain: math.MaxUint64}, 0},
	} {
		got, err := m.WorkPS(c.n)
		if got != c.want || (err == nil) != (c.want != 0) {
			t.Errorf("%v take %d ps (%v), not %d", c.n, got, err, c.want)
		}
	}
}

// The hash is of numbers: texts do not change it, and each number does.
func TestHash(t *testing.T) {
	read := func(edit func(string) string) *Machine {
		m, err := Parse("good.toml", []byte(edit(good(t))))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	same := func(s string) string { return s }
	base := read(same).Hash()
	for _, texts := range []*strings.Replacer{
		strings.NewReplacer(`name = "good"`, `name = "better"`),
		strings.NewReplacer(`l2 = "a book"`, `l2 = "another"`), strings.NewReplacer(`"4 cycles"`,
			`"2ns"`),
	} {
		if read(texts.Replace).Hash() != base {
			t.Errorf("%v changes the hash", texts)
		}
	}
	seen := map[string]string{base: "nothing"}
	mutate := func(what string, change func(*Machine)) {
		m := read(same)
		change(m)
		h := m.Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("a change of %s hashes as one of %s", what, other)
		}
		seen[h] = what
	}
	read(same).walk(func(f *field) {
		if f.label() {
			return
		}
		mutate(f.path, func(m *Machine) {
			m.walk(func(g *field) {
				if g.path != f.path {
					return
				}
				switch p := g.at.(type) {
				case *Machine:
					for _, pair := range [][2]int{{0, 2}, {0, 3}, {1, 2}, {1, 3}} {
						m.Memory.RemotePS[pair[0]][pair[1]]++
					}
				case *uint64:
					*p += 12345
				case *int:
					if f.path == "memory.nodes_per_domain" {
						*p = 1
					} else {
						*p++
					}
				case *bool:
					*p = !*p
				case *string:
					*p += "x"
				}
			})
		})
	})
	if len(seen) < 50 {
		t.Errorf("only %d fields were changed", len(seen))
	}
}

func TestCostsOf(t *testing.T) {
	m, err := Parse("good.toml", []byte(good(t)))
	if err != nil {
		t.Fatal(err)
	}
	if c := m.CostsOf("qthreads-socket"); c.LockPS != 50_000 || c.SpawnPS != 10_000 {
		t.Errorf("%+v", c)
	}
	if c := m.CostsOf("massivethreads"); c != m.Costs || c.LockPS != 20_000 ||
		c.RestPS != 1_000_000 {
		t.Errorf("%+v", c)
	}
}
