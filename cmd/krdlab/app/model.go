package app

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"krdlab/experiments/read/model"
	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/stats"
	"krdlab/hw/failure"
)

type modelFlags struct {
	model.Options
	selection, csv, plot, figure, place string
	where                               []string
	all, repetitions                    bool
}

// modelCommand returns the command `krdlab model`.
func (a *app) modelCommand() *cobra.Command {
	f := &modelFlags{}
	c := &cobra.Command{
		Use:   "model [EXP... | TABLE]",
		Short: "Explain time by other quantities and their products: regression with interactions",
		Long: "Fit a linear model with products of predictors (least squares) to the cells of " +
			"experiments, or to a\nCSV or Parquet file: which quantities matter, alone and in " +
			"products, and how well the model predicts rows that it was not fitted to. Without " +
			"--formula an experiment's --response is explained by reuse at two\nlevels, misses, " +
			"steals, spawns and idle time, and their products.\n\nFormulas are R's: y ~ (a + b + " +
			"c)^2 - a:b, a*b, log(x), I(x^2), factor(n); y ~ a | g compares\nwithin each value of g " +
			"only. A row is a configuration (kernel, parameters, scheduler, cores).\n\n--json is the " +
			"document that krdlab model predict and change read. See docs/model.md." +
			ofLatest,
		Example: "  krdlab model exp\n" +
			"  krdlab model exp --formula 'wti ~ (l2_lines_per_ns + llc_lines_per_ns)^2' " +
			"--select bic\n" +
			"  krdlab model cars.csv --formula 'mpg ~ (wt + hp)^2' --json > model.json\n" +
			"  krdlab model exp --plot effects.svg --figure effects",
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			if slices.ContainsFunc(args, model.IsTable) {
				return a.modelOfTable(c, f, args)
			}
			return a.experiments(c, args, []string{"EXP"}, func(list []*dataset.Experiment) error {
				t, err := model.OfExperiments(list, f.repetitions, f.place)
				if err != nil {
					return err
				}
				if !c.Flags().Changed("leave-one") {
					f.LeaveOne = []string{"scheduler", "kernel", "size"}
				}
				return a.model(c, f, t)
			})
		},
		ValidArgsFunction: folders,
	}
	p := c.Flags()
	p.StringVar(&f.Formula, "formula", "", "`FORMULA` in R's notation, such as 'y ~ (a + b)^2'")
	p.StringVar(&f.Response, "response", stats.WTI.Key, "without --formula: the `COLUMN` to "+
		"explain")
	p.IntVar(&f.Order, "order", 0, "add all products of up to `N` predictors; 0: those of the "+
		"formula")
	p.StringSliceVar(&f.Without, "without", nil, "`TERM,...` to leave out: steals, a:b, 'a:*'")
	choiceVar(c, &f.selection, "select", "none", []string{"none", string(regress.BIC),
		string(regress.Equation5)}, "stepwise search, by R's BIC or the paper's equation 5")
	p.StringArrayVar(&f.Against, "against", nil, "another `FORMULA` to compare with, of the "+
		"same rows")
	p.StringArrayVar(&f.where, "where", nil, "use rows with `COLUMN=VALUE` (also !=, <, <=, >, >=)")
	p.IntVar(&f.Folds, "folds", 10, "of cross-validation, 0 for none; as many as rows: one row "+
		"each")
	p.Uint64Var(&f.Seed, "seed", 1, "that deals rows to folds")
	p.StringVar(&f.Groups, "groups", "", "the `COLUMN` whose equal values are one fold's")
	p.StringSliceVar(&f.LeaveOne, "leave-one", nil, "leave each value of `COLUMN,...` out in "+
		"turn; of experiments scheduler, kernel, size")
	p.BoolVar(&f.HC3, "hc3", false, "errors that hold where residuals differ in spread (HC3)")
	p.BoolVar(&f.repetitions, "repetitions", false, "of experiments: a row for each repetition, "+
		"not medians of them")
	p.StringVar(&f.place, "place", "", "of experiments: the cells whose substrate, machine and "+
		"settings have this `TEXT`")
	p.BoolVar(&f.all, "all", false, "print all terms, what is left out, predictors by themselves")
	withJSON(c)
	choiceVar(c, &f.csv, "csv", "", model.Tables, "print one `TABLE` as CSV: "+
		strings.Join(model.Tables, ", "))
	figureFlag(c, &f.plot, "also draw --figure")
	choiceVar(c, &f.figure, "figure", model.Figures[0], model.Figures, "what --plot draws: "+
		strings.Join(model.Figures, ", "))
	needs(p, "plot", "--plot FILE", "figure")
	c.MarkFlagsMutuallyExclusive("json", "csv", "all")
	c.MarkFlagsMutuallyExclusive("formula", "response")
	includeDisturbed(c)
	p.SortFlags = false
	c.AddCommand(a.predictModel(), a.changeModel())
	return c
}

// check returns an error where the flags do not go together.
func (f *modelFlags) check(c *cobra.Command) error {
	if f.selection != "none" {
		f.Select = regress.Criterion(f.selection)
	}
	switch {
	case f.Folds < 0 || f.Folds == 1:
		return &request.Error{Flag: "folds", Got: strconv.Itoa(f.Folds),
			Want: "expected 2 at least, or 0 for none"}
	case f.Order < 0 || f.Order > 9:
		return &request.Error{Flag: "order", Got: strconv.Itoa(f.Order), Want: "expected 1 to 9"}
	}
	for _, name := range []string{"groups", "seed"} {
		if f.Folds == 0 && c.Flags().Changed(name) {
			return usageError("%s: --folds 0 and --%s exclude each other; there are no folds",
				c.CommandPath(), name)
		}
	}
	if f.csv == "steps" && f.Select == "" {
		return usageError("%s: --csv steps is for --select; add --select bic", c.CommandPath())
	}
	return figureFile(f.plot)
}

