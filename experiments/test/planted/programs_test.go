package planted

// program are the files of a Go program of one package.
func program(text string) map[string]string {
	return map[string]string{"go.mod": "module p\n\ngo 1.26\n", "main.go": "package main\n" + text}
}

const (
	regioned = "regions go . --values --spawn-cost 1000 --json"
	waited   = "graph go . --json"
	shown    = "go . --caches 32K,1M,32M --json"
	cached   = "go . --caches 32K,256K,2M --json"
	// work takes a while and touches no memory.
	work = "\nfunc work(x int) int {\n\tfor k := range 20 {\n\t\tx = x*31 + k\n\t}\n\treturn x\n}\n"
)

// each is a program that does something for each element of a slice.
func each(n, body string) map[string]string {
	return program(work + "\nfunc do(a []int) (s int) {\n\tfor i := 1; i < len(a); i++ {\n\t\t" + body +
		"\n\t}\n\treturn s\n}\n\nfunc main() {\n\ta := make([]int, " + n + ")\n\tprintln(do(a), a[len(a)-1])\n}\n")
}

const loop = "main.do:11"

// programs are Go programs.
var programs = inGroup("go", []truth{
	{name: "a loop of iterations apart", run: regioned, files: each("2000", "a[i] = work(i)"),
		want: []named{{"parallel_loop", loop}}},
	{name: "a sum over iterations apart", run: regioned, files: each("2000", "s += work(a[i])"),
		want: []named{{"parallel_loop", loop}}},
	{name: "a loop that cannot be parallel", run: regioned, files: each("2000", "a[i] = work(a[i-1])"),
		never: never("parallel_loop")},
	{name: "a loop with a chain through a variable", run: regioned, files: each("2000", "s = work(s ^ a[i])"),
		never: never("parallel_loop"), long: true},
	{name: "a loop with a short chain beside much of its own", run: regioned, files: each("2000", "s = s*31 ^ work(a[i])"),
		never: never("parallel_loop")},
	{name: "a loop too short to pay", run: regioned, files: each("30", "a[i] = work(i)"), never: never("parallel_loop")},
	{name: "two locks in two orders", run: waited, files: locks("b", "a"),
		want: []named{{"deadlock", ""}, {"circle_of_locks", ""}}},
	{name: "two locks in one order", run: waited, files: locks("a", "b"),
		want: []named{{"this_runs_order", ""}}, never: never("deadlock", "circle_of_locks", "circle_of_waits")},
	{name: "a channel that nobody receives from", run: waited, want: []named{{"deadlock", ""}},
		never: never("circle_of_locks"), files: program("func main() {\n\tc := make(chan int)\n\tc <- 1\n}\n")},
	{name: "a channel with room", run: waited, never: never("deadlock", "circle_of_locks", "circle_of_waits"),
		files: program("func main() {\n\tc := make(chan int, 1)\n\tc <- 1\n}\n"), long: true},
	{name: "a loop against the order of its rows", run: shown, files: walk("j", "i"), want: []named{{code: "across_rows"}}},
	{name: "a loop against the order of its rows, which have a name", run: shown, long: true,
		files: walkBy("j := range a", "i := range a", "row := a[i]; s += row[j]"), want: []named{{code: "across_rows"}}},
	{name: "a loop against the order of its rows, by their values", run: shown, long: true,
		files: walkBy("j := range a", "_, row := range a", "s += row[j]"), want: []named{{code: "across_rows"}}},
	{name: "a loop along rows that have a name", run: shown, long: true,
		files: walkBy("_, row := range a", "j := range a", "s += row[j]"), never: never("across_rows")},
	{name: "a loop along its rows", run: shown, files: walk("i", "j"), never: never("across_rows")},
	{name: "two goroutines that write one line", run: shown, long: true, files: two("a[g]++"),
		want: []named{{code: "false_sharing"}}, never: never("true_sharing", "lock_waited_for")},
	{name: "two goroutines that write lines of their own", run: shown, long: true, files: two("a[8*g]++"),
		never: never("true_sharing", "false_sharing", "lock_waited_for", "ends_alone")},
	{name: "two loops that write one line each, and nothing else", run: shown, long: true, files: loops("a", "b"),
		want: []named{{code: "false_sharing"}}, never: never("true_sharing")},
	{name: "two goroutines that write one word", run: shown, long: true, files: two("a[0]++"),
		want: []named{{code: "true_sharing"}}, never: never("false_sharing")},
	{name: "two atomic variables in one line", run: shown, long: true,
		files: beside("3000000", "a, b atomic.Int64", "x.a.Add(1)", "x.b.Add(1)"),
		want:  []named{{code: "false_sharing"}}, never: never("true_sharing")},
	{name: "two atomic variables in lines of their own", run: shown, long: true,
		files: beside("3000000", "a atomic.Int64; _ [56]byte; b atomic.Int64", "x.a.Add(1)", "x.b.Add(1)"),
		never: never("true_sharing", "false_sharing")},
	{name: "two atomic variables in one line, with work between", run: shown, long: true,
		files: beside("300000", "a, b atomic.Int64", "x.a.Add(int64(work(work(1))))", "x.b.Add(int64(work(work(1))))"),
		want:  []named{{code: "false_sharing"}}, never: never("true_sharing")},
	{name: "two atomic variables in one line, in turns", run: shown, long: true, files: turns,
		never: never("true_sharing", "false_sharing")},
	{name: "one atomic variable", run: shown, long: true,
		files: beside("3000000", "a, b atomic.Int64", "x.a.Add(1)", "x.a.Add(1)"),
		want:  []named{{code: "true_sharing"}}, never: never("false_sharing")},
	{name: "a lock beside what another goroutine counts", run: shown, long: true,
		files: beside("500000", "a sync.Mutex; b int", "x.a.Lock(); x.a.Unlock()", "x.b = work(work(work(x.b)))"),
		want:  []named{{code: "false_sharing"}}, never: never("lock_waited_for")},
	{name: "a lock beside what it guards", run: shown, long: true,
		files: beside("500000", "a sync.Mutex; b int", "x.a.Lock(); x.a.Unlock()",
			"x.a.Lock(); x.b = work(work(work(x.b))); x.a.Unlock()"),
		never: never("false_sharing")},
	{name: "a lock that all wait for", run: shown, long: true, files: two("m.Lock()\n\t\t\t\tfor k := range 50 {\n" +
		"\t\t\t\t\ta[k%8] = work(i)\n\t\t\t\t}\n\t\t\t\tm.Unlock()"), tells: []number{with(97, 99)}},
	{name: "a lock that all wait for, with most accesses outside", run: shown, long: true,
		files: two("m.Lock()\n\t\t\t\ts := i\n\t\t\t\tfor range 50 {\n\t\t\t\t\ts = work(s)\n\t\t\t\t}\n" +
			"\t\t\t\ta[0] = s\n\t\t\t\tm.Unlock()\n\t\t\t\tfor k := range 50 {\n\t\t\t\t\ta[8*g+k%8] = k\n\t\t\t\t}"),
		tells: []number{with(1, 4)}},
	{name: "a goroutine that ends last, alone", run: shown, long: true, files: crew("1 + g/3*20"),
		want: []named{{code: "ends_alone"}}},
	{name: "a goroutine that ends last, alone, in the first of two phases", run: shown, long: true,
		files: crew("1 + g/3*20*(1-phase) + 2*phase"), want: []named{{code: "ends_alone"}}},
	{name: "goroutines that end together", run: shown, long: true, files: crew("7 + 0*g"), never: never("ends_alone")},
	{name: "a field that is never used beside one that always is", run: shown, files: items("5000", ""),
		want: []named{{"unused_field", "main.item"}}, never: never("pointer_walk")},
	{name: "fields that are all used", run: shown, long: true, files: items("5000", " + list[i].never"),
		never: never("unused_field")},
	{name: "a field that is never used, of near objects", run: shown, long: true, files: items("1000", ""),
		never: never("unused_field")},
	{name: "objects that are walked by pointers", run: shown, files: nodes("2000", "x := list; x != nil; x = x.next"),
		want: []named{{"pointer_walk", "main.main (main.go:16)"}}, never: never("unused_field")},
	{name: "a short list", run: shown, long: true, files: nodes("400", "x := list; x != nil; x = x.next"),
		never: never("pointer_walk")},
	{name: "objects with pointers, in the order of a slice", run: shown, long: true,
		files: nodes("2000", "_, x := range all"), never: never("pointer_walk")},
	{name: "objects that are scanned by pointers for a field", run: shown, files: objects("2000", "p.a"),
		want: []named{{"pointer_scan", "main.sum (main.go:8)"}}, never: never("pointer_walk")},
	{name: "objects that are scanned by pointers, all of whose fields are used", run: shown, long: true,
		files: objects("2000", "p.a + p.b + p.c[0] + p.c[1] + p.c[2] + p.c[3]"), never: never("pointer_scan")},
	{name: "few objects that are scanned by pointers", run: shown, long: true, files: objects("400", "p.a"),
		never: never("pointer_scan")},
	{name: "a scan between uses of a table", run: cached, files: scans("20000", "make([]int, 40000)", "s += sum(table)"),
		want: []named{{"touched_once", "main.scan (main.go:10)"}}, never: never("pointer_scan")},
	{name: "a scan that is all that a program does", run: cached, long: true,
		files: scans("20000", "make([]int, 40000)", ""), never: never("touched_once")},
	{name: "a scan that is reused", run: cached, long: true, files: scans("10000", "kept[:10000]", "s += sum(table)"),
		never: never("touched_once")},
	{name: "a scan that would be reused but for the table", run: cached, long: true,
		files: scans("20000", "kept[:25000]", "s += sum(table)"), never: never("touched_once")},
	{name: "a channel without room", run: waited, files: sends("0"), want: []named{{code: "channel_without_room"}}},
	{name: "a channel with room for all", run: waited, long: true, files: sends("20000"),
		never: never("channel_without_room")},
	{name: "a channel with room, and no CPU for whom it lets go on", run: waited, long: true, files: pool,
		never: never("channel_without_room")},
})

