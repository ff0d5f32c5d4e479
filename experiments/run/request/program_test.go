package request

import (
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Texts that ParamList writes of a program's parameters are read back; others are refused.
func TestReadParams(t *testing.T) {
	for _, k := range kernels.Table {
		for _, p := range append(slices.Clone(k.Small), nil) {
			want := k.With(p)
			got, err := readParams(k, ParamList(k, want))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, %v; want %v", k.Name, got, err, want)
			}
		}
	}
	fmm, _ := kernels.ByName("fmm")
	for _, d := range fmm.Params {
		// a file's name, say
		if d.Kind == kernel.WordParam && d.Parse == nil && len(d.Choices) == 0 {
			p := fmm.With(kernel.Params{d.Name: "a name=with spaces"})
			if got, err := readParams(fmm, ParamList(fmm, p)); err != nil ||
				!reflect.DeepEqual(got, p) {
				t.Errorf("%v, %v", got, err)
			}
		}
	}
	k, _ := kernels.ByName("matmul")
	good := ParamList(k, k.Defaults())
	with := func(key string, kv loi.KV) []loi.KV {
		list := slices.Clone(good)
		list[slices.IndexFunc(list, func(x loi.KV) bool { return x.Key == key })] = kv
		return list
	}
	for _, list := range [][]loi.KV{nil, good[1:], append(slices.Clone(good), loi.KV{Key: "m"}),
		with("n", loi.KV{Key: "n", Value: "many"}), with("n", loi.KV{Key: "n"}),
		with("leaf", loi.KV{Key: "leaves", Value: "32"}),
		with("n", loi.KV{Key: "m", Value: "4096"})} {
		if got, err := readParams(k, list); err == nil {
			t.Errorf("%q: %v, want an error", list, got)
		}
	}
}

// The program of a trace is made anew only if it has the blocks of the trace.
func TestProgramOf(t *testing.T) {
	k, _ := kernels.ByName("matmul")
	in, err := k.New(k.With(kernel.Params{"n": 64}), kernel.Env{Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for n, want := range map[int]string{64: "", 128: "other blocks"} {
		trace := &loi.Trace{Header: loi.Header{Registry: in.Registry(),
			Kernel: "matmul", Params: ParamList(k, k.With(kernel.Params{"n": n}))}}
		again, err := Program(&trace.Header)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("n = %d: %v, want %q", n, err, want)
		}
		if err == nil {
			again.Close()
		}
	}
}
