package show

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// WriteTable writes the results of one run for a person at a terminal: what was run and where, a
// row for each scheduler with its times and ratios, another with its data reuse, what each worker
// did, what is missing and why, warnings. All results are of one configuration, as [Summarise]
// makes them; there is at least one. The width is about 100 columns at most.
func WriteTable(w io.Writer, results []result.Result) error {
	var b strings.Builder
	writeHead(&b, results)
	var missing notes
	b.WriteString("\n" + timeTable(results, &missing))
	if s := kernelTable(results, &missing); s != "" {
		b.WriteString("\n" + s)
	}
	b.WriteString("\n" + reuseTable(results, &missing))
	if s := nodeTable(results); s != "" {
		b.WriteString("\n" + s)
	}
	for i := range results {
		if s := workerTable(&results[i], &missing); s != "" {
			b.WriteString("\n" + s)
		}
	}
	b.WriteString("\n")
	for i, reason := range missing {
		fmt.Fprintf(&b, "[%d] %s\n", i+1, reason)
	}
	writeLegend(&b, results)
	for _, m := range remarks(results) {
		b.WriteString(m + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeHead says what was run, and where.
func writeHead(b *strings.Builder, results []result.Result) {
	r := &results[0]
	fmt.Fprintf(b, "%s  %s\n", r.Kernel, describe(r))
	m := &r.Machine
	cores := NotAvailable
	if m.Nodes > 0 {
		cores = fmt.Sprintf("%d x %d", m.Nodes, m.CoresPerNode)
	}
	fmt.Fprintf(b, "machine    %s: %s cores, L1d %s, L2 %s, LLC %s\n", orNA(m.Name), cores,
		m.L1dBytes, m.L2Bytes, m.LLCBytes)
	if r.Substrate == loi.Simulated {
		b.WriteString("substrate  SIMULATED, no measurement")
		if r.Settings.CacheModel != "" {
			fmt.Fprintf(b, ", caches modelled by %s", r.Settings.CacheModel)
		}
	} else {
		fmt.Fprintf(b, "substrate  %s", r.Substrate)
	}
	if m.Synthetic {
		b.WriteString(", synthetic topology " + r.Settings.Topology)
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

// timeTable has a row for each scheduler: medians, intervals under them.
func timeTable(results []result.Result, missing *notes) string {
	t := NewTable(1, "scheduler", "time", "speed-up", "OVR", "WTI", "kernel", "steals\nlocal",
		"steals\nremote")
	for i := range results {
		r := &results[i]
		s := &r.Summary
		rep := result.MedianRepetition(r.Repetitions)
		if rep == nil {
			no := missing.na("no repetition was finished")
			t.AppendRow([]any{r.Scheduler, no, no, no, no, no, no, no})
			continue
		}
		unit, size := TimeUnit(s.TimeNS.Median.Float())
		row := []any{SchedulerOf(r), withInterval(s.TimeNS, size, " "+unit)}
		for _, q := range []result.Quantity{s.Speedup, s.OVR, s.WTI} {
			if q.Median.Known() {
				row = append(row, ratioWithInterval(q))
			} else {
				row = append(row, missing.na(whyNoWork(r)))
			}
		}
		if k := s.KernelNS.Median; k.Known() {
			row = append(row, Time(k))
		} else {
			row = append(row, missing.na(whyNoWork(r)))
		}
		for _, steals := range []func(*result.Worker) *int64{
			func(w *result.Worker) *int64 { return w.StealsLocal },
			func(w *result.Worker) *int64 { return w.StealsRemote },
		} {
			if n := sumWorkers(rep.Workers, steals); n.Known() {
				row = append(row, Count(n))
			} else {
				row = append(row, missing.na(whyNoSteals(r)))
			}
		}
		t.AppendRow(row)
	}
	var all []*result.Result
	for i := range results {
		all = append(all, &results[i])
	}
	return Render(t) + noteDisturbed(all)
}

// kernelTable has a row for each kernel under each scheduler, "" where no program has several.
func kernelTable(results []result.Result, missing *notes) string {
	header := []any{"scheduler", "kernel", "executions", "mean time", "WTI"}
	modelled := slices.ContainsFunc(results,
		func(r result.Result) bool { return r.LLCModel != nil })
	if modelled {
		header = append(header, "LLC misses")
	}
	t := NewTable(2, header...)
	several, every := false, 0
	for i := range results {
		r := &results[i]
		several = several || len(r.Kernels) > 1
		for _, k := range r.Kernels {
			row := []any{r.Scheduler, k.Name, k.Count}
			if k.Estimated {
				every = k.SampledEvery
			}
			if k.MeanNS.Known() {
				row = append(row, Time(k.MeanNS))
			} else {
				row = append(row, missing.na("no execution of "+k.Name+" was stamped"))
			}
			if k.WTI.Known() {
				row = append(row, Digits(k.WTI.Float(), 4))
			} else {
				row = append(row, missing.na("no execution of "+k.Name+" was stamped"))
			}
			if modelled {
				row = append(row, kernelMisses(r, k.Name, missing))
			}
			t.AppendRow(row)
		}
	}
	if !several {
		return ""
	}
	s := Render(t)
	if every > 0 {
		s += fmt.Sprintf("times of kernels are estimates: one in about %d was stamped; work is "+
			"that of the tasks\n", every)
	}
	return s
}

// reuseTable has a row for each scheduler: LLC misses and where the reuses of the traced repetition
// fall.
func reuseTable(results []result.Result, missing *notes) string {
	t := NewTable(1, "scheduler", "LLC misses\nper core", "\nfrom",
		"KRD, %\nclose", "\nnear", "\nfar", "\ncold", ">= 32 MiB\nfinite", ">= 32 MiB\nor cold")
	for i := range results {
		r := &results[i]
		row := []any{SchedulerOf(r)}
		if m := r.Summary.LLCMissesPerCore.Median; m.Known() && r.LLCSource != nil {
			from := *r.LLCSource
			if r.LLCModel != nil && r.LLCModel.Replayed {
				from = missing.mark(from, replayNote(r))
			}
			row = append(row, Count(m), from)
		} else {
			row = append(row, missing.na(whyNoLLC(r)), "-")
		}
		t.AppendRow(append(row, krdCells(r, missing)...))
	}
	return Render(t)
}

// krdCells returns close, near, far, cold and the share of distances of 32 MiB or more without and
// with cold accesses (KRD paper, IV-B), in per cent of all accesses.
func krdCells(r *result.Result, missing *notes) []any {
	k := r.KRD
	if k == nil || k.Accesses == 0 {
		no := missing.na(whyNoKRD(r))
		return []any{no, no, no, no, no, no}
	}
	share := func(part *uint64) any {
		if part == nil {
			return missing.na("the cache sizes of this machine are not known")
		}
		return percent(*part, k.Accesses, 2)
	}
	cells := []any{share(k.Close), share(k.Near), share(k.Far), share(&k.Cold)}
	tail, err := k.AtLeast(32 << 20)
	if err != nil { // 32 MiB is a power of two
		panic(err)
	}
	with := tail.Finite + tail.Cold
	return append(cells, share(&tail.Finite), share(&with))
}

// writeLegend explains the intervals and which repetition counts are from.
func writeLegend(b *strings.Builder, results []result.Result) {
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
		b.WriteString("Steals and workers are those of the repetition of median time.\n")
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
		r := &results[i]
		if t := r.Trace; t != nil {
			add(r, true, "tracing costs %s a record, profiling %s a kernel", Time(t.OverheadNS),
				Time(t.ProfileNS))
			slower := ""
			if t.SlowdownOverMedian.Known() {
				slower = fmt.Sprintf(", %+.1f %% against the median",
					100*(t.SlowdownOverMedian.Float()-1))
			}
			add(r, false, "trace: %d records, %d discarded; that repetition took %s%s", t.Records,
				t.Discarded, Time(t.TimeNS), slower)
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

func whyNoWork(r *result.Result) string {
	if k, ok := kernels.ByName(r.Kernel); ok && !k.Work {
		return r.Kernel + " has no kernels whose time would be work"
	}
	if r.Settings.Trace == request.TraceOff {
		return "work is not measured with --trace off"
	}
	return "the work of some repetitions is not known"
}

func whyNoSteals(r *result.Result) string {
	return "scheduler " + r.Scheduler + " does not count steals"
}

func whyNoLLC(r *result.Result) string {
	if r.LLCReason != nil {
		return "LLC misses: " + *r.LLCReason
	}
	return "LLC misses were not counted"
}

func whyNoKRD(r *result.Result) string {
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