// modelOfTable fits a model to a file.
func (a *app) modelOfTable(c *cobra.Command, f *modelFlags, args []string) error {
	if len(args) > 1 {
		return usageError("krdlab model: %d arguments with a table; expected one table, or "+
			"folders of experiments", len(args))
	}
	if f.Formula == "" {
		return usageError("krdlab model: --formula is missing, which a table needs; add " +
			"--formula 'y ~ (a + b)^2' with names of its columns")
	}
	if f.csv == "left-out" && len(f.LeaveOne) == 0 {
		return usageError("krdlab model: --csv left-out of a table is for --leave-one; add " +
			"--leave-one COLUMN")
	}
	for _, flag := range []string{"repetitions", "place", "include-disturbed"} {
		if c.Flags().Changed(flag) {
			return usageError("krdlab model: --%s is for experiments, and %s is a table", flag,
				args[0])
		}
	}
	return interruptible(c.Context(), func() error {
		t, err := model.Read(args[0])
		if err != nil {
			return err
		}
		if err = a.model(c, f, t); failure.Of(err) == failure.Data {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		return err
	})
}

// model fits a model to a table and prints it.
func (a *app) model(c *cobra.Command, f *modelFlags, t *model.Table) error {
	for _, w := range f.where {
		condition, ok := model.ParseCondition(w)
		if !ok {
			return &request.Error{Flag: "where", Got: w,
				Want: "expected COLUMN=VALUE, or one of !=, <, <=, >, >= in between"}
		}
		if err := t.Where(condition); err != nil {
			return err
		}
	}
	o := f.Options
	progress := a.modelProgress()
	o.Progress = progress.step
	r, err := model.Of(t, o)
	progress.end()
	if err != nil {
		return err
	}
	if f.plot != "" {
		figure, err := r.Figure(f.figure)
		if err != nil {
			return err
		}
		if err := a.drawn(f.plot, figure); err != nil {
			return err
		}
	}
	if f.csv != "" {
		return r.Table(f.csv).CSV(a.stdout)
	}
	return a.answer(c, r, r.View(f.all).Text)
}

// modelProgress shows on a terminal what takes long.
type modelProgress struct {
	a    *app
	what string
	bar  *progressbar.ProgressBar
}

func (a *app) modelProgress() *modelProgress { return &modelProgress{a: a} }

func (p *modelProgress) step(what string, done, of int) {
	if !p.a.terminal {
		return
	}
	if what != p.what {
		p.end()
		p.what = what
		p.bar = progressbar.NewOptions(of, progressbar.OptionSetWriter(p.a.stderr),
			progressbar.OptionSetDescription(what), progressbar.OptionClearOnFinish(),
			progressbar.OptionShowCount())
	}
	if p.bar != nil {
		if of > p.bar.GetMax() {
			p.bar.ChangeMax(of)
		}
		p.bar.Set(done)
	}
}

func (p *modelProgress) end() {
	if p.bar != nil {
		p.bar.Clear()
		p.bar = nil
	}
}

// predictModel returns the command `krdlab model predict`.
func (a *app) predictModel() *cobra.Command {
	var csv bool
	c := &cobra.Command{
		Use:   "predict MODEL.json TABLE",
		Short: "Predict the rows of a table by a model",
		Long: "Predict the response in each row of a CSV or Parquet file that has the " +
			"predictors of " +
			"a model, a document\nof krdlab model --json, with intervals of 95 %. Rows beyond " +
			"the data " +
			"that the model was fitted to are\nmarked: beyond the range of a predictor, or of " +
			"all together (a leverage larger than any row had).",
		Example: "  krdlab model predict model.json other.csv\n" +
			"  krdlab model predict model.json other.csv --csv > predicted.csv",
		Args: exactly("MODEL.json", "TABLE"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := model.ReadModel(args[0])
			if err != nil {
				return err
			}
			if !model.IsTable(args[1]) {
				if _, err := os.Stat(args[1]); err != nil {
					return err
				}
				return usageError("krdlab model predict: %s is no table; expected a file that "+
					"ends in .csv, .tsv or .parquet", args[1])
			}
			t, err := model.Read(args[1])
			if err != nil {
				return err
			}
			p, err := r.Predict(args[0], t)
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			if csv {
				return p.Data().CSV(a.stdout)
			}
			return a.answer(c, p, p.View().Text)
		},
	}
	withJSON(c)
	c.Flags().BoolVar(&csv, "csv", false, "print the predictions as CSV")
	c.MarkFlagsMutuallyExclusive("json", "csv")
	return c
}

// changeModel returns the command `krdlab model change`.
func (a *app) changeModel() *cobra.Command {
	var at []string
	c := &cobra.Command{
		Use:   "change MODEL.json NAME=VALUE",
		Short: "Compute how the response changes with one predictor",
		Long: "Compute what the response of a model is expected to do where one predictor goes " +
			"from its mean to\nVALUE, or by +VALUE, -VALUE, +10% or -10%, and all others stay at " +
			"their means, with the interval of\n95 % and a warning beyond the data.",
		Example: "  krdlab model change model.json steals_per_us=-50%\n" +
			"  krdlab model change model.json wt=2.5 --at hp=150",
		Args: exactly("MODEL.json", "NAME=VALUE"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := model.ReadModel(args[0])
			if err != nil {
				return err
			}
			change, err := r.Change(args[1], at)
			if err != nil {
				return err
			}
			return a.answer(c, change, change.View().Text)
		},
	}
	withJSON(c)
	c.Flags().StringArrayVar(&at, "at", nil, "another predictor's value, `NAME=VALUE`")
	return c
}
