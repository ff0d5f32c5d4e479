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
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"krdlab/hw/hwtest/long"
)

// killEnv names the folder in which a copy of the test program records until it is killed.
const killEnv = "LOI_TEST_KILL_IN"

// killCloseEnv, if set, has it make small traces one after the other.
const killCloseEnv = "LOI_TEST_KILL_CLOSE"

// killBuildEnv, if set, has it build a trace.
const killBuildEnv = "LOI_TEST_KILL_BUILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killEnv); dir != "" {
		run := recordForever
		if os.Getenv(killCloseEnv) != "" {
			run = closeForever
		}
		if os.Getenv(killBuildEnv) != "" {
			run = buildForever
		}
		if err := run(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// killFullEnv, if set, limits the trace to a size that is soon reached, so that it is killed while
// it discards.
const killFullEnv = "LOI_TEST_KILL_FULL"

const killWorkers = 3

// createCounts maps a file of dir that has a count for each worker, each on a cache line of its own:
// the counts outlive the process.
func createCounts(dir string) ([]byte, error) {
	f, err := os.Create(filepath.Join(dir, "counts"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(killWorkers * slotBytes); err != nil {
		return nil, err
	}
	return mapShared(f, 0, killWorkers*slotBytes)
}

// readCounts returns the counts in dir by worker.
func readCounts(t *testing.T, dir string) (counts []uint64) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "counts"))
	if err != nil || len(b) != killWorkers*slotBytes {
		t.Fatalf("%d bytes of counts: %v", len(b), err)
	}
	for i := range killWorkers {
		counts = append(counts, le.Uint64(b[i*slotBytes:]))
	}
	return counts
}

// recordForever makes workers record as fast as they can. Each also counts its records.
func recordForever(dir string) error {
	runtime.GOMAXPROCS(killWorkers + 1)
	counts, err := createCounts(dir)
	if err != nil {
		return err
	}
	// should no kill come
	opt := Options{FirstChunkBytes: 8192, ChunkBytes: 32768, MaxBytes: 256 << 20}
	if os.Getenv(killFullEnv) != "" {
		opt.MaxBytes = 200_000
	}
	w, err := Create(filepath.Join(dir, "x.loi"), testHeader(killWorkers), opt)
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
	time.Sleep(time.Hour)
	return errors.New("nobody killed the recorder")
}

// killRecord is the record number j of a worker; most are for the hot path.
func killRecord(worker int, j uint64) Record {
	r := Record{Type: KernelRecord, Kernel: 3, Start: j * 100, End: j*100 + uint64(worker),
		Args: []uint32{uint32(j % 64), uint32(j % 16), uint32(j % (1 << 30))}}
	r.Explicit, r.Calls = []Access{}, []Call{}
	switch j % 11 {
	case 7:
		r.Type, r.Args = AccessesRecord, []uint32{}
		for k := range uint32(j % 50) {
			r.Explicit = append(r.Explicit, Access{Object: 0, Block: uint64(k), Bytes: 8192,
				Mode: InOut})
		}
	case 8:
		r.Kernel, r.Args = 2, []uint32{1, uint32(j % (1 << 30))}
	case 9:
		r.End += 1 << 40
	}
	return r
}

// TestKill kills a process that records, at random moments: all records of each worker are
// recovered, but for one.
func TestKill(t *testing.T) {
	times := long.Or(5, 20)
	for n := range times {
		env := []string{killEnv}
		if n%4 == 3 {
			env = append(env, killFullEnv)
		}
		checkKilled(t, killed(t, env...), n)
	}
}

// killed runs a copy of the test program that records, with the given variables set to a new
// folder, kills it, and returns the folder.
func killed(t *testing.T, env ...string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = os.Environ()
	for _, e := range env {
		cmd.Env = append(cmd.Env, e+"="+dir)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limit, limited := t.Deadline() // a slow machine only takes longer
	for ; ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			break
		}
		if limited && time.Until(limit) < 10*time.Second {
			cmd.Process.Kill()
			t.Fatal("the recorder did not begin")
		}
	}
	time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	return dir
}

func checkKilled(t *testing.T, dir string, n int) {
	path, out := filepath.Join(dir, "x.loi"), filepath.Join(dir, "out.loi")
	counts := readCounts(t, dir)
	_, err := Open(path)
	isFormat(t, err, "the file of a killed process", ErrUnclean)
	rep, err := Recover(path, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("kill %d: counted %v, recovered %v, discarded %v, unfinished %v", n, counts, rep.Records,
		rep.Discarded, rep.Unfinished)
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
			t.Errorf("kill %d: worker %d counted %d records, recovered are %d and discarded %d", n,
				i, counts[i], rep.Records[i], rep.Discarded[i])
		}
		got, err := readAll(tr, i)
		if err != nil || uint64(len(got)) != rep.Records[i] {
			t.Fatalf("kill %d: worker %d has %d records, the report says %d: %v", n, i, len(got),
				rep.Records[i], err)
		}
		for j := range got {
			if want := killRecord(i, uint64(j)); !reflect.DeepEqual(got[j], want) {
				t.Fatalf("kill %d: record %d of worker %d is %+v, expected %+v", n, j, i, got[j],
					want)
			}
		}
	}
}

