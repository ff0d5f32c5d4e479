//go:build linux || darwin

package loi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// killEnv names the folder in which a copy of the test program records until it is killed.
const killEnv = "LOI_TEST_KILL_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killEnv); dir != "" {
		if err := recordForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const killWorkers = 3

// recordForever makes workers record as fast as they can. Each also counts its records in a page of its own, apart from the
// recorder: the recorder's witness would keep it from its hot path.
func recordForever(dir string) error {
	runtime.GOMAXPROCS(killWorkers + 1)
	counts, err := createWitness(filepath.Join(dir, "counts"), killWorkers)
	if err != nil {
		return err
	}
	// A limit, should nobody come to kill us.
	w, err := Create(filepath.Join(dir, "x.loi"), testHeader(killWorkers), Options{FirstChunkBytes: 8192, ChunkBytes: 32768, MaxBytes: 256 << 20})
	if err != nil {
		return err
	}
	for i := range killWorkers {
		go func() {
			count := (*uint64)(unsafe.Pointer(&counts[i*slotBytes]))
			r := w.Recorder(i)
			for j := uint64(0); ; j++ {
				rec := killRecord(i, j)
				record(r, &rec, false)
				atomic.StoreUint64(count, j+1)
			}
		}()
	}
	os.WriteFile(filepath.Join(dir, "ready"), nil, 0o644)
	time.Sleep(time.Minute)
	return errors.New("nobody killed the recorder")
}

// killRecord is the record number j of a worker; most are for the hot path.
func killRecord(worker int, j uint64) Record {
	r := Record{Type: KernelRecord, Kernel: 3, Start: j * 100, End: j*100 + uint64(worker), Args: []uint32{uint32(j % 64), uint32(j % 16), uint32(j % (1 << 30))}}
	r.Explicit, r.Calls = []Access{}, []Call{}
	switch j % 11 {
	case 7:
		r.Type, r.Args = AccessesRecord, []uint32{}
		for k := range uint32(j % 50) {
			r.Explicit = append(r.Explicit, Access{Object: 0, Block: k, Bytes: 8192, Mode: InOut})
		}
	case 8:
		r.Kernel, r.Args = 2, []uint32{1, uint32(j % (1 << 30))}
	case 9:
		r.End += 1 << 40
	}
	return r
}

// TestKill kills a process that records, at random moments: what is recovered is all that each worker recorded, but for one
// record.
func TestKill(t *testing.T) {
	times := 20
	if testing.Short() || raceEnabled {
		times = 5
	}
	for n := range times {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killEnv+"="+dir)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
				break
			}
			if time.Since(start) > 20*time.Second {
				cmd.Process.Kill()
				t.Fatal("the recorder did not begin")
			}
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		checkKilled(t, dir, n)
	}
}

func checkKilled(t *testing.T, dir string, n int) {
	path, out := filepath.Join(dir, "x.loi"), filepath.Join(dir, "out.loi")
	counts, err := ReadWitness(filepath.Join(dir, "counts"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(path)
	isFormat(t, err, "the file of a killed process", ErrUnclean)
	rep, err := Recover(path, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("kill %d: counted %v, recovered %v, discarded %v, unfinished %v", n, counts, rep.Records, rep.Discarded, rep.Unfinished)
	if rep.Clean || rep.Damaged() {
		t.Errorf("kill %d: %+v, expected a file without a clean end and without damage", n, rep)
	}
	tr, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if !tr.Recovered {
		t.Errorf("kill %d: the recovered trace does not say so", n)
	}
	for i := range counts {
		if got := rep.Records[i] + rep.Discarded[i]; got != counts[i] && got != counts[i]+1 {
			t.Errorf("kill %d: worker %d counted %d records, recovered are %d and discarded %d", n, i, counts[i], rep.Records[i], rep.Discarded[i])
		}
		got, err := readAll(tr, i)
		if err != nil || uint64(len(got)) != rep.Records[i] {
			t.Fatalf("kill %d: worker %d has %d records, the report says %d: %v", n, i, len(got), rep.Records[i], err)
		}
		for j := range got {
			if want := killRecord(i, uint64(j)); !reflect.DeepEqual(got[j], want) {
				t.Fatalf("kill %d: record %d of worker %d is %+v, expected %+v", n, j, i, got[j], want)
			}
		}
	}
}
