package imports

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/loi"
)

const textInput = `loi-text 4
substrate native
clock tsc 1e+09
nodes 2
l2 64
llc 0
grain kernel
program p
scheduler s
unordered
worker 0 cpu 3 node 1 offset -5
object A 2x8
object K keyed
kernel k A:in
kernel l
discarded 0 1 1
0 5 9 k(1) moved
0 7 event idle()
0 8 20 l{K[0x1:4]:out,A[0]:in}
end 3
`

// The text form is imported whole: written again, it is the same.
func TestText(t *testing.T) {
	for _, opt := range []Options{{}, {Format: "text"}} {
		out := filepath.Join(t.TempDir(), "x.loi")
		sum, err := Import(context.Background(), Source{Path: "-",
			Stdin: strings.NewReader(textInput)}, out, opt)
		if want := (Summary{Format: "text", Workers: 1, Nodes: 2, Objects: 2, Kernels: 2,
			Executions: 2, Accesses: 3, FirstTime: 5, LastTime: 20}); err != nil || sum != want {
			t.Fatalf("%+v, %v; want %+v", sum, err, want)
		}
		tr, err := loi.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := loi.WriteText(&b, tr); err != nil || b.String() != textInput {
			t.Errorf("%v: written\n%s", err, b.String())
		}
		list, err := os.ReadDir(filepath.Dir(out))
		if err != nil || len(list) != 1 {
			t.Errorf("left behind: %v, %v", list, err)
		}
	}
}

func TestTextRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		opt  Options
		want string
	}{
		{strings.Replace(textInput, "k(1)", "k(2)", 1), Options{}, "stdin: line 17: "},
		{textInput, Options{Nodes: "0-1"}, "option Format: text is a whole trace"},
		{textInput, Options{LLCBytes: 1}, "option Format: text is a whole trace"},
		{textInput, Options{LineBytes: 64}, "option LineBytes"},
		{"time,worker\n", Options{Format: "text"}, "stdin: line 1: expected"},
	} {
		out := filepath.Join(t.TempDir(), "x.loi")
		_, err := Import(context.Background(), Source{Path: "-", Stdin: strings.NewReader(c.text)},
			out, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.opt, err, c.want)
		}
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a file is left: %v", err)
		}
	}
	// A context that has ended, and a file that exists.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	src := func() Source { return Source{Path: "-", Stdin: strings.NewReader(textInput)} }
	out := filepath.Join(t.TempDir(), "x.loi")
	if _, err := Import(ctx, src(), out, Options{Format: "text"}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(out, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(context.Background(), src(), out, Options{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("%v", err)
	}
}
