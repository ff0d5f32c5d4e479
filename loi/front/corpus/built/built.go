// Package built has the programs of package corpus rewritten and built by the front end, each once
// for all tests of a process, and linked once for all processes.
package built

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
)

// Plain returns the path of the program as it is without rewriting, which the front end has built
// beside a built one.
func Plain(b *build.Program) string {
	return filepath.Join(filepath.Dir(filepath.Dir(b.Binary)), "plain")
}

// Of returns the program of a folder that package corpus has laid out, built with options whose Dir
// is not regarded.
func Of(t testing.TB, dir string, opt build.Request) *build.Program {
	t.Helper()
	opt.Dir = dir
	key := fmt.Sprintf("%+v", opt)
	mu.Lock()
	p := programs[key+os.Getenv("GOFLAGS")]
	if p == nil {
		p = &program{}
		programs[key+os.Getenv("GOFLAGS")] = p
	}
	mu.Unlock()
	p.once.Do(func() {
		corpus.Work(t, dir, key, func(folder string) (err error) {
			// not the test's context: other tests have it too
			p.built, err = build.Run(context.Background(), opt, folder)
			return err
		})
	})
	if p.built == nil {
		t.Fatal("the program was not built, see the first test that needs it")
	}
	return p.built
}

type program struct {
	once  sync.Once
	built *build.Program
}

var (
	mu       sync.Mutex // guards programs
	programs = map[string]*program{}
)
