package gotrace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"krdlab/hw/scratch"
	"krdlab/loi/gofront"
)

// TestMain has programs linked without what debuggers read, which takes the linker a quarter of its
// time, and removes those that are shared.
func TestMain(m *testing.M) {
	if err := os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -ldflags=-w"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := programs.remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// programs are the programs of one file that tests trace. Tests that differ in how a program is run
// or analysed share one build of it.
var programs = &buildCache{list: map[string]*build{}}

// A buildCache has each program built once for all options that it is built with.
type buildCache struct {
	mu     sync.Mutex // guards the rest
	folder *scratch.Folder
	list   map[string]*build // by source, options and flags of the go command
}

type build struct {
	dir   string // of the source
	built func() (*gofront.Built, error)
}

// of returns the folder of a program's source, and the program built with options, whose Dir is
// not regarded.
func (c *buildCache) of(t *testing.T, text string, opt gofront.BuildOptions) (
	dir string, _ *gofront.Built, _ error) {
	t.Helper()
	b, err := c.begun(text, opt)
	if err != nil {
		t.Fatal(err)
	}
	built, err := b.built()
	return b.dir, built, err
}

func (c *buildCache) begun(text string, opt gofront.BuildOptions) (_ *build, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.folder == nil {
		if c.folder, err = scratch.Make("", "krdlab-gotrace-test-"); err != nil {
			return nil, err
		}
	}
	opt.Dir = ""
	key := fmt.Sprintf("%s\n%+v\n%s", text, opt, os.Getenv("GOFLAGS"))
	if b := c.list[key]; b != nil {
		return b, nil
	}
	at := filepath.Join(c.folder.Path, fmt.Sprint(len(c.list)))
	b := &build{dir: filepath.Join(at, "p")}
	work := filepath.Join(at, "work")
	if err := errors.Join(os.MkdirAll(b.dir, 0o755), os.Mkdir(work, 0o755),
		source(b.dir, text)); err != nil {
		return nil, err
	}
	opt.Dir = b.dir
	b.built = sync.OnceValues(func() (*gofront.Built, error) {
		return gofront.Build(context.Background(), opt, work)
	})
	c.list[key] = b
	return b, nil
}

func (c *buildCache) remove() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.folder == nil {
		return nil
	}
	return c.folder.Remove()
}

// source writes a module of one file into a folder.
func source(dir, text string) error {
	return errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"),
		[]byte("module example.org/p\n\ngo 1.26\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644))
}
