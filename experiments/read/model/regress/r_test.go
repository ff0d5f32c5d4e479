package regress

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/experiments/run/estimate"
)

// mixed makes a table with numbers a, b, c, positive p, sum = a + b, categories k and m, and y > 0.
// missing leaves one value of a and one of k out.
func mixed(seed uint64, n int, missing bool) *Frame {
	rng := rand.New(rand.NewPCG(seed, 7))
	f := &Frame{N: n}
	column := func(name string, make func(i int) float64) []float64 {
		c := Column{Name: name}
		for i := range n {
			c.Numbers = append(c.Numbers, make(i))
		}
		f.Columns = append(f.Columns, c)
		return c.Numbers
	}
	normal := func(int) float64 { return rng.NormFloat64() }
	a, b := column("a", normal), column("b", func(int) float64 { return 3 + 2*rng.NormFloat64() })
	c := column("c", func(i int) float64 { return 100 + 20*b[i] + 30*rng.NormFloat64() })
	p := column("p", func(int) float64 { return math.Exp(rng.NormFloat64()) })
	column("sum", func(i int) float64 { return a[i] + b[i] })
	levels := []string{"air", "fire", "soil"}
	k, m := Column{Name: "k"}, Column{Name: "m"}
	column("y", func(i int) float64 {
		l, o := rng.IntN(3), rng.IntN(2)
		k.Texts, m.Texts = append(k.Texts, levels[l]), append(m.Texts, []string{"no", "yes"}[o])
		return math.Exp(3 + 0.1*a[i] + 0.05*b[i]*a[i] + 0.2*float64(l)*a[i] + 0.001*c[i] +
			0.3*float64(o) + 0.1*math.Log(p[i]) + 0.1*rng.NormFloat64())
	})
	if missing {
		a[3], k.Texts[5] = math.NaN(), ""
	}
	f.Columns = append(f.Columns, k, m)
	return f
}

