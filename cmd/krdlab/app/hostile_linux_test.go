package app

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"krdlab/hw/units"
)

// hostile is a kind of input, in a file or of a flag.
type hostile struct {
	kind           string
	make, commands []string // what makes IN; what is done with it, OUT being new, until one fails
}

// hostileBase is what a command may take for an input of less than 1 MiB: --memory, and a base.
const hostileBase = 32<<20 + 368<<20

// huge is what numbers become.
var huge = strings.Fields("0 -1 1 255 256 65535 65536 16777216 400000000 2147483647 2147483648 " +
	"4294967295 4294967296 9223372036854775807 18446744073709551615 18446744073709551616 1e309 " +
	"0x7fffffff NaN 99999999999999999999999999")

var wholeNumber = regexp.MustCompile(`[0-9]+`)

// mutate changes a text in one way or two that the generator chooses.
func mutate(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(2) {
		if len(b) == 0 {
			return b
		}
		lines := bytes.SplitAfter(b, []byte("\n"))
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		if r.IntN(2) == 0 { // what stands at the head, before the records, is worth as much as the rest
			i = r.IntN(min(len(lines), 40+max(0, bytes.Count(b, []byte("\noperation ")))))
		}
		switch r.IntN(9) {
		case 0, 1, 2, 3:
			if at := wholeNumber.FindAllIndex(lines[i], -1); len(at) > 0 {
				x := at[r.IntN(len(at))]
				lines[i] = slices.Concat(lines[i][:x[0]], []byte(huge[r.IntN(len(huge))]), lines[i][x[1]:])
			}
		case 4:
			b = b[:r.IntN(len(b))]
			continue
		case 5: // columns change places
			sep := map[bool]string{true: ",", false: " "}[bytes.ContainsRune(lines[i], ',')]
			w := strings.Split(strings.TrimSuffix(string(lines[i]), "\n"), sep)
			x, y := r.IntN(len(w)), r.IntN(len(w))
			w[x], w[y] = w[y], w[x]
			lines[i] = []byte(strings.Join(w, sep) + "\n")
		case 6: // of another encoding, or of none
			b = slices.Insert(b, r.IntN(len(b)), [][]byte{{0}, {0xff, 0xfe}, {0xe4}, {0xef, 0xbb, 0xbf},
				{0xe2, 0x80, 0xae}, {'\r'}, {'"'}}[r.IntN(7)]...)
			continue
		case 7:
			lines[i], lines[j] = lines[j], lines[i]
		case 8:
			lines[i] = bytes.Repeat(lines[i], 2+r.IntN(3))
		}
		b = bytes.Join(lines, nil)
	}
	return b
}

// hostiles are the kinds.
var hostiles = func() (list []hostile) {
	add := func(kind string, made string, commands ...string) {
		list = append(list, hostile{kind, strings.Split(made, "; "), commands})
	}
	const run = "run KERNEL --machine westmere-ex-4s --cores 3 --sched workfirst --reps 1 " +
		"--warmup 0 --trace full,tasks,regions,decisions --out run; "
	const export = "trace export run/workfirst.1.loi --format "
	of := func(kernel string) string { return strings.Replace(run, "KERNEL", kernel, 1) }
	imported := []string{"trace import IN --format text --out OUT.loi", "dependences OUT.loi --json",
		"regions OUT.loi --values --json", "graph OUT.loi --json", "krd OUT.loi", "trace info OUT.loi",
		"explore OUT.loi --memory 32M --runs 5", "trace export OUT.loi --format csv --out OUT.csv",
		"trace import OUT.csv --out OUT2.loi"}
	for _, name := range []string{"calls.values", "receives.values.sync", "parallel-pipeline.sync"} {
		add(name, "trace export TRACES/"+name+".loi.zst --format text --out IN", imported...)
	}
	const matmul = "matmul --n 64 --leaf 16x16x16"
	add("fib", of("fib --n 6")+export+"text --out IN", imported...)
	add("matmul", of(matmul)+export+"text --out IN", imported...)
	add("csv", of(matmul)+export+"csv --out IN", "trace import IN --format csv --out OUT.loi",
		"krd OUT.loi", "trace export OUT.loi --format jsonl --out OUT.jsonl")
	add("schedule", of(matmul)+"explore run/workfirst.1.loi --runs 2 --search 2 --save-schedule IN",
		"run "+matmul+" --machine westmere-ex-4s --cores 3 --follow IN --reps 1 --out OUT")
	for _, x := range [][2]string{{"keysize", "0x10,64\n17,64\n16,64\nkey,8\n99,4\n"},
		{"lackey", "I  04000000,3\n S 1ffeff7e8,8\n L 1ffeff7e0,8\n M 04222c4,4\n"}} {
		add(x[0], "FILE "+x[1], "trace import IN --format "+x[0]+" --out OUT.loi", "krd OUT.loi")
	}
	add("model", "FILE x,g,y\n1,a,2\n2,a,3.5\n3,b,6\n4,b,8.5\n5,a,9\n6,b,13\n",
		"model IN --formula y~x+g --folds 2")
	add("explore", "FILE thread a\n  x = 1\n  y = x + 2\nthread b\n  lock m\n  y = 3\n  unlock m\n",
		"explore IN --memory 32M --runs 5")
	for _, flags := range []string{"run fib --n 5 --cores 2 --reps IN", "run fib --n IN --cores 1",
		"run fib --n 5 --cores IN --machine westmere-ex-4s", "run matmul --n IN --leaf 16x16x16",
		"run matmul --n 64 --leaf INx16x16", "run fib --n 5 --trace-limit IN", "krd TRACE --llc IN", "krd TRACE --replay --caches IN/8/64",
		"explore TRACE --memory IN", "explore TRACE --runs IN --memory 32M",
		"explore TRACE --search IN --memory 32M", "explore TRACE --depth IN --memory 32M",
		"trace import TABLE --format lackey --line IN --out OUT.loi",
		"trace import TABLE --format csv --nodes 0-IN --out OUT.loi",
		"sweep fib --n IN --cores 1 --machine westmere-ex-4s --plan-only --out OUT",
		"sweep fib --n 5 --cores 1-IN --plan-only --machine westmere-ex-4s --out OUT"} {
		add("flags", of("fib --n 6")+export+"csv --out TABLE", flags)
	}
	return list
}()

