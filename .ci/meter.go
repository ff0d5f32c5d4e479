//go:build ignore

// Meter takes the CPU seconds of each package's tests and holds them to a budget.
//
//	go build -o meter .ci/meter.go
//	./meter loop                                        # the speed of this computer, now
//	go test -count=1 -exec "$PWD/meter exec FILE" ./... # a line in FILE for each test binary
//	./meter table FILE [BEFORE]                         # the table, the most expensive first
//	./meter over FILE .ci/seconds                       # the packages that are above their lines
//	./meter check FILE .ci/seconds                      # the same with their seconds: exit code 1
//	./meter write FILE .ci/seconds                      # a new budget
//
// CPU seconds are user time of a test binary and of all processes that it waited for, among them the
// builds of Go programs. System time is left out: it is the kernel's and the hypervisor's, from a
// tenth of the user time on one computer to three quarters on another. They are divided by the speed of the
// computer: the time of a fixed loop, two at once, relative to the loop's time in the budget. So
// another processor, or another guest on this one, does not fail the check. Builds are to be cached:
// what is built for the first time counts.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	mostOver  = 1.5  // of a package's line
	sumOver   = 1.25 // of the sum
	leastLine = 3.0  // CPU seconds: the line of all packages that have none of their own
	sumName   = "sum"
	loopName  = "loop" // the line of the loop's own CPU seconds
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "meter:", err)
		code = 2
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	switch {
	case len(args) == 1 && args[0] == "loop":
		fmt.Printf("%s %.3f\n", loopName, loop())
		return 0, nil
	case len(args) > 2 && args[0] == "exec":
		return execute(args[1], args[2:])
	case len(args) >= 2 && len(args) <= 3 && args[0] == "table":
		return 0, table(args[1:])
	case len(args) == 3 && args[0] == "over":
		over, _, err := above(args[1], args[2])
		for _, l := range over {
			if l.name != sumName {
				fmt.Println("./" + l.name)
			}
		}
		return 0, err
	case len(args) == 3 && args[0] == "check":
		return check(args[1], args[2])
	case len(args) == 3 && args[0] == "write":
		return 0, write(args[1], args[2])
	}
	return 0, fmt.Errorf("%q: expected loop, exec FILE COMMAND..., table FILE [BEFORE], "+
		"over FILE BUDGET, check FILE BUDGET or write FILE BUDGET", args)
}

// A line is what one package took, in seconds.
type line struct {
	name      string // path below the module, or sumName or loopName
	cpu, wall float64
}

// execute runs a test binary and adds its line to a file. It returns the exit code of the binary.
func execute(file string, command []string) (code int, err error) {
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM)
	begin := time.Now()
	if err := c.Start(); err != nil {
		return 0, err
	}
	go func() { // go test sends SIGQUIT to what takes too long
		for s := range signals {
			c.Process.Signal(s)
		}
	}()
	failed := c.Wait()
	p := c.ProcessState
	name, err := packageName()
	if err != nil {
		return 0, err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	// One write: the lines of binaries that end at once do not mix.
	if _, err := fmt.Fprintf(f, "%s %.2f %.2f\n", name, p.UserTime().Seconds(),
		time.Since(begin).Seconds()); err != nil {
		return 0, err
	}
	if code = p.ExitCode(); code < 0 {
		return 0, failed // a signal
	}
	return code, nil
}

// packageName returns the working folder, which is the package's, relative to that of go.mod.
func packageName() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return filepath.Rel(root, dir)
		} else if root == filepath.Dir(root) {
			return "", fmt.Errorf("%s is in no module", dir)
		}
	}
}

// loop returns the CPU seconds of fixed work that resembles that of tests: hashing, sorting,
// allocating and maps, on two CPUs at once, as go test runs two binaries beside each other on the
// computer of the budget. It is the median of five.
func loop() float64 {
	var times []float64
	for range 5 {
		var wg sync.WaitGroup
		sums := make([]uint64, 2)
		before := cpuSeconds()
		for n := range sums {
			wg.Go(func() {
				for i := range 10 {
					sums[n] += work(uint64(10*n + i))
				}
			})
		}
		wg.Wait()
		times = append(times, cpuSeconds()-before)
		if sums[0] == sums[1] {
			panic("the loop computes nothing")
		}
	}
	slices.Sort(times)
	return times[2]
}

func work(seed uint64) uint64 {
	x, h := seed+88172645463325252, fnv.New64a()
	words, count := make([]string, 60_000), map[string]int{}
	for i := range words {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		words[i] = strconv.FormatUint(x%1_000_003, 36)
		count[words[i]]++
	}
	slices.Sort(words)
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{byte(count[w])})
	}
	for range 1_000_000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return h.Sum64() ^ x
}

