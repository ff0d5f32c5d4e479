package exports

import "krdlab/loi"

// counters writes how many workers are idle, in the order of time: of all, and of each node if
// there are several. A worker counts as busy until its first event idle. Cost: one more pass over
// the trace, in memory for one cursor of each worker.
func (x *perfetto) counters() error {
	h := &x.t.Header
	x.counterTrack(firstCounter, 0)
	if h.Nodes > 1 {
		for n := range h.Nodes {
			x.counterTrack(firstCounter+1+uint64(n), firstProcess+uint64(n))
		}
	}
	all, node := &level{track: firstCounter}, make([]level, h.Nodes)
	for n := range node {
		node[n].track = firstCounter + 1 + uint64(n)
	}
	idle := make([]bool, len(h.Workers))
	for e, err := range x.t.Ordered(loi.Order{Events: true, NoKernels: true,
		AllowLoss: true}) {
		if err != nil {
			return err
		}
		begins := e.Record.Event == loi.EventIdle
		if !begins && e.Record.Event != loi.EventBusy ||
			idle[e.Worker] == begins {
			continue
		}
		idle[e.Worker] = begins
		change := -1
		if begins {
			change = 1
		}
		at := x.ns(e.Worker, x.clock.at(e.Start))
		all.add(x, at, change)
		if h.Nodes > 1 {
			node[h.Workers[e.Worker].Node].add(x, at, change)
		}
		if err := x.spill(); err != nil {
			return err
		}
	}
	all.write(x)
	for n := range node {
		node[n].write(x)
	}
	return x.spill()
}

func (x *perfetto) counterTrack(id, parent uint64) {
	packet, track := x.track(id, parent)
	x.text(trackName, "idle workers")
	at := x.open(trackCounter)
	x.uint(counterUnit, unitCount)
	x.close(at)
	x.close(track)
	x.close(packet)
}

// A level is a counter whose value at its last time is still to be written.
type level struct {
	track     uint64
	at, value uint64
	any       bool
}

func (l *level) add(x *perfetto, at uint64, change int) {
	if l.any && l.at != at {
		l.write(x)
	}
	l.at, l.value, l.any = at, l.value+uint64(change), true
}

func (l *level) write(x *perfetto) {
	if !l.any {
		return
	}
	x.openEvent(counter, l.at, l.track)
	x.uint(eventCounter, l.value)
	x.closeEvent()
}
