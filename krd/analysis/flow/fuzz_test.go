package flow

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"krdlab/loi"
)

// marks counts what it is asked, and takes every mark that it is given.
type marks struct{ stored, operands uint64 }

func (m *marks) Load(_ int, a *loi.Access, c *uint64)                        { *c = a.Block }
func (m *marks) Store(_ int, _ *loi.Access, c uint64)                        { m.stored += c }
func (m *marks) Operand(_ *Step, _ *loi.Operand, c *uint64)                  { m.operands += *c }
func (m *marks) Value(_ *Step, v uint16, c *uint64)                          { *c = uint64(v) + 1 }
func (m *marks) Conditions(*Step) uint64                                     { return m.operands }
func (m *marks) Under(_ *Step, c *uint64)                                    { m.operands += *c }
func (m *marks) Received(_ *Step, _ *loi.Operand, c *uint64, _ loi.ObjectID) { m.operands += *c }

const fuzzed = `loi-text 4
substrate native
clock tsc 1e9
nodes 1
worker 0 cpu -1 node 0 offset 0
worker 1 cpu -1 node 0 offset 0
object "chan int" keyed
kernel main.f
kernel main.g
region main.f function
region loop loop in 0
region turn iteration in 1
region main.g function
operation x entry kernel 1 region 3 line 1 work 0 to slot 0
operation i head kernel 0 region 0 line 2 work 1 to slot 1 first to slot 1 later from slot 1 cost 1 by "+" to slot 2 later from slot 1 cost 1
operation g call kernel 0 region 0 callee 3 line 3 work 1 to passed 0 from slot 1 cost 1 to slot 3 then from slot 1 cost 1
operation s compute kernel 0 region 0 line 3 work 2 to slot 4 from slot 3 cost 1 from returned 0 cost 1 control from memory 0 cost 4
operation return return kernel 1 region 3 line 9 work 1 to passed 0 from slot 0 cost 1
operation c compute kernel 0 region 0 line 4 work 1 to channel 0 from channel 0 cost 1
operation go spawn kernel 0 region 0 callee 3 line 5 work 1 to passed 0 from slot 4 cost 1
operation d defer kernel 0 region 0 callee 3 line 6 work 1 to passed 0 from slot 4 cost 1
0 1 event region(0, 1, 0)
0 2 event region(1, 2, 1)
0 3 event region(2, 3, 2)
0 4 event operation(1)
0 5 event operation(2)
0 6 event region(3, 4, 3)
0 7 event operation(4)
0 8 event region-end(4)
0 9 9 main.f {"chan int"[0x7:8]:inout}
0 10 event operation(3, 1)
0 11 event sync(1, 0, 0, 7, 0, 10, 0, 11, 0, 0, 0)
0 12 event sync(2, 0, 0, 7, 0, 10, 0, 11, 0, 0, 0)
0 13 event operation(5)
0 14 event operation(6)
0 14 event spawn(1, 0, 0)
0 15 event operation(7)
1 15 event start(1)
1 16 event region(3, 1, 0)
0 20 event region-end(1)
`

// forms are those of events; A, B and C are bytes.
var forms = []string{"event region(A, B, 0)", "event region-end(B)", "event operation(A, B, C)",
	"event operation(A)", "event sync(A, 0, C, B, 0, 1, 0, C, 0, 0, 0)",
	"event spawn(A, 0, 0)", "event start(A)", "4000000 main.f {\"chan int\"[A:8]:inout}",
	"event operation(A, 1, 2, 3, 4, 0, 1, B)"}

// FuzzFlow takes the places of operations and the events of a trace from bytes, and follows its
// values. No mark may be kept but of places that the header has, for each activation that an event
// opened.
func FuzzFlow(f *testing.F) {
	head, list, _ := strings.Cut(fuzzed, "0 1 event")
	var seed []byte
	for line := range strings.Lines("0 1 event" + list) {
		for i, form := range forms {
			if word, _, _ := strings.Cut(form, "("); strings.Contains(line, word+"(") {
				seed = append(seed, byte(i), 1, 2, 3)
			}
		}
	}
	f.Add([]byte{0, 1, 2}, seed)
	f.Add([]byte{200, 3, 255, 17}, []byte("\x00\x00\x01\x00\x02\x01\x00\x00\x02\x02\x07\x00\x01\x01\x00\x00"))
	for i := range forms {
		f.Add([]byte{byte(i)}, []byte{byte(i), 3, byte(i), 1, 2, byte(i), 0, 0, byte(i), 0, 1, 1})
	}
	number := regexp.MustCompile("(slot|passed|returned|memory|channel) [0-9]+")
	f.Fuzz(func(t *testing.T, numbers, list []byte) {
		n := 0
		text := number.ReplaceAllStringFunc(head, func(s string) string {
			if n++; n > len(numbers) {
				return s
			}
			word, _, _ := strings.Cut(s, " ")
			return fmt.Sprint(word, " ", uint64(numbers[n-1])*uint64(numbers[n-1])/200)
		})
		for i := 0; i+3 < len(list) && i < 4000; i += 4 {
			x := list[i:]
			text += fmt.Sprintf("%d %d ", x[0]>>7, i) + strings.NewReplacer("A", fmt.Sprint(x[1]), "B",
				fmt.Sprint(x[2]), "C", fmt.Sprint(x[3])).Replace(forms[int(x[0]&127)%len(forms)]) + "\n"
		}
		tr, err := loi.ParseText(strings.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), ", expected less than ") {
				return
			}
			t.Fatalf("%v in\n%s", err, text)
		}
		places, events := uint32(0), 0
		for _, o := range tr.Header.Registry.Operations {
			for _, v := range o.Values {
				places += 1 + uint32(len(v.Operands))
			}
		}
		m := &marks{}
		x := New(&tr.Header, m)
		for e, err := range tr.Ordered(loi.Order{Events: true}) {
			if err != nil {
				break
			}
			events++
			x.Event(e)
		}
		x.Match()
		for _, stack := range x.workers {
			if len(stack) > events+1 {
				t.Errorf("%d regions are open after %d events", len(stack), events)
			}
			for i := range stack {
				if own := stack[i].own; own != nil && max(len(own.slots), len(own.returned),
					len(own.results)) > int(places)+256 {
					t.Errorf("%d slots and %d results, of %d places", len(own.slots),
						max(len(own.returned), len(own.results)), places)
				}
			}
		}
	})
}

// TestFuzzed checks that the seed reaches the fuzzed code.
func TestFuzzed(t *testing.T) {
	tr, err := loi.ParseText(strings.NewReader(fuzzed))
	if err != nil {
		t.Fatal(err)
	}
	m := &marks{}
	x := New(&tr.Header, m)
	for e, err := range tr.Ordered(loi.Order{Events: true}) {
		if err != nil {
			t.Fatal(err)
		}
		x.Event(e)
	}
	x.Match()
	if m.stored == 0 || m.operands == 0 || len(x.channels) != 1 || x.Functions[3] == nil {
		t.Errorf("%+v, %d channels, %v", m, len(x.channels), x.Functions)
	}
}
