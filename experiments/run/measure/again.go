package measure

import (
	"fmt"
	"os"

	"krdlab/experiments/run/result"
	"krdlab/runtimes"
)

// again does repetitions that were disturbed once more, each scheduler's alone, and the serial
// ones: in turn, so that one bad second does not hit the same repetition twice, and no more of each
// than were planned. The newer one counts, disturbed or not: to keep the better of two would choose
// by what is measured. The older is set aside. It returns false after a failed check.
func (n *native) again(all []*schedule, tracing runtimes.Tracing) (passed bool, err error) {
	left := map[*schedule]int{}
	next := map[*schedule]int{} // where the search for a disturbed one goes on
	for _, s := range all {
		left[s] = n.asked.Reps
	}
	for did := true; did; {
		did = false
		for _, s := range all {
			reps, aside := n.repetitionsOf(s)
			n.judge(s)
			i, found := disturbedFrom(*reps, next[s])
			if !found || left[s] == 0 {
				continue
			}
			did = true
			left[s]--
			next[s] = i + 1
			n.total++
			n.tell(s, fmt.Sprintf("repetition %d of %d again, as it was disturbed", i+1,
				n.asked.Reps))
			mode := n.tracingOf(s, i, tracing)
			if mode == runtimes.TraceFull {
				trace := n.dir.Path(n.traceName(s, i))
				err := os.Rename(trace, fmt.Sprintf("%s.aside-%d", trace, len(*aside)+1))
				if err != nil && !os.IsNotExist(err) {
					return true, err
				}
			}
			r, err := n.repetition(s, i, mode)
			if err != nil {
				return true, err
			}
			n.done++
			*aside = append(*aside, (*reps)[i])
			(*reps)[i] = *r
			if n.failed(s) {
				return false, nil
			}
		}
	}
	return true, nil
}

// disturbedFrom finds the next disturbed repetition, from the one numbered at on and around.
func disturbedFrom(reps []result.Repetition, at int) (i int, found bool) {
	for k := range reps {
		if i := (at + k) % len(reps); len(reps[i].Disturbed) > 0 {
			return i, true
		}
	}
	return 0, false
}

// repetitionsOf returns where the repetitions of s are kept, and those that were done again.
func (n *native) repetitionsOf(s *schedule) (reps, aside *[]result.Repetition) {
	if s == n.baseline {
		return &n.serial, &n.serialAside
	}
	return &s.Repetitions, &s.SetAside
}

// judge returns which repetitions of s were disturbed.
func (n *native) judge(s *schedule) {
	reps, _ := n.repetitionsOf(s)
	result.Judge(*reps, s.Workers, n.place.Available)
}
