//go:build ignore

// Hostile gives krdlab inputs that are wrong on purpose, by kind, and looks at how it ends.
//
//	go run .ci/hostile.go ./krdlab              # 1000 inputs
//	go run .ci/hostile.go ./krdlab 300 7 model  # 300 by the seed 7, of the kinds that begin so
//
// An input fails where a command takes more than --memory and 150 MB or more than 20 s, ends by a
// signal, a dump of goroutines or an exit code that is no class, or with 0 though stderr has an
// error. The files of what fails stay. A new kind is a line of the table kinds.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	mostKB  = (200<<20 + 150_000_000) / 1024 // --memory 200M
	timeout = 20 * time.Second
	matmul  = "run matmul --n 128 --leaf 32x32x32 --machine westmere-ex-4s --reps 1 "
	load    = "trace import @tasks.txt --out t.loi\n"
	threads = " --memory 200M ?--exact ?--reached ?--enumerate ?--guarantee ?--sampler=walk,pos ?--sampler=pct " +
		"?--sampler=native ?--runs=10 ?--runs=# ?--depth=#"
)

// kinds are commands, of which the first that fails is the last. [a|b] is one of several, ?word there
// or not, # a number, @file a mutation of a good file, or a program, and ../good/ has good ones.
var kinds = [][2]string{
	{"interleavings text", "interleavings @text.txt" + threads},
	{"interleavings threads", "interleavings @threads.txt" + threads},
	{"interleavings steps", "interleavings @steps.txt" + threads},
	{"explore tasks", load + "explore t.loi --memory 200M --search 5 --runs 5 " +
		"--llc [1/8|1/8|1|#] ?--enumerate ?--depth=#"},
	{"explore flags", "explore --memory 200M ../good/run ?--runs=# ?--depth=# ?--llc=1/8 ?--search=# ?--llc=1/# ?--seed=# ?--sampler=walk,# ?--extreme=# ?--csv=#"},
	{"interleavings flags", "interleavings --memory 200M ../good/p.txt --sampler=pct ?--runs=# " +
		"?--depth=# ?--seed=# ?--sampler=walk,# ?--csv=#"},
	{"schedule", matmul + "--follow @schedule.txt"},
	{"predict document", "predict --different @run.json:64 ../good/run.json:128 --at 512"},
	{"predict flags", "predict --different ../good/run.json:[64|#] ../good/run.json:# --at # ?--llc=# ?--csv=#"},
	{"model table", "model @cars.csv --formula mpg~[wt*hp|(.)^2|(.)^9|log(wt)+factor(cyl)|I(wt^#)]"},
	{"model parquet", "model @table.parquet --formula time~block+bytes"},
	{"model document", "model change @model.json wt=[+1|-10%|#]\nmodel predict model.json ../good/cars.csv"},
	{"model flags", "model ../good/cars.csv --formula mpg~wt+hp ?--folds=# ?--order=# ?--where=wt># ?--groups=cyl " +
		"?--leave-one=gear,# ?--seed=# ?--csv=terms ?--against=mpg~wt ?--select=# ?--hc3"},
	{"trace of values", "trace import @values[1|2|3].txt --out t.loi\n[dependences|regions|graph|krd] t.loi"},
	{"trace of a run", load + "[krd|graph|components|regions] t.loi"},
}

// prepare makes the good inputs in $G, by krdlab in $K, in the root of the tree.
const prepare = `cp experiments/read/model/regress/testdata/mtcars.csv $G/cars.csv
cd loi/front/corpus/testdata/traces
for i in 1 2 3; do $K trace export $(ls *.values.loi.zst | sed -n ${i}p) > $G/values$i.txt; done
cd $G
printf 'thread 1: r A; lock L; w B; unlock L\nthread 2: lock L; r B; unlock L; w A\n' > p.txt
$K ` + matmul + `--cores 2 --sched workfirst --trace full,tasks --out run > table.txt
$K explore run --llc 1/8 --runs 5 --search 5 --save-schedule schedule.txt > table.txt
$K trace export run/workfirst.1.loi --format parquet --out table.parquet
$K trace export run/workfirst.1.loi > tasks.txt
$K krd run/workfirst.1.loi --json > run.json
$K model cars.csv --formula 'mpg~wt*hp+factor(cyl)' --json > model.json`

