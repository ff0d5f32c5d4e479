package stats

import (
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/krd"
	"krdlab/krd/doc"
)

// The measures that sizes and kernels have in common: events by the work of the serial run, which
// no scheduler changes, and shares of the time of all cores.
var (
	CoreTime = each("core_time", "core time", doc.Plain,
		"cores x time_ns / serial_time_ns = ovr x wti, 1 for a perfect speed-up",
		func(r *dataset.Row) result.Number {
			return result.Some(float64(r.Cell.Result.Cores) / r.Speedup.Float())
		}, whyNoSpeedup)
	LinesL2 = byWork("l2_lines_per_ns", "lines beyond L2", 1,
		"cache lines of the accesses beyond the L2 of their core, per ns of the serial run's work",
		func(r *dataset.Row) result.Number {
			cores, _ := histograms(r)
			if cores == nil {
				return result.Number{}
			}
			return lines(r, cores.BeyondL2Bytes)
		}, whyNoLines)
	LinesLLC = byWork("llc_lines_per_ns", "lines beyond LLC", 1,
		"cache lines of the accesses beyond the LLC of their node, per ns of the serial run's work",
		func(r *dataset.Row) result.Number {
			_, nodes := histograms(r)
			if nodes == nil {
				return result.Number{}
			}
			return lines(r, nodes.BeyondBytes)
		}, whyNoLines)
	MissLines = byWork("misses_per_ns", "LLC misses", 1,
		"LLC misses of all cores, per ns of the serial run's work",
		func(r *dataset.Row) result.Number {
			return result.Some(r.LLCMissesPerCore.Float() * float64(r.Cell.Result.Cores))
		}, WhyNoMisses)
	Spawns = events("spawns_per_us", "spawns", "spawns",
		func(w *result.Worker) *int64 { return w.Spawns })
	Steals = events("steals_per_us", "steals", "successful steals, from the same node and others",
		func(w *result.Worker) *int64 { return plus(w.StealsLocal, w.StealsRemote) })
	RemoteSteals = events("remote_steals_per_us", "remote steals",
		"successful steals from another node",
		func(w *result.Worker) *int64 { return w.StealsRemote })
	FailedSteals = events("failed_steals_per_us", "failed steals", "steals that got nothing",
		func(w *result.Worker) *int64 { return w.StealsFailed })
	IdleShare = share("idle_share", "idle", "time without a task",
		func(w *result.Worker) *int64 { return w.IdleNS })
	SchedShare = share("sched_share", "scheduling", "scheduling time",
		func(w *result.Worker) *int64 { return w.SchedNS })
)

// ByWork are the measures that sizes and kernels have in common.
var ByWork = []Measure{CoreTime, LinesL2, LinesLLC, MissLines, Spawns, Steals, RemoteSteals,
	FailedSteals, IdleShare, SchedShare}

// each makes a measure of what of returns for each repetition.
func each(key, head string, unit doc.Unit, about string, of func(*dataset.Row) result.Number,
	why func(*result.Result) string) Measure {
	return Measure{Key: key, Head: head, Unit: unit, Better: Lower, Doc: about, Each: of, Why: why,
		Of: func(r *result.Result) result.Quantity {
			return r.Quantity(repetitions(r, of))
		}}
}

// byWork makes a measure of a count by the serial run's work, in units of so many ns.
func byWork(key, head string, ns float64, about string, of func(*dataset.Row) result.Number,
	why func(*result.Result) string) Measure {
	return each(key, head, doc.Plain, about, func(r *dataset.Row) result.Number {
		return result.Some(of(r).Float() / r.Cell.Result.Serial.WorkNS.Float() * ns)
	}, why)
}

func events(key, head, about string, of func(*result.Worker) *int64) Measure {
	return byWork(key, head, 1000, about+", per us of the serial run's work",
		func(r *dataset.Row) result.Number {
			return result.SomeInt(Workers(&r.Cell.Result.Repetitions[r.Rep], of))
		}, WhyNoWork)
}

func share(key, head, about string, of func(*result.Worker) *int64) Measure {
	return each(key, head, doc.Fraction, about+" of all cores, as a share of cores x time",
		func(r *dataset.Row) result.Number {
			p := &r.Cell.Result.Repetitions[r.Rep]
			return result.Some(result.SomeInt(Workers(p, of)).Float() / float64(p.TimeNS) /
				float64(r.Cell.Result.Cores))
		}, WhyNoWork)
}

// Workers returns the sum of what of returns for each worker of p; nil where one has none.
func Workers(p *result.Repetition, of func(*result.Worker) *int64) *int64 {
	var sum *int64
	for i := range p.Workers {
		n := of(&p.Workers[i])
		if n == nil {
			return nil
		}
		sum = plus(orZero(sum), n)
	}
	return sum
}

func orZero(p *int64) *int64 {
	if p == nil {
		return new(int64)
	}
	return p
}

func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}

// histograms returns those of the cores and of the nodes of a repetition, or of the one trace that
// was taken beside those timed.
func histograms(r *dataset.Row) (cores, nodes *krd.Histogram) {
	of := r.Cell.Result
	cores, nodes = of.Repetitions[r.Rep].KRDCores, r.KRD
	if nodes == nil && of.KRD != nil {
		nodes = &of.KRD.Histogram
		if of.KRD.PerCore != nil {
			cores = &of.KRD.PerCore.Histogram
		}
	}
	return cores, nodes
}

// lines returns bytes in cache lines.
func lines(r *dataset.Row, bytes *uint64) result.Number {
	if bytes == nil {
		return result.Number{}
	}
	return result.Some(float64(*bytes) / float64(r.Cell.Result.Machine.LineBytes))
}

func whyNoLines(r *result.Result) string {
	if r.KRD == nil || r.KRD.PerCore == nil {
		return "no reuse distances of cores; sweep with --trace krd,cores"
	}
	return whyNoShare(r)
}
