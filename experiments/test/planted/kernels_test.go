package planted

import "math"

// ran simulates a kernel under a scheduler, and prints what follows.
func ran(kernel string) string {
	return "run " + kernel + " --cores 12 --reps 10 --trace krd --machine westmere-ex-4s --json"
}

// overhead is where the time under the default scheduler went: OVR, the part that is idle, and WTI.
func overhead(arg int, from, to float64) number {
	return number{named{"overhead", "workfirst"}, arg, from, to}
}

const (
	ovr, idle, wti = 1, 2, 3
	untoldCause    = "where the time went is told, and not why"
	finer          = "matmul --n 256 --leaf "
	laid           = "matmul --n 256 --layout "
)

// uncaused is a run whose cause is not told yet.
func uncaused(name, run, cause string) truth {
	return truth{name: name, run: run, want: []named{{"cause", cause}}, why: untoldCause, long: true}
}

// whyOf takes the causes of a run away.
func whyOf(kernel string) string {
	return "run --cores 12 --reps 6 --machine westmere-ex-4s --out a " + kernel + "\nwhy a --json"
}

// lost is a run whose first cause is known, and one that it has not.
func lost(name, kernel, cause, never string) truth {
	return truth{name: name, run: whyOf(kernel), want: []named{{"loses_to", cause}},
		never: []named{{"loses_to", never}, {"loses_little", ""}, {"no_intervals_of_causes", ""}}}
}

// twoWriters are events of kernels on a block, by two workers in turn: a barrier lies between them.
func twoWriters(block string) []string {
	return []string{"0 100 event task(1,0,0,0,1)", "0 110 130 fill(1)", "0 131 event child(1,0,0)", "0 132 event phase(1,0,1)",
		"1 150 190 add(" + block + ")", "1 191 event child(1,1,0)", "0 195 200 fill(1)", "0 201 event phase(1,1,0)"}
}

// kernelled are kernels with a defect, each beside the same without.
var kernelled = inGroup("kernels", []truth{
	{name: "one long task", run: ran(finer + "256x256x256"), tells: []number{overhead(ovr, 11, 13), overhead(idle, 10, 12),
		overhead(wti, 0.98, 1.02), {named{"speedup", "workfirst"}, 1, 1, 1.1}}, never: never("no_speedup", "cannot_tell")},
	{name: "many short tasks", run: ran(finer + "32x32x64"), tells: []number{overhead(ovr, 1, 1.4), overhead(idle, 0, 0.3)},
		never: never("no_speedup", "cannot_tell")},
	{name: "no kernel to time", run: ran("fib --n 12"), want: []named{{"no_speedup", "12"}}, never: never("speedup", "overhead")},
	{name: "too fine a grain", run: ran(finer + "8x8x8"), tells: []number{overhead(ovr, 3, math.Inf(1)), overhead(idle, 0, 0.3)}},
	{name: "a layout that scatters", run: ran(laid + "row"), tells: []number{overhead(wti, 1.15, 1.5), overhead(ovr, 1, 1.3)}},
	{name: "a layout of tiles", run: ran(laid + "tiled"), tells: []number{overhead(wti, 1, 1.05), overhead(ovr, 1, 1.3)}},
	{name: "a serial phase", run: ran("lu --n 512 --block 64"), tells: []number{overhead(idle, 2, 8), overhead(wti, 1, 1.05)}},
	lost("its cause, one long task", finer+"256x256x256", "workfirst: too little parallelism", "workfirst: the runtime"),
	lost("its cause, the grain", finer+"8x8x8", "workfirst: the runtime", "workfirst: too little parallelism"),
	lost("the same with short tasks", finer+"32x32x64", "workfirst: the runtime", "workfirst: too little parallelism"),
	lost("its cause, the layout", "matmul --n 512 --leaf 64x64x64 --layout row", "workfirst: cold misses of each node",
		"workfirst: imbalance"),
	lost("its cause, a serial phase", "lu --n 512 --block 64", "workfirst: too little parallelism", "workfirst: the runtime"),
	{name: "long tasks on two cores", run: whyOf(finer + "64x64x256 --cores 2 --n 1024"), want: []named{{"loses_little", "workfirst"}},
		never: never("loses_to", "no_intervals_of_causes", "not_repeated")},
	{name: "three repetitions of one", run: whyOf(finer + "32x32x64 --reps 3"), want: []named{{"no_intervals_of_causes", "3"}},
		never: never("loses_little", "not_repeated")},
	{name: "a block that two workers write", run: graphed, files: traced(kernels, twoWriters("1")...), never: never("race"),
		want: []named{{"cause", "A[1]"}}, why: "krd --coherence counts what writes take away, and names no block"},
	{name: "blocks that one worker writes each", run: graphed, files: traced(kernels, twoWriters("2")...),
		never: never("race", "cause")},
})
