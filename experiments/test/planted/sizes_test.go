package planted

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// A peak is a component at the size 1024: its share, its bins, and by how many the first and the last
// move when the size doubles. It is there from the size number since on.
type peak struct {
	share             float64
	from, to          int
	fromMove, toMoves float64
	since             int
}

// signatures writes 0.json, 1.json and so on, results of a program at 1024 times a power of a factor.
func signatures(factor float64, sizes int, peaks ...peak) func(string) error {
	return func(dir string) error {
		for i := range sizes {
			var bins [40]float64
			for _, p := range peaks {
				if i < p.since {
					continue
				}
				doublings := float64(i) * math.Log2(factor)
				from := p.from + int(math.Round(p.fromMove*doublings))
				to := p.to + int(math.Round(p.toMoves*doublings))
				for k := from; k <= to; k++ { // highest in the middle
					n := float64(to - from + 1)
					bins[k] += p.share * 1e6 * (1 + math.Sin(math.Pi*(float64(k-from)+0.5)/n)) / (n + 1/math.Sin(math.Pi/2/n))
				}
			}
			var list []map[string]uint64
			all := uint64(1000)
			for k, n := range bins {
				list = append(list, map[string]uint64{"from_bytes": 1 << k >> 1, "to_bytes": 1 << k, "count": uint64(n)})
				all += uint64(n)
			}
			text, err := json.Marshal(map[string]any{"schema_version": 1, "distance": "exclusive", "weight": "count",
				"engine": "exact", "accesses": all, "access_count": all, "cold": 1000, "bins": list})
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".json")), text, 0o666); err != nil {
				return err
			}
		}
		return nil
	}
}

// walked has all accesses of signatures made by one function.
func walked(sizes int, lay func(string) error) func(string) error {
	return func(dir string) error {
		if err := lay(dir); err != nil {
			return err
		}
		for i := range sizes {
			file := filepath.Join(dir, fmt.Sprint(i, ".json"))
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			var d map[string]any
			if err := json.Unmarshal(text, &d); err != nil {
				return err
			}
			part := map[string]any{"name": "main.walk", "accesses": d["accesses"], "cold": d["cold"], "bins": d["bins"]}
			if text, err = json.Marshal(map[string]any{"krd": d, "functions": []any{part}}); err != nil {
				return err
			}
			if err := os.WriteFile(file, text, 0o666); err != nil {
				return err
			}
		}
		return nil
	}
}

const (
	twoSizes   = "predict 0.json:1024 1.json:2048 --at 8192 --json"
	threeSizes = "predict 0.json:1024 1.json:2048 2.json:4096 --at 16384 --json"
)

// still is a component that stays where it is.
var still = peak{share: 0.4, from: 5, to: 7}

