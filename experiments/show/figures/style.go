package figures

import (
	"hash/fnv"
	"slices"

	"krdlab/krd/plot"
	"krdlab/runtimes"
)

// lookOf returns the look of the scheduler in a place of the table. Each time that all colours were
// had one is left out, so that schedulers 8 or 16 places apart do not have the same.
func lookOf(place int) int { return place + place/len(plot.Palette) }

// SchedulerLooks returns the number of the look of each scheduler (see [krdplot.LookAt]), all
// different. It follows from the scheduler's place in the table. Those that have none there, with
// parameters or from another version of krdlab, have looks beyond it that follow from their names.
func SchedulerLooks(names []string) []int {
	table := runtimes.Schedulers
	used := lookOf(len(table))
	var looks []int
	for _, name := range names {
		place := slices.IndexFunc(table,
			func(s runtimes.Scheduler) bool { return s.Name == name })
		look := lookOf(place)
		if place < 0 {
			h := fnv.New32a()
			h.Write([]byte(name))
			look = used + int(h.Sum32()%uint32(max(1, plot.Looks-used)))
		}
		looks = append(looks, look)
	}
	return plot.DifferentLooks(looks)
}

// series returns one of a scheduler, without points yet; it looks the same in all figures.
func (s *subject) series(scheduler string) plot.Series {
	return plot.NewSeries(scheduler, s.looks[scheduler])
}
