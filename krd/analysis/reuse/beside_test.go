package reuse

import (
	"strings"
	"testing"

	"krdlab/krd/doc"
)

// Several traces are columns of one table, and what warns of all of them is said once.
func TestBeside(t *testing.T) {
	a, b := report(), report()
	b.Cold, b.Warnings = 30000, append(b.Warnings, "only here")
	var w strings.Builder
	if err := Beside([]Column{{"adws", "run/adws.1.loi", 20, a},
		{"workfirst", "run/workfirst.loi", 1, b}}).Text(doc.NewPage(&w, 80)); err != nil {
		t.Fatal(err)
	}
	want := `kernel reuse distance: exclusive, in bytes; shares are of each trace's accesses
               adws  workfirst
------------------------------
accesses     300.0k     300.0k
close      100.00 %   100.00 %
near            n/a        n/a
far             n/a        n/a
cold        <0.01 %    10.00 %
shared      20.00 %    20.00 %
2 B - 4 B   50.00 %    50.00 %
4 B - 8 B   50.00 %    50.00 %
close: distance + size <= L2 of 64 B; near: <= LLC (size unknown); far: beyond
  it; cold: first access on the node; shared: reuses between two workers of a
  node
adws: run/adws.1.loi, the first of 20 traces
workfirst: run/workfirst.loi
With counts, and of each node: krdlab krd run/adws.1.loi
warning: the trace names no LLC size: near and far are unknown
warning: only here (workfirst)
`
	if w.String() != want {
		t.Errorf("got\n%swant\n%s", w.String(), want)
	}
}

// Where nothing was reused there is no row of a distance.
func TestBesideCold(t *testing.T) {
	r := report()
	r.Bins, r.Cold = nil, r.Accesses
	var w strings.Builder
	err := Beside([]Column{{"a", "a.loi", 1, r}, {"b", "b.loi", 1, r}}).Text(doc.NewPage(&w, 80))
	if _, after, ok := strings.Cut(w.String(), "\nshared "); err != nil || !ok ||
		!strings.HasPrefix(after[strings.Index(after, "\n"):], "\nclose: ") {
		t.Errorf("%v\n%s", err, w.String())
	}
}