// TestHostileInputs gives commands inputs that nobody would write, by kind: none takes more memory
// than it may, ends with Go's traceback, or ends well where it printed an error.
func TestHostileInputs(t *testing.T) {
	if os.Getenv("KRDLAB_LONG") == "" {
		t.Skip("KRDLAB_LONG=1 runs 1 000 inputs, 5 minutes")
	}
	traces, _ := filepath.Abs("../../../loi/front/corpus/testdata/traces")
	count, codes := 0, map[int]int{}
	for k := range hostiles {
		h, in := &hostiles[k], []byte(nil)
		t.Run(fmt.Sprint(k, " ", h.kind), func(t *testing.T) {
			dir := t.TempDir()
			for _, line := range h.make {
				line = strings.ReplaceAll(line, "TRACES", traces)
				if text, ok := strings.CutPrefix(line, "FILE "); ok {
					in = []byte(text)
				} else if code, _, stderr := underIn(t, dir, "", append([]string{"krdlab"},
					strings.Fields(line)...)...); code != 0 {
					t.Fatalf("%s: %d: %s", line, code, stderr)
				}
			}
			if in == nil {
				in, _ = os.ReadFile(filepath.Join(dir, "IN"))
			}
			r := rand.New(rand.NewPCG(72, uint64(k)))
			inputs, name := 60, "IN"
			if h.kind == "flags" {
				inputs = len(huge)
			}
			for i := range inputs {
				if h.kind == "flags" {
					name = huge[i]
				} else if err := os.WriteFile(filepath.Join(dir, "IN"), mutate(r, in), 0o666); err != nil {
					t.Fatal(err)
				}
				names := strings.NewReplacer("IN", name, "OUT", fmt.Sprint("out", i), "TRACE", "run/workfirst.1.loi")
				count++
				for n, line := range h.commands {
					line = names.Replace(line)
					code, what := hostileRun(dir, strings.Fields(line))
					codes[code]++
					if what != "" {
						t.Errorf("input %d: krdlab %s: exit code %d: %s", i, line, code, what)
					}
					if code != 0 && n == 0 {
						break // it was not imported
					}
				}
			}
		})
	}
	t.Logf("%d inputs; commands by exit code: %v", count, codes)
	if count < 900 || codes[0] == 0 || codes[exitData] == 0 || codes[exitUsage] == 0 {
		t.Error("the inputs are too few, or of one sort")
	}
}

// hostileRun runs a command with 4 GB of address space, for 5 s, and returns what it should not do.
func hostileRun(dir string, argv []string) (code int, what string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", "ulimit -v 4000000\nexec krdlab \"$@\"",
		"sh"}, argv...)...)
	c.Dir, c.WaitDelay = dir, time.Second
	var stderr bytes.Buffer
	c.Stderr = &stderr
	code = codeOf(c)
	text := stderr.String()
	if peak := uint64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10; peak > hostileBase {
		return code, units.Bytes(peak) + " of memory"
	}
	if strings.Contains(text, "goroutine ") || strings.Contains(text, "fatal error") ||
		code == 0 && strings.Contains(text, "krdlab: ") ||
		code != 0 && ctx.Err() == nil && !strings.Contains(text, "krdlab") {
		return code, fmt.Sprintf("%.300s", text)
	}
	return code, ""
}