// sizes are those of krdlab predict.
var sizes = inGroup("sizes", []truth{
	{name: "nothing moves", lay: signatures(2, 3, still, peak{share: 0.6, from: 14, to: 16}), run: threeSizes,
		want:  []named{{"nothing_moves", ""}},
		never: never("component_moves", "component_widens", "component_appears", "another_law")},
	{name: "a component that moves as n", run: threeSizes, want: []named{{"component_moves", "bins 16 to 18: n"}},
		lay: signatures(2, 3, still, peak{share: 0.6, from: 14, to: 16, fromMove: 1, toMoves: 1}),
		never: never("nothing_moves", "component_widens", "component_appears", "another_law", "sizes_alike",
			"smaller_than_run", "sizes_between")},
	{name: "a component that moves as n^2", run: threeSizes, want: []named{{"component_moves", "bins 18 to 20: n^2"}},
		lay:   signatures(2, 3, still, peak{share: 0.6, from: 14, to: 16, fromMove: 2, toMoves: 2}),
		never: never("nothing_moves", "component_widens", "component_appears", "another_law")},
	{name: "a component that moves as a root", want: []named{{"component_moves", "bins 16 to 18: n^(1/2)"}},
		lay:   signatures(4, 3, still, peak{share: 0.6, from: 14, to: 16, fromMove: 0.5, toMoves: 0.5}),
		run:   "predict 0.json:1024 1.json:4096 2.json:16384 --at 65536 --json",
		never: never("nothing_moves", "component_widens", "component_appears", "another_law")},
	{name: "two that move apart", run: threeSizes,
		want: []named{{"component_moves", "bins 12 to 14: n"}, {"component_moves", "bins 22 to 24: n^2"}},
		lay: signatures(2, 3, peak{share: 0.5, from: 10, to: 12, fromMove: 1, toMoves: 1},
			peak{share: 0.5, from: 18, to: 20, fromMove: 2, toMoves: 2}),
		never: never("nothing_moves", "component_widens", "component_appears", "another_law")},
	{name: "a component that gets wider", run: threeSizes, want: []named{{"component_widens", "bins 12 to 19: fixed"}},
		lay:   signatures(2, 3, still, peak{share: 0.6, from: 12, to: 17, toMoves: 1}),
		never: never("nothing_moves", "component_moves", "component_appears")},
	{name: "a component that appears at the third size", run: threeSizes,
		want:  []named{{"component_appears", "bins 20 to 22"}},
		lay:   signatures(2, 3, still, peak{share: 0.6, from: 14, to: 16}, peak{share: 0.43, from: 20, to: 22, since: 2}),
		never: never("component_moves", "component_widens")},
	{name: "a component that appears at the second size of three", run: threeSizes, why: "only what appears at the " +
		"largest size is told", want: []named{{"component_appears", ""}},
		lay: signatures(2, 3, still, peak{share: 0.6, from: 14, to: 16}, peak{share: 0.43, from: 20, to: 22, since: 1})},
	{name: "a function that crosses a cache", run: threeSizes + " --llc 256KiB", want: []named{{"crosses_cache", "main.walk"}},
		lay: walked(3, signatures(2, 3, still, peak{share: 0.6, from: 14, to: 16, fromMove: 1, toMoves: 1}))},
	{name: "a function that stays within a cache", run: threeSizes + " --llc 4MiB", never: never("crosses_cache"),
		lay: walked(3, signatures(2, 3, still, peak{share: 0.6, from: 14, to: 16, fromMove: 1, toMoves: 1}))},
	{name: "a function that was beyond a cache before", run: threeSizes + " --llc 16KiB", never: never("crosses_cache"),
		lay: walked(3, signatures(2, 3, still, peak{share: 0.6, from: 16, to: 18, fromMove: 1, toMoves: 1}))},
	{name: "another law", run: threeSizes, want: []named{{"another_law", ""}},
		lay: signatures(2, 3, still, peak{share: 0.6, from: 10, to: 12, fromMove: 3, toMoves: 3})},
	{name: "sizes that hardly differ", want: []named{{"sizes_alike", ""}}, lay: signatures(1.2, 2, still),
		run: "predict 0.json:1024 1.json:1228 --at 8192 --json"},
	{name: "a size between two doublings", want: []named{{"sizes_between", ""}},
		run: "predict 0.json:1024 1.json:2048 2.json:4096 --at 12288 --json",
		lay: signatures(2, 3, still, peak{share: 0.6, from: 14, to: 16, fromMove: 1, toMoves: 1})},
	{name: "a size below the largest", want: []named{{"smaller_than_run", ""}}, lay: signatures(2, 2, still),
		run: "predict 0.json:1024 1.json:2048 --at 1500 --json"},
	{name: "two sizes, nothing moves", lay: signatures(2, 2, still, peak{share: 0.6, from: 14, to: 16}), run: twoSizes,
		want: []named{{"nothing_moves", ""}}, never: never("component_moves", "component_widens",
			"component_appears", "another_law", "sizes_alike", "smaller_than_run")},
})
