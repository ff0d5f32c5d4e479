package runtimes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A policy decides and does nothing else: the file that declares it imports nothing, and mentions neither substrate, clock, queue nor
// atomic. The files are found by the types in the table, so that a new policy is held to it too.
func TestPoliciesOnlyDecide(t *testing.T) {
	mechanism := []string{"pool", "deque", "lifo", "mailbox", "stepper", "Worker", "Frame", "Run", "native", "virtual", "simulated", "TSC"}
	files := map[string]*ast.File{}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = f
	}
	for _, s := range Schedulers {
		policy := reflect.TypeOf(s.Policy).Name()
		file := ""
		for name, f := range files {
			if o := f.Scope.Lookup(policy); o != nil && o.Kind == ast.Typ {
				file = name
			}
		}
		if file == "" {
			t.Errorf("no file declares the policy %s of %s", policy, s.Name)
			continue
		}
		f := files[file]
		if len(f.Imports) > 0 {
			t.Errorf("%s imports %s", file, f.Imports[0].Path.Value)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				for _, word := range mechanism {
					if id.Name == word || strings.Contains(strings.ToLower(id.Name), "simul") {
						t.Errorf("%s mentions %s", file, id.Name)
					}
				}
			}
			return true
		})
	}
}

// The lines of the table are complete, and each combination of rules is one that the drivers carry out.
func TestTableOfSchedulers(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Schedulers {
		if s.Name == "" || s.Doc == "" || s.Policy == nil || seen[s.Name] {
			t.Errorf("line %q is incomplete, or there twice", s.Name)
		}
		seen[s.Name] = true
		r := s.Rules()
		if r.Join == JoinStarter && r.Queue != QueueWorker {
			t.Errorf("%s: a starter that waits takes from a deque of its own", s.Name)
		}
		if r.Join == JoinRequeue && r.Queue == QueueWorker {
			t.Errorf("%s: only locked queues take back what follows a join", s.Name)
		}
		if r.Spawn == SpawnChild && (r.Queue != QueueWorker || r.Join != JoinLast) {
			t.Errorf("%s: child first has a deque for each worker, and the last arriver goes on", s.Name)
		}
		if got, ok := SchedulerByName(s.Name); !ok || got.Doc != s.Doc {
			t.Errorf("%s is not found by its name", s.Name)
		}
	}
}
