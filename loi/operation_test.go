package loi

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestOperations writes a trace with operations in both forms and reads it again.
func TestOperations(t *testing.T) {
	path := t.TempDir() + "/t.loi"
	b, err := NewBuilder(path)
	if err != nil {
		t.Fatal(err)
	}
	k, err := b.Kernel("main.f")
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Region(Region{Name: "main.f", Kind: Function, Parent: NoRegion})
	if err != nil {
		t.Fatal(err)
	}
	ops := []Operation{
		{Name: "s", Kind: Compute, Kernel: k, Region: r, Line: 7, Work: 4, Values: []Value{{
			To: Place{Slot, 3}, Name: "s", Operands: []Operand{{From: Place{Slot, 3}, Cost: 4,
				Update: Sum}, {From: Place{Memory, 0}, Cost: 8}}}}},
		{Name: "a[i], for", Kind: Head, Kernel: k, Region: NoRegion, Line: 1 << 30, Values: []Value{
			{To: Place{Slot, 1}, When: First}, {To: Place{Memory, 1}, When: Later, Then: true,
				Operands: []Operand{{From: Place{Slot, 1}, Control: true}}}}},
		{Name: "return", Kind: Return, Kernel: k, Region: r, Values: []Value{{To: Place{Passed, 1}}}},
		{Name: "f", Kind: CallSite, Kernel: k, Region: r, Values: []Value{{To: Place{Passed, 0}}}},
		{Name: "f", Kind: GoSite, Kernel: k, Region: r, Callee: NoRegion},
		{Name: "f", Kind: DeferSite, Kernel: k, Region: r, Line: 3},
		{Name: "f", Kind: Entry, Kernel: k, Region: r, Values: []Value{{To: Place{Slot, 0}, Name: "x"}}},
		{Name: "c", Kind: Compute, Kernel: k, Region: r, Values: []Value{{To: Place{Channel, 0},
			Operands: []Operand{{From: Place{Channel, 1}}}}}},
	}
	for i, o := range ops {
		if n, err := b.Operation(o); err != nil || n != uint32(i) {
			t.Fatal(n, err)
		}
	}
	if err := b.Event(0, EventOperation, 5, 1, 0, 2); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(Header{Substrate: Native, Workers: []Worker{{CPU: -1}}}); err != nil {
		t.Fatal(err)
	}
	first, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	var text bytes.Buffer
	if err := WriteText(&text, first); err != nil {
		t.Fatal(err)
	}
	second, err := ParseText(bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, &text)
	}
	for _, tr := range []*Trace{first, second} {
		if got := tr.Header.Registry.Operations; !reflect.DeepEqual(got, ops) {
			t.Errorf("read %+v", got)
		}
		c := tr.All(0)
		if !c.Next() {
			t.Fatal("no record")
		}
		n, terms, ok := c.Record().Operation()
		if !ok || n != 1 || !reflect.DeepEqual(terms, []uint32{0, 2}) {
			t.Errorf("the event has operation %d, terms %v, %v", n, terms, ok)
		}
	}
	places := 0
	for _, o := range ops {
		for _, v := range o.Values {
			places += 1 + len(v.Operands)
		}
	}
	for _, place := range []string{"to slot %d", "to passed %d", "to memory %d", "to channel %d",
		"from returned %d cost 0"} {
		for n, want := range map[int]bool{places + 1 + spareSlots: true,
			places + 2 + spareSlots: false, 1 << 31: false, 1<<32 - 1: false} {
			// with the line there are two places more
			line := fmt.Sprintf("operation g call kernel 0 line 1 work 0 to slot 0 "+place+"\n", n)
			_, err := ParseText(strings.NewReader(strings.Replace(text.String(), "operation f entry",
				line+"operation f entry", 1)))
			if (err == nil) != want || err != nil && !strings.Contains(err.Error(), fmt.Sprintf(
				"%d, expected less than %d: ", n, places+2+spareSlots)) {
				t.Errorf("%s %d: %v", place, n, err)
			}
		}
	}
	for _, bad := range []string{"kernel 0", "kernel 1", "compute kernel 0 line 1 work 0 to nowhere 1",
		"compute kernel 0 line 1 work 0 to slot 1 from passed 1 cost 0",
		"compute kernel 0 region 1 line 1 work 0", "call kernel 0 callee 1 line 1 work 0",
		"compute kernel 0 callee 0 line 1 work 0",
		"compute kernel 0 line 1 work 0 to returned 1"} {
		lines := strings.Replace(text.String(), "operation s ", "operation s "+bad+" # ", 1)
		if _, err := ParseText(strings.NewReader(lines)); err == nil {
			t.Errorf("operation s %s: taken", bad)
		}
	}
	// a header that ends with a list of none, and one that ends within the list
	h := first.Header
	whole := encodeHeader(&h)
	if _, err := decodeHeader(whole, 0); err != nil {
		t.Error(err)
	}
	h.Registry.Operations = nil
	none := encodeHeader(&h)
	for _, b := range [][]byte{append(bytes.Clone(none), 0), whole[:len(whole)-1],
		append(bytes.Clone(whole), 0)} {
		if _, err := decodeHeader(b, 0); err == nil {
			t.Errorf("%d bytes of %d are taken", len(b), len(whole))
		}
	}
}

// TestOperationsRecovered makes a trace of what a builder that was killed has written.
func TestOperationsRecovered(t *testing.T) {
	path := t.TempDir() + "/t.loi"
	b, err := NewBuilder(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Kernel("main.f"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Operation(Operation{Name: "s", Kind: Compute, Region: NoRegion}); err != nil {
		t.Fatal(err)
	}
	b.Expect(Header{Substrate: Native, Workers: []Worker{{CPU: -1}}})
	for i := range uint64(100000) {
		if err := b.Event(0, EventOperation, i, 0, 1); err != nil {
			t.Fatal(err)
		}
	}
	out := path + ".recovered"
	if _, err := Recover(path+".partial", out); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if list := tr.Header.Registry.Operations; len(list) != 1 || list[0].Name != "s" ||
		!tr.Tells(EventOperation) {
		t.Errorf("recovered %+v", list)
	}
	if err := b.Abort(); err != nil {
		t.Error(err)
	}
}
