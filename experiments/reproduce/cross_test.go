package reproduce

import (
	"bytes"
	"strings"
	"testing"

	"krdlab/experiments/dataset/datasettest"
	"krdlab/experiments/result"
	"krdlab/krd/doc"
)

// Every scheduler has a row at every core count; what is not known is n/a.
func TestWriteCross(t *testing.T) {
	e := datasettest.Small()
	e.Cells[5].Result.Summary.OVR = result.Quantity{}
	g := e.Groups()[0]
	var b bytes.Buffer
	if err := WriteCross(doc.NewPage(&b, 200), &g); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 3+len(datasettest.Schedulers)*len(datasettest.Cores) {
		t.Errorf("%d lines:\n%s", len(lines), b.String())
	}
	for _, want := range []string{"simulated on made-4s", "24     workfirst", "20.02 ±0.027"[:5],
		"n/a"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	for _, test := range []struct {
		v    interval
		want string
	}{{iv(20.99, 21.234, 21.3), "21.2 ±0.2"}, {iv(1, 1, 1), "1.000"}, {guess(1234.5), "1234"},
		{interval{}, "n/a"}, {iv(0.03, 0.0312, 0.033), "0.0312 ±0.0018"}} {
		if got := test.v.compact(); got != test.want {
			t.Errorf("%+v is %q, expected %q", test.v, got, test.want)
		}
	}
}
