package runtimes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// A policy decides and does nothing else: its file imports nothing, and mentions neither substrate, clock, queue nor atomic.
func TestPoliciesOnlyDecide(t *testing.T) {
	mechanism := []string{"pool", "deque", "lifo", "mailbox", "stepper", "Worker", "Frame", "Run", "native", "virtual", "simulated", "TSC"}
	for _, file := range []string{"serial.go", "workfirst.go", "helpfirst.go", "shepherd.go", "gopolicy.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
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

// Every scheduler of the table has its policy in one of the files above.
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