// items is a program that sums up a field of many structures.
func items(n, more string) map[string]string {
	return program("type item struct{ used, never int64 }\n\nvar list = make([]item, " + n + ")\n\nfunc main() {\n" +
		"\tsum := int64(0)\n\tfor range 4 {\n\t\tfor i := range list {\n\t\t\tsum += list[i].used" + more +
		"\n\t\t}\n\t}\n\tprintln(sum)\n}\n")
}

// nodes is a program that goes through a list, as the head of a loop has it.
func nodes(n, head string) map[string]string {
	return program("type node struct {\n\tnext *node\n\tv    int\n}\n\nfunc main() {\n\tvar list *node\n" +
		"\tvar all []*node\n\tfor i := range " + n + " {\n\t\tlist = &node{list, i}\n\t\tall = append(all, list)\n\t}\n" +
		"\tsum := 0\n\tfor range 4 {\n\t\tfor " + head + " {\n\t\t\tsum += x.v\n\t\t}\n\t}\n\tprintln(sum)\n}\n")
}

// objects is a program that sums up what it reads by each pointer p of a slice.
func objects(n, read string) map[string]string {
	return program("type object struct {\n\ta, b int\n\tc [6]int\n}\n\nfunc sum(all []*object) (s int) {\n" +
		"\tfor _, p := range all {\n\t\ts += " + read + "\n\t}\n\treturn s\n}\n\nfunc main() {\n\tvar all []*object\n" +
		"\tfor i := range " + n + " {\n\t\tall = append(all, &object{a: i})\n\t}\n\ts := 0\n" +
		"\tfor range 40 {\n\t\ts += sum(all)\n\t}\n\tprintln(s)\n}\n")
}