// A maker makes an input in its own directory, beside that of the good ones.
type maker struct {
	*rand.Rand
	dir string
}

func (m *maker) one(words ...string) string { return words[m.IntN(len(words))] }
func (m *maker) number(string) string {
	return m.one("0", "-1", "1", "2", "63", "1000", "400000000", "2147483648", "4294967295", "4294967296",
		"9223372036854775807", "18446744073709551615", "99999999999999999999999", "1e308", "1e-320", "-0", "NaN",
		"+Inf", "1e9999", "0x10", "1_0", "1.5", "٣", strconv.FormatUint(m.Uint64()>>m.IntN(64), 10))
}

var choice, maybe, number, file = regexp.MustCompile(`\[.*?\]`), regexp.MustCompile(`\?\S+`),
	regexp.MustCompile(`#`), regexp.MustCompile(`@[a-z0-9.]+`)

// commands makes those of a kind, and their files.
func (m *maker) commands(s string) string {
	s = choice.ReplaceAllStringFunc(s, func(s string) string { return m.one(strings.Split(s[1:len(s)-1], "|")...) })
	s = maybe.ReplaceAllStringFunc(s, func(s string) string { return m.one(s[1:], "", "", "") })
	s = number.ReplaceAllStringFunc(s, m.number)
	return file.ReplaceAllStringFunc(s, func(s string) string {
		name, mutations := s[1:], 1+m.IntN(3)/2
		good, err := os.ReadFile(filepath.Join(m.dir, "../good", name))
		text := string(good)
		if err != nil {
			text, mutations = m.program(name), m.IntN(2)
		}
		for ; mutations > 0 && text != ""; mutations-- {
			text = m.mutate(text, 1-len(name)/13) // table.parquet has bytes
		}
		os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o644)
		return name
	})
}

