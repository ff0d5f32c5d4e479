package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
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
