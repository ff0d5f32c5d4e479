package view

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"krdlab/experiments/show/scene"
	"krdlab/experiments/test/browser"
)

// A pick is a test's selection: accesses of bins, on a node or any (-1), of executions that began
// in a time, to cells of an object. A field of 0 selects nothing.
type pick struct {
	bins          [2]int
	node          int
	time          [2]int64 // ticks
	object        int      // of the cells, from 1 on
	rows, columns [2]int
}

// choose has the page choose a pick.
func (c pick) choose(p *browser.Tab, r *scene.Run) {
	scale := r.Header.Clock.Hz / 1e9
	s := map[string]any{"bins": nil, "node": c.node, "time": nil, "cells": nil}
	if c.bins[1] > 0 {
		s["bins"] = c.bins
	}
	if c.time[1] > 0 {
		s["time"] = [2]float64{float64(c.time[0]) / scale, float64(c.time[1]) / scale}
	}
	if c.object > 0 {
		s["cells"] = map[string]any{"object": r.Objects[c.object-1].Name, "rows": c.rows, "columns": c.columns}
	}
	text, _ := json.Marshal(s) // of numbers and text
	p.Eval(fmt.Sprintf(`(Object.assign(krdlab.look.selection, %s), krdlab.choose(), true)`, text), nil)
	p.Wait(ready)
}

// of returns the executions and the units that are chosen; all is true if nothing is.
func (c pick) of(r *scene.Run) (executions, units []bool, all bool) {
	executions, units = make([]bool, len(r.Start)), make([]bool, len(r.Bytes))
	inCells := func(u scene.Unit) bool {
		if c.object == 0 {
			return true
		}
		o := &r.Objects[c.object-1]
		if u < o.First || int(u-o.First) >= o.Units {
			return false
		}
		row, column := o.Layout.Cell(int(u-o.First), o.Units)
		return row >= c.rows[0] && row <= c.rows[1] && column >= c.columns[0] && column <= c.columns[1]
	}
	for k, at := range r.Start {
		if c.time[1] > 0 && (at < c.time[0] || at > c.time[1]) || c.bins[1] > 0 && c.node >= 0 &&
			r.Node(k) != c.node {
			continue
		}
		executions[k] = c.bins[1] == 0 && c.object == 0
		for a := r.From[k]; a < r.From[k+1]; a++ {
			if b := int(r.Bins[a]); c.bins[1] > 0 && (b < c.bins[0] || b > c.bins[1]) {
				continue
			}
			for _, u := range r.Units(r.Items[a]) {
				if inCells(u) {
					executions[k], units[u] = true, true
				}
			}
		}
	}
	return executions, units, c == pick{}
}

const noCell = 65535