var said = regexp.MustCompile(`(?m)^krdlab[^:\n]*: `)
var numbers = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?`)

func (m *maker) mutate(s string, text int) string {
	at, lines := m.IntN(len(s)), strings.SplitAfter(s, "\n")
	a, b := m.IntN(len(lines)), m.IntN(len(lines))
	switch m.IntN(3 + text*17) {
	case 0:
		return s[:at]
	case 1:
		return s[:at] + string([]byte{s[at] ^ 1<<m.IntN(8)}) + s[at+1:]
	case 2: // a part again
		return s[:at+m.IntN(min(len(s)-at, 100)+1)] + s[at:]
	case 3:
		lines[a], lines[b] = lines[b], lines[a]
	case 4:
		lines[a] = strings.Repeat(lines[a], m.IntN(1<<18/(len(lines[a])+1)+1)) // a child begins with our peak
	case 5: // two bytes a character
		return "\xff\xfe" + strings.Join(strings.Split(s, ""), "\x00")
	case 6:
		lines[a] = m.one("\xef\xbb\xbf", "\x00", "\xc3\x28", "\u202e", "\x1b[2J", "-", "\"", "{") + lines[a]
	default:
		if list := numbers.FindAllStringIndex(lines[a], -1); list != nil {
			x := list[m.IntN(len(list))]
			lines[a] = lines[a][:x[0]] + m.number("") + lines[a][x[1]:]
		}
	}
	return strings.Join(lines, "")
}

// program is one of threads, in the grammar for the most part.
func (m *maker) program(name string) string {
	steps, threads, objects := 8, 1+m.IntN(4), 3
	switch name {
	case "threads.txt":
		steps, threads, objects = m.IntN(20), m.IntN(1000), 1<<m.IntN(9)
	case "steps.txt":
		steps, objects = m.IntN(5000), 1<<m.IntN(13)
	}
	text := []byte("shared x = " + m.number("") + "; input y in {1, 2}")
	for t := range threads {
		text = fmt.Appendf(text, "\nthread %d: r A", t+1)
		for range steps {
			text = fmt.Appendf(text, m.one("; r o%d", "; w o%d"), m.IntN(objects))
			if steps < 10 {
				text = append(text, m.one("", "", "; lock L", "; unlock L", "; barrier C", "; a = x",
					"; x = a + 1", "; a = y / x",
					"; if a > 1 { w A } else { w B }", "; x = "+m.number(""))...)
			}
		}
	}
	return string(text)
}

// A tally is of the inputs of a kind.
type tally struct {
	inputs, failed int
	codes          [6]int
	peakKB         int64
	slowest        float64 // s
}

// try runs the commands of an input in a directory, and removes it if nothing was wrong.
func (t *tally) try(krdlab, dir, commands string) {
	code := 0
	for line := range strings.Lines(commands) {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		var stderr bytes.Buffer
		c := exec.CommandContext(ctx, krdlab, strings.Fields(line)...)
		c.Dir, c.Stderr, c.WaitDelay = dir, &stderr, time.Second
		begun := time.Now()
		err, late := c.Run(), ctx.Err() != nil
		if cancel(); c.ProcessState == nil {
			log.Fatal(err)
		}
		kb, text, wrong := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss, stderr.String(), ""
		t.peakKB, t.slowest = max(t.peakKB, kb), max(t.slowest, time.Since(begun).Seconds())
		switch code = c.ProcessState.ExitCode(); {
		case late:
			wrong = fmt.Sprint("more than ", timeout)
		case kb > mostKB:
			wrong = fmt.Sprintf("%d MB", kb>>10)
		case strings.Contains(text, "\ngoroutine ") || strings.Contains(text, "panic:"):
			wrong = "a dump of goroutines"
		case code < 0 || code >= len(t.codes):
			wrong = fmt.Sprint("exit code ", code)
		case code == 0 && said.MatchString(text):
			wrong = "exit code 0 though stderr has an error"
		}
		if wrong != "" {
			t.failed++
			fmt.Printf("%s: %s: krdlab %.300s\n", dir, wrong, line)
			return
		} else if code != 0 {
			break
		}
	}
	t.codes[code]++
	os.RemoveAll(dir)
}

func main() {
	args := append(os.Args[1:], []string{"", "1000", "1", ""}[min(4, len(os.Args)-1):]...)
	krdlab, _ := filepath.Abs(args[0])
	n, err := strconv.Atoi(args[1])
	seed, err2 := strconv.ParseUint(args[2], 10, 64)
	top, err3 := os.MkdirTemp("", "hostile-")
	if err := errors.Join(err, err2, err3, os.Mkdir(top+"/good", 0o755)); err != nil || len(args) > 4 {
		log.Fatal("expected KRDLAB [INPUTS [SEED [KIND]]]: ", err)
	}
	c := exec.Command("sh", "-ec", prepare)
	c.Env = append(os.Environ(), "K="+krdlab, "G="+top+"/good")
	if out, err := c.CombinedOutput(); err != nil {
		log.Fatalf("making the good inputs: %v\n%s", err, out)
	}
	tallies, failed := make([]tally, len(kinds)), 0
	var wg sync.WaitGroup
	turns := make(chan bool, runtime.GOMAXPROCS(0))
	for k, x := range kinds {
		wg.Go(func() {
			for i := 0; i < n/len(kinds) && strings.HasPrefix(x[0], args[3]); i++ {
				turns <- true
				dir := fmt.Sprintf("%s/%d-%d", top, k, i)
				os.Mkdir(dir, 0o755)
				tallies[k].inputs++
				m := &maker{rand.New(rand.NewPCG(seed, uint64(k<<32+i))), dir}
				tallies[k].try(krdlab, dir, m.commands(x[1]))
				<-turns
			}
		})
	}
	wg.Wait()
	fmt.Printf("%-20s%7s%30s%10s%8s%8s\n", "kind", "inputs", "exit codes 0 to 5", "peak, MB", "s", "failed")
	for k, t := range tallies {
		fmt.Printf("%-20s%7d%30s%10d%8.1f%8d\n", kinds[k][0], t.inputs, fmt.Sprint(t.codes),
			t.peakKB>>10, t.slowest, t.failed)
		failed += t.failed
	}
	if failed > 0 {
		log.Fatalf("%d inputs failed; their files are in %s", failed, top)
	}
	os.RemoveAll(top)
}
