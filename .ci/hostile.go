//go:build ignore

// Hostile gives krdlab inputs that are wrong on purpose, by kind, and looks at how it ends.
//
//	go build -o krdlab ./cmd/krdlab
//	go run .ci/hostile.go ./krdlab              # 1000 inputs
//	go run .ci/hostile.go ./krdlab 300 7        # 300 inputs by the seed 7
//	go run .ci/hostile.go ./krdlab 300 7 model  # of the kinds that begin so
//
// An input fails where a command takes more than --memory and 150 MB, ends by a panic, a signal or an
// exit code that is no class, needs more than 20 s, or ends with 0 though stderr has an error. The
// files of an input that fails stay. A new kind is a line of the table kinds: it returns the commands
// of an input, the first that fails being the last, and makes files by mutations of good ones.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	memory  = "200M"
	mostKB  = (200<<20 + 150_000_000) / 1024
	timeout = 20 * time.Second
)

// A maker makes an input in its own directory, of the good ones in another.
type maker struct {
	*rand.Rand
	good, dir string
}

// kinds are what is made, by names; all have the same share of the inputs.
var kinds = []struct {
	name string
	make func(m *maker) [][]string
}{
	{"explore text", func(m *maker) [][]string {
		return [][]string{append([]string{"explore", m.text("program.txt", m.program()), "--memory", memory},
			m.some("--exact", "--reached", "--enumerate", "--guarantee --exact", "--sampler uniform,walk,pct,pos",
				"--sampler pct-distinct --depth "+m.number(), "--sampler native --runs 20",
				"--sampler walk --runs "+m.number())...)}
	}},
	{"explore large text", func(m *maker) [][]string {
		return [][]string{append([]string{"explore", m.file("program.txt", []byte(m.large())), "--memory", memory},
			m.some("--exact", "--enumerate", "--guarantee", "--sampler walk --runs 10", "--sampler pct --runs 10")...)}
	}},
	{"explore tasks", func(m *maker) [][]string {
		return [][]string{{"trace", "import", m.mutated("tasks.txt"), "--out", m.path("t.loi")},
			append([]string{"explore", m.path("t.loi"), "--memory", memory, "--search", "5", "--runs", "5", "--llc",
				m.one("1/8", "auto", "1", "1G")}, m.some("--enumerate", "--sampler pct --depth 3")...)}
	}},
	{"explore flags", func(m *maker) [][]string {
		return [][]string{append([]string{"explore", m.one(m.path("../good/run"), m.path("../good/program.txt")),
			"--memory", m.one(memory, "1M", "50M")}, m.flags("--runs", "--depth", "--search", "--llc", "--seed",
			"--sampler", "--extreme", "--csv")...)}
	}},
	{"schedule", func(m *maker) [][]string {
		return [][]string{append(following(m.mutated("schedule.txt")), "--reps", "1")}
	}},
	{"predict document", func(m *maker) [][]string {
		return [][]string{{"predict", m.mutated("small.json") + ":64", m.good + "/twice.json:128", "--at", "512",
			"--different"}}
	}},
	{"predict flags", func(m *maker) [][]string {
		return [][]string{append([]string{"predict", m.good + "/small.json:" + m.number(),
			m.good + "/twice.json:" + m.number(), "--at", m.number()}, m.flags("--cache", "--actual", "--csv")...)}
	}},
	{"model table", func(m *maker) [][]string {
		return [][]string{{"model", m.mutated("cars.csv"), "--formula", "mpg ~ " + m.one("wt * hp", "(.)^2",
			"log(wt) + factor(cyl)", "I(wt^"+m.number()+")"), "--folds", m.one("0", "10", m.number())}}
	}},
	{"model parquet", func(m *maker) [][]string {
		return [][]string{{"model", m.mutated("table.parquet"), "--formula", "time ~ block + bytes"}}
	}},
	{"model document", func(m *maker) [][]string {
		return [][]string{{"model", "change", m.mutated("model.json"), "wt=" + m.one("+1", "-10%", m.number())},
			{"model", "predict", m.path("model.json"), m.good + "/cars.csv"}}
	}},
	{"model flags", func(m *maker) [][]string {
		return [][]string{append([]string{"model", m.good + "/cars.csv", "--formula", "mpg ~ wt + hp"},
			m.flags("--folds", "--order", "--where", "--groups", "--leave-one", "--seed", "--csv", "--against")...)}
	}},
	{"trace of values", func(m *maker) [][]string {
		return [][]string{{"trace", "import", m.mutated(m.one("values0.txt", "values1.txt", "values2.txt")), "--out",
			m.path("t.loi")}, {m.one("dependences", "regions", "graph", "krd"), m.path("t.loi")}}
	}},
	{"trace of a run", func(m *maker) [][]string {
		return [][]string{{"trace", "import", m.mutated("tasks.txt"), "--out", m.path("t.loi")},
			{m.one("krd", "graph", "components", "regions"), m.path("t.loi")}}
	}},
}

