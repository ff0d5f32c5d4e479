package exports

import (
	"testing"
)

// goroutinesText has a main goroutine that starts another, waits for its value, and then for a
// lock; the other has unlocked it before its stamp. Operations: 1 send, 2 receive, 5 lock, 6
// unlock.
const goroutinesText = `loi-text 4
substrate native
clock tsc 1e+09
nodes 1
worker 0 cpu -1 node 0 offset 0
worker 1 cpu -1 node 0 offset 0
worker 2 cpu -1 node 0 offset 0
object "chan int" keyed
object mutex keyed
kernel main.f
region main.f function
0 10 event start(1)
0 12 event spawn(7,0,0)
0 13 13 main.f{"chan int"[5:8]:in}
0 40 event sync(2,0,0,1,0,15,0,30,0,20,0)
0 60 event sync(5,1,0,2,0,45,0,55,0,30,0)
0 61 event end(1,30,0)
1 14 event start(7)
1 15 event sync(5,1,0,2,0,15,0,15,0,0,0)
1 31 event sync(1,0,0,1,0,29,0,30,0,1,0)
1 70 event sync(6,1,0,2,0,50,0,54,0,2,0)
1 71 event sync(99)
2 5 event sync(2,65535,0,0,0,1,0,5,0,0,0)
end 12
`

func TestPerfettoOfGoroutines(t *testing.T) {
	tl := readTimeline(t, write(t, parse(t, goroutinesText), "perfetto"))
	tl.check(t)
	golden(t, tl.lines(), `5 at trace: krdlab trace substrate=native clock=tsc grain= nodes=0-2 clock_hz=1000000000
5 at node 0/worker 2: receive number=0
10 at node 0/goroutine 1: start goroutine=1
12 at node 0/goroutine 1: spawn goroutine=7 -> [2199023255557]
13 begin node 0/goroutine 1: main.f accesses=[{object=chan int block=5 bytes=8 mode=r}]
13 end node 0/goroutine 1
14 at node 0/goroutine 7: start goroutine=7 <- [2199023255557]
15 begin node 0/goroutine 1: receive object=chan int number=1
15 at node 0/goroutine 7: lock object=mutex number=2
29 begin node 0/goroutine 7: send object=chan int number=1 -> [2199023255554]
31 end node 0/goroutine 7
40 at node 0/goroutine 1: goes on <- [2199023255554]
40 end node 0/goroutine 1
45 begin node 0/goroutine 1: lock object=mutex number=2
50 begin node 0/goroutine 7: unlock object=mutex number=2 -> [2199023255555]
60 at node 0/goroutine 1: goes on <- [2199023255555]
60 end node 0/goroutine 1
61 at node 0/goroutine 1: end goroutine=1
70 end node 0/goroutine 7
71 at node 0/goroutine 7: sync args=[99]
`)
}
