package unusual

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

var v = make([]int, 10)

func Main() {
	for range 100 {
		v[0]++
	}
	how := flag.Arg(1)
	if how == "become" {
		fmt.Println(os.Getpid())
		os.Stdout.Close()
		time.Sleep(time.Minute)
	}
	fmt.Println(filepath.Base(os.Args[0]))
	switch how {
	case "exec":
		panic(syscall.Exec("/bin/echo", []string{"echo", "other"}, nil))
	case "exec that fails":
		syscall.Exec("/no/echo", nil, nil)
	case "daemon":
		c := exec.Command("/proc/self/exe", "unusual", "become")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, _ := c.StdoutPipe()
		c.Start()
		var pid int
		fmt.Fscan(out, &pid)
		fmt.Println(pid)
	}
}
