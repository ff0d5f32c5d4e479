package show

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/experiments/stats"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// WriteTable writes the results of one run for a person at a terminal: what was run and where, a
// row for each scheduler with its times and ratios, another with its data reuse, what each worker
// did, what is missing and why, warnings. All results are of one configuration, as [Summarise]
// makes them; there is at least one.
func WriteTable(p *Page, results []result.Result) error {
	writeHead(p, results)
	var missing notes
	p.Line("")
	p.Table(timeTable(results, &missing))
	noteDisturbed(p, pointers(results))
	kernelTable(p, results, &missing)
	p.Line("")
	p.Table(reuseTable(results, &missing))
	nodeTable(p, results)
	for i := range results {
		workerTable(p, &results[i], &missing)
	}
	p.Line("")
	for i, reason := range missing {
		p.Line("[%d] %s", i+1, reason)
	}
	writeLegend(p, results)
	for _, m := range remarks(results) {
		p.Line("%s", m)
	}
	return p.Close()
}

// writeHead says what was run, and where.
func writeHead(b *Page, results []result.Result) {
	r := &results[0]
	fmt.Fprintf(b, "%s  %s\n", r.Kernel, describe(r))
	m := &r.Machine
	cores := NotAvailable
	if m.Nodes > 0 {
		cores = fmt.Sprintf("%d x %d", m.Nodes, m.CoresPerNode)
	}
	fmt.Fprintf(b, "machine    %s: %s cores, %s\n", orNA(m.Name), cores,
		m.Caches())
	if r.Substrate == loi.Simulated {
		fmt.Fprint(b, "substrate  SIMULATED, no measurement")
		if r.Settings.CacheModel != "" {
			fmt.Fprintf(b, ", caches modelled by %s", r.Settings.CacheModel)
		}
	} else {
		fmt.Fprintf(b, "substrate  %s", r.Substrate)
	}
	if m.Synthetic {
		fmt.Fprint(b, ", synthetic topology "+r.Settings.Topology)
	}
	if m.TimeSource != "" {
		fmt.Fprintf(b, ", time from %s", m.TimeSource)
	}
	traced := map[request.TraceMode]string{
		request.TraceDefault: "kernels profiled, one more repetition traced",
		request.TraceOff:     "kernels not timed",
		request.TraceProfile: "kernels profiled", request.TraceFull: "every repetition traced",
		request.TraceKRD: "every repetition traced for KRD",
	}[r.Settings.Trace]
	if r.Settings.Grain == request.GrainTask {
		traced = strings.Replace(traced, "kernels", "tasks", 1) + " at task grain"
	}
	if r.Substrate == loi.Simulated && r.Settings.Trace == request.TraceDefault {
		traced = "the first repetition traced"
	}
	if r.Settings.TraceTasks {
		traced += ", with tasks"
	}
	if r.Settings.TraceRegions {
		traced += ", with regions"
	}
	if r.Settings.TraceDecisions {
		traced += ", with decisions"
	}
	if r.Settings.KRDCores {
		traced += ", KRD of cores too"
	}
	if r.Settings.KRDCoherence {
		traced += ", coherent KRD"
	}
	fmt.Fprintf(b, ", %s\n", traced)
	fmt.Fprintf(b, "run        %s, bind %s, memory %s, %s after %s, seed %d\n",
		units.Count(coresOf(results), "core"), r.Settings.Bind,
		r.Settings.NUMA, units.Count(r.Settings.Reps, "repetition"), units.Count(r.Settings.Warmup,
			"warm-up"), r.Seed)
	fmt.Fprintf(b, "serial     %s, of which kernels %s\n", Time(r.Serial.TimeNS),
		Time(r.Serial.WorkNS))
}

// coresOf returns the cores of a run: serial alone has fewer than the rest.
func coresOf(results []result.Result) int {
	cores := 0
	for i := range results {
		cores = max(cores, results[i].Cores)
	}
	return cores
}

// describe prints the parameters of r in their order, with what they stood for in parentheses.
func describe(r *result.Result) string {
	k, ok := kernels.ByName(r.Kernel)
	if !ok {
		return fmt.Sprint(r.Params)
	}
	p := kernel.Params{}
	for name, v := range r.Params {
		p[name] = v
		if got, ok := r.Resolved[name]; ok && fmt.Sprint(got) != fmt.Sprint(v) {
			p[name] = fmt.Sprintf("%v (%v)", v, got)
		}
	}
	return request.Describe(k, p)
}