// scans is a program that scans a slice in each of 20 rounds, and uses a table of n numbers.
func scans(n, big, use string) map[string]string {
	return program("func sum(a []int) (s int) {\n\tfor i := range a {\n\t\ts += a[i]\n\t}\n\treturn s\n}\n\n" +
		"func scan(a []int) (s int) {\n\tfor i := range a {\n\t\ts += a[i]\n\t}\n\treturn s\n}\n\n" +
		"var table, kept = make([]int, " + n + "), make([]int, 40000)\n\nfunc main() {\n\ts := 0\n" +
		"\tfor range 20 {\n\t\t" + use + "\n\t\ts += scan(" + big + ")\n\t}\n\tprintln(s)\n}\n")
}

// sends is a program that sends through a channel with room.
func sends(room string) map[string]string {
	return program("func main() {\n\tc, sum := make(chan int, " + room + "), 0\n\tgo func() {\n\t\tfor i := range 20000 {\n" +
		"\t\t\tc <- i\n\t\t}\n\t\tclose(c)\n\t}()\n\tfor x := range c {\n\t\tsum += x\n\t}\n\tprintln(sum)\n}\n")
}

// pool is a program of more goroutines than CPUs, in which who may send again waits for a CPU.
var pool = program("import (\n\t\"runtime\"\n\t\"sync\"\n)\n" + work + "\nfunc main() {\n" +
	"\truntime.GOMAXPROCS(2)\n\tvar w sync.WaitGroup\n\tc := make(chan []int, 1000)\n" +
	"\tfor range 4 {\n\t\tw.Go(func() {\n\t\t\tfor a := range c {\n\t\t\t\tx := a[0]\n" +
	"\t\t\t\tfor range 500 {\n\t\t\t\t\tx = work(x)\n\t\t\t\t}\n\t\t\t\ta[0] = x\n\t\t\t}\n\t\t})\n\t}\n" +
	"\tfor i := range 30000 {\n\t\tc <- []int{i}\n\t}\n\tclose(c)\n\tw.Wait()\n}\n")

// walk sums up a matrix, with these variables of the outer and of the inner loop.
func walk(outer, inner string) map[string]string {
	return walkBy(outer+" := range a", inner+" := range a", "s += a[i][j]")
}

