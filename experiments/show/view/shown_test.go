package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/show/scene"
	"krdlab/experiments/test/browser"
)

// recorder is JavaScript: what a panel draws on it is a list of calls, their names first.
const recorder = `const recorder = (width, height) => {
	const list = [], p = {width, height, list};
	for (const f of ["rect", "frame", "line", "arc", "text", "cells", "clip", "unclip"]) {
		p[f] = (...a) => list.push([f, ...a.map(x => x instanceof Uint16Array ? [...x] : x)]);
	}
	return p;
};`

// told are two runs with what small ones lack: tasks with one stamp, nodes whose workers do not follow
// each other, a matrix, a curve, and more nodes than bits in a word.
func told(t testing.TB) []Run {
	a := made(t, shape{seed: 11, workers: 6, nodes: 3, executions: 1500, blocks: 300, hz: 2.5e9,
		spread: true, tasks: true})
	a.Objects[0].Layout, a.Objects[1].Layout = scene.Layout{Across: 20}, scene.Layout{Curve: true}
	a.Objects[2].Name = "a~b"
	b := made(t, shape{seed: 12, workers: 40, nodes: 40, executions: 2000, blocks: 300, hz: 1e9})
	b.Objects[0].Name, b.Objects[0].Bytes = "read", 1<<40 // nobody writes it
	return []Run{{Name: "ta/sks", Run: a, Tasks: folded(a)}, {Name: "nodes", Run: b, NoTasks: "none"}}
}

// folded is a tree of tasks: of the two below the root the first is stolen; the second has ten of one
// shape below it; three of them are stolen, on two nodes.
func folded(r *scene.Run) *scene.Folded {
	by := func(v ...int64) []int64 { return v }
	return &scene.Folded{Ticks: 4000, Tasks: 13, Same: 1, By: by(1250, 750, 2000), Below: []scene.Folded{
		{Ticks: 1000, Tasks: 1, Same: 1, By: by(250, 750, 0), Place: 1, Worker: 4, Stolen: 1, Began: 500},
		{Ticks: 3000, Tasks: 11, Same: 1, By: by(1000, 0, 2000), Place: 0, Worker: 3, Began: 1000,
			Below: []scene.Folded{{Ticks: 1500, Tasks: 10, Same: 10, By: by(500, 0, 1000), Place: 2,
				Worker: 5, Stolen: 3, Began: 2500}}}}}
}

// browserShown has a page for each part of it.
func browserShown(t *testing.T, _ *browser.Browser) {
	few, big := told(t), large(t)
	coarse, url := coarsePage(t)
	grouped := []Run{{Run: coarse}}
	pages := map[*Run]string{&few[0]: page(t, few), &big[0]: page(t, big), &grouped[0]: url}
	for _, x := range []struct {
		name string
		runs []Run
		test func(t *testing.T, p *browser.Tab, runs []Run)
	}{{"columns", few, shownColumns}, {"state", few, shownState}, {"hover", few, shownHover},
		{"map", few, shownMap}, {"timeline", few, shownTimeline}, {"reuse", few, shownReuse},
		{"tree", few, shownTree}, {"large", big, shownLarge}, {"play", few, shownPlay},
		{"address", few, shownAddress}, {"keys", few, shownKeys}, {"saved", few, shownSaved},
		{"coarse", grouped, shownCoarse}} {
		t.Run(x.name, func(t *testing.T) {
			p := show(browser.Start(t), pages[&x.runs[0]], browser.View{Width: 1400, Height: 1000, Scheme: "light"})
			x.test(t, p, x.runs)
			quiet(t, p, x.name)
		})
	}
}

// drawn is where each execution is drawn, and for how long: those of a task share its time.
func drawn(r *scene.Run) (from, length []float64) {
	from, length = make([]float64, len(r.Start)), make([]float64, len(r.Start))
	for _, l := range r.ByWorker() {
		for i := 0; i < len(l); {
			j := i + 1
			for r.Task != nil && r.Task[l[i]] && j < len(l) && r.Task[l[j]] &&
				r.Start[l[i]] == r.Start[l[j]] && r.End[l[i]] == r.End[l[j]] {
				j++
			}
			for m := i; m < j; m++ {
				length[l[m]] = float64(r.End[l[i]]-r.Start[l[i]]) / float64(j-i)
				from[l[m]] = float64(r.Start[l[i]]) + length[l[m]]*float64(m-i)
			}
			i = j
		}
	}
	return from, length
}