// a column of a table of results.
type resultColumn struct {
	head  string
	cells []string
}

// byColumns returns a table of a row for each result, from its columns.
func byColumns(results []result.Result, columns []resultColumn) *Table {
	t := NewTable(1, "scheduler")
	for _, c := range columns {
		t.head = append(t.head, c.head)
	}
	for i := range results {
		row := []any{SchedulerOf(&results[i])}
		for _, c := range columns {
			row = append(row, c.cells[i])
		}
		t.Row(row...)
	}
	return t
}

// quantities are those of a column; what is not known says why in the cells that print makes.
func quantities(results []result.Result, missing *notes, why func(*result.Result) string,
	of func(*result.Result) result.Quantity, print func([]result.Quantity) []string) []string {
	list := make([]result.Quantity, len(results))
	for i := range results {
		list[i] = of(&results[i])
	}
	cells := print(list)
	for i := range results {
		if !list[i].Median.Known() {
			if len(results[i].Repetitions) == 0 {
				cells[i] = missing.na("no repetition was finished")
			} else {
				cells[i] = missing.na(why(&results[i]))
			}
		}
	}
	return cells
}

// timeTable has a row for each scheduler: medians, intervals under them.
func timeTable(results []result.Result, missing *notes) *Table {
	ratios := func(q []result.Quantity) []string { return Ranges(q, 1, "") }
	counts := func(q []result.Quantity) []string { return Counts(q, false) }
	unit, kernelUnit := "", ""
	columns := []resultColumn{{"", quantities(results, missing, WhyNoWork,
		stats.Time.Of,
		func(q []result.Quantity) (cells []string) { unit, cells = Times(q, true); return cells })}}
	columns[0].head = "time, " + unit
	for _, c := range []struct {
		of  stats.Measure
		why func(*result.Result) string
	}{{stats.Speedup, WhyNoWork}, {stats.OVR, WhyNoWork}, {stats.WTI, WhyNoWTI}} {
		columns = append(columns, resultColumn{c.of.Head, quantities(results, missing, c.why, c.of.Of,
			ratios)})
	}
	kernel := quantities(results, missing, WhyNoWork,
		stats.KernelTime.Of,
		func(q []result.Quantity) (cells []string) { kernelUnit, cells = Times(q, false); return cells })
	columns = append(columns, resultColumn{"kernel,\n" + kernelUnit, kernel})
	for _, c := range []struct {
		head string
		of   func(*result.Worker) *int64
	}{
		{"steals\nlocal", func(w *result.Worker) *int64 { return w.StealsLocal }},
		{"steals\nremote", func(w *result.Worker) *int64 { return w.StealsRemote }},
	} {
		columns = append(columns, resultColumn{c.head, quantities(results, missing, whyNoSteals,
			func(r *result.Result) result.Quantity {
				if rep := result.MedianRepetition(r.Repetitions); rep != nil {
					return exactly(sumWorkers(rep.Workers, c.of))
				}
				return result.Quantity{}
			}, counts)})
	}
	return byColumns(results, columns)
}

// exactly makes a quantity of a count, which is known to the last digit.
func exactly(n result.Number) result.Quantity {
	return result.Quantity{Median: n, Reason: result.Deterministic}
}

