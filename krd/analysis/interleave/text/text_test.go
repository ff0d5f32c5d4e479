package text

import (
	"errors"
	"os"
	"strings"
	"testing"

	"krdlab/hw/failure"
	"krdlab/krd/analysis/interleave/engine"
)

func read(t *testing.T, text string) *engine.Program {
	t.Helper()
	p, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	return p
}

// example returns a program of the tree.
func example(t *testing.T, name string) *engine.Program {
	t.Helper()
	text, err := os.ReadFile("../../../../examples/interleavings/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, string(text))
}

// Each of the four branches of a thread is taken for some input, and no other combination: a > 0
// and even is 2, a > 0 and odd 1, and so on. Three steps a thread have 20 interleavings.
func TestFigure1(t *testing.T) {
	r, err := engine.Exact(example(t, "figure1.txt"), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Inputs != 16 || r.Interleavings.String() != "320" {
		t.Errorf("%d inputs, %v interleavings", r.Inputs, r.Interleavings)
	}
	want := map[string]string{"Br1": "160", "NotBr1": "160", "Br2": "160", "NotBr2": "160",
		"Br3": "160", "NotBr3": "160", "Br4": "80", "NotBr4": "240", "x": "320", "y": "320"}
	for _, o := range r.Objects {
		if n := o.Distances[0].Count.String(); n != want[o.Name] || len(o.Distances) != 1 {
			t.Errorf("%s: %v", o.Name, o.Distances)
		}
		delete(want, o.Name)
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}

// A thread reads the value that another wrote before: a handshake has one outcome for each order.
func TestValues(t *testing.T) {
	p := read(t, `shared flag = 0
thread writer: flag = 1 + 2 * (3 - 1) # 5
thread reader: a = flag; if a == 5 { r seen } else if !a { r unseen } else { r wrong }`)
	r, err := engine.Exact(p, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]string{}
	for _, o := range r.Objects {
		if len(o.Distances) > 0 {
			counts[o.Name] = o.Distances[0].Count.String()
		}
	}
	// reads before the write, its access before or after; reads after the write
	if counts["seen"] != "1" || counts["unseen"] != "2" || counts["wrong"] != "" {
		t.Errorf("%v", counts)
	}
}

// Errors name the line and the column, what was found and what was expected.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                         "line 1, column 1: there is no thread",
		"thread 1: r":                              "line 1, column 12: found the end of the line, expected the name of an object",
		"thread 1: r A B":                          `line 1, column 15: found "B", expected the end of the statement`,
		"thread 1:\n\tr A\nthread 1: r A":          "line 3, column 8: there is a thread 1 already",
		"thread 1: r if":                           `line 1, column 13: found the word "if", which is no name`,
		"thread 1: r A; $":                         `line 1, column 16: '$' is no sign`,
		"shared x = y":                             `line 1, column 12: found "y", expected a whole number`,
		"shared x = 99999999999999999999":          "expected a whole number of 64 bits",
		"shared x = 0, x = 1\nthread 1: r x":       "line 1, column 15: x is declared twice",
		"input x in {1, 2, 1}":                     "line 1, column 19: 1 is in the set twice",
		"thread 1: r A\nshared x = 0":              "line 2, column 8: x is declared after a thread",
		"shared x = 0\nthread 1: w x":              "line 2, column 13: x is a shared value: write it as x = expression",
		"shared x = 0\nthread 1: a = x + 1":        "line 2, column 15: x is a shared value: read it first, as in a = x",
		"thread 1: a = b":                          "line 1, column 15: b has no value in this thread before",
		"thread 1: A = 1; r B\nthread 2: r A":      "line 1, column 11: A is a local here, and an object",
		"thread 1: if 1 { r A":                     `line 1, column 21: found the end of the text, expected "}"`,
		"thread 1: if 1 r A":                       `line 1, column 16: found "r", expected "{" after the condition`,
		"thread 1: fork 2":                         "line 1, column 16: there is no thread 2",
		"thread 1: A":                              `line 1, column 12: found the end of the line, expected "=" after A, or r, w or rw before it`,
		"hello":                                    `line 1, column 1: found "hello", expected shared, input or thread`,
		"thread 1: a = (1 + 2; r A":                `line 1, column 21: found ";", expected ")"`,
		"thread 1: a = ":                           "expected a number, a local or (",
		"thread 1: a =" + strings.Repeat("(", 500): "more than 200 deep",
	} {
		_, err := Read(strings.NewReader(text))
		if !errors.Is(err, ErrSyntax) || failure.Of(err) != failure.Data ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// An error in some interleaving is found there, and named by its place.
func TestGoesWrong(t *testing.T) {
	for text, want := range map[string]string{
		"thread 1: r A; lock L\nthread 2: r A":                           "line 1, column 16: bad program: thread 1 ends without unlocking L",
		"thread 1: unlock L":                                             "line 1, column 11: bad program: thread 1 unlocks L without holding it",
		"shared x = 1\nthread 1: x = 0\nthread 2: a = x; b = 1 / a; r A": "line 3, column 18: bad program: thread 2 divides by 0",
		"thread 1: fork 3\nthread 2: fork 3\nthread 3: r A":              "forks 3, which has begun",
	} {
		_, err := engine.Exact(read(t, text), engine.Options{})
		if !errors.Is(err, engine.ErrProgram) || failure.Of(err) != failure.Data ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	// a deadlock of two locks
	r, err := engine.Exact(read(t, `thread 1: lock L; lock M; r A; unlock M; unlock L
thread 2: lock M; lock L; r A; unlock L; unlock M`), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// One thread has both locks before the other has one, which may come before the last unlock: 4
	// that end. Each holds one: 2 that do not.
	if r.Interleavings.String() != "4" || r.Deadlocks.String() != "2" || len(r.Deadlock) != 2 ||
		r.Deadlock[0] == r.Deadlock[1] {
		t.Errorf("%v end, %v deadlock, such as %v", r.Interleavings, r.Deadlocks, r.Deadlock)
	}
	// in every interleaving
	r, err = engine.Exact(read(t, "thread 1: lock L; lock L; unlock L"), engine.Options{})
	if err != nil || r.Interleavings.Sign() != 0 || r.Deadlocks.String() != "1" {
		t.Errorf("%v end, %v deadlock, %v", r.Interleavings, r.Deadlocks, err)
	}
}

// A barrier, fork and join order the accesses around them.
func TestOrder(t *testing.T) {
	for text, all := range map[string]string{
		"thread 1: r A; barrier B; r C\nthread 2: r A; barrier B; r C":                        "12", // 6 ways there, 2 on
		"thread 1: fork 2; r A; join 2; r B\nthread 2: r C; r D":                              "3",
		"thread 1: lock L; r A; unlock L\nthread 2: lock L; r A; unlock L":                    "2",
		"thread 1: r A; fork 2; fork 3\nthread 2: r B\nthread 3: r B":                         "3",
		"thread 1: barrier B; r A; barrier B\nthread 2: barrier B; r A; barrier B\nthread 3:": "12",
	} {
		r, err := engine.Exact(read(t, text), engine.Options{})
		if err != nil || r.Interleavings.String() != all || r.Deadlocks.Sign() != 0 {
			t.Errorf("%q: %v interleavings, %v deadlocks, %v, want %s", text, r.Interleavings,
				r.Deadlocks, err, all)
		}
	}
}

// Whatever the text, it is a program that can be explored or an error with a place.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"thread 1: r A; if 1 { w B } else if 0 { rw C }\nthread 2: fork 1; join 1",
		"shared x = -1\ninput y in {1,2}\nthread a: b = y; x = (b + 2) * -b % 3; lock L; unlock L; barrier B",
		"thread 1:\r\n\tr A # c\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Read(strings.NewReader(s))
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || e.What == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := engine.Exact(p, engine.Options{MemoryBytes: 1 << 20}); err != nil &&
			!errors.Is(err, engine.ErrProgram) && !errors.Is(err, engine.ErrLimit) {
			t.Fatal(err)
		}
	})
}