// The page unpacks what was packed.
func shownColumns(t *testing.T, p *browser.Tab, runs []Run) {
	var got []struct {
		Worker, Kind, Cls, Wrote, From, Items, Modes, Classes []int
		Start, Drawn, Dur                                     []float64
		Idle                                                  [][]int64
		At                                                    []int64
		Thief, Victim                                         []int
		Units                                                 [][]int // of the objects: the first and the last but one
		Facts                                                 string
	}
	p.Eval(`krdlab.shown.map(({run: r, element}) => ({Worker: [...r.worker], Kind: [...r.kind], Cls: [...r.cls], Wrote: [...r.wrote],
		From: [...r.from], Items: [...r.items], Modes: [...r.modes], Classes: [...r.classes], Start: [...r.start],
		Drawn: [...r.drawn], Dur: [...r.dur], Idle: r.idle.map(l => [...l]), At: [...r.steals.at],
		Thief: [...r.steals.thief], Victim: [...r.steals.victim],
		Units: r.meta.objects.map(o => [r.objectOf(o.first), r.objectOf(o.first + o.units - 1)]),
		Facts: element.querySelector(".facts").textContent}))`, &got)
	for i, run := range runs {
		g := got[i]
		if len(g.Worker) != len(run.Start) || len(g.Items) != len(run.Items) ||
			len(g.At) != len(run.Steals) || len(run.Steals) < 50 || len(g.Idle) != len(run.Idle) {
			t.Fatalf("run %d: %d executions, %d accesses, %d steals", i, len(g.Worker), len(g.Items), len(g.At))
		}
		from, length := drawn(run.Run)
		shared, writers := 0, run.Writers()
		for k := range run.Start {
			if g.Worker[k] != int(run.Worker[k]) || g.Kind[k] != int(run.Kernel[k]) ||
				g.Cls[k] != int(run.Farthest(k)) || g.Wrote[k] != int(writers[k]) || g.From[k] != int(run.From[k]) ||
				g.Start[k] != float64(run.Start[k]) || !near(g.Drawn[k], from[k]) || !near(g.Dur[k], length[k]) {
				t.Fatalf("run %d, execution %d: worker %d, kernel %d, class %d from %g, drawn from %g for %g; "+
					"expected from %g for %g", i, k, g.Worker[k], g.Kind[k], g.Cls[k], g.Start[k], g.Drawn[k],
					g.Dur[k], from[k], length[k])
			}
			shared += one(from[k] > float64(run.Start[k]))
		}
		if (shared > 100) != (run.Task != nil) {
			t.Errorf("run %d: %d executions have a part of the time of a task", i, shared)
		}
		for a := range run.Items {
			if g.Items[a] != int(run.Items[a]) || g.Modes[a] != int(run.Modes[a]) ||
				g.Classes[a] != int(run.Classes[a]) {
				t.Fatalf("run %d, access %d: of %d, mode %d, class %d", i, a, g.Items[a], g.Modes[a], g.Classes[a])
			}
		}
		for w, l := range run.Idle {
			var want []int64
			for _, s := range l {
				want = append(want, s.From, s.To)
			}
			if !slices.Equal(g.Idle[w], want) {
				t.Errorf("run %d, worker %d: idle %d, expected %d", i, w, g.Idle[w], want)
			}
		}
		far := 0
		for s, x := range run.Steals {
			if g.At[s] != x.At || g.Thief[s] != int(x.Thief) || g.Victim[s] != int(x.Victim) {
				t.Fatalf("run %d: steal %d at %d, by %d of %d; expected %+v", i, s, g.At[s], g.Thief[s],
					g.Victim[s], x)
			}
			far += one(run.Header.Workers[x.Thief].Node != run.Header.Workers[x.Victim].Node)
		}
		if want := fmt.Sprintf("; %d steals, %d from another node.", len(run.Steals), far); far == 0 ||
			far == len(run.Steals) || !strings.HasSuffix(g.Facts, want) {
			t.Errorf("run %d: %s, expected %s", i, g.Facts, want)
		}
		for o, l := range g.Units {
			if l[0] != o || l[1] != o {
				t.Errorf("run %d: the units of object %d are of %d", i, o, l)
			}
		}
	}
}

