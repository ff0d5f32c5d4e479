package children

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
)

var v = make([]int, 10)

func work(n int) {
	for range n {
		v[0]++
	}
}

func Main() {
	if flag.Arg(1) == "child" {
		work(1000)
		fmt.Println("child")
		return
	}
	child := exec.Command(os.Args[0], "children", "child")
	child.Stdout = os.Stdout
	if err := child.Run(); err != nil {
		panic(err)
	}
	child = exec.Command("sleep", "60")
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		panic(err)
	}
	work(10)
	fmt.Println(child.Process.Pid)
}