// prepare makes the good inputs.
func prepare(krdlab, good, tree string) error {
	run := func(out string, args ...string) error {
		stdout, err := exec.Command(krdlab, args...).Output()
		if e := (*exec.ExitError)(nil); errors.As(err, &e) {
			return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, e.Stderr)
		} else if err != nil || out == "" {
			return err
		}
		return os.WriteFile(filepath.Join(good, out), stdout, 0o644)
	}
	traces, err := filepath.Glob(tree + "/loi/front/corpus/testdata/traces/*.values.loi.zst")
	cars, err2 := os.ReadFile(tree + "/experiments/read/model/regress/testdata/mtcars.csv")
	if err := errors.Join(err, err2); err != nil || len(traces) < 3 {
		return fmt.Errorf("%d traces of values in %s, %w; expected to run in the root of the tree", len(traces), tree, err)
	}
	at := func(name string) string { return filepath.Join(good, name) }
	small := "thread 1: r A; lock L; w B; unlock L\nthread 2: lock L; r B; unlock L; w A\n"
	err = errors.Join(os.WriteFile(at("cars.csv"), cars, 0o644), os.WriteFile(at("program.txt"), []byte(small), 0o644),
		run("", append(following(""), "--sched", "workfirst", "--trace", "full,tasks", "--reps", "1", "--out", at("run"))...),
		run("", "explore", at("run"), "--llc", "1/8", "--runs", "5", "--search", "5", "--save-schedule", at("schedule.txt")),
		run("tasks.txt", "trace", "export", at("run/workfirst.1.loi")),
		run("", "trace", "export", at("run/workfirst.1.loi"), "--format", "parquet", "--out", at("table.parquet")),
		run("small.json", "krd", at("run/workfirst.1.loi"), "--json"),
		run("twice.json", "krd", at("run/workfirst.1.loi"), "--json"),
		run("model.json", "model", at("cars.csv"), "--formula", "mpg ~ wt * hp + factor(cyl)", "--json"))
	for i := range 3 {
		err = errors.Join(err, run(fmt.Sprintf("values%d.txt", i), "trace", "export", traces[i*len(traces)/3]))
	}
	return err
}

// following is a run that follows a schedule.
func following(schedule string) []string {
	args := strings.Fields("run matmul --n 128 --leaf 32x32x32 --machine westmere-ex-4s")
	if schedule != "" {
		return append(args, "--follow", schedule)
	}
	return append(args, "--cores", "2")
}

func (m *maker) path(name string) string    { return filepath.Join(m.dir, name) }
func (m *maker) one(words ...string) string { return words[m.IntN(len(words))] }

// some takes each with a probability of a half.
func (m *maker) some(words ...string) (list []string) {
	for _, w := range words {
		if m.IntN(2) == 0 && m.IntN(2) == 0 {
			list = append(list, strings.Fields(w)...)
		}
	}
	return list
}

func (m *maker) number() string {
	return m.one("0", "-1", "1", "2", "63", "1000", "65536", "400000000", "2147483647", "2147483648", "4294967295",
		"4294967296", "9223372036854775807", "18446744073709551615", "99999999999999999999999", "1e308", "1e-320", "-0",
		"NaN", "+Inf", "1e9999", "0x10", "1_0", "1.5", "", "٣", strconv.FormatUint(m.Uint64(), 10))
}