// write writes f as a CSV.
func write(t *testing.T, f *Frame, path string) {
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(file)
	w.Write(f.Names())
	for i := range f.N {
		var row []string
		for _, c := range f.Columns {
			switch {
			case c.missing(i):
				row = append(row, "NA")
			case c.Texts != nil:
				row = append(row, c.Texts[i])
			default:
				row = append(row, strconv.FormatFloat(c.Numbers[i], 'g', 17, 64))
			}
		}
		w.Write(row)
	}
	w.Flush()
	if err := errors.Join(w.Error(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// script defines run: R's answers to a formula over a table, one line each.
const script = `
out <- function(key, x) cat(case, key, paste(if (is.numeric(x)) sprintf("%.17g", x) else x,
	collapse = "\t"), sep = "\t", fill = FALSE, "\n")
run <- function(file, text, search) {
	formula <- as.formula(text)
	d <- read.csv(file, stringsAsFactors = TRUE)
	d <- d[complete.cases(d[intersect(all.vars(terms(formula, data = d)), names(d))]), ]
	f <- lm(formula, data = d)
	s <- summary(f)
	out("names", names(coef(f)))
	out("coef", coef(f))
	for (i in 2:4) {
		v <- setNames(rep(NA, length(coef(f))), names(coef(f)))
		v[rownames(s$coefficients)] <- s$coefficients[, i]
		out(c("", "error", "t", "p")[i], as.numeric(v))
	}
	h <- hatvalues(f)
	out("sum", c(s$r.squared, s$adj.r.squared, s$sigma, sum((resid(f) / (1 - h))^2), BIC(f)))
	kept <- !is.na(coef(f))
	X <- model.matrix(f)[, kept, drop = FALSE]
	XX <- solve(crossprod(X))
	v <- rep(NA_real_, length(kept))
	v[kept] <- sqrt(diag(XX %*% crossprod(X * (resid(f) / (1 - h))) %*% XX))
	out("hc3", v)
	if (attr(terms(f), "intercept") == 1) {
		v <- rep(NA_real_, length(kept))
		v[kept] <- c(NA, diag(solve(cor(X[, -1, drop = FALSE]))))
		out("vif", v)
	}
	labels <- attr(terms(f), "term.labels")
	main <- labels[attr(terms(f), "order") == 1]
	if (length(main) < length(labels) && length(main) > 0) {
		if (attr(terms(f), "intercept") == 0) main <- c("0", main)
		g <- lm(reformulate(main, formula[[2]]), data = d)
		a <- anova(g, f)
		out("anova", c(a[2, "F"], a[2, "Pr(>F)"]))
	}
	if (search) out("step", gsub(" ", "", as.character(step(f, direction = "both",
		k = log(nrow(d)), trace = 0)$anova$Step)[-1]))
	x <- d[c("a", "b", "c", "p")]
	h <- hclust(as.dist(1 - cor(x, method = "spearman")^2), method = "complete")
	out("merge", as.numeric(t(h$merge)))
	out("height", h$height)
	r <- rank(x$b)
	out("ranks", c(summary(lm(rank(d$y) ~ r))$r.squared,
		summary(lm(rank(d$y) ~ r + I(r^2)))$r.squared))
	out("quantile", quantile(d$y, c(0, 0.025, 0.3, 0.5, 0.975, 1), type = 7))
}
`

// TestR compares with R on random tables.
func TestR(t *testing.T) {
	rscript, err := exec.LookPath("Rscript")
	if err != nil {
		t.Skip("no Rscript to compare with: ", err)
	}
	cases := []struct {
		formula         string
		missing, search bool
	}{
		{"y ~ a + b + c", false, true},
		{"y ~ (a + b + c + p)^2", false, true},
		{"y ~ (a + b + k + m)^2", false, true},
		{"y ~ (a + c + k)^2", true, true},
		{"y ~ a*b*k", false, true},
		{"log(y) ~ a*k + sqrt(p) + log(p) + I(b^2) + c", false, true},
		{"y ~ 0 + a + b + a:b", false, true},
		{"y ~ 0 + k + m + a", true, false},
		{"y ~ 0 + a + k:m", false, false},
		{"y ~ a + b + sum + c", false, false},
		{"y ~ (a + b + sum + k)^2", false, false},
		{"y ~ a:k + a:m", false, false},
		{"y ~ k:m + a", false, false},
		{"y ~ k/a", true, false},
		{"y ~ b + a:k", false, false},
		{"log(y) ~ factor(m):a + I(a + b) + p", false, false},
		{"I(y * 1000) ~ a + I(1e-6 * b)", false, true},
	}
	dir := t.TempDir()
	text := script
	frames := make([]*Frame, len(cases))
	for i, c := range cases {
		frames[i] = mixed(uint64(i), 40+10*(i%4), c.missing)
		file := filepath.Join(dir, fmt.Sprint(i, ".csv"))
		write(t, frames[i], file)
		text += fmt.Sprintf("case <- %d; run(%q, %q, %s)\n", i, file, c.formula,
			strings.ToUpper(fmt.Sprint(c.search)))
	}
	path := filepath.Join(dir, "script.R")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	answer, err := exec.Command(rscript, path).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	results := make([]map[string][]string, len(cases))
	for line := range strings.Lines(string(answer)) {
		words := strings.Split(strings.TrimRight(line, "\t\n"), "\t")
		i, err := strconv.Atoi(words[0])
		if err != nil {
			t.Fatal(err)
		}
		if results[i] == nil {
			results[i] = map[string][]string{}
		}
		results[i][words[1]] = words[2:]
	}
	least, steps := 1.0, 0
	for i, c := range cases {
		t.Run(c.formula, func(t *testing.T) { compareR(t, frames[i], c.formula, results[i]) })
		for _, p := range results[i]["p"] {
			if v, err := strconv.ParseFloat(p, 64); err == nil {
				least = min(least, v)
			}
		}
		steps += len(results[i]["step"])
	}
	if least > 1e-30 || steps < 15 {
		t.Errorf("least p %g and %d steps: too little was compared", least, steps)
	}
}

// compareR compares the fit of a formula with R's answers, by their key in the script.
func compareR(t *testing.T, frame *Frame, formula string, r map[string][]string) {
	f := fit(t, frame, formula)
	got := map[string][]float64{"sum": {f.R2(), f.R2Adjusted(), f.Sigma(), f.PRESS(), f.BIC()}}
	add := func(key string, v float64) { got[key] = append(got[key], v) }
	robust := f.Coefficients(true)
	var names []string
	for i, c := range f.Coefficients(false) {
		names = append(names, c.Name)
		add("coef", c.Estimate)
		add("error", c.StdError)
		add("t", c.T)
		add("p", c.P)
		add("vif", c.VIF)
		add("hc3", robust[i].StdError)
		aliased := slices.ContainsFunc(f.Aliased, func(a Alias) bool { return a.Column == c.Name })
		if aliased != math.IsNaN(c.Estimate) {
			t.Errorf("%s is %v, aliased: %v", c.Name, c.Estimate, aliased)
		}
	}
	if want := r["names"]; !slices.Equal(names, want) {
		t.Fatalf("coefficients %v, R has %v", names, want)
	}
	if r["anova"] != nil {
		reduced, err := f.Design.Terms(f.Design.Formula.Main().Terms).Fit()
		if err != nil {
			t.Fatal(err)
		}
		test := Test(reduced, f)
		got["anova"] = []float64{test.F, test.P}
	}
	if want, ok := r["step"]; ok {
		_, way, err := f.Design.Search(BIC, nil)
		if err != nil {
			t.Fatal(err)
		}
		var steps []string
		for _, s := range way[1:] {
			sign := "-"
			if s.Added {
				sign = "+"
			}
			steps = append(steps, sign+strings.ReplaceAll(s.Term, " ", ""))
		}
		if !slices.Equal(steps, want) {
			t.Errorf("search %v, R has %v", steps, want)
		}
	}
	var variables [][]float64
	for _, name := range []string{"a", "b", "c", "p"} {
		variables = append(variables, pick(frame.Column(name).Numbers, f.Design.Rows))
	}
	for i, m := range Clusters(variables) {
		add("height", 1-m.Similarity)
		want := r["merge"][2*i : 2*i+2]
		have := []string{clusterR(m.A, 4), clusterR(m.B, 4)}
		slices.Sort(want)
		slices.Sort(have)
		if !slices.Equal(have, want) {
			t.Errorf("merge %d of %v, R has %v", i, have, want)
		}
	}
	y := pick(frame.Column("y").Numbers, f.Design.Rows)
	linear, quadratic := Strength(variables[1], y)
	got["ranks"] = []float64{linear, quadratic}
	slices.Sort(y)
	for _, p := range []float64{0, 0.025, 0.3, 0.5, 0.975, 1} {
		add("quantile", estimate.Quantile(y, p))
	}
	for _, key := range []string{"coef", "error", "t", "p", "sum", "hc3", "vif", "anova", "height",
		"ranks", "quantile"} {
		want, ok := r[key]
		if !ok && (key == "vif" || key == "anova") {
			continue
		}
		if len(got[key]) != len(want) {
			t.Errorf("%s: %v, R has %v", key, got[key], want)
			continue
		}
		for i, w := range want {
			v := math.NaN()
			if w != "NA" && w != "NaN" {
				var err error
				if v, err = strconv.ParseFloat(w, 64); err != nil {
					t.Fatal(err)
				}
			}
			if !(math.IsNaN(v) && math.IsNaN(got[key][i])) {
				near(t, fmt.Sprint(key, " ", i), got[key][i], v, 8)
			}
		}
	}
}

// clusterR is R's number of a cluster: negative of a variable, from 1.
func clusterR(n, variables int) string {
	if n < variables {
		return fmt.Sprint(-n - 1)
	}
	return fmt.Sprint(n - variables + 1)
}
