package exports

import (
	"strings"
	"testing"
)

// structureText is a run of two tasks by two workers, where the second worker steals a child, with
// regions that nest on each.
const structureText = `loi-text 4
substrate simulated
clock virtual 1e+09
nodes 1
worker 0 cpu -1 node 0 offset 0
worker 1 cpu -1 node 0 offset 0
kernel k
region main function
region "for i" loop in 0
0 10 event region(0,1,0)
0 12 event task(1,0,0,0,2)
0 14 event region(1,3,1)
0 15 20 k()
0 21 event region-end(3)
0 21 event child(1,0,0)
0 30 event phase(1,0,0)
0 31 event region-end(1)
1 5 event idle()
1 14 event steal(0,0,1)
1 14 event busy()
1 16 25 k()
1 26 event child(1,0,1)
1 26 event region-end(9)
1 27 event task(5)
1 28 event of(1,0,1)
end 16
`

func TestPerfettoOfStructure(t *testing.T) {
	tl := readTimeline(t, write(t, parse(t, structureText), "perfetto"))
	golden(t, tl.lines(), `5 at trace: krdlab trace substrate=simulated clock=virtual grain= nodes=0-1 clock_hz=1000000000
5 begin node 0/worker 1: idle
5 count idle workers (unit 2) = 1
10 begin node 0/worker 0/worker 0, regions: main number=1 parent=0
10 begin node 0/worker 0/worker 0, tasks: new task task=1 parent=0 phase=0 child=0 children=2 -> [1099511627777]
12 end node 0/worker 0/worker 0, tasks
12 begin node 0/worker 0/worker 0, tasks: child task=1 phase=0 child=0
14 begin node 0/worker 0/worker 0, regions: for i number=3 parent=1
14 at node 0/worker 0: stolen from thief=1 -> [1]
14 at node 0/worker 1: steal victim=0 other node=false entries=1 <- [1]
14 end node 0/worker 1
14 begin node 0/worker 1/worker 1, tasks: child task=1 phase=0 child=1
14 count idle workers (unit 2) = 0
15 begin node 0/worker 0: k
16 begin node 0/worker 1: k
20 end node 0/worker 0
21 end node 0/worker 0/worker 0, regions
21 end node 0/worker 0/worker 0, tasks
21 begin node 0/worker 0/worker 0, tasks: task ends task=1 phase=0 children=0 <- [1099511627777]
25 end node 0/worker 1
26 end node 0/worker 1/worker 1, tasks
26 at node 0/worker 1: region-end args=[9]
27 at node 0/worker 1: task args=[5]
30 end node 0/worker 0/worker 0, tasks
31 end node 0/worker 0/worker 0, regions
`)
	// Where workers are not ordered, events of tasks stand alone.
	unordered := strings.Replace(structureText, "substrate", "unordered\nsubstrate", 1)
	tl = readTimeline(t, write(t, parse(t, unordered), "perfetto"))
	tl.check(t)
	for _, h := range tl.events {
		if strings.HasSuffix(h.track, "tasks") && h.typ != instant ||
			strings.HasSuffix(h.track, "regions") {
			t.Errorf("%+v", h)
		}
	}
}
