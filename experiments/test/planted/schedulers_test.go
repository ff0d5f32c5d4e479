package planted

// planter is the main.go of the krdlab that is tested: one more scheduler, with defects as parameters.
// Without any it queues children, steals half, and looks on its own node first.
const planter = `package main

import (
	"os"

	"krdlab/cmd/krdlab/app"
	. "krdlab/runtimes"
)

type planted struct{ Params }

func (p planted) Rules() Rules {
	r := Rules{Spawn: SpawnParent, Half: p.Params["one"] == 0}
	if r.Locked = p.Params["order"] > 0; p.Params["order"] == 2 {
		r.Take = TakeOldest
	}
	return r
}

func (p planted) Look(s *Search) Move {
	s.Step++
	from := s.Victims
	if s.Local > 0 && p.Params["blind"] == 0 && s.Step%8 != 1 {
		from = from[:s.Local]
	}
	switch {
	case s.Step%2 == 0 && s.Step%4 == 2:
		return Move{Kind: MoveOwn}
	case s.Step%2 == 0 || len(from) == 0 || s.Worker+1 == p.Params["idler"] || s.Step%(1+2*p.Params["slow"]) > 1:
		return Rest
	}
	return Move{Kind: MoveSteal, Victim: from[s.Rand.N(len(from))], Half: p.Params["one"] == 0}
}

func param(name string, most int) Param {
	return Param{Name: name, Max: most, Help: "a defect"}
}

func main() {
	os.Exit(app.Main(os.Args, app.Tables{Schedulers: append(Schedulers, Scheduler{Name: "planted",
		Doc: "with a defect", Family: "tbb", Random: true, Make: func(p Params) Policy { return planted{p} },
		Params: []Param{param("one", 1), param("blind", 1), param("idler", 100), param("slow", 100), param("order", 2),
			param("none", 1)}})}))
}
`

// pair sets a scheduler against another on four cores, where a steal from another node costs much.
func pair(kernel, one, other string) string {
	return "machine show westmere-ex-4s > far.toml\nset far.toml costs.steal_local 5us\nset far.toml costs.steal_remote 50us\n" +
		"run " + kernel + " --reps 10 --trace krd --machine far.toml --sched " + one + "," + other + " --json"
}

// slower is a scheduler with a defect that one without, the first, has to beat.
func slower(name, kernel, one, other string) truth {
	return truth{name: name, run: pair(kernel, one, other), want: []named{{"fastest", one}},
		never: append(never("best_tied", "cannot_tell", "too_few_to_tell_best"), named{"fastest", other})}
}

const (
	planted = "planted"
	grained = finer + "32x32x64 --cores 4"
)

// scheduled are schedulers with a defect, and two that differ in nothing. Each kernel was chosen as one
// where the defect costs: to steal one at a time is as good or better in most others.
var scheduled = inGroup("schedulers", []truth{
	slower("a worker that never steals", grained, planted, "planted:idler=2"),
	slower("a scheduler that ignores nodes", "sor --n 512 --rows 16 --cores 12", planted, "planted:blind=1"),
	slower("a scheduler that steals one at a time", "uts --root 2000 --m 2 --q 0.1 --cores 4", planted, "planted:one=1"),
	slower("a scheduler that looks rarely", grained, planted, "planted:slow=50"),
	slower("a scheduler that takes the oldest first", "nqueens --n 8 --cutoff 3 --cores 4", "planted:order=1", "planted:order=2"),
	{name: "two schedulers that differ in nothing", run: pair(grained, planted, "planted:none=1"),
		want: []named{{"best_tied", "fastest on 4 cores: 1"}}, never: never("fastest", "fewest_beyond", "cannot_tell")},
	{name: "a scheduler with a defect, surveyed", long: true, run: surveyed(finer+"32x32x64", "--sched planted,planted:idler=2 --reps 10"),
		want: []named{{"best_told", "1"}}, never: never("best_tied", "too_few_to_tell_best")},
	{name: "two schedulers that differ in nothing, surveyed", long: true, never: never("best_told"), want: []named{{"best_tied", "1"}},
		run: surveyed(finer+"32x32x64", "--sched planted,planted:none=1 --reps 10")},
	uncaused("its cause, the worker", pair(grained, planted, "planted:idler=2"), "steals"),
})
