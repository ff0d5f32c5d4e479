package runtimes

import (
	"fmt"
	"reflect"
	"testing"
)

// Skipping steps of searches, and doing operations early that wait for a lock, changes nothing, to the last count.
func TestSkip(t *testing.T) {
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo || p.Rules().Spawn == SpawnCall {
			continue
		}
		for _, s := range [][2]int{{1, 1}, {1, 2}, {1, 6}, {4, 6}} {
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, s[0], s[1]), func(t *testing.T) {
				for seed := range 4 * treeSeeds() {
					c := stepConfig(p, s[0], s[1], seed)
					c.Costs = Costs{Spawn: 3 + seed%5, Pop: 2, Lock: 4 + seed%9, Handover: seed % 6, Push: seed % 3, StealLocal: 5, StealRemote: 1 + seed%20, StealFailed: 1 + seed%7, Mail: 2, Join: 3, Rest: 1 + seed%30}
					run := func(plain bool) *Result {
						c.plain = plain
						r, err := Step(c, withKernel(newTree(seed, 6)))
						if err != nil {
							t.Fatal(err)
						}
						return r
					}
					if plain, skipping := run(true), run(false); !reflect.DeepEqual(plain, skipping) {
						t.Fatalf("seed %d: %+v without skipping, %+v with", seed, plain, skipping)
					}
				}
			})
		}
	}
}
