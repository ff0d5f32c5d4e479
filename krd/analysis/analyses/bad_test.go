package analyses

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A count is an analysis that counts events, and its result. Cases of TestBadAnalyses spoil it.
type count struct {
	Schema   int      `json:"schema_version"`
	Count    float64  `json:"count"`
	Warnings []string `json:"warnings"`

	view  *doc.Doc
	json  any // instead of the count; nil: the count
	event func(*count, *loi.Event) error
	draw  func(io.Writer) error
}

func (c *count) Event(e *loi.Event) error {
	c.Count++
	if c.event != nil {
		return c.event(c, e)
	}
	return nil
}

func (c *count) Document() any {
	if c.json != nil {
		return c.json
	}
	return c
}

func (c *count) View() *doc.Doc { return c.view }

// End gives a result with a picture if there is a function that draws it.
func (c *count) End() (analysis.Result, error) {
	if c.draw != nil {
		return drawn{c}, nil
	}
	return c, nil
}

type drawn struct{ *count }

func (d drawn) Draw(w io.Writer, _ string) error { return d.draw(w) }

// A counter has the options, and makes a count that spoil, if not nil, spoils.
type counter struct {
	Unit    string `flag:"unit" choice:"one,two" help:"the unit"`
	Most    int    `flag:"most" help:"at most N"`
	formats []string
	spoil   func(*count)
}

func (o *counter) Formats() []string { return o.formats }

func (o *counter) Begin(in *analysis.Input) (analysis.Sink, error) {
	c := &count{Schema: 1, Warnings: []string{}}
	for _, w := range in.Warnings {
		c.Warnings = append(c.Warnings, w.Sentence())
	}
	c.view = &doc.Doc{Title: "A count", Warnings: c.Warnings}
	table := doc.NewData("counts", "count")
	table.Row("some")
	c.view.Add(table)
	if o.spoil != nil {
		o.spoil(c)
	}
	return c, nil
}

// absent has no result.
type absent struct{}

func (*absent) Trace(context.Context, *loi.Trace, *analysis.Input) (analysis.Result, error) {
	return nil, nil
}

// twofold is over events and over a trace.
type twofold struct {
	counter
	absent
}

// misshapen has a method of another signature than [analysis.Checked].
type misshapen struct{ counter }

func (*misshapen) Check() bool { return true }

// counting returns a good analysis with what spoil, if not nil, does to its results.
func counting(spoil func(*count), formats ...string) *analysis.Analysis {
	return &analysis.Analysis{Name: "count", Summary: "How many events there are",
		Long: "All of them.",
		New:  func() any { return &counter{Unit: "one", formats: formats, spoil: spoil} }}
}

// square draws a picture.
func square(w io.Writer) error {
	_, err := io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	return err
}

