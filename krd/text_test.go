package krd

import (
	"strings"
	"testing"

	"krdlab/loi"
)

func TestReportText(t *testing.T) {
	var b strings.Builder
	if err := smallReport(t).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `kernel reuse distance: exclusive, in bytes; counts are of accesses
  accesses                 5    100.00 %  all
  close                    1     20.00 %  distance + size <= L2 of 64 B
  near                   n/a              beyond L2, distance + size <= LLC (size unknown)
  far                    n/a              finite, distance + size > LLC
  cold                     3     60.00 %  first access on the node, distance INF
  shared                   1     20.00 %  reuses between two workers of a node (of all distances)
  >= 32 MiB: 0.00 %; >= 32 MiB or cold: 60.00 %

  distance                          count       share  cumulative
  0                                     1     20.00 %     20.00 %  #############
  1 B - 2 B                             0      0.00 %     20.00 %
  2 B - 4 B                             0      0.00 %     20.00 %
  4 B - 8 B                             0      0.00 %     20.00 %
  8 B - 16 B                            0      0.00 %     20.00 %
  16 B - 32 B                           0      0.00 %     20.00 %
  32 B - 64 B                           0      0.00 %     20.00 %
  64 B - 128 B                          1     20.00 %     40.00 %  #############
  INF (cold)                            3     60.00 %    100.00 %  ########################################
warning: the trace names no LLC size: near and far are unknown
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestReportTextNodes: rows of nodes, leading empty bins in one row, weights in bytes.
func TestReportTextNodes(t *testing.T) {
	h := testHeader([]loi.Worker{{Node: 0}, {Node: 1}, {Node: 0}})
	r, err := Analyze(write(t, h, loi.Options{}, []execution{
		{0, 2, []uint32{8, 9}}, {2, 5, []uint32{8}}, {1, 3, []uint32{9}},
	}), Options{Weight: WeightBytes, Distance: Inclusive})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"kernel reuse distance: inclusive, in bytes; counts are of bytes\n",
		"  0 - 128 B                             0      0.00 %      0.00 %\n",
		"  128 B - 256 B                        64     25.00 %     25.00 %  #############\n",
		"  0           2              192      0.00 %     33.33 %      0.00 %     66.67 %   " +
			"  33.33 %\n",
		"  1           1               64      0.00 %      0.00 %      0.00 %    100.00 %    " +
			"  0.00 %\n",
		"  sum         3              256      0.00 %     25.00 %      0.00 %     75.00 %   " +
			"  25.00 %\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}

// What is more than nothing is not printed as nothing.
func TestRatio(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want string
	}{{0, 7, "0.00 %"}, {1, 7, "14.29 %"}, {7, 7, "100.00 %"}, {1, 1e6, "<0.01 %"},
		{1, 2e4, "0.01 %"}, {1, 0, "n/a"}} {
		if got := ratio(c.a, c.b); got != c.want {
			t.Errorf("%v of %v: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}
