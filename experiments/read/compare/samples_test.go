package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw/failure"
	"krdlab/krd/doc"
)

// truth are the shares of a program in bins from 0, 64, 128 ... bytes, the last cold; another is that
// of another program.
var (
	truth   = []float64{0.30, 0.25, 0.15, 0.10, 0.08, 0.05, 0.04, 0.03}
	another = []float64{0.30, 0.25, 0.15, 0.10, 0.02, 0.11, 0.04, 0.03}
)

const manyAccesses = 1_000_000

// document is a result of shares: exact, or with errors in points of percent, 0: null.
func document(shares, errs []float64) string {
	bin := func(i int) string {
		from, off := uint64(0), "null"
		if i > 0 {
			from = 32 << i
		}
		if errs != nil && errs[i] > 0 {
			off = fmt.Sprint(errs[i] / 100 * manyAccesses)
		}
		return fmt.Sprintf(`{"from_bytes": %d, "count": %.0f, "error": %s}`, from, shares[i]*manyAccesses, off)
	}
	cold := len(shares) - 1
	var bins []string
	for i := range cold {
		bins = append(bins, bin(i))
	}
	list, sampling := strings.Join(bins, ","), "null"
	if errs != nil {
		sampling = fmt.Sprintf(`{"phases": 7, "cold": %s, "bins": [%s]}`, bin(cold), list)
	}
	return fmt.Sprintf(`{"package": "p", "args": [], "accesses": %d, "krd": {"cold": %.0f, "bins": [%s]},
		"sampling": %s}`, manyAccesses, shares[cold]*manyAccesses, list, sampling)
}

func parsed(t *testing.T, text string) *traced {
	t.Helper()
	d := &traced{}
	if err := json.Unmarshal([]byte(text), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSamplesPlanted draws samples of a program: of its own exact result at most one in 20 differs,
// of another program's all do, in the two bins that are others.
func TestSamplesPlanted(t *testing.T) {
	rng := rand.New(rand.NewPCG(78, 3))
	exact, other := parsed(t, document(truth, nil)), parsed(t, document(another, nil))
	errs := []float64{0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8}
	const draws = 400
	differ := map[*traced]int{}
	for range draws {
		shares := make([]float64, len(truth))
		for i := range shares {
			shares[i] = max(0, truth[i]+rng.NormFloat64()*errs[i]/100)
		}
		for _, d := range []*traced{exact, other} {
			if r := ofTraced(parsed(t, document(shares, errs)), d); r.Answer == Differ {
				differ[d]++
			} else if r.Answer != Agree || r.Tests != len(truth) {
				t.Fatalf("%s, %d tests", r.Answer, r.Tests)
			}
		}
	}
	// 400 draws at 5 %: 34 or more in one of 1000 cases
	if n := differ[exact]; n < 2 || n > 33 || differ[other] < draws-4 {
		t.Errorf("%d of %d samples differ from their own program, %d from another", n, draws, differ[other])
	}
}

func TestSamples(t *testing.T) {
	even := func(x float64) []float64 { return []float64{x, x, x, x, x, x, x, x} }
	off := append([]float64{}, truth...)
	off[0], off[1] = off[0]+0.02, off[1]-0.02 // 2.5 errors, of 8 tests
	below, above := append([]float64{}, truth...), append([]float64{}, truth...)
	below[0], above[0] = below[0]+0.0135, above[0]+0.0138 // 2.734 errors of 0.005 are 0.01367
	for _, c := range []struct {
		name      string
		a, b      string
		answer    Answer
		text, why string // in the text; in the error
	}{
		{"the same", document(truth, even(0.5)), document(truth, nil), Agree, "agree within", ""},
		{"the other way round", document(truth, nil), document(truth, even(0.5)), Agree, "agree within", ""},
		{"another program", document(truth, even(0.5)), document(another, nil), Differ,
			"differ in: bins from 512 B, from 1 KiB\n", ""},
		{"within Holm's correction", document(off, even(0.8)), document(truth, nil), Agree, "", ""},
		{"beyond it", document(off, even(0.7)), document(truth, nil), Differ, "from 0 B, from 64 B", ""},
		{"less than would have been seen", document(below, even(0.5)), document(truth, nil), Agree,
			"a bin that is 1.4 points off would have been seen", ""},
		{"more than that", document(above, even(0.5)), document(truth, nil), Differ, "from 0 B", ""},
		{"no phase", document(truth, []float64{.5, .5, .5, .5, 0, 0, 0, 0}), document(truth, nil), CannotTell,
			"cannot be told: bins from 512 B, from 1 KiB, from 2 KiB, cold", ""},
		{"nothing known", document(truth, even(0)), document(truth, nil), CannotTell, "cannot be told", ""},
		{"another, and no phase", document(another, []float64{.5, .5, .5, .5, .5, .5, 0, 0}),
			document(truth, nil), Differ, "not known: from 2 KiB, cold", ""},
		{"bins beyond the last are in the rest", document([]float64{.7, .3}, even(0.5)),
			document([]float64{.7, .1, .1, .1}, nil), Agree, "", ""},
		{"two exact", document(truth, nil), document(truth, nil), "", "", "are exact"},
		{"two samples", document(truth, even(1)), document(truth, even(1)), "", "", "are samples"},
		{"another document", `{"kernel": "fib"}`, document(truth, nil), "", "", "no package"},
		{"no JSON", "x", document(truth, nil), "", "", "invalid character"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var paths []string
			for i, text := range []string{c.a, c.b} {
				path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".json"))
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, path)
			}
			r, err := OfSamples(paths[0], paths[1])
			if c.why != "" {
				if !errors.Is(err, ErrSamples) || !strings.Contains(err.Error(), c.why) {
					t.Errorf("%v, expected %q", err, c.why)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			page := doc.NewPage(&b, 1000)
			if err := errors.Join(r.View().Text(page), page.Close()); err != nil {
				t.Fatal(err)
			}
			if r.Answer != c.answer || !strings.Contains(b.String(), c.text) {
				t.Errorf("%s, expected %s with %q in\n%s", r.Answer, c.answer, c.text, b.String())
			}
		})
	}
	if _, err := OfSamples("nothing", "nothing"); failure.Of(err) != failure.Request {
		t.Errorf("of no file: %v", err)
	}
}
