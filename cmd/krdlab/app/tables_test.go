package app

import (
	"slices"
	"strings"
	"testing"

	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/analyses"
	"krdlab/runtimes"
)

// opted is a good analysis, with an option that kernels and runs have too.
type opted struct {
	Seed uint64   `flag:"seed" help:"a"`
	N    int      `flag:"n" help:"a"`
	Most float64  `flag:"most" help:"a"`
	List []string `flag:"list" help:"a"`
}

func (*opted) Begin(*analysis.Input) (analysis.Sink, error) { return nil, nil }

// Tables that would mislead are refused, and krdlab's own stay as they were.
func TestTablesRefused(t *testing.T) {
	schedulers, table, own := runtimes.Schedulers, kernels.Table, analyses.Table
	lines := len(own)
	defer func() { runtimes.Schedulers, kernels.Table, analyses.Table = schedulers, table, own }()
	with := func(s runtimes.Scheduler) Tables {
		return Tables{Schedulers: append(schedulers[:len(schedulers):len(schedulers)], s)}
	}
	good := runtimes.Scheduler{Name: "mine", Doc: "mine", Random: true,
		Policy: runtimes.WorkFirst{}}
	named := func(name string) runtimes.Scheduler {
		s := good
		s.Name = name
		return s
	}
	option := func(opt any) Tables {
		return Tables{Analyses: append(slices.Clip(analyses.Table), &analysis.Analysis{Name: "mine",
			Summary: "s", Long: "l", New: func() any { return opt }})}
	}
	param := func(name string) Tables {
		k := *table[0]
		k.Name, k.Params = "mine", []kernel.Param{{Name: name, Kind: kernel.IntParam, Default: 1}}
		return Tables{Kernels: append(slices.Clip(table), &k)}
	}
	for want, tables := range map[string]Tables{
		`"" is no name`:    with(named("")),
		`"all" is no name`: with(named("all")),
		`"a:b" is no name`: with(named("a:b")),
		"is there twice":   with(named(schedulers[1].Name)),
		"no policy":        with(runtimes.Scheduler{Name: "mine", Doc: "mine"}),
		"and no other": with(runtimes.Scheduler{Name: "mine", Doc: "d",
			Policy: runtimes.Serial{}}),
		"the first":         {Schedulers: []runtimes.Scheduler{good}},
		"line 1 has no nam": {Kernels: []*kernel.Kernel{nil}},
		"no Plan":           {Kernels: []*kernel.Kernel{{Name: "mine"}}},
		"such a command":    {Analyses: []*analysis.Analysis{{Name: "run"}}},
		"no Summary":        {Analyses: []*analysis.Analysis{{Name: "mine"}}},
		"line 2 has no nam": {Analyses: []*analysis.Analysis{analyses.Table[0], analyses.Table[0]}},
		"of every command": option(&struct {
			A bool `flag:"help" help:"a"`
		}{}),
		"--json is there": option(&struct {
			A bool `flag:"json" help:"a"`
		}{}),
		"--stack is there": option(&struct {
			A bool `flag:"stack" help:"a"`
		}{}),
		"--a is there twice": option(&struct {
			A bool `flag:"a" help:"a"`
			B bool `flag:"a" help:"a"`
		}{}),
		"of type int32": option(&struct {
			A int32 `flag:"a" help:"a"`
		}{}),
		"exported": option(&struct {
			a bool `flag:"a" help:"a"`
		}{}),
		"pointer to a struct":  option(1),
		"both Begin and Trace": option(&struct{}{}),
		`"cores" is`:           param("cores"),
		`"dry-run" is`:         param("dry-run"),
		`"" is`:                param(""),
	} {
		if err := tables.install(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if len(runtimes.Schedulers) != len(schedulers) || len(kernels.Table) != len(table) ||
			len(analyses.Table) != lines {
			t.Fatalf("%s: the tables were changed", want)
		}
	}
	if err := option(&opted{}).install(); err != nil || len(analyses.Table) != lines+1 {
		t.Errorf("%v, %d analyses", err, len(analyses.Table))
	}
	analyses.Table = own
	if err := param("bins").install(); err != nil {
		t.Error(err)
	}
	kernels.Table = table
	if err := with(good).install(); err != nil {
		t.Error(err)
	}
	if n := len(runtimes.Schedulers); n != len(schedulers)+1 ||
		runtimes.Schedulers[n-1].Name != good.Name {
		t.Errorf("%d schedulers", n)
	}
}
