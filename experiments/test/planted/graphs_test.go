package planted

import (
	"fmt"
	"slices"
	"strings"
)

// traced are files of a text trace: a head and events.
func traced(head string, events ...string) map[string]string {
	text := "loi-text 4\nsubstrate native\nclock tsc 1e+09\nnodes 1\nworker 0 cpu -1 node 0 offset 0\n" +
		"worker 1 cpu -1 node 0 offset 0\n" + head
	return map[string]string{"t.txt": text + strings.Join(events, "\n") + fmt.Sprintf("\nend %d\n", len(events))}
}

const (
	graphed = "trace import t.txt --out t.loi\ngraph t.loi --json"
	kernels = "object A 4x64\nkernel fill A:out\nkernel add A:inout\nkernel sum A:in\n"
	channel = "object \"chan int\" keyed\nkernel main.main\n"
)

// sent are events of a goroutine that starts another and sends it a value.
var sent = []string{"0 10 event start(1)", "0 11 event spawn(7,0,0)", "0 20 event sync(1,0,0,1,0,19,0,20,0,0,0)",
	"0 21 event end(1,0,0)", "1 11 event start(7)", "1 22 event sync(2,0,0,1,0,12,0,21,0,9,0)", "1 26 event end(7,9,0)"}

// without returns events but one.
func without(i int) []string { return slices.Delete(slices.Clone(sent), i, i+1) }

// graphs are those of krdlab graph, of traces.
var graphs = inGroup("kernels", []truth{
	{name: "two kernels that race", run: graphed, want: []named{{"race", "A[1]"}}, files: traced(kernels,
		"0 100 event task(1,0,0,0,2)", "0 110 130 fill(1)", "0 131 event child(1,0,0)", "1 150 190 add(1)",
		"1 191 event child(1,0,1)", "0 195 200 sum(1)", "0 201 event phase(1,0,0)")},
	{name: "two kernels with a sync between them", run: graphed, never: never("race"), files: traced(kernels,
		"0 100 event task(1,0,0,0,1)", "0 110 130 fill(1)", "0 131 event child(1,0,0)", "0 132 event phase(1,0,1)",
		"1 150 190 add(1)", "1 191 event child(1,1,0)", "0 195 200 sum(1)", "0 201 event phase(1,1,0)")},
	{name: "two kernels on blocks of their own", run: graphed, never: never("race"), files: traced(kernels,
		"0 100 event task(1,0,0,0,2)", "0 110 130 fill(1)", "0 131 event child(1,0,0)", "1 150 190 add(2)",
		"1 191 event child(1,0,1)", "0 195 200 sum(1)", "0 201 event phase(1,0,0)")},
	{name: "a value that is sent", run: graphed, files: traced(channel, sent...),
		never: never("nothing_before", "orphans", "unstarted", "started_twice", "untold", "back_in_time", "deadlock",
			"circle_of_locks", "circle_of_waits", "slowed_down", "this_runs_order")},
	{name: "a receive without a send", run: graphed, want: []named{{"nothing_before", "1"}},
		files: traced(channel, without(2)...)},
	{name: "a goroutine that nothing started", run: graphed, want: []named{{"orphans", "1"}},
		files: traced(channel, without(1)...)},
	{name: "a goroutine without events", run: graphed, want: []named{{"unstarted", "1"}},
		files: traced(channel, sent[:4]...)},
	{name: "a goroutine that is started twice", run: graphed, want: []named{{"started_twice", "1"}},
		files: traced(channel, append(slices.Clone(sent[:2]), append([]string{"0 12 event spawn(7,0,0)"}, sent[2:]...)...)...)},
	{name: "a goroutine that has not ended", run: graphed, want: []named{{"untold", "1"}},
		files: traced(channel, without(6)...)},
	{name: "times of a program that recorded accesses", run: graphed + " --unit time", want: []named{{"slowed_down", ""}},
		files: traced(channel, append(slices.Clone(sent[:2]), append([]string{
			`0 12 12 main.main{"chan int"[1:8]:in}`}, sent[2:]...)...)...)},
})
