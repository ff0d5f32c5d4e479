package compare_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"testing"

	"krdlab/experiments/read/compare"
	"krdlab/experiments/read/correlate"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/sweep"
	"krdlab/experiments/test/datasettest"
)

// The statistics again, from the CSV of repetitions, by code that shares none with the program:
// definitions written down as they are, however slow.

// records are the rows of a CSV by the names of its columns.
func records(t *testing.T, write func(io.Writer) error) (list []map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, name := range rows[0] {
			m[name] = row[i]
		}
		list = append(list, m)
	}
	return list
}

func value(t *testing.T, s string) float64 {
	t.Helper()
	if s == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// repetitions are the values of a column of the table of a sweep, by scheduler and cores.
func repetitions(t *testing.T, e *dataset.Experiment,
	of func(row map[string]string) float64) map[string][]float64 {
	out := map[string][]float64{}
	for _, row := range records(t, sweep.NewTable(e).CSV) {
		key := row["scheduler"] + " " + row["cores"]
		out[key] = append(out[key], of(row))
	}
	return out
}

func middle(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b))
}

// covers is the probability that the median lies between the order statistics i and j, from 0, of n
// values.
func covers(i, j, n int) float64 {
	sum, binomial := 0.0, 1.0
	for k := range n + 1 {
		if k > i && k <= j {
			sum += binomial
		}
		binomial = binomial * float64(n-k) / float64(k+1)
	}
	return sum / math.Pow(2, float64(n))
}

// TestRecomputedMedians checks medians, their intervals, and ratios of medians.
func TestRecomputedMedians(t *testing.T) {
	e := datasettest.Small()
	column := func(name string) map[string][]float64 {
		return repetitions(t, e, func(r map[string]string) float64 { return value(t, r[name]) })
	}
	share := func(name string) map[string][]float64 {
		return repetitions(t, e, func(r map[string]string) float64 {
			return value(t, r[name]) / value(t, r["krd_accesses"])
		})
	}
	time, work := column("time_ns"), column("work_ns")
	serialTime, serialWork := column("serial_time_ns"), column("serial_work_ns")
	samples := map[string]map[string][]float64{"time_ns": time, "kernel_ns": column("kernel_ns"),
		"llc_misses_per_core": column("llc_misses_per_core"), "krd far": share("krd_far"),
		"krd cold": share("krd_cold")}
	checked := 0
	for _, row := range records(t, correlate.Of(e).Table(correlate.CellsTable).CSV) {
		key := row["scheduler"] + " " + row["cores"]
		median := value(t, row["median"])
		what := key + " " + row["quantity"]
		speedup := middle(serialTime[key]) / middle(time[key])
		wti := middle(work[key]) / middle(serialWork[key])
		ratios := map[string]float64{"speedup": speedup, "wti": wti,
			"ovr": value(t, row["cores"]) / speedup / wti}
		if want, ok := ratios[row["quantity"]]; ok {
			checked++
			if !same(median, want) {
				t.Errorf("%s: %v, expected %v", what, median, want)
			}
		}
		v := slices.Clone(samples[row["quantity"]][key])
		if v == nil {
			continue
		}
		checked++
		slices.Sort(v)
		n, low, high := len(v), value(t, row["low"]), value(t, row["high"])
		found, narrowest := n, n // spans of ranks
		for i := range n {
			for j := i + 1; j < n; j++ {
				p := covers(i, j, n)
				if p < 0.95 {
					continue
				}
				narrowest = min(narrowest, j-i)
				if same(v[i], low) && same(v[j], high) && same(p, value(t, row["confidence"])) {
					found = min(found, j-i)
				}
			}
		}
		if !same(median, middle(v)) || found == n || found > narrowest ||
			row["n"] != fmt.Sprint(n) {
			t.Errorf("%s: %v of %v", what, row, v)
		}
	}
	if checked != 16*8 {
		t.Errorf("checked %d quantities", checked)
	}
}

func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// ranked has the midrank of each value.
func ranked(v []float64) []float64 {
	r := make([]float64, len(v))
	for i := range v {
		for j := range v {
			if v[j] < v[i] {
				r[i]++
			} else if v[j] == v[i] {
				r[i] += 0.5
			}
		}
	}
	return r
}

func correlation(x, y []float64) float64 {
	mx, my := mean(x), mean(y)
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}

