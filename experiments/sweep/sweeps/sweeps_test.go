package sweeps_test

import (
	"slices"
	"testing"

	"krdlab/experiments/sweep"
	"krdlab/experiments/sweep/sweeps"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/runtimes"
)

// settings are those of a built-in file, by key; the tables of kernels under kernel.
func settings(t *testing.T, name string) map[string][]string {
	t.Helper()
	text, ok := sweeps.Named(name)
	if !ok {
		t.Fatalf("no sweep %s", name)
	}
	f, err := sweep.ParseFile(name, text)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, s := range f.Common {
		all[s.Key] = s.Values
	}
	for _, k := range f.Kernels {
		all["kernel"] = append(all["kernel"], k.Name)
	}
	return all
}

// The files name what there is: all variants of the paper's schedulers, all machines, all kernels.
func TestWhole(t *testing.T) {
	var variants, all []string
	for _, s := range runtimes.Schedulers {
		if s.Paper == "" {
			continue
		}
		variants = append(variants, s.Name)
		for _, v := range s.Variants() {
			variants = append(variants, v.Name)
		}
	}
	for _, k := range kernels.Table {
		all = append(all, k.Name)
	}
	for _, x := range []struct {
		file, key string
		want      []string
	}{{"ablation", "sched", variants}, {"machines", "machine", machine.Names()},
		{"validation", "kernel", all}} {
		if got := settings(t, x.file)[x.key]; !slices.Equal(got, x.want) {
			t.Errorf("%s: %s: %q, expected %q", x.file, x.key, got, x.want)
		}
	}
	if got := sweeps.Names(); !slices.Equal(got, []string{"ablation", "machines", "validation"}) {
		t.Errorf("%q", got)
	}
}
