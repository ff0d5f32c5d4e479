package runtimes

import (
	"testing"

	"krdlab/hw/hwtest"
)

// choices is SLAW with notes of its arguments and choices: one worker at a time, in virtual time.
type choices struct {
	SLAW
	of *[]choice
}

type choice struct {
	Spawn
	rule SpawnRule
}

func (p choices) Choose(s *Spawn) SpawnRule {
	rule := p.SLAW.Choose(s)
	*p.of = append(*p.of, choice{*s, rule})
	return rule
}

// A worker from which nothing is stolen works first after its first interval; where thieves take
// much it helps first; the more thieves the more often.
func TestSLAWFollowsSteals(t *testing.T) {
	hwtest.SkipRace(t)
	helped := func(workers int) float64 {
		help, all := 0, 0
		for seed := range treeSeeds() {
			var of []choice
			prog := withKernel(bigTree(8, 2000))
			if _, err := Step(stepConfig(choices{of: &of}, 1, workers, seed), prog); err != nil {
				t.Fatal(err)
			}
			checkTree(t, prog)
			for _, c := range of {
				if c.Stolen < 0 || c.Queued < 0 || c.Stolen > 0 && workers == 1 {
					t.Fatalf("%d workers: a policy was told %+v", workers, c.Spawn)
				}
				if c.Tasks < slawInterval && c.rule != SpawnParent && c.Queued < slawFullest {
					t.Fatalf("a worker did not begin with help first: %+v", c)
				}
				if workers == 1 && c.Tasks > 2*slawInterval && c.rule != SpawnChild {
					t.Fatalf("alone, a worker does not work first: %+v", c)
				}
				help += btoi(c.rule == SpawnParent)
				all++
			}
		}
		return float64(help) / float64(all)
	}
	alone, few, many := helped(1), helped(2), helped(12)
	t.Logf("help first: %.2f of the phases alone, %.2f on 2 workers, %.2f on 12", alone, few, many)
	if few < alone+0.01 || many < few+0.2 || many > 0.99 {
		t.Errorf("help first: %.2f of the phases alone, %.2f on 2 workers, %.2f on 12", alone, few,
			many)
	}
}

// A deep stack makes it help first, and a long deque work first, whatever is stolen.
func TestSLAWBounds(t *testing.T) {
	hwtest.SkipRace(t)
	var of []choice
	p := &shapeProg{phases: func(int) []int { return []int{3} }, // a spine with leaves
		leafAt: func(depth, _, i int) bool { return i > 0 || depth > 2*slawDeepest },
		leaf:   virtualKernel}
	if _, err := Step(stepConfig(choices{of: &of}, 1, 1, 1), p); err != nil {
		t.Fatal(err)
	}
	deep, full := 0, 0
	for _, c := range of {
		switch {
		case c.Depth >= slawDeepest:
			deep++
			if c.rule != SpawnParent {
				t.Fatalf("work first at depth %d", c.Depth)
			}
		case c.Queued >= slawFullest:
			full++
			if c.rule != SpawnChild {
				t.Fatalf("help first with %d entries in the deque", c.Queued)
			}
		}
	}
	if deep < slawDeepest || full == 0 {
		t.Errorf("%d phases were that deep, %d had such a deque", deep, full)
	}
}
