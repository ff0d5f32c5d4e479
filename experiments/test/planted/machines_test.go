package planted

import "strings"

// defect simulates a kernel on a machine as it is and on one with other values, and compares.
func defect(kernel string, values ...string) string {
	other := ""
	for _, v := range values {
		other += "set b.toml " + v + "\n"
	}
	run := "run " + kernel + " --cores 12 --reps 10 --sched workfirst,helpfirst --trace krd --machine "
	return "machine show westmere-ex-4s > a.toml\nmachine show westmere-ex-4s > b.toml\n" + other +
		run + "a.toml --out a\n" + run + "b.toml --out b\ncompare a b --json"
}

// whyWith takes the causes of a run away, on a machine with another value.
func whyWith(kernel, value string) string {
	return "machine show westmere-ex-4s > b.toml\nset b.toml " + value + "\n" +
		strings.Replace(whyOf(kernel), "westmere-ex-4s", "b.toml", 1)
}

// again is a run of the same machine with another seed, or more flags.
func again(kernel, flags string) string {
	return strings.Replace(defect(kernel), "b.toml --out", "a.toml "+flags+" --out", 1)
}

// thrice are three repetitions, which all miss as often: on an LLC as it is, and on one of 1/16.
var thrice = strings.ReplaceAll(strings.ReplaceAll(defect("triad --n 262144 --sweeps 4", "llc.size 1152KiB",
	"l2.size 128KiB"), "--reps 10", "--reps 3"), "--cores 12", "--cores 4")

// The codes of krdlab compare.
var changes = never("got_better", "got_worse")

const (
	sor    = "sor --n 512"
	matmul = "matmul --n 256"
	causes = "what changed is told, and not why"
)

// surveyed simulates a kernel under schedulers and surveys it.
func surveyed(kernel, flags string) string {
	return "sweep " + kernel + " --cores 12 --machine westmere-ex-4s --out a " + flags + "\nsurvey a --json"
}

// machines are those of krdlab compare and survey, on simulated machines.
var machines = inGroup("machines", []truth{
	{name: "another seed", run: again(matmul, "--seed 2"), want: []named{{"nothing_changed", ""}}, never: changes},
	{name: "another seed of sor", run: again(sor, "--seed 7"), never: append(never("no_intervals", "other_machine"), changes...)},
	{name: "the same run", run: again(matmul, ""), want: []named{{"all_the_same", ""}},
		never: append(never("nothing_changed", "no_change_can_hold", "other_model", "setting_differs"), changes...)},
	{name: "few repetitions of another seed", want: []named{{"no_change_can_hold", ""}},
		run:   strings.ReplaceAll(again(matmul, "--seed 2"), "--reps 10", "--reps 4"),
		never: append(never("nothing_changed", "all_the_same"), changes...)},
	{name: "three repetitions of a smaller LLC", run: thrice, want: []named{{"no_intervals", "A"}, {"other_machine", ""}},
		never: changes},
	{name: "three repetitions, too few to test", run: thrice, want: []named{{"no_change_can_hold", ""}}, long: true,
		why: "that no test was made is told in words only"},
	{name: "a remote latency times three", run: defect(sor, "memory.remote 660ns"),
		want:  []named{{"got_worse", "time"}, {"other_model", ""}},
		never: append(never("nothing_changed", "all_the_same"), named{"got_better", "time"})},
	{name: "its cause, the remote latency", run: defect(sor, "memory.remote 660ns") + " --why",
		want: []named{{"cause", "workfirst: distance"}, {"cause", "helpfirst: distance"}}, never: never("causes_stay")},
	{name: "no cause, of another seed", run: again(matmul, "--seed 2") + " --why", want: []named{{"causes_stay", ""}},
		never: never("cause")},
	{name: "half the bandwidth of the memory", run: defect(sor, "memory.bandwidth 9.6GB/s"),
		want: []named{{"got_worse", "time"}}, never: []named{{"got_better", "time"}}},
	{name: "its cause, the bandwidth", run: defect(sor, "memory.bandwidth 9.6GB/s") + " --why",
		want: []named{{"cause", "workfirst: distance"}}, never: never("causes_stay")},
	{name: "half the bandwidth of a kernel in caches", run: defect(matmul, "memory.bandwidth 9.6GB/s"), never: changes},
	{name: "an LLC of 1/16", run: defect("matmul --n 512", "llc.size 1152KiB", "l2.size 128KiB"),
		want: []named{{"got_worse", "LLC misses per core (model: fully associative, blocks)"}}},
	{name: "the cause of a smaller LLC", run: defect("triad --n 262144 --sweeps 4", "llc.size 1152KiB", "l2.size 128KiB") + " --why",
		want: []named{{"cause", "workfirst: capacity"}}, never: []named{{"cause", "workfirst: the runtime"}}},
	{name: "a remote latency of 2 us, and what it costs", run: whyWith("sor --n 512", "memory.remote 2us"),
		want: []named{{"loses_to", "workfirst: distance"}}, never: []named{{"loses_to", "workfirst: the runtime"}}},
	{name: "a hand-over of 20 us, and what it costs", run: whyWith(matmul+" --sched shepherd-socket",
		"costs.lock_handover 20us"),
		want: []named{{"loses_to", "shepherd-socket: locks of queues"}}, never: never("loses_little")},
	{name: "pages interleaved in place of on node 0", run: defect(sor, "memory.placement interleave"),
		want: []named{{"got_better", "time"}, {"setting_differs", "numa"}}, never: []named{{"got_worse", "time"}}},
	{name: "steals that take ten times as long", run: defect(sor, "costs.steal_local 3us", "costs.steal_remote 9us"),
		want: []named{{"got_worse", "time"}, {"got_worse", "OVR"}}, never: []named{{"got_worse", "WTI"}}},
	{name: "workers that wake late", run: defect(sor, "costs.rest 50us"),
		want: []named{{"got_worse", "time"}, {"got_worse", "OVR"}}, never: []named{{"got_worse", "WTI"}}},
	{name: "their cause, that they wake late", run: defect(sor, "costs.rest 50us") + " --why",
		want: []named{{"cause", "helpfirst: the runtime"}}, never: never("causes_stay")},
	{name: "a lock held ten times as long", run: strings.ReplaceAll(defect(sor, "costs.lock 400ns",
		"families.qthreads-socket.lock 8us"), "workfirst,helpfirst", "shepherd-socket"),
		want: []named{{"got_worse", "time"}, {"got_worse", "OVR"}}},
	{name: "a best scheduler", run: surveyed("sor --n 512", "--sched workfirst,shepherd-socket --reps 10"),
		want: []named{{"best_told", "1"}}, never: never("best_tied", "too_few_to_tell_best", "unlike_rows")},
	{name: "too few repetitions for a best one", want: []named{{"too_few_to_tell_best", "1"}},
		run:   surveyed("sor --n 512", "--sched workfirst,shepherd-socket --reps 3"),
		never: never("best_told", "best_tied")},
	{name: "two schedulers that tie", want: []named{{"best_tied", "1"}}, never: never("best_told"),
		run: surveyed("matmul --n 64", "--sched workfirst,steal-half --reps 10")},
})
