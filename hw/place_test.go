package hw

import (
	"errors"
	"slices"
	"testing"
)

func TestPlace(t *testing.T) {
	paper, err := Synthetic("4x6")
	if err != nil {
		t.Fatal(err)
	}
	amd := mustRead(t, complexes()) // 0,4 1,5 | 2,6 3,7
	cut := amd.Restrict([]int{3, 4, 5, 6})
	scatter, list := Binding{Scatter: true}, Binding{List: []int{6, 3}}
	for _, tt := range []struct {
		name  string
		top   *Topology
		n     int
		b     Binding
		smt   bool
		cpus  []int
		nodes []int
		over  bool
	}{
		{"paper, 8 workers", paper, 8, Binding{}, false, seq(0, 7, 1), []int{0, 0, 0, 0, 0, 0, 1,
			1}, false},
		{"paper, scatter", paper, 6, scatter, false, []int{0, 6, 12, 18, 1, 7},
			[]int{0, 1, 2, 3, 0, 1}, false},
		{"one per core", amd, 4, Binding{}, false, []int{0, 1, 2, 3}, []int{0, 0, 1, 1}, false},
		{"smt, first siblings first", amd, 6, Binding{}, true, []int{0, 1, 4, 5, 2, 3},
			[]int{0, 0, 0, 0, 1, 1}, false},
		{"smt, scatter", amd, 6, scatter, true, []int{0, 2, 1, 3, 4, 6}, []int{0, 1, 0, 1, 0, 1},
			false},
		{"the allowed sibling stands for its core", cut, 4, Binding{}, false, []int{4, 5, 6, 3},
			[]int{0, 0, 1, 1}, false},
		{"wrap around", cut, 5, scatter, false, []int{4, 6, 5, 3, 4}, []int{0, 1, 0, 1, 0}, true},
		{"list keeps its order", cut, 2, list, false, []int{6, 3}, []int{1, 1}, false},
		{"list wraps around", cut, 3, list, false, []int{6, 3, 6}, []int{1, 1, 1}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := tt.top.Place(tt.n, tt.b, tt.smt)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(p.CPUs, tt.cpus) || !slices.Equal(p.Nodes, tt.nodes) ||
				p.Oversubscribed != tt.over {
				t.Errorf("got %+v, want CPUs %v, nodes %v, oversubscribed %v", p, tt.cpus, tt.nodes,
					tt.over)
			}
		})
	}
}

func TestPlaceErrors(t *testing.T) {
	f := complexes()
	f[cpuDir+"/online"], f[cpuDir+"/present"] = "0-6", "0-7"
	top := mustRead(t, f).Restrict([]int{0, 1})
	for cpu, reason := range map[int]string{7: "offline",
		2: "outside the affinity mask or cpuset of the process", 64: "not there"} {
		_, err := top.Place(1, Binding{List: []int{0, cpu}}, false)
		var be *BindError
		if !errors.As(err, &be) || be.CPU != cpu || be.Reason != reason {
			t.Errorf("CPU %d: %v, want a *BindError that says %q", cpu, err, reason)
		}
	}
	if _, err := top.Place(0, Binding{}, false); err == nil {
		t.Error("no error for 0 workers")
	}
	if _, err := top.Restrict(nil).Place(1, Binding{}, false); err == nil {
		t.Error("no error where no CPU is allowed")
	}
	if len(top.Allowed()) != 2 {
		t.Errorf("Restrict changed its receiver: allowed %v", top.Allowed())
	}
}

func TestParseBinding(t *testing.T) {
	for in, want := range map[string]string{"": "compact", "compact": "compact",
		"scatter": "scatter", "0-3,8": "0-3,8", "8,1": "8,1"} {
		b, err := ParseBinding(in)
		if err != nil || b.String() != want {
			t.Errorf("%q: %v, %v, want %s", in, b, err, want)
		}
	}
	for _, in := range []string{"spread", "1,1", "3-1", "-1", "0-99999", "1,,2", ","} {
		if b, err := ParseBinding(in); err == nil {
			t.Errorf("%q: no error, but %v", in, b)
		}
	}
}

func TestSynthetic(t *testing.T) {
	for spec, want := range map[string]Machine{
		"4x6": {Name: "synthetic 4x6", Nodes: 4, CoresPerNode: 6, Cores: 24, CPUs: 24,
			Synthetic: true},
		"1x1": {Name: "synthetic 1x1", Nodes: 1, CoresPerNode: 1, Cores: 1, CPUs: 1,
			Synthetic: true},
		"2x3x2": {Name: "synthetic 2x3x2", Nodes: 2, CoresPerNode: 3, Cores: 6, CPUs: 12,
			Synthetic: true},
	} {
		top, err := Synthetic(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		consistent(t, top)
		if got := top.Machine(); got != want {
			t.Errorf("%s: %+v, want %+v", spec, got, want)
		}
	}
	for _, spec := range []string{"", "4", "4x", "x6", "0x6", "4x0", "4x6x1x1", "-1x2", "4X6",
		"1000x1000", "4 x 6"} {
		if top, err := Synthetic(spec); err == nil {
			t.Errorf("%q: no error, but %+v", spec, top.Machine())
		}
	}
}

func TestCPULists(t *testing.T) {
	for in, want := range map[string][]int{"": nil, "0": {0}, "0-3,8": {0, 1, 2, 3, 8},
		" 5-5 , 2\n": {5, 2}} {
		if got, err := ParseCPUList(in); err != nil || !slices.Equal(got, want) {
			t.Errorf("list %q: %v, %v, want %v", in, got, err, want)
		}
	}
	for in, want := range map[string][]int{"1": {0}, "0000,0000003f": seq(0, 5, 1),
		"00000001,80000000": {31, 32}} {
		if got, err := parseCPUMask(in); err != nil || !slices.Equal(got, want) {
			t.Errorf("mask %q: %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "g", "1,,1", "100000000"} {
		if got, err := parseCPUMask(in); err == nil {
			t.Errorf("mask %q: no error, but %v", in, got)
		}
	}
	for want, in := range map[string][]int{"none": nil, "3": {3}, "0-1,4,6-8": {0, 1, 4, 6, 7, 8}} {
		if got := FormatCPUList(in); got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
}