// Wherever the slider goes, back over states that are kept and between them, units have been touched
// and written as until then.
func shownState(t *testing.T, p *browser.Tab, runs []Run) {
	r := rand.New(rand.NewPCG(1, 1))
	for i, run := range runs {
		var step int
		p.Eval(fmt.Sprintf(`krdlab.shown[%d].state.step`, i), &step)
		list := []int{len(run.Start) - 1, 4*step - 2, 9 * step, 2*step - 1, 2 * step, 3, 8*step - 3}
		for range 5 {
			list = append(list, r.IntN(len(run.Start)))
		}
		most := 0
		for _, until := range list {
			var got struct{ Toucher, Writer, Bin, Access, Nodes, Of []int }
			p.Eval(fmt.Sprintf(`(() => { const r = krdlab.shown[%d].run, s = krdlab.shown[%[1]d].state; s.to(%d); return {
				Toucher: [...s.toucher], Writer: [...s.writer], Bin: [...s.bin], Access: [...s.access].map(a => Math.max(a, -1)),
				Nodes: [...s.bin.keys()].map(u => s.nodesOf(u)),
				Of: [...s.access].map(a => a < 0 ? -1 : r.executionOf(a))}; })()`, i, run.Start[until]), &got)
			s, of := run.Begin(), make([]int, len(run.Bytes))
			for u := range of {
				of[u] = -1
			}
			for k := range run.Start {
				if run.Start[k] <= run.Start[until] {
					s.Execute(k, func(u scene.Unit) { of[u] = k })
				}
			}
			for u := range s.Units {
				x := &s.Units[u]
				most = max(most, int(x.Nodes))
				if int(x.Toucher) != got.Toucher[u] || int(x.Writer) != got.Writer[u] || int(x.Bin) != got.Bin[u] ||
					int(x.Access) != got.Access[u] || int(x.Nodes) != got.Nodes[u] || of[u] != got.Of[u] {
					t.Fatalf("run %d, execution %d, unit %d: touched by %d in %d, %d nodes; expected %+v in %d", i,
						until, u, got.Toucher[u], got.Of[u], got.Nodes[u], x, of[u])
				}
			}
		}
		if most < min(run.Header.Nodes, 10) {
			t.Errorf("run %d: at most %d nodes had a unit", i, most)
		}
	}
}

// between returns what the units have that node touched between an access and the one before that
// touched the same: bytes by object, the one that was touched last first.
func between(r *scene.Run, k int, a, before int32) (distance uint64, objects []int, bytes map[int]uint64) {
	seen := map[scene.Unit]bool{}
	bytes = map[int]uint64{}
	for e := k; e >= 0; e-- {
		for i := min(int32(r.From[e+1]), a) - 1; r.Node(e) == r.Node(k) && i >= int32(r.From[e]); i-- {
			if i <= before {
				return distance, objects, bytes
			}
			for _, u := range r.Units(r.Items[i]) {
				if seen[u] {
					continue
				}
				seen[u] = true
				distance += r.Bytes[u]
				o := objectOf(r, u)
				if bytes[o] == 0 {
					objects = append(objects, o)
				}
				bytes[o] += r.Bytes[u]
			}
		}
	}
	return distance, objects, bytes
}

func objectOf(r *scene.Run, u scene.Unit) int {
	return slices.IndexFunc(r.Objects, func(o scene.Area) bool {
		return u >= o.First && int(u-o.First) < o.Units
	})
}

// named is how the page calls a unit, or several.
func named(r *scene.Run, item uint32) string {
	l := r.Units(item)
	o := &r.Objects[objectOf(r, l[0])]
	switch i := int(l[0] - o.First); {
	case int(item) >= len(r.Bytes):
		return fmt.Sprintf("%d pieces of %s", len(l), o.Name)
	case o.Layout.Across > 0:
		return fmt.Sprintf("%s[%d, %d]", o.Name, i/o.Layout.Across, i%o.Layout.Across)
	default:
		return fmt.Sprintf("%s[%d]", o.Name, i)
	}
}

// executionOf is the execution of an access.
func executionOf(r *scene.Run, a int32) int {
	k, _ := slices.BinarySearchFunc(r.From, uint32(a), func(from, a uint32) int {
		return one(from > a)*2 - 1
	})
	return k - 1
}

// lines are those of what is said of an execution, as JavaScript templates.
func lines(r *scene.Run, k int, previous []int32) (list []string, arcs [][2]int) {
	from, length := drawn(r)
	scale := r.Header.Clock.Hz / 1e9
	list = append(list, fmt.Sprintf("%s, worker %d of node %d", r.Header.Registry.Kernels[r.Kernel[k]].Name,
		r.Worker[k], r.Node(k)), fmt.Sprintf(`from ${timeText(%g, "ns")}, for ${timeText(%g, "ns")}`,
		from[k]/scale, length[k]/scale))
	arcs = [][2]int{}
	far, last := -1, ""
	for a := int32(r.From[k]); a < int32(r.From[k+1]); a++ {
		text := fmt.Sprintf("%s %s: ", []string{"", "reads", "writes", "updates"}[r.Modes[a]], named(r, r.Items[a]))
		if previous[a] < 0 {
			list = append(list, text+"first access on the node")
			continue
		}
		p := executionOf(r, previous[a])
		distance, objects, bytes := between(r, k, a, previous[a])
		arcs = append(arcs, [2]int{int(a), p})
		list = append(list, text+fmt.Sprintf("%s, ${bytesText(%d)} of other data since worker %d used it",
			scene.Looks[r.Classes[a]].Name, distance, r.Worker[p]))
		if int(distance) <= far {
			continue
		}
		slices.SortStableFunc(objects, func(a, b int) int { return int(bytes[b]) - int(bytes[a]) })
		var parts []string
		for _, o := range objects {
			parts = append(parts, fmt.Sprintf("${bytesText(%d)} of %s", bytes[o], r.Objects[o].Name))
		}
		far, last = int(distance), ""
		if len(parts) > 0 {
			last = "between the farthest and its use before: " + strings.Join(parts, ", ")
		}
	}
	if last != "" {
		list = append(list, last)
	}
	return list, arcs
}

