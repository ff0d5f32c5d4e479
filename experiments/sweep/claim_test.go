package sweep

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain is also the process that takes a lock and is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("SWEEP_TEST_HOLD"); path != "" {
		c, err := take(path, "it")
		if err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		// not select {}: the runtime ends a program in which nobody can go on
		os.Stdin.Read(make([]byte, 1))
		runtime.KeepAlive(c)
	}
	os.Exit(m.Run())
}

func TestClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	c, err := take(path, "the cell")
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if _, err := take(path, "the cell"); !errors.As(err, &busy) || busy.By.PID != os.Getpid() ||
		!strings.HasPrefix(err.Error(), "the cell is in the hands of process") {
		t.Fatalf("a second claim: %v", err)
	}
	if by, ok, err := held(path); err != nil || !ok || by.PID != os.Getpid() {
		t.Errorf("held: %+v, %v, %v", by, ok, err)
	}
	c.release()
	if _, ok, err := held(path); err != nil || ok {
		t.Errorf("held after the release: %v, %v", ok, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if c, err = take(path, "the cell"); err != nil {
		t.Fatalf("after the release: %v", err)
	}
	c.release()
}

// The claim of a process that was killed blocks nobody.
func TestClaimOfTheDead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "SWEEP_TEST_HOLD="+path)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.StdinPipe(); err != nil { // open as long as the other lives
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "held\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	var busy *BusyError
	if _, err := take(path, "the cell"); !errors.As(err, &busy) ||
		busy.By.PID != other.Process.Pid {
		t.Fatalf("while it lives: %v", err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	other.Wait()
	if _, ok, err := held(path); err != nil || ok {
		t.Errorf("held by the dead: %v, %v", ok, err)
	}
	c, err := take(path, "the cell")
	if err != nil {
		t.Fatalf("after its death: %v", err)
	}
	c.release()
}

// However many take and release, at most one has it at a time, and nobody gets the lock of a file
// that was removed.
func TestClaimStampede(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	var inside, most, got atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				c, err := wait(path, "the cell")
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), inside.Add(1)))
				got.Add(1)
				inside.Add(-1)
				c.release()
			}
		})
	}
	wg.Wait()
	if most.Load() != 1 || got.Load() != 1600 {
		t.Errorf("%d of 1600 claims, up to %d at a time", got.Load(), most.Load())
	}
}

// Who waited for a file that was removed does not get in beside the one who made it anew.
func TestClaimOfARemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cell.lock")
	a, err := take(path, "the cell")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *claim)
	go func() {
		b, err := wait(path, "the cell")
		if err != nil {
			t.Error(err)
		}
		got <- b
	}()
	// b has the first file open; if it is late, there is less to see, and nothing fails
	time.Sleep(50 * time.Millisecond)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	c, err := take(path, "the cell")
	if err != nil {
		t.Fatal(err)
	}
	a.f.Close()
	select {
	case <-got:
		t.Fatal("two hold the lock of one name")
	case <-time.After(100 * time.Millisecond):
	}
	c.release()
	(<-got).release()
}
