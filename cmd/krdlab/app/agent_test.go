package app

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"krdlab/krd"
	"krdlab/loi/agent"
)

// TestAgent lays the agent out, builds the program of docs/agent.md with it, without krdlab and
// without a network, and looks at the distances that the page has.
func TestAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	o := outside{t: t, dir: t.TempDir()}
	ends := func(want int, args ...string) string {
		t.Helper()
		code, stdout, stderr := krdlab(args...)
		if code != want {
			t.Fatalf("%q: exit code %d, expected %d\n%s", args, code, want, stderr)
		}
		return stdout
	}
	if n := o.extract("../../../docs/agent.md", ""); n != 1 {
		t.Fatalf("docs/agent.md has %d files, want main.go", n)
	}
	dir := filepath.Join(o.dir, "krdagent")
	ends(0, "trace", "go", "--agent", dir)
	ends(2, "trace", "go", "--agent", dir) // it is there
	ends(2, "trace", "go", "--agent", dir+"2", ".")
	o.run("go", "mod", "init", "example.org/pipeline")
	o.run("go", "mod", "edit", "-require="+agent.Module+"@v0.0.0",
		"-replace="+agent.Module+"=./krdagent")
	in := outside{t: t, dir: o.build()}
	in.run("go", "vet", "./...")
	t.Setenv("TRACE", "p.loi")
	if out := o.run(o.binary); out != "3584\n" {
		t.Errorf("it prints %q", out)
	}
	t.Setenv("TRACE", "")
	o.run(o.binary)

	var got struct {
		Accesses, Cold uint64
		Bins           []krd.Bin
	}
	text := ends(0, "krd", filepath.Join(o.dir, "p.loi"), "--json")
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	got.Bins = slices.DeleteFunc(got.Bins, func(b krd.Bin) bool { return b.Count == 0 })
	want := []krd.Bin{{FromBytes: 0, ToBytes: 1, Count: 8},
		{FromBytes: 2048, ToBytes: 4096, Count: 4}}
	if got.Accesses != 16 || got.Cold != 4 || !slices.Equal(got.Bins, want) {
		t.Errorf("%+v, expected 16 accesses, 4 cold, bins %v", got, want)
	}
}
