package runtimes

import (
	"fmt"
	"reflect"
	"testing"

	"krdlab/hw/hwtest"
)

// A run in virtual time for which nothing was drawn is the same with every seed, and of the others
// some differ: Drawn is neither always true nor always false.
func TestDrawn(t *testing.T) {
	hwtest.SkipRace(t)
	fixed, varying := 0, 0
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo {
			continue
		}
		for _, shape := range [][2]int{{1, 1}, {1, 2}, {2, 1}, {1, 6}, {2, 6}, {4, 6}} {
			if p.Rules().Spawn == SpawnCall && shape != [2]int{1, 1} {
				continue
			}
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, shape[0], shape[1]), func(t *testing.T) {
				var first *Result
				for seed := range uint64(6) {
					c := pricedConfig(p, shape, 1, false)
					c.Seed = seed
					prog := newTree(1, 5)
					prog.kernel = func(w *Worker, _ uint64) { w.End(0, w.Begin(0), 0) }
					r, err := Step(c, prog)
					if err != nil {
						t.Fatal(err)
					}
					switch {
					case r.Drawn && !p.Random:
						t.Fatal("it never steals, and the order of its victims counts as drawn")
					case first == nil:
						first = r
					case first.Drawn != r.Drawn:
						t.Fatalf("Drawn is %v with seed 0, %v with seed %d", first.Drawn, r.Drawn,
							seed)
					case reflect.DeepEqual(first, r):
					case !r.Drawn:
						t.Fatalf("nothing was drawn, and seeds 0 and %d differ: %+v and %+v", seed,
							first, r)
					default:
						varying++
						return
					}
				}
				if !first.Drawn {
					fixed++
				}
			})
		}
	}
	// serial; six schedulers on one worker and on two
	if fixed < 1+5*2 || varying < 5 {
		t.Errorf("%d configurations draw nothing, %d differ by the seed", fixed, varying)
	}
}
