package regression

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/read/model"
	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/stats"
	"krdlab/experiments/sweep"
	"krdlab/hw"
	"krdlab/kernels"
	"krdlab/runtimes"
)

// row has the predictors of a made row, each 0 to 1 but for the cores.
type row struct{ l2, llc, spawns, steals, idle, cores, noise float64 }

// made returns a table with a known response.
func made(n int, response func(row) float64) *model.Table {
	rng := rand.New(rand.NewPCG(1, 4))
	f := &regress.Frame{N: n}
	names := []string{stats.LinesL2.Key, stats.LinesLLC.Key, stats.Spawns.Key, stats.Steals.Key, stats.IdleShare.Key,
		"cores", stats.WTI.Key, stats.MissLines.Key, stats.RemoteSteals.Key, stats.FailedSteals.Key}
	for _, name := range names {
		f.Columns = append(f.Columns, regress.Column{Name: name})
	}
	for range n {
		r := row{rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64(), 2 + 22*rng.Float64(),
			rng.NormFloat64()}
		for i, v := range []float64{r.l2, r.llc, r.spawns, r.steals, r.idle, r.cores, response(r), math.NaN(), math.NaN(),
			math.NaN()} {
			f.Columns[i].Numbers = append(f.Columns[i].Numbers, v)
		}
	}
	return &model.Table{Name: "made", Frame: f}
}

// Each statement is judged on responses for which it is true, and others for which it is not.
func TestPlanted(t *testing.T) {
	products := func(r row) float64 { return 3 + (r.llc-0.5)*(r.cores-13)/4 + 0.03*r.noise }
	for _, c := range []struct {
		name     string
		rows     int
		response func(row) float64
		want     string
	}{
		{"products of two", 200, products, "interactions interactions-bic errors second-error second-r2 pruned " +
			"pruned-error third-error llc cache-products residuals !third !first-r2"},
		{"no products", 200, func(r row) float64 { return 3 + 2*r.idle + r.llc + 0.03*r.noise },
			"!interactions !interactions-bic first-r2 second-r2 pruned pruned-error third-error residuals !third !llc " +
				"!alone ?errors -cache-products"},
		{"products without lines", 200, func(r row) float64 {
			return 3 + 4*(r.idle-0.5)*(r.spawns-0.5) + r.llc + 0.03*r.noise
		}, "interactions errors alone !llc !cache-products"},
		{"a product of three", 300, func(r row) float64 {
			return 3 + 8*(r.llc-0.5)*(r.idle-0.5)*(r.spawns-0.5) + r.steals + 0.03*r.noise
		}, "third !third-error !interactions !second-error"},
		{"noise", 200, func(r row) float64 { return 5 + r.noise }, "!interactions !first-r2 !second-r2 !second-error !third"},
		{"an outlier", 200, func() func(row) float64 {
			n := 0
			return func(r row) float64 {
				if n++; n == 100 {
					return products(r) + 5
				}
				return products(r)
			}
		}(), "!residuals"},
		{"few rows", 20, products, "-interactions -third -errors -residuals"},
		{"fewer rows than coefficients", 4, products, "-interactions -alone -first-r2"},
	} {
		x := explain(made(c.rows, c.response), responses[0])
		verdicts := map[string]claims.Verdict{}
		for _, s := range judge([]*explained{x}, study.Quick) {
			verdicts[s.ID] = s.Verdict
			if s.Quote == "" || s.Where == "" || s.Test == "" || (s.Figure == "") != (s.Verdict == claims.NotRun) {
				t.Errorf("%+v", s)
			}
		}
		for word := range strings.FieldsSeq(c.want) {
			id := strings.TrimLeft(word, "!?-")
			want, ok := map[byte]claims.Verdict{'!': claims.Disagree, '?': claims.CannotTell, '-': claims.NotRun}[word[0]]
			if !ok {
				want = claims.Agree
			}
			if verdicts[id] != want {
				t.Errorf("%s: %s: %s, expected %s", c.name, id, verdicts[id], want)
			}
		}
	}
}

// Kernels whose inflation goes alike over schedulers are one cluster; one without a value is in none.
func TestAlike(t *testing.T) {
	f := &regress.Frame{Columns: []regress.Column{{Name: "kernel"}, {Name: "scheduler"}, {Name: "cores"},
		{Name: stats.WTI.Key}}}
	for k, name := range []string{"up", "down", "also up", "none"} {
		for s := range 5 {
			v := []float64{float64(s), float64(-s * (s % 2)), float64(s * s), math.NaN()}[k]
			f.Columns[0].Texts = append(f.Columns[0].Texts, name)
			f.Columns[1].Texts = append(f.Columns[1].Texts, fmt.Sprint(s))
			f.Columns[2].Numbers = append(f.Columns[2].Numbers, 6)
			f.Columns[3].Numbers = append(f.Columns[3].Numbers, v)
			f.N++
		}
	}
	list := alike(&model.Table{Frame: f}, "kernel", "scheduler", "cores")
	if len(list) != 2 || !slices.Equal(list[0].Names, []string{"up", "also up"}) || list[0].Similarity.Float() != 1 ||
		list[1].Similarity.Float() > 0.5 {
		t.Errorf("%+v", list)
	}
}

// Each kernel is swept in two sizes, under each scheduler that can be simulated.
func TestPlan(t *testing.T) {
	for scale, sizes := range map[study.Scale]int{study.Quick: 1, study.Paper: 2} {
		list, err := requests(t.Context(), scale, &request.Machines{})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 4*sizes*len(kernels.Table) {
			t.Errorf("%s: %d cells of %d kernels", scale, len(list), len(kernels.Table))
		}
		for i := range list {
			if n := len(list[i].Schedulers); n != len(runtimes.Schedulers)-1-len(slices.DeleteFunc(
				slices.Clone(runtimes.Schedulers), func(s runtimes.Scheduler) bool { return !s.ThreadsOnly() })) {
				t.Errorf("%d schedulers", n)
			}
		}
	}
}

// The smallest scale makes all tables, and judges nothing.
func TestRun(t *testing.T) {
	host, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "r")
	f, _, err := Study.Open(dir, study.Smoke)
	if err == nil {
		err = f.Run(t.Context(), sweep.Options{Host: host, Argv: []string{"krdlab"}}, func(int, int, string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	o, err := Study.Of(f)
	if err == nil {
		err = f.Write(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c := study.CountOf(o.Claims); c.Of.Judged() > 0 || c.Of[claims.OtherSize] == 0 {
		t.Errorf("claims: %s", c)
	}
	for _, table := range o.Tables {
		if len(table.Rows) == 0 && table.Name != "products" {
			t.Errorf("%s is empty", table.Name)
		}
	}
	for _, name := range []string{study.ReportHTML, "models.csv", "clusters.csv", "wti-terms.csv", "claims.csv",
		"figures/core-time-strengths.svg"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
