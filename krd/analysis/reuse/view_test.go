package reuse

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"krdlab/krd"
	"krdlab/krd/doc"
)

// report is one of 300 000 accesses on two nodes, whose LLC the trace does not name.
func report() *krd.Report {
	h := krd.Histogram{Accesses: 300000, Cold: 3, Close: new(uint64(299997)), Shared: new(uint64(60000))}
	for _, n := range []uint64{0, 0, 149997, 150000} {
		from := uint64(0)
		if k := len(h.Bins); k > 0 {
			from = 1 << (k - 1)
		}
		h.Bins = append(h.Bins, krd.Bin{FromBytes: from, ToBytes: max(1, 2*from), Count: n})
	}
	return &krd.Report{Distance: krd.Exclusive, Weight: krd.WeightCount, Engine: krd.EngineExact,
		L2Bytes: new(uint64(64)), Histogram: h,
		Nodes: []krd.Node{{Node: 0, Workers: []int{0, 2}, Histogram: h},
			{Node: 1, Workers: []int{1}, Histogram: h}},
		Warnings: []string{"the trace names no LLC size: near and far are unknown"}}
}

func TestView(t *testing.T) {
	var b strings.Builder
	if err := View(report()).Text(doc.NewPage(&b, 80)); err != nil {
		t.Fatal(err)
	}
	want := `kernel reuse distance: exclusive, in bytes; counts are of accesses
accesses  300.0k  100.00 %  all
close     300.0k  100.00 %  distance + size <= L2 of 64 B
near         n/a            beyond L2, distance + size <= LLC (size unknown)
far          n/a            finite, distance + size > LLC
cold           3   <0.01 %  first access on the node, distance INF
shared     60000   20.00 %  reuses between two workers of a node (of all
                            distances)
>= 32 MiB: 0.00 %; >= 32 MiB or cold: <0.01 %

distance     count    share  cumulative
---------------------------------------
0 - 2 B          0   0.00 %      0.00 %
2 B - 4 B   150.0k  50.00 %     50.00 %  #######################################
4 B - 8 B   150.0k  50.00 %    100.00 %  #######################################
INF (cold)       3  <0.01 %    100.00 %  #

node  workers   count     close  near  far     cold   shared
------------------------------------------------------------
0           2  300.0k  100.00 %   n/a  n/a  <0.01 %  20.00 %
1           1  300.0k  100.00 %   n/a  n/a  <0.01 %  20.00 %
------------------------------------------------------------
sum         3  300.0k  100.00 %   n/a  n/a  <0.01 %  20.00 %
warning: the trace names no LLC size: near and far are unknown
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// The words of flags are those of package krd.
func TestOptionWords(t *testing.T) {
	o := reflect.TypeFor[Options]()
	engine, _ := o.FieldByName("Engine")
	if list := strings.Join(krd.Engines, ", "); engine.Tag.Get("want") != "choose one of "+list ||
		!strings.Contains(engine.Tag.Get("help"), list) {
		t.Errorf("%s, expected %s", engine.Tag, list)
	}
	for field, want := range map[string][]string{"By": slices.Concat(krd.Rankings, krd.ProgramRankings),
		"Distance": {string(krd.Exclusive), string(krd.Inclusive)},
		"Weight":   {string(krd.WeightCount), string(krd.WeightBytes)}, "Per": {perNode, perCore}} {
		f, _ := o.FieldByName(field)
		if tag := f.Tag.Get("choice"); tag != strings.Join(want, ",") {
			t.Errorf("%s: %s, expected %s", field, tag, want)
		}
	}
}