// flags gives some of these flags hostile values.
func (m *maker) flags(names ...string) (list []string) {
	for range 1 + m.IntN(2) {
		list = append(list, m.one(names...)+"="+m.one(m.number(), m.number(), "1/"+m.number(), "pct,walk,"+m.number(),
			"../good/cars.csv", "wt>"+m.number(), "\xff\xfe", strings.Repeat("(", 5000)))
	}
	return list
}

func (m *maker) file(name string, data []byte) string {
	if err := os.WriteFile(m.path(name), data, 0o644); err != nil {
		panic(err)
	}
	return m.path(name)
}

// mutated is a good file with some mutations.
func (m *maker) mutated(name string) string {
	data, err := os.ReadFile(filepath.Join(m.good, name))
	if err != nil {
		panic(err)
	}
	for range 1 + m.IntN(3)/2 {
		data = m.mutate(data, !strings.HasSuffix(name, ".parquet"))
	}
	return m.file(name, data)
}

func (m *maker) text(name, s string) string {
	data := []byte(s)
	if m.IntN(2) == 0 {
		data = m.mutate(data, true)
	}
	return m.file(name, data)
}

var numbers = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?`)

func (m *maker) mutate(data []byte, text bool) []byte {
	if len(data) == 0 {
		return data
	}
	at, lines := m.IntN(len(data)), bytes.SplitAfter(data, []byte("\n"))
	a, b := m.IntN(len(lines)), m.IntN(len(lines))
	how := m.IntN(24)
	if !text {
		how = m.IntN(4)
	}
	switch how {
	case 0:
		return data[:at]
	case 1, 2: // bits
		data = bytes.Clone(data)
		for range how {
			data[m.IntN(len(data))] ^= 1 << m.IntN(8)
		}
		return data
	case 3: // a part again
		end := at + m.IntN(min(len(data)-at, 100)+1)
		return slices.Concat(data[:end], data[at:])
	case 4: // lines swapped
		lines[a], lines[b] = lines[b], lines[a]
	case 5:
		lines = slices.Delete(lines, a, a+1)
	case 6:
		lines[a] = bytes.Repeat(lines[a], 1+m.IntN(1000))
	case 7: // an encoding of two bytes a character
		return append([]byte{0xff, 0xfe}, bytes.Join(bytes.Split(data, nil), []byte{0})...)
	case 8:
		lines[a] = append([]byte(m.one("\xef\xbb\xbf", "\x00", "\xc3\x28", "\u202e", "\x1b[2J", "-", "\"", "{")), lines[a]...)
	default: // a number in a line
		if list := numbers.FindAllIndex(lines[a], -1); list != nil {
			x := list[m.IntN(len(list))]
			lines[a] = slices.Concat(lines[a][:x[0]], []byte(m.number()), lines[a][x[1]:])
		}
	}
	return bytes.Join(lines, nil)
}

// program is one of threads, by the grammar for the most part.
func (m *maker) program() string {
	var b strings.Builder
	fmt.Fprintf(&b, "shared x = %s; input y in {1, 2}\n", m.one("0", m.number()))
	for t := range 1 + m.IntN(4) {
		fmt.Fprintf(&b, "thread %d: ", t+1)
		for range m.IntN(8) {
			b.WriteString(m.one("r A; ", "w B; ", "lock L; ", "unlock L; ", "barrier C; ", "a = x; ", "x = a + 1; ",
				"x = "+m.number()+"; ", "if a > 1 { w A } else { w B }; ", "a = y / x; ", "fork 2; ", "join 1; ", "{ "))
		}
		b.WriteString("r A\n")
	}
	return b.String()
}

// large is a program of many threads, steps or objects.
func (m *maker) large() string {
	size := func(most int) int { return 1 + int(float64(most)*m.Float64()*m.Float64()) }
	var b strings.Builder
	threads, steps, objects := m.IntN(3), m.IntN(20_000), size(8)
	switch m.IntN(3) {
	case 0:
		threads, steps = size(2000), size(20)
	case 1:
		objects = size(20_000)
	}
	for t := range threads + 1 {
		fmt.Fprintf(&b, "thread %d: r o0", t+1)
		for i := range steps {
			fmt.Fprintf(&b, "; w o%d", i%objects)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// A tally is of a kind.
type tally struct {
	inputs, failed int
	codes          map[int]int
	peakKB         int64
	slowest        time.Duration
}

var said = regexp.MustCompile(`(?m)^krdlab[^:\n]*: `)

// try runs the commands of an input, and returns the exit code of the last and what was wrong.
func (t *tally) try(krdlab, dir string, commands [][]string) (code int, wrong string) {
	for _, args := range commands {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		var stderr bytes.Buffer
		c := exec.CommandContext(ctx, krdlab, args...)
		c.Dir, c.Stderr, c.WaitDelay = dir, &stderr, time.Second
		begun := time.Now()
		c.Run()
		late := ctx.Err() != nil
		cancel()
		if c.ProcessState == nil {
			return -1, "it could not be started" // such as by a NUL in a flag
		}
		kb := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
		t.peakKB, t.slowest = max(t.peakKB, kb), max(t.slowest, time.Since(begun))
		code = c.ProcessState.ExitCode()
		switch text := stderr.String(); {
		case late:
			wrong = fmt.Sprint("more than ", timeout)
		case kb > mostKB:
			wrong = fmt.Sprintf("%d MB", kb>>10)
		case strings.Contains(text, "goroutine ") && strings.Contains(text, ".go:") || strings.Contains(text, "panic:"):
			wrong = "a dump of goroutines"
		case code < 0 || code > 5:
			wrong = fmt.Sprint("exit code ", code)
		case code == 0 && said.MatchString(text):
			wrong = "exit code 0, and " + said.FindString(text)
		}
		if wrong != "" {
			return code, fmt.Sprintf("%s: krdlab %.300q", wrong, args)
		}
		if code != 0 {
			return code, ""
		}
	}
	return code, ""
}

func run(args []string) error {
	if len(args) < 1 || len(args) > 4 {
		return errors.New("expected KRDLAB [INPUTS [SEED [KIND]]]")
	}
	args = append(args, []string{"", "1000", "1", ""}[len(args):]...)
	krdlab, err := filepath.Abs(args[0])
	n, err2 := strconv.Atoi(args[1])
	seed, err3 := strconv.ParseUint(args[2], 10, 64)
	tree, err4 := os.Getwd()
	top, err5 := os.MkdirTemp("", "hostile-")
	if err := errors.Join(err, err2, err3, err4, err5, os.Mkdir(top+"/good", 0o755)); err != nil {
		return err
	}
	if err := prepare(krdlab, top+"/good", tree); err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(kinds), func(k struct {
		name string
		make func(m *maker) [][]string
	}) bool {
		return !strings.HasPrefix(k.name, args[3])
	})
	tallies := make([]tally, len(chosen))
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				k := i % len(chosen)
				dir := filepath.Join(top, fmt.Sprintf("%d", i))
				os.Mkdir(dir, 0o755)
				m := &maker{rand.New(rand.NewPCG(seed, uint64(i))), top + "/good", dir}
				one := tally{}
				code, wrong := one.try(krdlab, dir, chosen[k].make(m))
				mu.Lock()
				t := &tallies[k]
				if t.codes == nil {
					t.codes = map[int]int{}
				}
				t.inputs++
				t.codes[code]++
				t.peakKB, t.slowest = max(t.peakKB, one.peakKB), max(t.slowest, one.slowest)
				if wrong == "" {
					os.RemoveAll(dir)
				} else {
					t.failed++
					fmt.Printf("%s, input %d: %s\n", chosen[k].name, i, wrong)
				}
				mu.Unlock()
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	fmt.Printf("%-20s %6s %6s %6s %6s %6s %6s %6s %8s %6s %6s\n", "kind", "inputs", "0", "1", "2", "3", "4", "5", "peak, MB",
		"s", "failed")
	failed := 0
	for k, t := range tallies {
		fmt.Printf("%-20s %6d %6d %6d %6d %6d %6d %6d %8d %6.1f %6d\n", chosen[k].name, t.inputs, t.codes[0], t.codes[1],
			t.codes[2], t.codes[3], t.codes[4], t.codes[5], t.peakKB>>10, t.slowest.Seconds(), t.failed)
		failed += t.failed
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d inputs failed; their files are in %s", failed, n, top)
	}
	return os.RemoveAll(top)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}