// walkBy sums up a matrix, with these heads of loops and this body.
func walkBy(outer, inner, body string) map[string]string {
	return program("func sum(a [][]int) (s int) {\n\tfor " + outer + " {\n\t\tfor " + inner +
		" {\n\t\t\t" + body + "\n\t\t}\n\t}\n\treturn s\n}\n\nfunc main() {\n\ta := make([][]int, 700)\n" +
		"\tfor i := range a {\n\t\ta[i] = make([]int, 700)\n\t}\n\tprintln(sum(a))\n}\n")
}

// two is a program of two goroutines that do something often, which may use a, m, g and i.
func two(body string) map[string]string {
	return program("import \"sync\"\n" + work + "\nfunc main() {\n\tvar w sync.WaitGroup\n\tvar m sync.Mutex\n" +
		"\ta := make([]int, 16)\n\tfor g := range 2 {\n\t\tw.Go(func() {\n\t\t\tfor i := range 500000 {\n\t\t\t\t" + body +
		"\n\t\t\t\ta[8*g+4] = work(i)\n\t\t\t}\n\t\t})\n\t}\n\tw.Wait()\n\tm.Lock()\n\tprintln(a[0])\n}\n")
}

// with is a lock that is waited for with so many percent of all accesses made while it is held.
func with(from, to float64) number { return number{named{code: "lock_waited_for"}, 5, from, to} }

// beside returns a program of two goroutines; each does something n times with a structure x that
// both have.
func beside(n, fields, first, second string) map[string]string {
	return program("import (\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\nvar _ atomic.Int64\n" + work + "\ntype pair struct {" + fields +
		"}\n\nfunc main() {\n\tvar w sync.WaitGroup\n\tx := &pair{}\n\tw.Go(func() {\n\t\tfor range " + n + " {\n" +
		"\t\t\t" + first + "\n\t\t}\n\t})\n\tw.Go(func() {\n\t\tfor range " + n + " {\n\t\t\t" + second +
		"\n\t\t}\n\t})\n\tw.Wait()\n}\n")
}

// turns is a program of two goroutines that count beside each other, one while the other waits.
var turns = program("import \"sync/atomic\"\n\ntype pair struct{ a, b atomic.Int64 }\n\nfunc main() {\n" +
	"\tx, turn := &pair{}, make(chan bool)\n\tgo func() {\n\t\tfor range turn {\n\t\t\tfor range 3000 {\n" +
	"\t\t\t\tx.a.Add(1)\n\t\t\t}\n\t\t\tturn <- true\n\t\t}\n\t}()\n\tfor range 200 {\n" +
	"\t\tfor range 3000 {\n\t\t\tx.b.Add(1)\n\t\t}\n\t\tturn <- true\n\t\t<-turn\n\t}\n}\n")

// loops is a program of two goroutines, each a loop that adds to one field.
func loops(first, second string) map[string]string {
	return program("import \"sync\"\n\ntype pair struct{ a, b int }\n\nfunc main() {\n\tvar w sync.WaitGroup\n" +
		"\tp := &pair{}\n\tw.Go(func() {\n\t\tfor range 50000000 {\n\t\t\tp." + first + "++\n\t\t}\n\t})\n" +
		"\tw.Go(func() {\n\t\tfor range 50000000 {\n\t\t\tp." + second + "++\n\t\t}\n\t})\n" +
		"\tw.Wait()\n\tprintln(p.a + p.b)\n}\n")
}

// crew is a program of twice four goroutines; g does rounds of work in a phase.
func crew(rounds string) map[string]string {
	return program("import \"sync\"\n" + work + "\nfunc crew(w *sync.WaitGroup, a []int, n int) {\n\tdefer w.Done()\n" +
		"\tfor i := range n * 100000 {\n\t\ta[i%8] = work(i)\n\t}\n}\n\nfunc main() {\n\tvar w sync.WaitGroup\n" +
		"\tfor phase := range 2 {\n\t\tfor g := range 4 {\n\t\t\tw.Add(1)\n\t\t\tgo crew(&w, make([]int, 8), " + rounds +
		")\n\t\t}\n\t\tw.Wait()\n\t\t_ = phase\n\t}\n}\n")
}

// locks is a program in which two goroutines take two locks: main first a, then b, the other as given,
// each the first before any takes a second where that can be.
func locks(first, second string) map[string]string {
	wait := "\tboth <- true\n\t<-both\n"
	meet := "\t<-both\n\tboth <- true\n"
	if first == "a" {
		wait, meet = "", ""
	}
	return program("import \"sync\"\n\nvar a, b sync.Mutex\n\nfunc main() {\n\tboth, done := make(chan bool), make(chan bool)\n" +
		"\t_ = both\n\tgo func() {\n\t" + first + ".Lock()\n" + wait + "\t" + second + ".Lock()\n\ta.Unlock()\n\tb.Unlock()\n" +
		"\tdone <- true\n\t}()\n\ta.Lock()\n" + meet + "\tb.Lock()\n\tb.Unlock()\n\ta.Unlock()\n\t<-done\n}\n")
}