// tip returns the text of the page at a point.
func tip(p *browser.Tab, at browser.Point) (lines []string) {
	p.Move(browser.Point{X: at.X, Y: at.Y + 0.5}, 0)
	p.Move(at, 0)
	p.Wait(ready)
	p.Eval(`document.getElementById("tip").hidden ? null :
		[...document.querySelectorAll("#tip div")].map(d => d.textContent)`, &lines)
	return lines
}

// Over an execution, arcs lead to the uses before of what it accesses, and what lies between them is
// said; over the rest of a row, whether its worker searches.
func shownHover(t *testing.T, p *browser.Tab, runs []Run) {
	run := runs[0].Run
	previous := run.Previous()
	from, length := drawn(run)
	seen := map[string]bool{}
	over := func(w int, at float64) browser.Point {
		var to browser.Point
		p.Wait(ready)
		p.Eval(fmt.Sprintf(`(() => { scrollTo(0, 0); const s = krdlab.shown[0], t = s.timeline;
			const r = s.panes.timeline.canvas.getBoundingClientRect(), i = [...Array(6).keys()].sort(
				(a, b) => a %% 3 - b %% 3 || a - b).indexOf(%d);
			return {X: r.x + t.x(krdlab.look, krdlab.width(s), %g), Y: r.y + 22 + i * t.high + (i >> 1) * 4 + 4}; })()`,
			w, at), &to)
		return to
	}
	for k := 600; k < 1400 && len(seen) < 12; k += 7 {
		want, arcs := lines(run, k, previous)
		kind := fmt.Sprint(len(arcs), len(want), run.Task[k])
		if seen[kind] {
			continue
		}
		seen[kind] = true
		scale := run.Header.Clock.Hz / 1e9
		p.Eval(fmt.Sprintf(`(krdlab.zoom(%g, %g), true)`, (from[k]-4*length[k])/scale, (from[k]+5*length[k])/scale), nil)
		got := tip(p, over(int(run.Worker[k]), from[k]+length[k]/2))
		var text []string
		p.Eval("[`"+strings.Join(want, "`, `")+"`]", &text)
		if !slices.Equal(got, text) {
			t.Errorf("execution %d: %q, expected %q", k, got, text)
		}
		var drawn [][2]int
		p.Eval(`krdlab.shown[0].timeline.arcs.map(a => [a.access, a.execution])`, &drawn)
		if !slices.Equal(drawn, arcs) {
			t.Errorf("execution %d: arcs %d, expected %d", k, drawn, arcs)
		}
	}
	if len(seen) < 6 {
		t.Errorf("%d kinds of executions", len(seen))
	}
	for w, l := range run.Idle {
		s := l[len(l)/2]
		k := slices.IndexFunc(run.Start, func(t int64) bool { return t >= s.To })
		for int(run.Worker[k]) != w {
			k++
		}
		scale := run.Header.Clock.Hz / 1e9
		p.Eval(fmt.Sprintf(`(krdlab.zoom(%g, %g), true)`, float64(s.From)/scale-500, float64(run.End[k])/scale+500), nil)
		say := fmt.Sprintf("worker %d, node %d: ", w, w%3)
		for _, x := range []struct {
			at   float64
			want string
		}{{float64(s.From+s.To) / 2, say + "idle: it looks for work"},
			{float64(s.To+run.Start[k]) / 2, say + "scheduling"}} {
			if got := tip(p, over(w, x.at)); !slices.Equal(got, []string{x.want}) {
				t.Errorf("worker %d at %g: %q, expected %q", w, x.at, got, x.want)
			}
		}
		var arcs int
		p.Eval(`krdlab.shown[0].timeline.arcs.length`, &arcs)
		if arcs != 0 {
			t.Errorf("%d arcs over no execution", arcs)
		}
	}
}