// shownMap compares maps with the trace: each cell has a unit of its own, or of those that it
// stands for the one touched last, and is pale if none of them is chosen.
func shownMap(t *testing.T, p *browser.Tab, runs []Run) {
	run := runs[0].Run
	scale := run.Header.Clock.Hz / 1e9
	choices := []pick{{}, {bins: [2]int{10, 14}, node: -1},
		{object: 2, rows: [2]int{2, 5}, columns: [2]int{3, 9}},
		{object: 4, rows: [2]int{1, 4}, columns: [2]int{0, 5}}, {time: [2]int64{1e5, 2e5}},
		{object: 1, node: 2, bins: [2]int{8, 64}, rows: [2]int{3, 9}, columns: [2]int{0, 40}}}
	objects := 4
	if len(run.Bytes) > 50000 {
		choices, objects = choices[:2], 2
	}
	for i, choice := range choices {
		choice.choose(p, run)
		if got, want := chosenBy(p)[0], []int{}; true {
			executions, _, _ := choice.of(run)
			for k, is := range executions {
				if is && choice != (pick{}) {
					want = append(want, k)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("choice %d: %d executions, expected %d", i, len(got), len(want))
			}
		}
		_, units, all := choice.of(run)
		for object := range objects {
			o := &run.Objects[object]
			rows, columns := o.Layout.Size(o.Units)
			step := 1
			for ((rows+step-1)/step)*((columns+step-1)/step) > 50000 {
				step++
			}
			if (step > 1) != (o.Units > 50000) {
				t.Fatalf("object %d: cells of %d rows", object, step)
			}
			down, across := (rows+step-1)/step, (columns+step-1)/step
			until := len(run.Start) - 1 - (i+object)%3*len(run.Start)/4
			s := run.Begin()
			for k := range run.Start {
				if run.Start[k] <= run.Start[until] {
					s.Execute(k, nil)
				}
			}
			best, chosen := make([]int, down*across), make([]bool, down*across)
			for u := range o.Units {
				row, column := o.Layout.Cell(u, o.Units)
				c, unit := row/step*across+column/step, int(o.First)+u
				if best[c] == 0 || s.Units[unit].Access > s.Units[best[c]-1].Access {
					best[c] = unit + 1
				}
				chosen[c] = chosen[c] || units[unit]
			}
			for _, colour := range []string{"node", "worker", "writer", "had", "distance"} {
				var got struct {
					Cells   [][]any
					Colours int
				}
				p.Eval(fmt.Sprintf(`(() => { %s krdlab.shown[0].map.show(krdlab.objects[%d]);
					const m = krdlab.shown[0].map, p = recorder(600, 500), at = krdlab.look.at;
					krdlab.look.at = %g; m.draw(p, krdlab.look, %q); krdlab.look.at = at;
					return {Cells: p.list.filter(c => c[0] === "cells"), Colours: m.colours(krdlab.look, %[4]q).colours.length}; })()`,
					recorder, object, float64(run.Start[until])/scale+1e-6, colour), &got)
				if len(got.Cells) != 1 || got.Cells[0][5].(float64) != float64(across) ||
					got.Cells[0][6].(float64) != float64(down) {
					t.Fatalf("object %d, %s: %d grids, expected one of %d x %d", object, colour, len(got.Cells), down, across)
				}
				cells := got.Cells[0][7].([]any)
				for c, v := range cells {
					want := noCell
					if best[c] > 0 {
						x := &s.Units[best[c]-1]
						want = got.Colours
						switch {
						case x.Toucher < 0 || colour == "writer" && x.Writer < 0:
						case colour == "node":
							want = run.Header.Workers[x.Toucher].Node
						case colour == "worker":
							want = int(x.Toucher)
						case colour == "writer":
							want = run.Header.Workers[x.Writer].Node
						case colour == "had":
							want = int(x.Nodes) - 1
						default:
							want = int(x.Bin)
						}
						if !all && !chosen[c] {
							want += got.Colours + 1
						}
					}
					if v.(float64) != float64(want) {
						t.Fatalf("choice %d, object %d by %s, row %d, column %d: colour %g, expected %d", i, object, colour,
							c/across, c%across, v, want)
					}
				}
			}
		}
	}
}

// shownTimeline compares a drawn timeline with the times of the trace: columns have the state that
// took most of it, or the selection; nearer, each execution lies where it ran.
func shownTimeline(t *testing.T, p *browser.Tab, runs []Run) {
	run := runs[0].Run
	from, length := drawn(run)
	scale, writers, ticks := run.Header.Clock.Hz/1e9, run.Writers(), float64(run.Ticks)
	rows := []int{0, 3, 1, 4, 2, 5}
	part := pick{bins: [2]int{11, 14}, node: 1}
	for i, x := range []struct {
		colour   string
		from, to float64 // shares of the run
		width    int
		choice   pick
	}{{"class", 0, 1, 400, pick{}}, {"kind", 0.3, 0.8, 150, pick{}}, {"wrote", -0.1, 1.2, 300, part},
		{"node", 0.2, 1, 250, pick{}}, {"class", 0.4, 0.9, 200, part}, {"kind", 0.5, 0.52, 800, pick{}},
		{"class", 0.7, 0.73, 700, part}, {"wrote", 0.97, 1.01, 700, pick{}}} {
		x.choice.choose(p, run)
		chosen, _, all := x.choice.of(run)
		n := map[string]int{"class": 6, "kind": 3, "wrote": 4, "node": 3}[x.colour]
		colour := func(k int) int {
			v := map[string]int{"class": int(run.Farthest(k)), "kind": int(run.Kernel[k]),
				"wrote": int(writers[k]), "node": run.Node(k)}[x.colour]
			if v < 0 {
				v = n - 1
			}
			if !all && !chosen[k] {
				v += n
			}
			return v
		}
		var list [][]any
		var colours []string
		p.Eval(fmt.Sprintf(`(() => { %s const s = krdlab.shown[0], p = recorder(%d, s.timeline.height);
			const look = {...krdlab.look, from: %g, to: %g, colour: %q};
			s.timeline.draw(p, look, 50000); return p.list; })()`, recorder, x.width, x.from*ticks/scale,
			x.to*ticks/scale, x.colour), &list)
		p.Eval(fmt.Sprintf(`(() => { const th = krdlab.look.theme, c = markColours(krdlab.shown[0].run,
			{...krdlab.look, colour: %q}).colours; return [...c, ...%v ? [] : c.map(x => mix(x, th.background, 0.8)),
			th.idle, th.scheduling]; })()`, x.colour, all), &colours)
		kinds := len(colours) - 1
		wide, span := float64(x.width-54), (x.to-x.from)*ticks
		var grids, rects, arrows [][]any
		for _, c := range list {
			switch {
			case c[0] == "cells":
				grids = append(grids, c)
			case c[0] == "rect":
				rects = append(rects, c)
			case c[0] == "line" && len(c[1].([]any)) == 4 && len(c) == 5 && c[4].(float64) == 0.55:
				arrows = append(arrows, c)
			}
		}
		if i < 5 {
			if len(grids) != 3 {
				t.Fatalf("%+v: %d grids", x, len(grids))
			}
			columns, share := int(wide), span/wide
			sums := make([][]float64, 6*columns)
			add := func(w int, a, b float64, kind int) {
				row := slices.Index(rows, w)
				for c := range columns {
					lo := x.from*ticks + float64(c)*share
					if d := min(b, lo+share) - max(a, lo); d > 0 {
						sums[row*columns+c][kind] += d / share
						sums[row*columns+c][kinds] -= d / share
					}
				}
			}
			for j := range sums {
				sums[j] = make([]float64, kinds+1)
			}
			for w := range 6 {
				for c := range columns { // scheduling is the rest
					lo := x.from*ticks + float64(c)*share
					sums[slices.Index(rows, w)*columns+c][kinds] = (min(ticks, lo+share) - max(0, lo)) / share
				}
				for _, s := range run.Idle[w] {
					add(w, float64(s.From), float64(s.To), kinds-1)
				}
			}
			for k := range run.Start {
				add(int(run.Worker[k]), from[k], from[k]+length[k], colour(k))
			}
			marked := 0
			for j, sum := range sums {
				g := grids[j/columns/2]
				if g[5].(float64) != float64(columns) || g[6].(float64) != 2 {
					t.Fatalf("%+v: a grid of %g x %g", x, g[6], g[5])
				}
				cell := g[7].([]any)[j%(2*columns)].(float64)
				lo := x.from*ticks + float64(j%columns)*share
				if out := lo > ticks+1 || lo+share < -1; out || cell == noCell {
					if out != (cell == noCell) && lo+share > 1 && lo < ticks-1 {
						t.Fatalf("%+v: row %d, column %d: colour %g", x, j/columns, j%columns, cell)
					}
					continue
				}
				work := 0.0
				for _, v := range sum[:kinds-1] {
					work += v
				}
				of, least := sum[:kinds-1], max(sum[kinds-1], sum[kinds])
				switch {
				case !all && slices.Max(sum[:n]) > 1e-3:
					of, least = sum[:n], 0
					marked++
				case int(cell) >= kinds-1:
					of, least, work = sum, max(work, sum[kinds-1], sum[kinds]), sum[int(cell)]
					copy(of, make([]float64, kinds-1))
				}
				if int(cell) >= len(of) || of[int(cell)] < slices.Max(of)-1e-3 || work < least-1e-3 {
					t.Fatalf("%+v: row %d, column %d: colour %g of %.4f", x, j/columns, j%columns, cell, sum)
				}
			}
			if !all && (marked < 10 || marked > len(sums)/2) {
				t.Errorf("%+v: %d of %d columns have something chosen", x, marked, len(sums))
			}
		} else {
			at := func(tick float64) float64 { return 54 + (tick-x.from*ticks)/span*wide }
			want := [][]any{}
			add := func(a, b float64, w, colour int, gap bool) {
				if b < 54 || a > float64(x.width) {
					return
				}
				a, b = max(54, a), min(float64(x.width), b)
				if gap {
					if b-a > 3 {
						b--
					}
					b = max(b, a+0.5)
				}
				row := slices.Index(rows, w)
				want = append(want, []any{"rect", a, float64(22 + 14*row + 4*(row/2)), b - a, 14.0, colours[colour]})
			}
			for w := range 6 {
				add(max(54, at(0)), min(float64(x.width), at(ticks)), w, kinds, false)
				for _, s := range run.Idle[w] {
					add(at(float64(s.From)), at(float64(s.To)), w, kinds-1, false)
				}
			}
			for k := range run.Start {
				add(at(from[k]), at(from[k]+length[k]), int(run.Worker[k]), colour(k), true)
			}
			same := len(rects) == len(want)+2 && len(want) > 12
			for j := range want {
				for c := range want[j] {
					a, number := want[j][c].(float64)
					same = same && (number && math.Abs(a-rects[j+1][c].(float64)) < 1e-3 || !number &&
						want[j][c] == rects[j+1][c])
				}
				if !same {
					t.Fatalf("%+v: of %d rectangles %v, expected %d, %v", x, len(rects), rects[j+1], len(want), want[j])
				}
			}
			n := 0
			for _, s := range run.Steals {
				if float64(s.At) <= x.from*ticks || float64(s.At) > x.to*ticks {
					continue
				}
				if n < len(arrows) {
					a, thief, victim := arrows[n][1].([]any), slices.Index(rows, int(s.Thief)), slices.Index(rows, int(s.Victim))
					for c, want := range []float64{at(float64(s.At)), float64(22 + 14*victim + 4*(victim/2) + 7),
						at(float64(s.At)), float64(22 + 14*thief + 4*(thief/2) + 7)} {
						if math.Abs(a[c].(float64)-want) > 1e-3 {
							t.Errorf("%+v: steal %d: %v, expected %g in place %d", x, n, a, want, c)
						}
					}
				}
				n++
			}
			if n != len(arrows) || n == 0 && i == 5 {
				t.Errorf("%+v: %d arrows, expected %d", x, len(arrows), n)
			}
		}
	}
}

// shownReuse compares bars with counts: of the same heights in all runs, of the same bins, pale where
// they are not chosen.
func shownReuse(t *testing.T, p *browser.Tab, runs []Run) {
	counts := func(r *scene.Run, node, bin int, from, to int64) (c [scene.Classes]int) {
		for k, at := range r.Start {
			for a := r.From[k]; a < r.From[k+1]; a++ {
				if int(r.Bins[a]) == bin && (node < 0 || r.Node(k) == node) && at >= from && at <= to {
					c[r.Classes[a]]++
				}
			}
		}
		return c
	}
	total := func(c [scene.Classes]int) (n int) {
		for _, v := range c {
			n += v
		}
		return n
	}
	var bins []int
	most := 0
	for b := range scene.ColdBin + 1 {
		n := 0
		for _, r := range runs {
			n = max(n, total(counts(r.Run, -1, b, 0, math.MaxInt64)))
		}
		if n > 0 {
			bins = append(bins, b)
		}
		most = max(most, n)
	}
	mostOfNode := 0 // of the runs that have a row for each
	for node := range 3 {
		for _, b := range bins {
			mostOfNode = max(mostOfNode, total(counts(runs[0].Run, node, b, 0, math.MaxInt64)))
		}
	}
	lo, hi := bins[0], bins[len(bins)-2]
	bins = bins[:0]
	for b := lo; b <= hi; b++ {
		bins = append(bins, b)
	}
	bins = append(bins, scene.ColdBin)
	for _, choice := range []pick{{}, {bins: [2]int{11, 64}, node: 1, time: [2]int64{60000, 160000}}} {
		choice.choose(p, runs[0].Run)
		for i, x := range runs {
			rows := []int{-1, 0, 1, 2}
			if i == 1 {
				rows = rows[:1] // of too many nodes
			}
			from, to := int64(0), int64(math.MaxInt64)
			if choice.time[1] > 0 {
				scale := x.Header.Clock.Hz / runs[0].Header.Clock.Hz
				from, to = int64(float64(choice.time[0])*scale), int64(float64(choice.time[1])*scale)
			}
			var want [][3]float64 // class, 0 as it is, 1 not chosen, 2 all; x; height
			for _, node := range rows {
				top := most
				if node >= 0 {
					top = mostOfNode
				}
				for j, b := range bins {
					left := 55 + 538*float64(j)/float64(len(bins))
					if b == scene.ColdBin {
						left += 8
					}
					put := func(c [scene.Classes]int, how int, least float64) {
						for class, v := range c {
							if v > 0 {
								want = append(want, [3]float64{float64(3*class + how), left, max(least,
									float64(v)/float64(top)*46)})
							}
						}
					}
					how := 0
					if choice != (pick{}) {
						put(counts(x.Run, node, b, 0, math.MaxInt64), 2, 0)
						how = one(b < choice.bins[0] || node >= 0 && node != choice.node)
					}
					put(counts(x.Run, node, b, from, to), how, 0.75)
				}
			}
			kinds := map[int]int{}
			for _, bar := range want {
				kinds[int(bar[0])%3]++
			}
			if i == 0 && choice != (pick{}) && (kinds[0] < 5 || kinds[1] < 5 || kinds[2] < 5) {
				t.Errorf("choice %+v, run %d: bars %d", choice, i, kinds)
			}
			var got [][3]float64
			p.Eval(fmt.Sprintf(`(() => { %s const s = krdlab.shown[%d], p = recorder(600, s.reuse.height), l = [];
				for (const c of CLASS_COLOURS.slice(0, 5)) l.push(c, mix(c, krdlab.look.theme.background, 0.6),
					mix(c, krdlab.look.theme.background, 0.75));
				s.reuse.draw(p, krdlab.look, krdlab.mostAccesses(true), krdlab.mostAccesses(false));
				return p.list.filter(c => c[0] === "rect").slice(1).map(c => [l.indexOf(c[5]), c[1], c[4]]); })()`,
				recorder, i), &got)
			if len(got) != len(want) {
				t.Fatalf("choice %+v, run %d: %d bars, expected %d", choice, i, len(got), len(want))
			}
			for j := range want {
				for c := range want[j] {
					if math.Abs(got[j][c]-want[j][c]) > 1e-6 {
						t.Fatalf("choice %+v, run %d, bar %d: %g, expected %g", choice, i, j, got[j], want[j])
					}
				}
			}
		}
	}
	// what is said over the bar of bin 12 on node 2
	pick{}.choose(p, runs[0].Run)
	p.Centre("canvas.reuse")
	var at browser.Point
	p.Eval(fmt.Sprintf(`(() => { const s = krdlab.shown[0], w = krdlab.width(s), r = s.panes.reuse.canvas.getBoundingClientRect();
		return {X: r.x + 54 + (w - 62) * %g / %d, Y: r.y + 3 * 58 + 30}; })()`,
		float64(slices.Index(bins, 12))+0.5, len(bins)), &at)
	c := counts(runs[0].Run, 2, 12, 0, math.MaxInt64)
	text := fmt.Sprintf("%d accesses", total(c))
	for class, v := range c {
		if v > 0 {
			sep := ", "
			if text[len(text)-1] == 's' {
				sep = ": "
			}
			text += sep + fmt.Sprintf("%s %d", scene.Looks[class].Name, v)
		}
	}
	if got := tip(p, at); !slices.Equal(got, []string{"node 2: distance 2 KiB to 4 KiB", text}) {
		t.Errorf("%q, expected %q", got, text)
	}
}

// shownTree looks at the tree of told: boxes as wide as their kernels, in the colours of nodes, stolen
// ones with a frame; what is said of them, and where a click goes.
func shownTree(t *testing.T, p *browser.Tab, runs []Run) {
	var got struct {
		Boxes          [][3]float64 // x, y, width
		Rects          [][]any
		Stolen         [][2]float64
		Texts, Palette []string
		Trees          int
	}
	p.Eval(fmt.Sprintf(`(() => { %s const t = krdlab.shown[0].tree, p = recorder(402, t.height); t.draw(p, krdlab.look);
		return {Boxes: t.boxes.map(b => [b.x, b.y, b.w]), Palette: krdlab.look.palette,
			Rects: p.list.filter(c => c[0] === "rect").slice(1).map(c => [c[1], c[2], c[3], c[5]]),
			Stolen: p.list.filter(c => c[0] === "frame" && c[5] === krdlab.look.theme.text).map(c => [c[1], c[2]]),
			Texts: p.list.filter(c => c[0] === "text").map(c => c[3]),
			Trees: document.querySelectorAll("canvas.tree").length}; })()`, recorder), &got)
	if want := [][3]float64{{1, 2, 400}, {1, 18, 100}, {101, 18, 300}, {101, 34, 150}}; !slices.Equal(got.Boxes, want) {
		t.Errorf("boxes %g, expected %g", got.Boxes, want)
	}
	rects := fmt.Sprint(got.Rects)
	if want := fmt.Sprint([][]any{{1, 2, 400, got.Palette[0]}, {1, 18, 25, got.Palette[0]}, {26, 18, 75, got.Palette[1]},
		{101, 18, 300, got.Palette[0]}, {101, 34, 50, got.Palette[0]}, {151, 34, 100, got.Palette[2]}}); rects != want {
		t.Errorf("rectangles %s, expected %s", rects, want)
	}
	if want := [][2]float64{{1.5, 18.5}, {101.5, 34.5}}; !slices.Equal(got.Stolen, want) {
		t.Errorf("stolen at %g, expected %g", got.Stolen, want)
	}
	if !slices.Equal(got.Texts, []string{"×10"}) || got.Trees != 1 {
		t.Errorf("texts %q, %d trees", got.Texts, got.Trees)
	}
	p.Eval(`(krdlab.redraw("tree"), true)`, nil)
	p.Wait(ready)
	p.Centre("canvas.tree")
	for _, x := range []struct {
		share float64 // of the width
		level float64
		lines []string
		at    float64
	}{{0.9, 0, []string{"a task, 13 tasks in all", "begun by worker 0 of node 0, at 0 ns",
		"kernels: 1.6 µs, node 2 50.0 %, node 0 31.3 %, node 1 18.8 %"}, 0},
		{0.1, 1, []string{"a task", "begun by worker 4 of node 1, at 200 ns", "kernels: 400 ns, node 1 75.0 %, node 0 25.0 %",
			"stolen: begun by another worker than its parent"}, 200},
		{0.4, 2, []string{"10 siblings of the same shape, 10 tasks in all",
			"begun by worker 5 of node 2, the first of them, at 1 µs",
			"kernels: 600 ns, node 2 66.7 %, node 0 33.3 %",
			"3 of them stolen: begun by another worker than their parent"}, 1000}, {0.9, 2, nil, 1000}} {
		var at browser.Point
		p.Eval(fmt.Sprintf(`(() => { const r = krdlab.shown[0].panes.tree.canvas.getBoundingClientRect();
			return {X: r.x + r.width * %g, Y: r.y + 2 + 16 * %g + 7}; })()`, x.share, x.level), &at)
		if got := tip(p, at); !slices.Equal(got, x.lines) {
			t.Errorf("%g of level %g: %q, expected %q", x.share, x.level, got, x.lines)
		}
		p.Press(at, 0)
		p.Release(at, 0)
		p.Wait(ready)
		var now float64
		p.Eval(`krdlab.look.at`, &now)
		if now != x.at {
			t.Errorf("a click goes to %g, expected %g", now, x.at)
		}
	}
}

// A map of an object of more than 50000 units has cells of several; of many steals the thieves
// alone are drawn, and of more than 1500, or 150 where few are asked for, every second or so.
func shownLarge(t *testing.T, p *browser.Tab, runs []Run) {
	shownMap(t, p, runs)
	for _, x := range []struct {
		to, marks, arrows float64
		steals            string
	}{{1, 1000, 0, "all"}, {0.5, 1000, 0, "all"}, {0.05, 0, 100, "all"}, {1, 143, 0, "few"}, {0.05, 0, 100, "few"}} {
		var got [3]float64
		p.Eval(fmt.Sprintf(`(() => { %s const s = krdlab.shown[0], p = recorder(1054, s.timeline.height);
			s.timeline.draw(p, {...krdlab.look, steals: %q, from: 0, to: %g / s.run.scale}, 50000);
			return [p.list.filter(c => c[0] === "rect" && c[5] === krdlab.look.theme.text).length,
				p.list.filter(c => c[0] === "line" && c[4] === 0.55).length, s.timeline.arrows]; })()`, recorder,
			x.steals, x.to*float64(runs[0].Ticks)), &got)
		if want := [3]float64{x.marks, x.arrows, x.to * 2000}; got != want {
			t.Errorf("to %g: %g marks, arrows and steals, expected %g", x.to, got, want)
		}
	}
}

// large is a run of objects of 60000 units, one of them along a curve, with 2000 steals.
func large(t testing.TB) []Run {
	r := made(t, shape{seed: 13, workers: 4, nodes: 2, executions: 3000, blocks: 60000, hz: 1e9})
	r.Objects[1].Layout = scene.Layout{Curve: true}
	r.Steals = nil
	for i := range 2000 {
		r.Steals = append(r.Steals, scene.Steal{At: (2*int64(i) + 1) * r.Ticks / 4000, Thief: 1})
	}
	return []Run{{Name: "large", Run: r, NoTasks: "none"}}
}
