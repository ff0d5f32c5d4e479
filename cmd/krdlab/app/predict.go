package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
	"krdlab/hw/textfile"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/analysis/components"
)

// predictFlags are those of krdlab predict.
type predictFlags struct {
	at           float64
	actual, plot string
	caches       []string
	csv          string
	allowLoss    bool
	different    bool
}

// predictCommand returns the command `krdlab predict`.
func (a *app) predictCommand() *cobra.Command {
	f := &predictFlags{}
	c := withJSON(&cobra.Command{
		Use:   "predict RUN:SIZE RUN:SIZE... --at SIZE",
		Short: "Reuse distances and misses of an input of any size, from runs with small ones",
		Long: "Find the components of the reuse signatures of two runs or more, which are the same " +
			"program with inputs of different sizes, see by how many bins each moves when the size " +
			"doubles (0, 1/2, 1 or 2), and predict the signature at another size, with the misses of " +
			"caches.\n\nA RUN is a trace, a run directory with one, or a file or run directory with " +
			"what `krdlab krd --json` or `krdlab trace go --json` printed. SIZE is a number in any " +
			"unit that is the same for all.",
		Example: "  krdlab predict small.json:65536 twice.json:131072 --at 1048576\n" +
			"  krdlab predict a.loi:128 b.loi:256 --at 1024 --actual c.loi --plot predicted.svg",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return interruptible(c.Context(), func() error { return a.predict(c, f, args) })
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
	})
	p := c.Flags()
	p.SortFlags = false
	f.define(c)
	p.StringVar(&f.actual, "actual", "", "a `RUN` of that size, to say how wrong the prediction is")
	p.BoolVar(&f.different, "different", false, "take runs of different programs too, and sizes in "+
		"another order than that of the parameter n")
	p.BoolVar(&f.allowLoss, "allow-loss", false, "analyse traces with discarded records too")
	c.AddCommand(a.predictGoCommand())
	return c
}

// define defines the flags that krdlab predict go has too.
func (f *predictFlags) define(c *cobra.Command) {
	p := c.Flags()
	p.Float64Var(&f.at, "at", 0, "the `SIZE` to predict, in the unit of the others")
	p.StringSliceVar(&f.caches, "llc", nil, "predict the misses of caches of these `SIZES`, such as "+
		"1MiB,32MiB (default: L2 and LLC of the runs)")
	csvFlag(c, &f.csv)
	figureFlag(c, &f.plot, "also draw the signatures")
	expects(p, "at", "expected a number")
}

// question checks the flags, and returns the question without runs.
func (f *predictFlags) question(c *cobra.Command) (*components.Question, error) {
	if err := figureFile(f.plot); err != nil {
		return nil, err
	}
	if err := noTable(f.csv, components.PredictionTables, c.Name()); err != nil {
		return nil, err
	}
	q := &components.Question{At: f.at, Different: f.different}
	for _, word := range f.caches {
		bytes, err := units.ParseBytes(word)
		if err != nil || bytes == 0 {
			return nil, usageError("%s: --llc %s: expected sizes such as 1MiB,32MiB", c.CommandPath(), word)
		}
		q.Caches = append(q.Caches, bytes)
	}
	return q, nil
}

func (a *app) predict(c *cobra.Command, f *predictFlags, args []string) error {
	q, err := f.question(c)
	if err != nil {
		return err
	}
	if len(args) < 2 {
		return usageError("%s: expected runs of at least two sizes, found %d; type %s", c.CommandPath(),
			len(args), typeThis(c))
	}
	if !(f.at > 0) {
		return usageError("%s: --at is missing, or not more than 0; type %s", c.CommandPath(),
			typeThis(c))
	}
	for _, word := range args { // all of them before the first is read
		at := strings.LastIndexByte(word, ':')
		size, err := strconv.ParseFloat(word[at+1:], 64)
		if at < 1 || err != nil {
			return usageError("%s: %s: expected a run and the size of its input, as in %s:65536",
				c.CommandPath(), word, strings.TrimSuffix(word, ":"))
		}
		q.Small = append(q.Small, components.Sized{Name: word[:at], Size: size})
	}
	for i := range q.Small {
		x := &q.Small[i]
		if x.Report, x.Parts, err = a.distances(x.Name, f.allowLoss); err != nil {
			return err
		}
	}
	if f.actual != "" {
		if q.Actual, q.Counted, err = a.distances(f.actual, f.allowLoss); err != nil {
			return err
		}
	}
	return a.asked(c, f, q)
}

// asked answers a question.
func (a *app) asked(c *cobra.Command, f *predictFlags, q *components.Question) error {
	p, err := components.Ask(q)
	if err != nil {
		return fmt.Errorf("%s: %w", c.CommandPath(), err)
	}
	if f.plot != "" {
		if err := a.drawFile(f.plot, p); err != nil {
			return err
		}
	}
	if f.csv != "" {
		t, err := chosenTable(f.csv, p.Tables(), c.Name())
		if err != nil {
			return err
		}
		return t.CSV(a.stdout)
	}
	return a.answer(c, p, p.View().Text)
}

// distances returns the reuse distances of a trace, of JSON that holds them, or of what is in a run
// directory, and the parts of a Go program.
func (a *app) distances(path string, allowLoss bool) (*krd.Report, *krd.Parts, error) {
	if path == "" {
		return nil, nil, noTrace(path)
	}
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, goprogram.KRDFile)
	}
	if strings.HasSuffix(file, ".json") {
		text, err := textfile.Open(file)
		if err == nil {
			defer text.Close()
			r, parts, err := krd.Read(text)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", file, err)
			}
			return r, parts, nil
		}
		if file == path {
			return nil, nil, noTrace(path)
		}
	}
	path, err := oneTrace(path)
	if err != nil {
		return nil, nil, err
	}
	t, err := a.opened(path, "")
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	show, done := bytesProgress[uint64](a, "predict")
	defer done()
	r, err := krd.Analyze(t, krd.Options{AllowLoss: allowLoss, Progress: show})
	if err != nil {
		return nil, nil, analysisError(path, err)
	}
	return r, nil, nil
}
