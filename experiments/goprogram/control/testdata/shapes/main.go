// Package main has small programs with planted bugs of concurrency, in the shapes of GoKer's kernels (GoBench,
// Yuan and others, CGO 2021), each written anew. Each ends well under some schedules and as the table says
// under others; mended it ends well under all.
//
//	shapes -list
//	shapes [-mended] NAME
//
// A goroutine that GoKer's kernel leaves waiting is waited for here, so that the end is a deadlock.
package main

import (
	"fmt"
	"os"
	"sync"
)

// How a program ends under some schedules.
const (
	deadlock = "deadlock"
	panics   = "panic"
)

var shapes = []struct {
	name string
	run  func()
	end  string
}{
	{"breakLocked", breakLocked, deadlock}, {"relocked", relocked, deadlock}, {"readTwice", readTwice, deadlock},
	{"readThroughQueue", readThroughQueue, deadlock}, {"coalesce", coalesce, deadlock}, {"urls", urls, deadlock},
	{"renew", renew, deadlock}, {"forgotten", forgotten, deadlock}, {"devices", devices, deadlock},

	{"loops", loops, deadlock}, {"status", status, deadlock}, {"suggested", suggested, deadlock},
	{"leftSending", leftSending, deadlock}, {"progress", progress, deadlock}, {"epochs", epochs, deadlock},
	{"closedByHandler", closedByHandler, deadlock}, {"drained", drained, deadlock},
	{"deactivated", deactivated, deadlock}, {"lostSignal", lostSignal, deadlock},

	{"request", request, deadlock}, {"probe", probe, deadlock}, {"debounce", debounce, deadlock},
	{"aborted", aborted, deadlock},

	{"quiesced", quiesced, deadlock}, {"broadcasts", broadcasts, deadlock}, {"rounds", rounds, deadlock},
	{"balancer", balancer, deadlock}, {"health", health, deadlock}, {"breaker", breaker, deadlock},
	{"eachWaited", eachWaited, deadlock},

	{"gossip", gossip, panics}, {"doneTwice", doneTwice, panics}, {"lateChannel", lateChannel, deadlock},
	{"written", written, panics}, {"wrapper", wrapper, panics}, {"source", source, deadlock},
	{"pool", pool, panics}, {"finished", finished, panics},

	{"evicted", evicted, panics}, {"lazily", lazily, panics},
}

// mended is true where the bug is left out.
var mended bool

func main() {
	name := os.Args[len(os.Args)-1]
	mended = len(os.Args) > 2 && os.Args[1] == "-mended"
	for _, s := range shapes {
		switch name {
		case "-list":
			fmt.Println(s.name, s.end)
		case s.name:
			s.run()
			return
		}
	}
	if name != "-list" {
		fmt.Fprintln(os.Stderr, "shapes: no", name)
		os.Exit(1)
	}
}

// together runs functions beside each other, and waits for them.
func together(list ...func()) {
	var wg sync.WaitGroup
	for _, f := range list {
		wg.Go(f)
	}
	wg.Wait()
}

// room returns n where the bug is left out, 0 where it is planted.
func room(n int) int {
	if mended {
		return n
	}
	return 0
}