// studentTail integrates the density of Student's t beyond |t| on both sides, by Simpson's rule
// after the substitution t = tan(angle) sqrt(df).
func studentTail(r, df float64) float64 {
	t := math.Abs(r) * math.Sqrt(df/(1-r*r))
	integral := func(from, to float64) float64 {
		const steps = 20000
		h := (to - from) / steps
		sum := 0.0
		for i := range steps + 1 {
			w := 2.0 + 2*float64(i%2)
			if i == 0 || i == steps {
				w = 1
			}
			sum += w * math.Pow(math.Cos(from+h*float64(i)), df-1)
		}
		return sum * h / 3
	}
	return 2 * integral(math.Atan(t/math.Sqrt(df)), math.Pi/2) / integral(-math.Pi/2, math.Pi/2)
}

// orderTail is the share of all orders of y that correlate with x as strongly.
func orderTail(x, y []float64) float64 {
	limit := math.Abs(correlation(x, y)) - 1e-12
	hits, all := 0, 0
	var place func(rest, done []float64)
	place = func(rest, done []float64) {
		if len(rest) == 0 {
			all++
			if math.Abs(correlation(x, done)) >= limit {
				hits++
			}
			return
		}
		for i := range rest {
			place(slices.Concat(rest[:i], rest[i+1:]), append(slices.Clone(done), rest[i]))
		}
	}
	place(y, nil)
	return float64(hits) / float64(all)
}

// TestRecomputedCoefficients checks Pearson's and Spearman's coefficients, Fisher's intervals and
// p: over all configurations, of one scheduler, between schedulers at equal cores, and of means
// over schedulers.
func TestRecomputedCoefficients(t *testing.T) {
	e := datasettest.Small()
	medians := map[string]map[string]float64{}
	for name, of := range map[string]func(r map[string]string) float64{
		"far": func(r map[string]string) float64 {
			return value(t, r["krd_far"]) / value(t, r["krd_accesses"])
		},
		"cold": func(r map[string]string) float64 {
			return value(t, r["krd_cold"]) / value(t, r["krd_accesses"])
		},
		"llc_misses_per_access": func(r map[string]string) float64 {
			return value(t, r["llc_misses_per_core"]) * value(t, r["cores"]) /
				value(t, r["krd_accesses"])
		},
		"llc_misses_per_core": func(r map[string]string) float64 {
			return value(t, r["llc_misses_per_core"])
		},
		"work":   func(r map[string]string) float64 { return value(t, r["work_ns"]) },
		"serial": func(r map[string]string) float64 { return value(t, r["serial_work_ns"]) },
	} {
		medians[name] = map[string]float64{}
		for key, v := range repetitions(t, e, of) {
			medians[name][key] = middle(v)
		}
	}
	medians["wti"] = map[string]float64{}
	for key, w := range medians["work"] {
		medians["wti"][key] = w / medians["serial"][key]
	}
	// strata of a scope, each the values of a name
	strata := func(kind, scope, name string) (list [][]float64) {
		for _, cores := range datasettest.Cores {
			var s []float64
			for _, scheduler := range datasettest.Schedulers {
				if kind != "scheduler" || scheduler == scope {
					s = append(s, medians[name][fmt.Sprint(scheduler, " ", cores)])
				}
			}
			if kind == string(correlate.Pooled) {
				s = []float64{mean(s)}
			}
			if kind != string(correlate.EqualCores) || cores > 1 {
				list = append(list, s)
			}
		}
		if kind != string(correlate.EqualCores) {
			return [][]float64{slices.Concat(list...)}
		}
		return list
	}
	const normal = 1.959963984540054 // 97.5 %
	checked := map[string]int{}
	for _, row := range records(t, correlate.Of(e).Table(correlate.CoefficientsTable).CSV) {
		kind, point := row["scope_kind"], row["krd_share"]
		if medians[point] == nil || kind == string(correlate.WithinConfigurations) ||
			kind == string(correlate.OneCoreCount) {
			continue
		}
		checked[kind]++
		var x, y []float64
		xs, ys := strata(kind, row["scope"], point), strata(kind, row["scope"], row["outcome"])
		for i := range xs {
			a, b := xs[i], ys[i]
			if row["coefficient"] == "spearman" {
				a, b = ranked(a), ranked(b)
			}
			for j := range a { // the means of one stratum do not matter
				x, y = append(x, a[j]-mean(a)), append(y, b[j]-mean(b))
			}
		}
		what := fmt.Sprint(kind, " ", row["scope"], " ", row["outcome"], " ", point, " ",
			row["coefficient"])
		r, df := correlation(x, y), float64(len(x)-len(xs)-1)
		if got := value(t, row["value"]); !same(got, r) || row["n"] != fmt.Sprint(len(x)) {
			t.Errorf("%s: %v, n = %s, expected %v, %d", what, got, row["n"], r, len(x))
		}
		if math.Abs(r) > 1-1e-9 {
			r = math.Copysign(1, r)
		}
		if row["coefficient"] == "pearson" && math.Abs(r) < 1 {
			half := normal / math.Sqrt(df-1)
			if df < 2 {
				half = math.NaN()
			}
			low, high := math.Tanh(math.Atanh(r)-half), math.Tanh(math.Atanh(r)+half)
			if !same(value(t, row["low"]), low) || !same(value(t, row["high"]), high) {
				t.Errorf("%s: %s to %s, expected %v to %v", what, row["low"], row["high"], low,
					high)
			}
		}
		p := 0.0
		if len(xs) == 1 && len(x) <= 8 {
			p = orderTail(x, y)
		} else if math.Abs(r) < 1 {
			p = studentTail(r, df)
		}
		if got := value(t, row["p"]); math.Abs(got-p) > 1e-7 {
			t.Errorf("%s: p %v, expected %v", what, got, p)
		}
	}
	for _, kind := range []correlate.Kind{correlate.AllConfigurations, correlate.OneScheduler,
		correlate.EqualCores, correlate.Pooled} {
		if n := checked[string(kind)]; n < 12 {
			t.Errorf("checked %d coefficients of scope %s", n, kind)
		}
	}
}

