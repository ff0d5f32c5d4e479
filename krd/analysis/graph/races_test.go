package graph

import (
	"strings"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/krd/analysis/regions"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// planted is a task program of two children that write block 1 of A, which the code after them reads:
// beside each other, or one phase after the other.
func planted(t *testing.T, ordered bool) *loi.Trace {
	t.Helper()
	text := "loi-text 4\nsubstrate native\nclock tsc 1e9\nnodes 1\ngrain kernel\n" +
		"worker 0 cpu -1 node 0 offset 0\nworker 1 cpu -1 node 0 offset 0\n" +
		"object A 4x64\nkernel fill A:out\nkernel add A:inout\nkernel sum A:in\n" +
		"0 100 event task(1,0,0,0,CHILDREN)\n" +
		"0 110 130 fill(1)\n0 131 event child(1,0,0)\n" + "MIDDLE" +
		"1 150 190 add(1)\n1 191 event child(1,PLACE)\n0 195 200 sum(1)\n0 201 event phase(1,LAST,0)\n"
	set := []string{"CHILDREN", "2", "MIDDLE", "", "PLACE", "0,1", "LAST", "0"}
	if ordered {
		set = []string{"CHILDREN", "1", "MIDDLE", "0 132 event phase(1,0,1)\n", "PLACE", "1,0",
			"LAST", "1"}
	}
	tr, err := loi.ParseText(strings.NewReader(strings.NewReplacer(set...).Replace(text)))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestPlantedRace checks that a race is reported with its two accesses, and none where a sync
// orders them. The data path is that of regions: 20 + 40 + 5 ns, which is longer than the span of
// the program that races.
func TestPlantedRace(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		tr := planted(t, ordered)
		d, r := look(t, tr, Options{Unit: unitTime})
		span := 45.
		if ordered {
			span = 65
		}
		if d.DataPath.Float() != 65 || d.Span.Float() != span || d.DataParallelism.Float() != 1 {
			t.Errorf("ordered %v: data path %v, parallelism %v, span %v", ordered, d.DataPath,
				d.DataParallelism, d.Span)
		}
		text := page(t, r)
		if ordered {
			if d.Races == nil || d.Races.Units != 0 || d.Races.List == nil || len(d.Races.List) != 0 ||
				strings.Contains(text, "Races:") {
				t.Errorf("races %+v of a program without\n%s", d.Races, text)
			}
			continue
		}
		want := Race{64, Access{"fill", "out", "A", "A[1]", "/0:0", 1, nil, doc.Some(10), doc.Some(30), 0},
			Access{"add", "inout", "A", "A[1]", "/0:1", 1, nil, doc.Some(50), doc.Some(90), 1}}
		if x := d.Races; x.Units != 1 || x.Bytes != 64 || len(x.List) != 1 || x.List[0] != want {
			t.Errorf("races %+v, expected %+v", x, want)
		}
		for _, s := range []string{"| races | 1 |", "| 1 | fill | out | A[1] | /0:0 | 1 | 0 | 10.00 ns |",
			"| | add | inout | A[1] | /0:1 | 1 | 1 | 50.00 ns |"} {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), s) {
				t.Errorf("no %q in\n%s", s, text)
			}
		}
	}
}

// TestDeepRace checks that the path of a deep child is cut for people alone.
func TestDeepRace(t *testing.T) {
	deep, after := strings.Repeat("/0:0", 500)+"/1:2", 3
	a := Access{Path: deep, After: &after}
	if got, want := a.where(), "/0:0/0:0/0:0…0:0/0:0/1:2 after phase 3"; got != want || a.Path != deep {
		t.Errorf("%q, expected %q", got, want)
	}
}

// TestDataPath checks that the data path of a program is the critical path of the program's region,
// in time and in kernels, and unknown without accesses and in pieces.
func TestDataPath(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		tr := planted(t, ordered)
		for unit, work := range map[string]string{unitTime: "time", unitKernels: "kernels"} {
			opt := regions.Analysis.New().(*regions.Options)
			opt.Work = work
			list, err := analysis.Run(t.Context(), tr, []analysis.Asked{{Analysis: regions.Analysis,
				Options: opt}}, analysis.Options{})
			if err != nil {
				t.Fatal(err)
			}
			of := list[0].(*regions.Document)
			d, _ := look(t, tr, Options{Unit: unit})
			if path := of.Regions[0].CriticalPath; d.DataPath.Float() != float64(*path) || *path == 0 ||
				*of.Program.Races != d.Races.Units || ordered != (d.Races.Units == 0) {
				t.Errorf("%s: data path %v, critical path %d; races %d and %d", unit, d.DataPath, *path,
					d.Races.Units, *of.Program.Races)
			}
		}
	}
	d, r := look(t, planted(t, false), Options{Unit: unitPieces})
	if d.DataPath.Known() || d.Races.Units != 1 || !strings.Contains(page(t, r), "no accesses; --unit") {
		t.Errorf("of pieces: %+v", d)
	}
	d, r = look(t, traceOf(t, loi.Header{}, func(p *program) { p.cube(2, 0, 0, 0) }), Options{})
	if d.DataPath.Known() || d.DataParallelism.Known() || d.Races != nil ||
		!strings.Contains(page(t, r), "the trace has no accesses") {
		t.Errorf("without accesses: %+v", d)
	}
}

// page is the view of a result.
func page(t *testing.T, r *result) string {
	t.Helper()
	var text strings.Builder
	if err := r.View().Markdown(&text, 1); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
