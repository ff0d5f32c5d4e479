//go:build linux

package app

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/loi"
)

// A traced run that is killed at a random moment leaves a trace that is refused as it is, and from
// which recovery gets every record that was there before the kill (TestKill of package loi counts
// each record).
func TestKilledRun(t *testing.T) {
	t.Parallel()
	kills := long.Or(4, 20)
	if _, err := exec.LookPath("krdlab"); err != nil {
		t.Fatal(err) // testscript.Main puts it there
	}
	partial := 0
	for i := 0; i < kills || partial == 0 && i < 5*kills; i++ { // on a busy computer runs are disturbed, or end first
		dir := t.TempDir()
		out := filepath.Join(dir, "run")
		run := exec.Command("krdlab", "run", "matmul", "--n", "2048", "--cores", "2",
			"--oversubscribe", "--reps", "1", "--warmup", "0", "--trace", "full",
			"--out", out)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		trace := filepath.Join(out+".partial", "workfirst.1.loi")
		ended := make(chan error, 1)
		go func() { ended <- run.Wait() }()
		before, err := killAt(t, run, ended, trace, 1+uint64(rand.IntN(20_000)))
		if err == nil || !strings.Contains(err.Error(), "killed") {
			continue // it was done already: nothing to learn
		}
		if _, err := loi.Open(trace); err == nil || errors.Is(err, os.ErrNotExist) {
			// killed between the clean end of the trace, or the end of the run directory, and that
			// of the process
			continue
		}
		if aside, err := filepath.Glob(trace + ".aside-*"); err != nil || len(aside) > 0 {
			continue // what was there is of the repetition that was disturbed and is done again
		}
		if code := codeOf(exec.Command("krdlab", "krd", trace)); code != exitData {
			t.Errorf("krd of the unrecovered trace: exit code %d, want %d", code, exitData)
		}
		whole := filepath.Join(dir, "whole.loi")
		report, err := exec.Command("krdlab", "trace", "recover", trace, "--out",
			whole).CombinedOutput()
		if err != nil || !strings.Contains(string(report), "no clean end") {
			t.Fatalf("recover: %v\n%s", err, report)
		}
		doc, err := exec.Command("krdlab", "krd", whole, "--json").Output()
		if err != nil {
			t.Fatalf("krd of the recovered trace: %v", err)
		}
		var krd struct {
			Accesses uint64
			Warnings []string
		}
		if err := json.Unmarshal(doc, &krd); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(krd.Warnings, " "), "no clean end") {
			t.Errorf("krd warns %q, and not that the trace had no clean end", krd.Warnings)
		}
		tr, err := loi.Open(whole)
		if err != nil {
			t.Fatal(err)
		}
		var sum uint64
		for w, n := range tr.Records() {
			if n < before[w] {
				t.Errorf("kill %d, worker %d: %d records recovered, there were %d", i, w, n, before[w])
			}
			for c := tr.Cursor(w); c.Next(); {
				sum++
			}
		}
		if krd.Accesses != 3*sum {
			t.Errorf("kill %d: krd has %d accesses of %d kernels, want 3 each", i, krd.Accesses,
				sum)
		}
		if sum > 0 {
			partial++
		}
		t.Logf("kill %d: %v records recovered, %v before", i, tr.Records(), before)
		tr.Close()
	}
	if partial == 0 {
		t.Errorf("no kill of %d hit a run with records", 5*kills)
	}
}

// killAt kills a run once its trace has so many records, and returns those of each worker and how the
// run ended.
func killAt(t *testing.T, run *exec.Cmd, ended <-chan error, trace string,
	records uint64) ([]uint64, error) {
	t.Helper()
	for end := hwtest.Deadline(t); time.Now().Before(end); time.Sleep(time.Millisecond) {
		select {
		case err := <-ended: // it was faster
			return nil, err
		default:
		}
		if tr, r, err := loi.OpenUnclean(trace); err == nil {
			tr.Close()
			if sum(r.Records) >= records {
				run.Process.Kill()
				return r.Records, <-ended
			}
		}
	}
	run.Process.Kill()
	t.Fatalf("%v: %s did not come to %d records", <-ended, trace, records)
	return nil, nil
}

func codeOf(c *exec.Cmd) int {
	c.Run()
	return c.ProcessState.ExitCode()
}
