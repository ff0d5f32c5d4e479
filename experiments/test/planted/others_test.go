package planted

import "math"

// others are ten that were listed before the rules were read; the numbers of the four of krdlab model
// were set after that.
var others = inGroup("others", []truth{
	{name: "a three-way interaction beside its parts", run: fit + "y~a*b*c", want: []named{effect("a:b:c")},
		lay: table(120, "y,a,b,c", func(r []float64, _ int) any { return r[0] + r[1] + r[2] + r[0]*r[1]*r[2]/2 + r[3]/2 },
			a, b, c), never: []named{effect("a:b"), effect("a:c"), effect("b:c")},
		why: "it is the fourth of its level: three parts that explain more stand before it"},
	{name: "a column that is nearly the sum of two", run: fit + "y~a+b+c", want: []named{{"not_told_from_others", "c"}},
		lay:   table(100, "y,a,b,c", linear, a, b, func(r []float64, _ int) any { return r[0] + r[1] + r[4]/20 }),
		never: never("aliased_column")},
	{name: "an outlier in the first row", run: fit + "y~a+b", want: []named{{"outlier", "row 1"}},
		lay: table(200, "y,a,b", at(1, text("-12"), linear), a, b)},
	{name: "a parabola", run: fit + "y~a+b", want: []named{{"not_linear", "b"}}, lay: table(100, "y,a,b",
		func(r []float64, _ int) any { return math.Pow(r[1]-0.2, 2) + r[0] + r[3]/3 }, a, b),
		never: []named{{"not_linear", "a"}}},
	{name: "a remote latency times three of heat", run: defect("heat --n 512 --steps 4", "memory.remote 660ns"),
		want: []named{{"got_worse", "time"}, {"other_model", ""}}, never: []named{{"got_better", "time"}}},
	{name: "pages on node 0 in place of dealt", long: true, run: again(sor, "--numa dealt"),
		want: []named{{"got_better", "time"}, {"setting_differs", "numa"}}, never: []named{{"got_worse", "time"}},
		why: "the time is 1 % less, too little to be told by ten repetitions; that of a kernel is told"},
	{name: "two fields of one line", run: shown, long: true, want: []named{{code: "false_sharing"}},
		never: never("true_sharing"), files: program("import \"sync\"\n\ntype counts struct{ left, right int }\n" + work +
			"\nfunc main() {\n\tvar w sync.WaitGroup\n\tc := &counts{}\n\tw.Go(func() {\n\t\tfor i := range 500000 {\n" +
			"\t\t\tc.left += work(i)\n\t\t}\n\t})\n\tw.Go(func() {\n\t\tfor i := range 500000 {\n\t\t\tc.right += work(i)\n" +
			"\t\t}\n\t})\n\tw.Wait()\n\tprintln(c.left, c.right)\n}\n")},
	{name: "a map under one lock", run: shown, long: true, want: []named{{code: "lock_waited_for"}},
		files: program("import \"sync\"\n" + work + "\nfunc main() {\n\tvar w sync.WaitGroup\n\tvar m sync.Mutex\n" +
			"\tseen := map[int]int{}\n\tfor range 4 {\n\t\tw.Go(func() {\n\t\t\tfor i := range 20000 {\n\t\t\t\tm.Lock()\n" +
			"\t\t\t\tfor k := range 20 {\n\t\t\t\t\tseen[k] += work(i)\n\t\t\t\t}\n\t\t\t\tm.Unlock()\n\t\t\t}\n\t\t})\n\t}\n" +
			"\tw.Wait()\n\tprintln(len(seen))\n}\n")},
	{name: "a flat matrix against the order of its rows", run: shown, long: true, want: []named{{code: "across_rows"}},
		files: program("func sum(a []int, n int) (s int) {\n\tfor j := range n {\n\t\tfor i := range n {\n" +
			"\t\t\ts += a[i*n+j]\n\t\t}\n\t}\n\treturn s\n}\n\nfunc main() {\n\tprintln(sum(make([]int, 700*700), 700))\n}\n")},
	{name: "a small component that moves as n", run: threeSizes, want: []named{{"component_moves", "bins 23 to 25: n"}},
		lay: signatures(2, 3, peak{share: 0.88, from: 5, to: 7},
			peak{share: 0.12, from: 21, to: 23, fromMove: 1, toMoves: 1}),
		never: never("nothing_moves", "component_appears")},
})
