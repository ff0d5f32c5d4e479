package kernelreuse

import (
	"bytes"
	"strings"
	"testing"

	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/doc"
)

// Every scheduler has a row at every core count; what is not known is n/a.
func TestTables(t *testing.T) {
	e := datasettest.Small()
	e.Cells[5].Result.Summary.OVR = result.Quantity{}
	var b bytes.Buffer
	p := doc.NewPage(&b, 200)
	for _, x := range Tables(e) {
		p.Table(x)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 4+len(datasettest.Schedulers)*len(datasettest.Cores) {
		t.Errorf("%d lines:\n%s", len(lines), b.String())
	}
	for _, want := range []string{"simulated on made-4s", "   24  workfirst", "20.02 ±1%",
		"n/a [1]"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}
