package kernels

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"
	"unsafe"

	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// A store is a run of numbers that an instance holds: a slice, or a single field.
type store struct {
	path string
	data []byte
	kind reflect.Kind // of its numbers: an integer, a float or a complex number
	size int          // bytes of a number
	was  []byte       // data before the run
}

func (s *store) at(i int) []byte { return s.data[i*s.size : (i+1)*s.size] }

func (s *store) before(i int) []byte { return s.was[i*s.size : (i+1)*s.size] }

// number is the value of a number, its magnitude for a complex one.
func (s *store) number(b []byte) float64 {
	v := reflect.NewAt(numberTypes[s.kind], unsafe.Pointer(&b[0])).Elem()
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	}
	return math.Hypot(real(v.Complex()), imag(v.Complex()))
}

var numberTypes = map[reflect.Kind]reflect.Type{
	reflect.Int: reflect.TypeFor[int](), reflect.Int32: reflect.TypeFor[int32](),
	reflect.Int64: reflect.TypeFor[int64](), reflect.Uint32: reflect.TypeFor[uint32](),
	reflect.Uint64: reflect.TypeFor[uint64](), reflect.Float32: reflect.TypeFor[float32](),
	reflect.Float64: reflect.TypeFor[float64](), reflect.Complex128: reflect.TypeFor[complex128](),
}

// storesOf lists the stores that can be reached from an instance through its fields.
func storesOf(in kernel.Instance) []*store {
	var list []*store
	type place struct {
		at  unsafe.Pointer
		typ reflect.Type // the same memory may be held as bytes too
	}
	seen := map[place]bool{}
	var walk func(path string, v reflect.Value)
	add := func(path string, p unsafe.Pointer, n int, typ reflect.Type) {
		if n > 0 {
			data := unsafe.Slice((*byte)(p), n*int(typ.Size()))
			list = append(list, &store{path: path, data: data, kind: typ.Kind(),
				size: int(typ.Size()), was: bytes.Clone(data)})
		}
	}
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if p := (place{v.UnsafePointer(), v.Type()}); p.at != nil && !seen[p] {
				seen[p] = true
				walk(path, v.Elem())
			}
		case reflect.Interface:
			if !v.IsNil() && v.Elem().Kind() == reflect.Pointer {
				walk(path, v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		case reflect.Slice:
			p := place{v.UnsafePointer(), v.Type()}
			if v.Len() == 0 || seen[p] {
				return
			}
			seen[p] = true
			if numberTypes[v.Type().Elem().Kind()] != nil {
				add(path, v.UnsafePointer(), v.Len(), v.Type().Elem())
				return
			}
			for i := range min(v.Len(), 64) {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		default:
			if numberTypes[v.Kind()] != nil && v.CanAddr() {
				add(path, unsafe.Pointer(v.UnsafeAddr()), 1, v.Type())
			}
		}
	}
	walk("", reflect.ValueOf(in))
	return list
}

// changed returns the numbers of s that the run has changed most, one of each of up to 16 parts.
func (s *store) changed() (list []int) {
	n := len(s.data) / s.size
	for part := range 16 {
		most, at := 0.0, -1
		for i := part * n / 16; i < (part+1)*n/16; i++ {
			if d := math.Abs(s.number(s.at(i)) - s.number(s.before(i))); d > most {
				most, at = d, i
			}
		}
		if at >= 0 {
			list = append(list, at)
		}
	}
	return list
}

// isSeen returns true if the check of in sees number i of s spoilt, in each way that it must.
func (s *store) isSeen(t *testing.T, in kernel.Instance, i int, tolerance float64) bool {
	value := bytes.Clone(s.at(i))
	defer copy(s.at(i), value)
	for _, way := range spoilt {
		if !way.must(s, tolerance) {
			continue
		}
		way.spoil(s, i)
		c := in.Check()
		copy(s.at(i), value)
		if c.Passed || c.Error <= c.Tolerance {
			return false
		}
		t.Logf("%s, number %d %s: error %g", s.path, i, way.name, c.Error)
	}
	return true
}

// spoilt are the ways in which a number of a result is made wrong.
var spoilt = []struct {
	name string
	// must is true where a check of that tolerance must see it.
	must  func(s *store, tolerance float64) bool
	spoil func(s *store, i int)
}{
	{"is as before the run", func(*store, float64) bool { return true },
		func(s *store, i int) { copy(s.at(i), s.before(i)) }},
	{"differs in its last bit", func(_ *store, tolerance float64) bool { return tolerance == 0 },
		func(s *store, i int) { s.at(i)[0] ^= 1 }},
	{"is not a number", func(s *store, _ float64) bool {
		return s.kind == reflect.Float32 || s.kind == reflect.Float64 ||
			s.kind == reflect.Complex128
	}, func(s *store, i int) { // all ones is not a number in each of them
		for k := range s.at(i) {
			s.at(i)[k] = 0xff
		}
	}},
}

// The check of each kernel sees a run that did not take place, one that was stopped halfway, and
// one number of the result that is wrong. The result is found by comparing what an instance holds
// before and after a run, so that a new kernel is covered without a change here. One of the small
// instances of a kernel may have a result that is that of no run.
func TestChecksSee(t *testing.T) {
	for _, k := range Table {
		t.Run(k.Name, func(t *testing.T) {
			var blind []kernel.Params
			for _, small := range k.Small {
				if !checkSees(t, k, k.With(small)) {
					blind = append(blind, small)
				}
			}
			if len(blind) > 1 {
				t.Errorf("the check of %v sees no wrong number in what the run has changed", blind)
			}
		})
	}
}

// checkSees returns true if the check of an instance of k sees a wrong number.
func checkSees(t *testing.T, k *kernel.Kernel, p kernel.Params) bool {
	t.Helper()
	in := instance(t, k, p, false)
	stores := storesOf(in)
	run := func(steps uint64) error {
		in.Reset(false)
		_, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.WorkFirst{}, Nodes: []int{0},
			Kernels: in.Registry().Kernels, MaxSteps: steps}, in)
		return err
	}
	if err := run(0); err != nil {
		t.Fatal(err)
	}
	changed := make([][]int, len(stores))
	for i, s := range stores {
		changed[i] = s.changed()
	}
	right := in.Check()
	if !right.Passed {
		t.Fatalf("%v: a right run: %+v", p, right)
	}
	seen := false
	for i, s := range stores {
		for _, at := range changed[i] {
			seen = seen || s.isSeen(t, in, at, right.Tolerance)
		}
	}
	if c := in.Check(); !c.Passed {
		t.Errorf("%v: the result is right again: %+v", p, c)
	}
	if !seen {
		return false
	}
	if in.Reset(false); in.Check().Passed {
		t.Errorf("%v: passes before it ran", p)
	}
	needed := uint64(1) // steps, or a little more
	for run(needed) != nil {
		needed *= 2
	}
	if err := run(needed / 4); needed >= 8 && err == nil || err != nil && in.Check().Passed {
		t.Errorf("%v: a run that was stopped after %d steps of %d passes: %v", p, needed/4, needed,
			err)
	}
	return true
}