// kernelTable has a row for each kernel under each scheduler, where a program has several.
func kernelTable(p *Page, results []result.Result, missing *notes) {
	t := NewTable(2, "scheduler", "kernel")
	t.Keys = 2
	modelled := slices.ContainsFunc(results,
		func(r result.Result) bool { return r.LLCModel != nil })
	several, every := false, 0
	var executions, times, wti, misses []result.Quantity
	var unstamped, uninflated, unknown []string
	for i := range results {
		r := &results[i]
		several = several || len(r.Kernels) > 1
		for _, k := range r.Kernels {
			t.Row(r.Scheduler, k.Name)
			executions = append(executions, exactly(result.Some(float64(k.Count))))
			if k.Estimated {
				every = k.SampledEvery
			}
			times, wti = append(times, Plain(k.MeanNS)), append(wti, Plain(k.WTI))
			why := "no execution of " + k.Name + " was stamped"
			unstamped = append(unstamped, why)
			if !r.Inflates() {
				why = WhyNoWTI(r)
			}
			uninflated = append(uninflated, why)
			if modelled {
				q, why := kernelMisses(r, k.Name)
				misses, unknown = append(misses, q), append(unknown, why)
			}
		}
	}
	if !several {
		return
	}
	t.add("executions", Counts(executions, false))
	unit, cells := Times(times, false)
	t.add("mean time, "+unit, orWhy(cells, times, missing, unstamped))
	t.add("WTI", orWhy(Aligned(wti, 1, "", false), wti, missing, uninflated))
	if modelled {
		t.add("LLC misses", orWhy(Counts(misses, false), misses, missing, unknown))
	}
	p.Line("")
	p.Table(t)
	if every > 0 {
		p.Line("times of kernels are estimates: one in about %d was stamped; work is that of the "+
			"tasks", every)
	}
}

// orWhy replaces n/a with n/a and a reason.
func orWhy(cells []string, of []result.Quantity, missing *notes, why []string) []string {
	for i := range cells {
		if !of[i].Median.Known() {
			cells[i] = missing.na(why[i])
		}
	}
	return cells
}

// reuseTable has a row for each scheduler: LLC misses and where the reuses of traced repetitions
// fall, in per cent of all accesses: close, near, far, cold, and the share of distances of 32 MiB
// or more without and with cold accesses (KRD paper, IV-B).
func reuseTable(results []result.Result, missing *notes) *Table {
	columns := []resultColumn{{"LLC misses\nper core", quantities(results, missing, WhyNoLLC,
		func(r *result.Result) result.Quantity {
			if r.LLCSource == nil {
				return result.Quantity{}
			}
			return r.Summary.LLCMissesPerCore
		}, func(q []result.Quantity) []string { return Counts(q, false) })}}
	sources := make([]string, len(results))
	for i := range results {
		r := &results[i]
		sources[i] = "-"
		if r.Summary.LLCMissesPerCore.Median.Known() && r.LLCSource != nil {
			sources[i] = *r.LLCSource
			if r.LLCModel != nil && r.LLCModel.Replayed {
				sources[i] = missing.mark(sources[i], replayNote(r))
			}
		}
	}
	columns = append(columns, resultColumn{"\nfrom", sources})
	type part struct {
		head string
		of   stats.Measure
	}
	parts := []part{
		{"KRD, %\nclose", stats.CloseShare}, {"\nnear", stats.NearShare}, {"\nfar", stats.FarShare},
		{"\ncold", stats.ColdShare}, {">= 32 MiB\nfinite", stats.FinitePaper},
		{">= 32 MiB\nor cold", stats.BeyondPaper},
	}
	for _, more := range []struct {
		at int
		part
	}{
		{4, part{"of these\ninvalid.", stats.InvalidatedShare}},
		{0, part{"L2 of\ncore, %", stats.CoreClose}},
	} {
		if anyOf(results, func(r *result.Result) bool { return more.of.Of(r).Median.Known() }) {
			parts = slices.Insert(parts, more.at, more.part)
		}
	}
	for _, c := range parts {
		columns = append(columns, resultColumn{c.head, quantities(results, missing,
			func(r *result.Result) string {
				if r.KRD != nil && r.KRD.Accesses > 0 {
					return "the cache sizes of this machine are not known"
				}
				return WhyNoKRD(r)
			},
			c.of.Of,
			func(q []result.Quantity) []string { return Aligned(q, 100, "", false) })})
	}
	return byColumns(results, columns)
}

// writeLegend explains the intervals and which repetition counts are from.
func writeLegend(b *Page, results []result.Result) {
	for i := range results {
		s := &results[i].Summary
		if s.TimeNS.Confidence.Known() && s.Speedup.Confidence.Known() {
			fmt.Fprintf(b, "Medians of %d, and below them intervals of %.1f %% confidence for "+
				"time, %.0f %% for ratios (bootstrap).\n",
				s.TimeNS.N, 100*s.TimeNS.Confidence.Float(), 100*s.Speedup.Confidence.Float())
			break
		}
	}
	if slices.ContainsFunc(results, func(r result.Result) bool { return len(r.Repetitions) > 1 }) {
		b.Line("Steals and workers are those of the repetition of median time.")
	}
}

