package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"krdlab/hw/failure"
	"krdlab/loi/front/build"
)

// TestInterrupted: what is interrupted ends at once, with its exit code, and leaves no half file.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	path := filepath.Join(t.TempDir(), "out")
	err := writeFile(ctx, path, func(w io.Writer) error {
		for range 3 {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<17)); err != nil {
				return err
			}
			cancel()
		}
		return nil
	})
	if exitCode(err) != exitInterrupted {
		t.Errorf("error %v with code %d, want %d", err, exitCode(err), exitInterrupted)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the half file: %v, want that it is gone", err)
	}
	end := make(chan error)
	defer close(end)
	if err := interruptible(ctx, func() error { return <-end }); exitCode(err) != exitInterrupted {
		t.Errorf("error %v with code %d, want %d", err, exitCode(err), exitInterrupted)
	}
	done := errors.New("done")
	if err := interruptible(context.Background(), func() error { return done }); err != done {
		t.Errorf("error %v, want that of what ran", err)
	}
}

// TestSignalledContext: the cause of a context that a signal has ended is an interruption, whatever
// wraps it on its way up.
func TestSignalledContext(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		a := newApp(io.Discard, io.Discard)
		a.patient.Store(true) // nothing ends the tests
		ctx, end := a.interrupts()
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
			t.Fatalf("%v is not heard", s)
		}
		path := filepath.Join(t.TempDir(), "p.toml")
		if err := os.WriteFile(path, []byte("machine = \"westmere-ex-4s\"\n[kernel.fib]\n"),
			0o666); err != nil {
			t.Fatal(err)
		}
		_, _, planning := a.fileRequests(ctx, path, newSweepFlags(a.root().Flags(), nil))
		_, building := build.Run(ctx, build.Request{Dir: t.TempDir(), Path: "."},
			t.TempDir())
		for what, err := range map[string]error{"cause": context.Cause(ctx), "plan": planning,
			"build": building} {
			if failure.Of(err) != failure.Interrupted || !errors.Is(err, context.Canceled) {
				t.Errorf("%v: %s: %v with code %d, want that of an interruption, %d", s, what, err,
					exitCode(err), exitInterrupted)
			}
		}
		end()
	}
}
