package brief

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// WriteTable writes the results of one run for a person at a terminal: what was run and where, a
// row for each scheduler with its times and ratios, another with its data reuse, what each worker
// did, what is missing and why, warnings. All results are of one configuration, as [Summarise]
// makes them; there is at least one.
func WriteTable(p *doc.Page, results []result.Result) error {
	writeHead(p, results)
	p.Line("")
	p.Table(timeTable(results))
	noteDisturbed(p, pointers(results))
	kernelTable(p, results)
	p.Line("")
	p.Table(reuseTable(results))
	nodeTable(p, results)
	for i := range results {
		workerTable(p, &results[i])
	}
	p.Line("")
	p.Notes()
	writeLegend(p, results)
	for _, m := range remarks(results) {
		p.Line("%s", m)
	}
	return p.Close()
}

// writeHead returns what was run, and where.
func writeHead(b *doc.Page, results []result.Result) {
	r := &results[0]
	fmt.Fprintf(b, "%s  %s\n", r.Kernel, describe(r))
	m := &r.Machine
	cores := doc.NotAvailable
	if m.Nodes > 0 {
		cores = fmt.Sprintf("%d x %d", m.Nodes, m.CoresPerNode)
	}
	fmt.Fprintf(b, "machine    %s: %s cores, %s\n", nameOf(m), cores,
		m.Caches())
	if r.Substrate == loi.Simulated {
		fmt.Fprint(b, "substrate  SIMULATED, no measurement")
		if m := r.Settings.Modelled(); m != "" {
			fmt.Fprintf(b, ", caches modelled by %s", m)
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
	how := map[request.TraceMode]string{
		request.TraceDefault: "kernels profiled, one more repetition traced",
		request.TraceOff:     "kernels not timed",
		request.TraceProfile: "kernels profiled", request.TraceFull: "every repetition traced",
		request.TraceKRD: "every repetition traced for KRD",
	}[r.Settings.Trace]
	if r.Settings.Grain == request.GrainTask {
		how = strings.Replace(how, "kernels", "tasks", 1) + " at task grain"
	}
	if r.Substrate == loi.Simulated && r.Settings.Trace == request.TraceDefault {
		how = "the first repetition traced"
	}
	if r.Settings.Tasks {
		how += ", with tasks"
	}
	if r.Settings.Regions {
		how += ", with regions"
	}
	if r.Settings.Decisions {
		how += ", with decisions"
	}
	if r.Settings.Reuse.Cores {
		how += ", KRD of cores too"
	}
	if r.Settings.Coherence {
		how += ", coherent KRD"
	}
	if !r.Settings.Trace.None() && !anyOf(results, traced) {
		how = "no trace was taken"
	}
	fmt.Fprintf(b, ", %s\n", how)
	fmt.Fprintf(b, "run        %s, bind %s, memory %s, %s, seed %d\n",
		units.Count(coresOf(results), "core"), r.Settings.Bind, r.Settings.NUMA, repetitions(results),
		r.Seed)
	fmt.Fprintf(b, "serial     %s, kernels %s\n", serialTime(r),
		doc.Time(r.Serial.WorkNS))
}

// serialTime returns the time of the serial runs; a simulated one in which no operation has a price
// takes none.
func serialTime(r *result.Result) string {
	if t := r.Serial.TimeNS; r.Substrate == loi.Simulated && t == result.Some(0) {
		return doc.NotAvailable
	}
	return doc.Time(r.Serial.TimeNS)
}

// repetitions returns how many were done after how many warm-ups, of how many where that is fewer.
func repetitions(results []result.Result) string {
	r := &results[0]
	asked, done := r.Settings.Reps, r.Settings.Reps
	for i := range results {
		if results[i].Interrupted {
			done = min(done, len(results[i].Repetitions))
		}
	}
	s := units.Count(asked, "repetition")
	if done < asked {
		s = fmt.Sprintf("%d of %d repetitions", done, asked)
	}
	if r.Substrate != loi.Simulated && finished(results) {
		s += " after " + units.Count(r.Settings.Warmup, "warm-up")
	}
	return s
}

// nameOf returns the name of a machine.
func nameOf(m *result.Machine) string {
	if m.Name == "" {
		return doc.NotAvailable
	}
	return m.Name
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

// byScheduler returns a table whose first column names the schedulers.
func byScheduler(columns ...doc.Column) *doc.Table {
	return &doc.Table{Columns: append([]doc.Column{{Head: "scheduler"}}, columns...)}
}

// headed returns the column of a measure under another head.
func headed(m stats.Measure, head string, spread doc.Spread) doc.Column {
	c := m.Column(spread)
	c.Head = head
	return c
}

// counted returns a column of counts.
func counted(head string) doc.Column {
	return doc.Column{Head: head, Kind: doc.Whole, Unit: doc.Events}
}

// timeTable returns a table with a row for each scheduler: medians, intervals under them.
func timeTable(results []result.Result) *doc.Table {
	t := byScheduler(stats.Time.Column(doc.Below), stats.Speedup.Column(doc.Below),
		stats.OVR.Column(doc.Below), stats.WTI.Column(doc.Below),
		stats.KernelTime.Column(doc.Hidden), counted("steals\nlocal"), counted("\nremote"))
	for i := range results {
		r := &results[i]
		row := []any{SchedulerOf(r)}
		for _, m := range []stats.Measure{stats.Time, stats.Speedup, stats.OVR, stats.WTI,
			stats.KernelTime} {
			row = append(row, m.Cell(r))
		}
		rep := result.MedianRepetition(r.Repetitions)
		for _, of := range []func(*result.Worker) *int64{
			func(w *result.Worker) *int64 { return w.StealsLocal },
			func(w *result.Worker) *int64 { return w.StealsRemote },
		} {
			n := result.Number{}
			if rep != nil {
				n = sumWorkers(rep.Workers, of)
			}
			if n.Known() {
				row = append(row, exactly(n))
			} else {
				row = append(row, stats.Unknown(r, whyNoSteals))
			}
		}
		t.Row(row...)
	}
	return t
}

// exactly makes a quantity of a count, which is known to the last digit.
func exactly(n result.Number) result.Quantity {
	return result.Quantity{Median: n, Reason: result.Deterministic}
}

// kernelTable writes a row for each kernel under each scheduler, where a program has several, or where the
// runtime's own data are modelled.
func kernelTable(p *doc.Page, results []result.Result) {
	misses := counted("LLC misses")
	misses.Known = true
	t := &doc.Table{Keys: 2, Columns: []doc.Column{{Head: "scheduler"}, {Head: "kernel"},
		counted("executions"), {Head: "mean time", Kind: doc.Real, Unit: doc.Nanoseconds},
		{Head: "WTI", Kind: doc.Real}, misses}}
	several, every := false, 0
	for i := range results {
		r := &results[i]
		several = several || len(r.Kernels) > 1
		for _, k := range r.Kernels {
			if k.Estimated {
				every = k.SampledEvery
			}
			t.Row(r.Scheduler, k.Name, exactly(result.Some(float64(k.Count))),
				stats.KernelCell(r, k.Name, k.MeanNS, false),
				stats.KernelCell(r, k.Name, k.WTI, true), kernelMisses(r, k.Name))
		}
		if r.Settings.RuntimeData && r.LLCModel != nil {
			several = true
			t.Row(r.Scheduler, result.RuntimeData, "-", "-", "-", kernelMisses(r, result.RuntimeData))
		}
	}
	if !several {
		return
	}
	p.Line("")
	p.Table(t)
	if every > 0 {
		p.Line("times of kernels are estimates: one in about %d was stamped; work is that of the "+
			"tasks", every)
	}
}

// reuseTable returns a table with a row for each scheduler: LLC misses and where the reuses of
// traced repetitions fall, in per cent of all accesses: close, near, far, cold, and the share of
// distances of 32 MiB or more without and with cold accesses (KRD paper, IV-B).
func reuseTable(results []result.Result) *doc.Table {
	t := byScheduler(headed(stats.Misses, "LLC misses\nper core", doc.Hidden),
		doc.Column{Head: "\nfrom"})
	type part struct {
		of   stats.Measure
		head string
	}
	var parts []part
	for _, c := range []part{{stats.CoreClose, "L2 of\ncore, %"}, {stats.CloseShare, "KRD, %\nclose"},
		{stats.NearShare, "\nnear"}, {stats.FarShare, "\nfar"}, {stats.ColdShare, "\ncold"},
		{stats.InvalidatedShare, "of these\ninvalid., %"}, {stats.FinitePaper, ">= 32 MiB, %\nfinite"},
		{stats.BeyondPaper, "\nor cold"},
	} {
		optional := c.of.Key == stats.CoreClose.Key || c.of.Key == stats.InvalidatedShare.Key
		if !optional || anyOf(results, func(r *result.Result) bool { return c.of.Of(r).Median.Known() }) {
			parts = append(parts, c)
			t.Columns = append(t.Columns, headed(c.of, c.head, doc.Hidden))
		}
	}
	for i := range results {
		r := &results[i]
		row := []any{SchedulerOf(r), stats.Misses.Cell(r), missesFrom(r)}
		for _, c := range parts {
			row = append(row, c.of.Cell(r))
		}
		t.Row(row...)
	}
	return t
}

// missesFrom names the source of the LLC misses of r.
func missesFrom(r *result.Result) any {
	if !r.Summary.LLCMissesPerCore.Median.Known() || r.LLCSource == nil {
		return "-"
	}
	if r.LLCModel != nil && r.LLCModel.Replayed {
		return doc.Noted{Value: *r.LLCSource, Note: replayNote(r)}
	}
	return *r.LLCSource
}

// writeLegend explains the intervals and which repetition counts are from.
func writeLegend(b *doc.Page, results []result.Result) {
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
			if len(results[i].Repetitions) == 0 {
				verdict = "before the first repetition " + verdict
			}
			add(&results[i], c.Passed, "check: %s, error %g, tolerance %g%s", verdict,
				c.Error.Float(), c.Tolerance.Float(), method)
		}
	}
	for i := range results {
		if p := results[i].Phases; len(p) > 0 {
			var parts []string
			for _, phase := range p {
				parts = append(parts, phase.Name+" "+doc.Time(result.Some(float64(phase.NS))))
			}
			add(&results[i], false, "outside the timed run: %s", strings.Join(parts, ", "))
		}
	}
	for i := range results {
		if s := &results[i].Summary; s.Spawns != nil {
			per := ""
			if s.WorkPerSpawnNS != nil {
				per = ", one for " + doc.Time(s.WorkPerSpawnNS.Median) + " of kernels"
			}
			add(&results[i], false, "spawns: %s%s", doc.Count(s.Spawns.Median), per)
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
				"repetition took %s%s", doc.Count(result.Some(float64(t.Records))),
				doc.Count(result.Some(float64(t.Discarded))), doc.Time(t.OverheadNS), doc.Time(t.ProfileNS),
				doc.Time(t.TimeNS), slower)
		}
	}
	for i := range results {
		for _, w := range doc.Sentences(results[i].WarningCodes) {
			add(&results[i], sharedWarning(results, w), "warning: %s", w)
		}
	}
	return lines
}

func sharedWarning(results []result.Result, w string) bool {
	for i := range results {
		if !slices.Contains(doc.Sentences(results[i].WarningCodes), w) {
			return false
		}
	}
	return true
}

func whyNoSteals(r *result.Result) string {
	return "scheduler " + r.Scheduler + " does not count steals"
}
