package app

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// mistakes are command lines that people type, with the exit code and what the one line of the answer
// is to say: what is wrong, and what to do about it. There are a trace a.loi, its run r, a text
// notes.txt, and the folder empty.
var mistakes = []struct {
	line string
	code int
	want string
}{
	// Commands, kernels, schedulers and machines.
	{"rnu matmul", 2, `^krdlab rnu: there is no such command; did you mean run\?`},
	{"matmul run", 2, `^krdlab matmul: .*krdlab run matmul`},
	{"run mat-mul", 2, `mat-mul": .*did you mean matmul\?`},
	{"run matmul --sched work-first", 2, `work-first: .*did you mean workfirst\?`},
	{"run matmul --sched workfirst helpfirst", 2, `--sched workfirst,helpfirst`},
	{"run matmul --sched workfirst+helpfirst", 2, `are separated by commas: workfirst,helpfirst`},
	{"run matmul --machine westmere", 2, `--machine westmere: .*westmere-ex-4s`},
	{"run matmul --machine here.toml", 1, `no such file; expected the TOML file of a machine, or`},
	{"sweep matmul,fibb --cores 1", 2, `fibb": .*did you mean fib\?`},
	{"list kernel", 2, `did you mean kernels\?`},
	{"reproduce virdda", 2, `virdda: .*did you mean virda\?`},
	// Values.
	{"run matmul --cores 1.5", 2, `--cores 1.5: it must be a whole number`},
	{"run matmul --n=-64", 2, `--n -64: it must be a whole number from 1`},
	{"run matmul --n 1k", 2, `--n 1k: it must be a whole number`},
	{"run matmul --n", 2, `--n needs a value`},
	{"run matmul -cores 2", 2, `there is no flag -cores; did you mean --cores\?`},
	{"run matmul --trace-limit 1GBB", 2, `--trace-limit 1GBB: it must be a size, such as 512M`},
	{"run matmul --trace-limit -1M", 2, `--trace-limit -1M: it must be a size, such as 512M`},
	{"topo --caches 32K,1M", 2, `--caches 32K,1M: .*L1D,L2,LLC`},
	{"sweep matmul --n 128..256 --cores 1", 2, `--n 128..256: .*(128-256|128,256|64,128)`},
	{"krd a.loi --by kernl --bins 1M-", 2, `--by kernl: .*kernel`},
	{"krd a.loi --by kernel --bins 1M-32K", 2, `--bins 1M-32K: .*32K-1M`},
	{"krd a.loi --plot krd.gif", 2, `--plot krd.gif: expected a file that ends in .svg, .png, .pdf`},
	{"graph a.loi --unit hours", 2, `--unit hours: .*time, kernels`},
	{"regions a.loi --depth -1", 2, `--depth -1: .*(0|from)`},
	{"trace export a.loi --format excel", 2, `--format excel: .*csv`},
	{"plot r --figure pie", 2, `--figure pie: .*(there are|did you mean)`},
	// Files and folders.
	{"run matmul --out none/r", 1, `--out none/r: there is no folder none; make it, or choose another`},
	{"krd notes.txt", 5, `notes.txt: .*a trace is a file that ends in .loi`},
	{"krd empty", 1, `empty: .*holds no trace`},
	{"view missing.loi", 1, `missing.loi: there is no such file or folder; expected a trace or a run`},
	{"view a.loi --from 10", 2, `--from 10: it must be a time from the beginning of the run, such as 10ms \(ns, us`},
	{"view a.loi --from 2us --to 1us", 2, `a.loi: --from 2us: expected a time before --to 1us`},
	{"view a.loi --from 90s", 2, `a.loi: --from 90s: the run is [0-9.]+[µm]s long; expected a time before its end`},
	{"view a.loi --to 1ticks", 2, `a.loi: no execution is between 0ticks and 1ticks; .* in [0-9]+ticks`},
	{"report a.loi", 5, `a.loi is a file; expected the folder of a sweep or of a run`},
	{"sweep missing.toml", 1, `there is no such file; expected the TOML file of a sweep, or kernels`},
	{"trace import notes.txt --out b.loi", 2, `--format: notes.txt looks like none of csv, .*; say which`},
	{"trace go ./empty", 2, `no Go files in .*empty; expected a package.s folder`},
	{"go ./empty", 2, `no Go files in .*empty; expected a package.s folder`},
	{"go ./empty --show waits", 2, `waits alone .*krdlab graph go ./empty`},
	{"go ./empty --show reuse,cache", 2, `--show reuse,cache: expected each once, of reuse, waits, footprint`},
	{"go ./empty --show footprint --json", 2, `type krdlab regions go ./empty --json`},
	{"go ./empty --sample --show reuse,waits", 2, `--sample shows reuse alone; leave waits out`},
	{"go ./empty --show reuse,footprint --for 2s", 2, `--for is of reuse and waits; leave footprint out of --show`},
	{"go ./empty --for -1s", 2, `--for -1s: expected a time such as 30s`},
	{"interleavings notes.txt", 5, `notes.txt: .*line 1.*expected`},
	// Arguments.
	{"krd a.loi a.loi", 2, `"a.loi" is one argument too many; type krdlab krd`},
	{"trace compress a.loi", 2, `--out is missing; type krdlab trace compress a.loi --out`},
	{"trace go . -port 80", 2, `-port.*trace go . -- `},
	{"compare r", 2, `type krdlab compare`},
}

// TestMistakes holds the answers to mistakes.
func TestMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(line string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = newApp(&stdout, &stderr).main(append([]string{"krdlab"}, strings.Fields(line)...))
		return code, stdout.String(), stderr.String()
	}
	if code, _, errs := run("run matmul --n 64 --cores 1 --reps 1 --machine westmere-ex-4s --trace full " +
		"--out r"); code != 0 {
		t.Fatal(errs)
	}
	traces, err := findTraces("r")
	if err == nil {
		err = os.Link(traces[0], "a.loi")
	}
	if err == nil {
		err = os.Mkdir("empty", 0o777)
	}
	if err == nil {
		err = os.WriteFile("go.mod", []byte("module m\n\ngo 1.26\n"), 0o666)
	}
	if err == nil {
		err = os.WriteFile("notes.txt", []byte("Call the dentist.\nBuy milk.\n"), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(mistakes) != 51 {
		t.Errorf("%d mistakes", len(mistakes))
	}
	for _, m := range mistakes {
		code, out, errs := run(m.line)
		if code != m.code || out != "" || strings.Count(errs, "\n") != 1 ||
			!regexp.MustCompile(m.want).MatchString(errs) {
			t.Errorf("krdlab %s: exit code %d, want %d\n got %s%s\nwant %s", m.line, code, m.code, out,
				errs, m.want)
		}
	}
}