func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano()).Seconds()
}

// read returns the lines of a file by name. Of a package that was run more than once the least line
// holds: what other guests of the computer add is no cost of the tests. Of the loop the last holds.
func read(file string) (map[string]line, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := map[string]line{}
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		fields := strings.Fields(s.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		l := line{name: fields[0]}
		_, err := fmt.Sscan(strings.Join(fields[1:], " "), &l.cpu)
		if err == nil && len(fields) > 2 {
			_, err = fmt.Sscan(fields[2], &l.wall)
		}
		if err != nil || !(l.cpu >= 0) {
			return nil, fmt.Errorf("%s:%d: %q, expected a name and its CPU seconds", file, n, s.Text())
		}
		if old, ok := all[l.name]; !ok || l.name == loopName || l.cpu < old.cpu {
			all[l.name] = l
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	if all[loopName].cpu == 0 {
		return nil, fmt.Errorf("%s: no line %q: write meter loop into it", file, loopName)
	}
	return all, nil
}

// sorted returns the lines of packages, the most expensive first, and their sum.
func sorted(all map[string]line) (list []line, sum line) {
	sum.name = sumName
	for name, l := range all {
		if name != loopName && name != sumName {
			list = append(list, l)
			sum.cpu, sum.wall = sum.cpu+l.cpu, sum.wall+l.wall
		}
	}
	slices.SortFunc(list, func(a, b line) int {
		return cmp.Or(-cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.name, b.name))
	})
	return list, sum
}

// table prints the lines of a file, beside those of one before if there is one, in the seconds of
// this computer.
func table(files []string) error {
	all, err := read(files[0])
	if err != nil {
		return err
	}
	var before map[string]line
	if len(files) > 1 {
		if before, err = read(files[1]); err != nil {
			return err
		}
	}
	list, sum := sorted(all)
	_, sumBefore := sorted(before)
	fmt.Printf("%-40s %8s %8s", "package", "CPU s", "wall s")
	if before != nil {
		fmt.Printf(" %13s", "CPU s before")
	}
	fmt.Println()
	for _, l := range append(list, sum) {
		fmt.Printf("%-40s %8.1f %8.1f", l.name, l.cpu, l.wall)
		if b, ok := before[l.name]; ok {
			fmt.Printf(" %13.1f", b.cpu)
		} else if l.name == sumName && before != nil {
			fmt.Printf(" %13.1f", sumBefore.cpu)
		}
		fmt.Println()
	}
	fmt.Printf("%-40s %8.3f\n", "the fixed loop", all[loopName].cpu)
	return nil
}

// above returns the packages that are above their lines in the budget by more than mostOver. If the
// sum is above its line by more than sumOver, it returns all that are above theirs by as much, and
// the sum. want has their lines.
func above(file, budget string) (over []line, want map[string]float64, err error) {
	all, err := read(file)
	if err != nil {
		return nil, nil, err
	}
	lines, err := read(budget)
	if err != nil {
		return nil, nil, err
	}
	speed := all[loopName].cpu / lines[loopName].cpu
	list, sum := sorted(all)
	most := mostOver
	if sum.cpu/speed > sumOver*lines[sumName].cpu {
		most = sumOver
		list = append(list, sum)
	}
	want = map[string]float64{}
	for _, l := range list {
		l.cpu /= speed
		want[l.name] = max(lines[l.name].cpu, leastLine)
		if l.cpu > most*want[l.name] {
			over = append(over, l)
		}
	}
	return over, want, nil
}

// check prints which packages are above their lines, with exit code 1 if there are any.
func check(file, budget string) (code int, err error) {
	over, want, err := above(file, budget)
	if err != nil {
		return 0, err
	}
	for _, l := range over {
		fmt.Printf("%s: %.1f CPU seconds, its line in %s is %.1f\n", l.name, l.cpu, budget,
			want[l.name])
		code = 1
	}
	return code, nil
}

// write makes a budget of what was measured: a line for each package of leastLine seconds and more.
func write(file, budget string) error {
	all, err := read(file)
	if err != nil {
		return err
	}
	list, sum := sorted(all)
	var b strings.Builder
	b.WriteString("# CPU seconds of the tests of each package, with their processes, at the speed at " +
		"which the\n# loop takes its own seconds (.ci/meter.go). Raise a line by hand, with the reason " +
		"in the commit.\n")
	fmt.Fprintf(&b, "%s %.3f\n%s %.0f\n", loopName, all[loopName].cpu, sumName, sum.cpu)
	for _, l := range list {
		if l.cpu >= leastLine {
			fmt.Fprintf(&b, "%s %.1f\n", l.name, l.cpu)
		}
	}
	return os.WriteFile(budget, []byte(b.String()), 0o644)
}
