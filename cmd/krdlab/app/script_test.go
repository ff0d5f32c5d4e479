package app

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"krdlab/hw"
	"krdlab/hw/hwtest/long"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/loi"
	"krdlab/loi/front/corpus"
)

// TestMain has Go programs linked as package corpus describes, and runs as the programs of scripts.
func TestMain(m *testing.M) {
	if err := corpus.Linking(); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"krdlab": func() {
			a := newApp(os.Stdout, os.Stderr)
			a.computer.beside = 1 // other tests
			os.Exit(Tables{}.run(a, os.Args))
		},
		"krdlab-serve": serve,
		"krdlab-boom": func() { // with a kernel that goes wrong
			os.Exit(Main(os.Args, Tables{Kernels: append(kernels.Table, &boom)}))
		},
	})
}

// The scripts of testdata/script run the program as a user does, each in an empty folder.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"fails":    fails,
			"measures": measures,
			"mktrace":  mktrace,
		},
		Setup:     setup,
		Condition: condition,
	})
}

// condition returns whether [long] or [caches] holds: the long shapes of the tests are asked for,
// the caches of this computer are known.
func condition(name string) (bool, error) {
	switch name {
	case "long":
		return long.Or(false, true), nil
	case "caches":
		return hostCaches(), nil
	}
	return false, fmt.Errorf("no condition %q", name)
}

// hostCaches returns whether the caches of this computer are known.
func hostCaches() bool {
	host, err := hw.Host()
	if err == nil {
		_, err = machine.Host(host)
	}
	return err == nil
}

// measures COMMAND...: is exits 0 of a command that measures this computer. Where other programs
// disturb it, the command must refuse, and the rest of the script is skipped.
func measures(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: measures COMMAND [ARG...]")
	}
	if why := ends(ts, "0,4", args); strings.Contains(why, "the load average is ") ||
		strings.Contains(why, "no more than noise: other programs run") {
		ts.Value("t").(testscript.T).Skip(why)
	} else if strings.HasPrefix(why, "krdlab") {
		ts.Fatalf("%s", why)
	}
}

// exits CODE,... COMMAND...: runs a command and checks its exit code, one of CODE. A failure must
// say why on one line that names the program; the stack of a panic may follow.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	ends(ts, args[0], args[1:])
}

// fails COMMAND...: runs a command, which must fail.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fails COMMAND [ARG...]")
	}
	if runs(ts, args).Code == 0 {
		ts.Fatalf("unexpected success")
	}
}

// ends is exits with the codes, and returns what the command prints on stderr.
func ends(ts *testscript.TestScript, codes string, args []string) (whole string) {
	a := runs(ts, args)
	got, stderr := a.Code, a.Stderr
	if !slices.Contains(strings.Split(codes, ","), strconv.Itoa(got)) {
		ts.Fatalf("exit code %d, want %s\nstdout:\n%s\nstderr:\n%s", got, codes, a.Stdout, stderr)
	}
	for strings.HasPrefix(stderr, "traces of up to ") { // said before a run
		_, stderr, _ = strings.Cut(stderr, "\n")
	}
	if got != 0 {
		lines := 0
		message, _, _ := strings.Cut(stderr, "goroutine ")
		for _, c := range message {
			if c == '\n' {
				lines++
			}
		}
		if lines != 1 || len(stderr) < 8 || stderr[:6] != "krdlab" {
			ts.Fatalf("exit code %d with %d lines, want one that begins with krdlab:\n%s", got,
				lines, stderr)
		}
	}
	return a.Stderr
}

// mktrace KIND FILE: writes a trace of two workers on two nodes that touch blocks a b c a b b a c
// of 8 bytes each: a clean one, one that was not closed, one with losses, one whose second half is
// gone.
func mktrace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mktrace clean|killed|lossy|cut FILE")
	}
	path := ts.MkAbs(args[1])
	opt := loi.Options{}
	if args[0] == "lossy" {
		opt = loi.Options{MaxBytes: 1 << 19, NoBackground: true}
	}
	w, err := loi.Create(path, loi.Header{
		Registry: loi.Registry{
			Objects: []loi.Object{{Name: "letters", Blocks: []loi.SizeRun{{Count: 3, Bytes: 8}}}},
			Kernels: []loi.Kernel{{Name: "touch", Params: []loi.Param{{Object: 0, Mode: loi.In}}}},
		},
		Clock: loi.Clock{Source: hw.SourceTSC, Hz: 1e9}, Workers: []loi.Worker{{CPU: 0, Node: 0},
			{CPU: 1, Node: 1}},
		L2Bytes: 16, LLCBytes: 24, Substrate: loi.Native, Grain: "kernel",
	}, opt)
	ts.Check(err)
	for i, block := range []uint32{0, 1, 2, 0, 1, 1, 0, 2} {
		at := uint64(10 * i)
		w.Recorder(0).Kernel1(0, at, at+5, block)
		w.Recorder(1).Kernel1(0, at, at+5, block)
	}
	switch args[0] {
	case "killed":
		b, err := os.ReadFile(path) // what a killed process leaves
		ts.Check(err)
		_, err = w.Close()
		ts.Check(err)
		ts.Check(os.WriteFile(path, b, 0o666))
		return
	case "lossy", "cut":
		for i := range uint64(1 << 16) {
			at := 1000 + 10*i
			w.Recorder(0).Kernel1(0, at, at+5, 0)
		}
	}
	stats, err := w.Close()
	ts.Check(err)
	if lost := stats.Discarded[0] > 0; lost != (args[0] == "lossy") {
		ts.Fatalf("mktrace %s: %d records discarded", args[0], stats.Discarded[0])
	}
	if args[0] == "cut" {
		ts.Check(os.Truncate(path, int64(stats.Bytes/2)))
	}
}
