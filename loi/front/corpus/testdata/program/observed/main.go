package observed

import (
	"flag"
	"os"
	"syscall"
)

var a, b = make([]float64, 1000), make([]int32, 1000)

func sum(n int) (t float64) {
	for i := range n {
		t += a[i]
		b[i]++
	}
	return t
}

func try(n int) {
	defer func() { recover() }()
	for range 2 {
		sum(n)
	}
}

func Main() {
outer:
	for k := range 5 {
		b[k] = 7
		for j := range 3 {
			a[j] = sum(100)
			if j == k {
				continue outer
			}
		}
		for j := len(a) - 1; j >= 0; j -= 2 {
			a[j] = a[j/2] + 1
		}
	}
	try(2000)
	end()
	sum(1000)
}

func end() {
	switch flag.Arg(1) {
	case "exit code 3":
		os.Exit(3)
	case "signal killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