// closeRecords is the number of records of each worker in each trace of closeForever.
const closeRecords = 400

// closeForever makes traces 0, 1, 2 and so on, each of closeRecords records of each worker, and
// counts the records.
func closeForever(dir string) error {
	counts, err := createCounts(dir)
	if err != nil {
		return err
	}
	for k := range uint64(1_000_000) {
		w, err := Create(filepath.Join(dir, u(k)), testHeader(killWorkers),
			Options{FirstChunkBytes: 8192, ChunkBytes: 8192})
		if err != nil {
			return err
		}
		if k == 1 {
			os.WriteFile(filepath.Join(dir, "ready"), nil, 0o644)
		}
		for i := range killWorkers {
			for j := range uint64(closeRecords) {
				rec := killRecord(i, j)
				record(w.Recorder(i), &rec, false)
				atomic.StoreUint64((*uint64)(unsafe.Pointer(&counts[i*slotBytes])), k*closeRecords+
					j+1)
			}
		}
		if _, err := w.Close(); err != nil {
			return err
		}
		if k > 1 {
			os.Remove(filepath.Join(dir, u(k-2)))
		}
	}
	return errors.New("nobody killed the recorder")
}

// TestKillClose kills a process that makes small traces, so that many of the kills hit Create or
// Close: no record is lost.
func TestKillClose(t *testing.T) {
	times := long.Or(8, 40)
	states := make(map[string]int)
	for range times {
		dir := killed(t, killEnv, killCloseEnv)
		counts := readCounts(t, dir)
		// the last trace in which worker 0 recorded, unless it was the one before
		k := counts[0] / closeRecords
		for _, k := range []uint64{k, k - 1} {
			path := filepath.Join(dir, u(k))
			tr, rep, err := OpenUnclean(path)
			if errors.Is(err, os.ErrNotExist) && counts[0] <= k*closeRecords {
				continue
			}
			if (errors.Is(err, ErrNotTrace) || errors.Is(err, ErrCorrupt)) &&
				counts[0] <= k*closeRecords {
				states["in Create"]++
				continue
			}
			if err != nil || rep.Damaged() {
				t.Fatalf("%+v: %v", rep, err)
			}
			for i := range counts {
				want := min(max(counts[i], k*closeRecords)-k*closeRecords, closeRecords)
				if got := rep.Records[i]; got != want && got != want+1 {
					t.Fatalf("trace %d: worker %d counted %d records, recovered are %d: %+v", k, i,
						want, got, rep)
				}
				got, err := readAll(tr, i)
				if err != nil {
					t.Fatal(err)
				}
				for j := range got {
					if want := killRecord(i, uint64(j)); !reflect.DeepEqual(got[j], want) {
						t.Fatalf("trace %d: record %d of worker %d is %+v, expected %+v", k, j, i,
							got[j], want)
					}
				}
			}
			switch {
			case rep.Clean:
				states["clean"]++
			case counts[killWorkers-1] == (k+1)*closeRecords:
				states["in Close"]++
			default:
				states["recording"]++
			}
		}
	}
	t.Logf("states of the traces at the kill: %v", states)
}

// TestCommitLast looks at the file while a worker records: a record whose commit word is there is
// whole. Many of the records have their arguments on another cache line than their commit word.
func TestCommitLast(t *testing.T) {
	const n = 300_000
	path := filepath.Join(t.TempDir(), "x.loi")
	w, err := Create(path, testHeader(1), Options{FirstChunkBytes: 56*n + 4096, NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mem, err := mapPrivate(f, int(w.end)) // shares the pages, as nobody writes through it
	if err != nil {
		t.Fatal(err)
	}
	defer unmap(mem)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&mem[w.pre.dataOffset+chunkHeaderBytes])), 7*n)
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		r := w.Recorder(0)
		for i := range uint32(n) {
			r.Kernel3(3, uint64(i)+1, uint64(i)+1, i%63+1, i%15+1, i+1)
			r.Kernel(2, uint64(i)+1, uint64(i)+1, i%63+1, i+1)
		}
	})
	early := 0 // times that we came before the record
	for i := range uint64(n) {
		rec := words[7*i : 7*i+7]
		for atomic.LoadUint64(&rec[1]) == 0 {
			early++
		}
		if rec[0] != i+1 || rec[2] != i%63+1|(i%15+1)<<32 || rec[3] != i+1 {
			t.Fatalf("record %d of kernel 3 was committed as %x", i, rec[:4])
		}
		for rec = rec[4:]; atomic.LoadUint64(&rec[1]) == 0; {
			early++
		}
		if rec[0] != i+1 || rec[2] != i%63+1|(i+1)<<32 {
			t.Fatalf("record %d of kernel 2 was committed as %x", i, rec)
		}
	}
	wg.Wait()
	t.Logf("the reader waited %d times for %d records", early, 2*n)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