// rankSumTail is the two-sided p of Mann and Whitney's U over all splits of the values.
func rankSumTail(a, b []float64) float64 {
	ranks := ranked(slices.Concat(a, b))
	found := 0.0
	for _, r := range ranks[:len(a)] {
		found += r
	}
	var below, above, all float64
	var split func(at, left int, sum float64)
	split = func(at, left int, sum float64) {
		if left == 0 {
			all++
			if sum <= found+1e-9 {
				below++
			}
			if sum >= found-1e-9 {
				above++
			}
			return
		}
		if len(ranks)-at < left {
			return
		}
		split(at+1, left-1, sum+ranks[at])
		split(at+1, left, sum)
	}
	split(0, len(a), 0)
	return math.Min(1, 2*math.Min(below, above)/all)
}

// TestRecomputedTests checks Mann-Whitney's p of each quantity of each configuration, and Holm's
// correction over all of them.
func TestRecomputedTests(t *testing.T) {
	before, after := datasettest.Small(), changed(slower)
	r := report(t, before, after)
	columns := map[string]func(r map[string]string) float64{}
	for _, name := range []string{"time_ns", "speedup", "ovr", "wti", "kernel_ns",
		"llc_misses_per_core"} {
		columns[name] = func(r map[string]string) float64 { return value(t, r[name]) }
	}
	var tested []*compare.Comparison
	checked := 0
	for i := range r.Pairs {
		p := &r.Pairs[i]
		key := fmt.Sprint(p.Scheduler, " ", p.Cores)
		for j := range p.Quantities {
			q := &p.Quantities[j]
			if !q.P.Known() {
				continue
			}
			tested = append(tested, q)
			if of := columns[q.Quantity]; of != nil {
				checked++
				want := rankSumTail(repetitions(t, before, of)[key], repetitions(t, after, of)[key])
				if got := q.P.Float(); math.Abs(got-want) > 1e-9 {
					t.Errorf("%s %s: p %v, expected %v", key, q.Quantity, got, want)
				}
			}
		}
	}
	if checked < 9 {
		t.Errorf("checked %d tests", checked)
	}
	for _, q := range tested {
		adjusted := 0.0
		for _, other := range tested {
			if other.P.Float() > q.P.Float() {
				continue
			}
			smaller := 0
			for _, third := range tested {
				if third.P.Float() < other.P.Float() {
					smaller++
				}
			}
			adjusted = math.Max(adjusted, math.Min(1,
				other.P.Float()*float64(len(tested)-smaller)))
		}
		if got := q.HolmP.Float(); !same(got, adjusted) {
			t.Errorf("%s: adjusted p %v, expected %v", q.Quantity, got, adjusted)
		}
	}
}
