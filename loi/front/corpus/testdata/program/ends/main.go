package ends

import (
	"flag"
	"os"
	"syscall"
	"time"
)

var keep [][]byte
var p = new(struct{ v, zero int })

func Main() {
	flag.Parse()
	for range 1000 {
		p.v++
	}
	switch flag.Arg(1) {
	case "exit":
		os.Exit(7)
	case "killed beside others":
		go func() {
			for {
				p.v++
			}
		}()
		time.Sleep(10 * time.Millisecond)
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "panic":
		panic("on purpose")
	case "divided":
		p.v /= p.zero
	case "out of memory":
		limit := syscall.Rlimit{Cur: 2 << 30, Max: 2 << 30}
		for syscall.Setrlimit(syscall.RLIMIT_DATA, &limit); ; {
			keep = append(keep, make([]byte, 64<<20))
		}
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
