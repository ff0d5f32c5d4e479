package loi

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// One argument can stand for several accesses: in records by signature and of tasks, in files, text
// and what readers check.
func TestArgumentsOfSeveralParameters(t *testing.T) {
	h := Header{
		Registry: Registry{
			Objects: []Object{
				{Name: "m", Blocks: []SizeRun{{Count: 9, Bytes: 128}}},
				{Name: "l", Blocks: []SizeRun{{Count: 7, Bytes: 224}}},
			},
			Kernels: []Kernel{{Name: "m2l", Params: []Param{{0, In}, {0, In}, {1, InOut},
				{1, InOut}}, Of: []uint8{0, 1, 0, 1}}},
		},
		Workers: []Worker{{CPU: -1}}, Substrate: Native, Grain: "task",
	}
	path := filepath.Join(t.TempDir(), "of.loi")
	w, err := Create(path, h, Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Recorder(0)
	r.Kernel(0, 1, 2, 3, 5)
	var list TaskList
	list.Add(0, 6, 0)
	if len(list.words()) != 1 {
		t.Errorf("a call with two arguments takes %d words, want 1", len(list.words()))
	}
	r.Task(3, 4, &list)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := "m3 m5 l3 l5 m6 m0 l6 l0 "
	check := func(name string, tr *Trace) {
		var got strings.Builder
		c := tr.Cursor(0)
		for c.Next() {
			for _, a := range c.AppendAccesses(nil) {
				got.WriteString(tr.Header.Registry.Objects[a.Object].Name + u(a.Block) + " ")
				if a.Bytes != []uint64{128, 224}[a.Object] ||
					a.Mode != []Mode{In, InOut}[a.Object] {
					t.Errorf("%s: access %+v", name, a)
				}
			}
		}
		if c.Err() != nil || got.String() != want {
			t.Errorf("%s: accesses %q (%v), want %q", name, got.String(), c.Err(), want)
		}
	}
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	check("file", tr)
	var text strings.Builder
	if err := WriteText(&text, tr); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "kernel m2l of(0,1,0,1) m:in m:in l:inout l:inout\n") {
		t.Errorf("text:\n%s", text.String())
	}
	parsed, err := ParseText(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	check("text", parsed)
	// An argument numbers blocks of the smallest object it is of.
	for _, line := range []string{"0 5 6 m2l(7,0)", "0 5 6 m2l(0,1,2)", "0 5 6 m2l(0)"} {
		if _, err := ParseText(strings.NewReader(strings.Replace(text.String(), "end 2", line,
			1))); err == nil {
			t.Errorf("%s was accepted", line)
		}
	}
	for _, of := range [][]uint8{{0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}, {}} {
		h.Registry.Kernels[0].Of = of
		if err := h.Registry.validate(); err == nil {
			t.Errorf("Of %v of four parameters is valid", of)
		}
	}
}

// Add1 and Add2 are Add.
func TestTaskListShortForms(t *testing.T) {
	for _, k := range []KernelID{0, 3, callKernelMax, callKernelMax + 1} {
		for _, a := range []uint32{0, 5, callArgMax, callArgMax + 1, 1<<32 - 1} {
			var short, long TaskList
			short.Add1(k, a)
			long.Add(k, a)
			for _, b := range []uint32{0, 7, callArgMax, callArgMax + 1} {
				short.Add2(k, a, b)
				long.Add(k, a, b)
				short.Add2(k, b, a)
				long.Add(k, b, a)
			}
			if short.Len() != long.Len() || !slices.Equal(short.words(), long.words()) {
				t.Errorf("kernel %d, argument %d: %d executions %x, want %d %x", k, a, short.Len(),
					short.words(), long.Len(), long.words())
			}
		}
	}
}

// A list that is collected where its record will stand gives the record that a copied one gives,
// whatever the room in the chunk.
func TestPlacedTasks(t *testing.T) {
	h := Header{
		Registry: Registry{Objects: []Object{{Name: "o",
			Blocks: []SizeRun{{Count: 1 << 20, Bytes: 8}}}}, Kernels: []Kernel{{Name: "k",
			Params: []Param{{0, In}, {0, Out}}}}},
		Workers:   []Worker{{CPU: -1}},
		Substrate: Native, Grain: "task",
	}
	var want, got [][]Call
	for _, placed := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "placed.loi")
		w, err := Create(path, h, Options{NoBackground: true, ChunkBytes: 4096,
			FirstChunkBytes: 4096})
		if err != nil {
			t.Fatal(err)
		}
		r := w.Recorder(0)
		var list TaskList
		at, next := uint64(0), uint64(7)
		for range 3000 {
			next = next*6364136223846793005 + 1442695040888963407
			if placed {
				r.Place(&list)
			}
			n := int(next>>33) % 40
			if next>>60 == 0 {
				n = 700 // more than a chunk holds
			}
			for i := range n {
				list.Add2(0, uint32(i), uint32(at)%1000)
			}
			end := at + 10
			if next>>59 == 1 {
				end = at + 1<<33
			}
			if list.Len() > 0 {
				r.Task(at, end, &list)
			}
			if next>>58 == 2 {
				r.Event(EventIdle, end)
			}
			at = end
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		tr, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(path); err != nil {
			t.Fatal(err)
		}
		var tasks [][]Call
		for c := tr.All(0); c.Next(); {
			if rec := c.Record(); rec.Type == TaskRecord {
				var calls []Call
				for _, call := range rec.Calls {
					calls = append(calls, Call{call.Kernel, slices.Clone(call.Args)})
				}
				tasks = append(tasks, append(calls,
					Call{Args: []uint32{uint32(rec.Start), uint32((rec.End - rec.Start) >> 2)}}))
			}
		}
		if !placed {
			want = tasks
		} else {
			got = tasks
		}
	}
	if len(want) < 2000 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d tasks placed, %d copied; or they differ", len(got), len(want))
	}
}