// The suite finds the faults of bad analyses, and none of good ones.
func TestBadAnalyses(t *testing.T) {
	list := samples(t)
	picture := func(spoil func(*count)) *analysis.Analysis {
		return counting(func(c *count) { c.draw = square; spoil(c) }, "svg")
	}
	good := []*analysis.Analysis{counting(nil), counting(nil), counting(nil),
		picture(func(*count) {})}
	good[1].Name, good[1].Needs.Runtime = "events", true
	good[2].Name, good[2].Needs = "workers", analysis.Needs{Regions: true, ByWorker: true}
	good[3].Name = "picture"
	for _, s := range faults(good, list) {
		t.Errorf("a good one: %s", s)
	}
	line := func(change func(*analysis.Analysis)) *analysis.Analysis {
		a := counting(nil)
		change(a)
		return a
	}
	options := func(opt any) *analysis.Analysis {
		return line(func(a *analysis.Analysis) { a.New = func() any { return opt } })
	}
	table := func(t *doc.Table) *analysis.Analysis {
		return counting(func(c *count) { c.view.Add(t) })
	}
	runs := 0
	for want, a := range map[string]*analysis.Analysis{
		"no word":                line(func(a *analysis.Analysis) { a.Name = "Two words" }),
		"summary":                line(func(a *analysis.Analysis) { a.Summary = "" }),
		"long":                   line(func(a *analysis.Analysis) { a.Long = " " }),
		"there is no result":     options(&absent{}),
		"not indented":           line(func(a *analysis.Analysis) { a.Example = "krdlab count" }),
		"svg is not":             counting(nil, "pdf"),
		"has the formats":        counting(nil, "svg"),
		"both Begin and Trace":   options(&twofold{}),
		"Check func(*analyses.m": options(&misshapen{}),
		"pointer to a struct":    options(7),
		"not new": options(&struct {
			A bool `flag:"a" help:"b"`
		}{}),
		"no flag": options(&struct {
			A bool `help:"b"`
		}{}),
		"no help": options(&struct {
			A bool `flag:"a"`
		}{}),
		"two options": options(&struct {
			A bool `flag:"a" help:"b"`
			B bool `flag:"a" help:"b"`
		}{}),
		"is a int32": options(&struct {
			A int32 `flag:"a" help:"b"`
		}{}),
		"the default": options(&struct {
			A string `flag:"a" help:"b" choice:"one,two"`
		}{"three"}),
		"no string": options(&struct {
			A int `flag:"a" help:"b" choice:"one,two"`
		}{}),
		"no schema_version":    counting(func(c *count) { c.Schema = 0 }),
		"no array of warnings": counting(func(c *count) { c.Warnings = nil }),
		"document does not warn": counting(func(c *count) {
			c.Warnings = c.Warnings[:0]
		}),
		"view does not warn": counting(func(c *count) { c.view.Warnings = nil }),
		"NaN":                counting(func(c *count) { c.Count = math.NaN() }),
		"unsupported type":   counting(func(c *count) { c.json = func() {} }),
		"cannot unmarshal":   counting(func(c *count) { c.json = []int{} }),
		"no title":           counting(func(c *count) { c.view.Title = "" }),
		"text of 30 columns": counting(func(c *count) { c.view.Say("%s", "%!d(string=a)") }),
		"Markdown has":       counting(func(c *count) { c.view.Title = "%!d(string=a)" }),
		"no columns of data": table(&doc.Table{Name: "numbers"}),
		"two tables":         table(doc.NewData("counts", "count")),
		"CSV of more has": counting(func(c *count) {
			t := doc.NewData("more", "number")
			t.Row(math.Inf(1))
			c.view.Add(&doc.Doc{Parts: []doc.Part{t}})
		}),
		"svg has": picture(func(c *count) {
			c.draw = func(w io.Writer) error {
				_, err := io.WriteString(w, `<svg><path d="M0 NaN"/></svg>`)
				return err
			}
		}),
		"svg: ": picture(func(c *count) {
			c.draw = func(w io.Writer) error { _, err := io.WriteString(w, "<svg><g>"); return err }
		}),
		"no ink": picture(func(c *count) {
			c.draw = func(io.Writer) error { return errors.New("no ink") }
		}),
		"svg is empty": picture(func(c *count) { c.draw = func(io.Writer) error { return nil } }),
		"the second time": counting(func(c *count) {
			runs++
			c.Count = float64(runs)
		}),
		"of one worker: no kernels": counting(func(c *count) {
			c.event = func(_ *count, e *loi.Event) error { return errors.New("no kernels") }
		}),
	} {
		if bad := faults([]*analysis.Analysis{a}, list); !slices.ContainsFunc(bad,
			func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%q is not found, but %.300q", want, bad)
		}
	}
	if bad := faults([]*analysis.Analysis{counting(nil), counting(nil)}, nil); len(bad) != 1 {
		t.Errorf("two of a name: %q", bad)
	}
	// One that asks for no events and uses the regions that come with them, beside one that asks.
	peeks := counting(func(c *count) {
		c.event = func(c *count, e *loi.Event) error {
			c.Count += float64(e.Region)
			return nil
		}
	})
	if bad := fmt.Sprint(faults([]*analysis.Analysis{peeks, good[1]}, list)); !strings.Contains(bad,
		"together with others") {
		t.Errorf("an analysis that depends on others: %s", bad)
	}
}

// A warner adds a warning, and prints the last one.
type warner struct {
	counter
	n int
}

func (o *warner) Begin(in *analysis.Input) (analysis.Sink, error) {
	in.Warnings = append(in.Warnings, doc.Find("own", o.n))
	o.spoil = func(c *count) {
		c.event = func(c *count, _ *loi.Event) error {
			c.Warnings[len(c.Warnings)-1] = in.Warnings[len(in.Warnings)-1].Sentence()
			return nil
		}
	}
	return o.counter.Begin(in)
}

// Analyses of one run do not see each other's warnings.
func TestWarningsAreApart(t *testing.T) {
	list := samples(t)
	i := slices.IndexFunc(list, func(s sample) bool { return s.name == "damaged" })
	var asked []analysis.Asked
	for n := range 2 {
		a := counting(nil)
		asked = append(asked, analysis.Asked{Analysis: a, Options: &warner{n: n}})
	}
	results, err := analysis.Run(context.Background(), list[i].trace, asked,
		analysis.Options{AllowLoss: true})
	if err != nil {
		t.Fatal(err)
	}
	for n, r := range results {
		if b, err := json.Marshal(r.Document()); err != nil || !strings.Contains(string(b),
			fmt.Sprintf(`"own [%d]"`, n)) {
			t.Errorf("analysis %d: %v, %s", n, err, b)
		}
	}
}

// A run whose context has ended gives its error.
func TestContextEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := samples(t)[2]
	if _, err := analysis.Run(ctx, s.trace, []analysis.Asked{{Analysis: counting(nil)}},
		analysis.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