// remarks returns checks, the cost of tracing, and warnings; what all schedulers share is said
// once.
func remarks(results []result.Result) []string {
	var lines []string
	add := func(r *result.Result, shared bool, format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		if !shared && len(results) > 1 {
			line = strings.Replace(line, ": ", ": "+r.Scheduler+": ", 1)
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for i := range results {
		if c := results[i].Check; c != nil {
			verdict := "passed"
			if !c.Passed {
				verdict = "FAILED"
			}
			method := ""
			if c.Method != "" {
				method = " (" + c.Method + ")"
			}
			for _, l := range c.Lines {
				add(&results[i], true, "check: %s", l)
			}
			add(&results[i], c.Passed, "check: %s, error %g, tolerance %g%s", verdict,
				c.Error.Float(), c.Tolerance.Float(), method)
		}
	}
	for i := range results {
		if p := results[i].Phases; len(p) > 0 {
			var parts []string
			for _, phase := range p {
				parts = append(parts, phase.Name+" "+Time(result.Some(float64(phase.NS))))
			}
			add(&results[i], false, "outside the timed run: %s", strings.Join(parts, ", "))
		}
	}
	for i := range results {
		if s := &results[i].Summary; s.Spawns != nil {
			per := ""
			if s.WorkPerSpawnNS != nil {
				per = ", one for " + Time(s.WorkPerSpawnNS.Median) + " of kernels"
			}
			add(&results[i], false, "spawns: %s%s", Count(s.Spawns.Median), per)
		}
	}
	for i := range results {
		r := &results[i]
		if t := r.Trace; t != nil {
			slower := ""
			if t.SlowdownOverMedian.Known() {
				slower = fmt.Sprintf(", %+.1f %% against the median",
					100*(t.SlowdownOverMedian.Float()-1))
			}
			add(r, false, "trace: %s records, %s discarded, at %s each (a profile %s a kernel); that "+
				"repetition took %s%s", Count(result.Some(float64(t.Records))),
				Count(result.Some(float64(t.Discarded))), Time(t.OverheadNS), Time(t.ProfileNS),
				Time(t.TimeNS), slower)
		}
	}
	for i := range results {
		for _, w := range Sentences(results[i].WarningCodes) {
			add(&results[i], sharedWarning(results, w), "warning: %s", w)
		}
	}
	return lines
}

func sharedWarning(results []result.Result, w string) bool {
	for i := range results {
		if !slices.Contains(Sentences(results[i].WarningCodes), w) {
			return false
		}
	}
	return true
}

// WhyNoWork is the reason why r has no work, and so no OVR.
func WhyNoWork(r *result.Result) string {
	if k, ok := kernels.ByName(r.Kernel); ok && !k.Work {
		return r.Kernel + " has no kernels whose time would be work"
	}
	if r.Settings.Trace == request.TraceOff {
		return "work is not measured with --trace off"
	}
	return "the work of some repetitions is not known"
}

// WhyNoWTI is the reason why r has no WTI.
func WhyNoWTI(r *result.Result) string {
	if r.Summary.OVR.Median.Known() && !r.Inflates() {
		return r.Kernel + " accesses no data that could inflate its work on a simulated machine"
	}
	return WhyNoWork(r)
}

func whyNoSteals(r *result.Result) string {
	return "scheduler " + r.Scheduler + " does not count steals"
}

// WhyNoLLC is the reason why r has no LLC misses.
func WhyNoLLC(r *result.Result) string {
	if r.LLCReason != nil {
		return "LLC misses: " + *r.LLCReason
	}
	return "LLC misses were not counted"
}

// WhyNoKRD is the reason why r has no reuse distances.
func WhyNoKRD(r *result.Result) string {
	if k, ok := kernels.ByName(r.Kernel); r.KRD != nil || ok && !k.Work {
		return r.Kernel + " records no accesses to data"
	}
	if r.Settings.Trace.None() {
		return fmt.Sprintf("no trace is taken with --trace %s", r.Settings.Trace)
	}
	if t := r.Trace; t != nil && t.Discarded > 0 {
		return traceLost(args{t.Path, t.Discarded, t.Records + t.Discarded})
	}
	if r.Interrupted {
		return "the run ended before a repetition was traced"
	}
	return "no repetition was traced"
}
