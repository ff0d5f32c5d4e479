package app

import (
	"strings"
	"testing"

	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/analyses"
	"krdlab/krd/analysis"
	"krdlab/runtimes"
)

// Tables that would mislead are refused, and krdlab's own stay as they were.
func TestTablesRefused(t *testing.T) {
	schedulers, table, lines := runtimes.Schedulers, kernels.Table, len(analyses.Table)
	defer func() { runtimes.Schedulers, kernels.Table = schedulers, table }()
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
	} {
		if err := tables.install(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if len(runtimes.Schedulers) != len(schedulers) || len(kernels.Table) != len(table) ||
			len(analyses.Table) != lines {
			t.Fatalf("%s: the tables were changed", want)
		}
	}
	if err := with(good).install(); err != nil {
		t.Error(err)
	}
	if n := len(runtimes.Schedulers); n != len(schedulers)+1 ||
		runtimes.Schedulers[n-1].Name != good.Name {
		t.Errorf("%d schedulers", n)
	}
}
