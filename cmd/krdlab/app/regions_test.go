package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/loi/front/corpus"
)

// regionsOf is the part of the output of krdlab regions, for one run, that scripts rely on.
type regionsOf struct {
	SchemaVersion int        `json:"schema_version"`
	Unit          string     `json:"unit"`
	Regions       []regionOf `json:"regions"`
}

type regionOf struct {
	Path              []string `json:"path"`
	Kind              string   `json:"kind"`
	Instances         uint64   `json:"instances"`
	Work              uint64   `json:"work"`
	CriticalPath      *uint64  `json:"critical_path"`
	SelfParallelism   *float64 `json:"self_parallelism"`
	TotalParallelism  *float64 `json:"total_parallelism"`
	FootprintBytes    float64  `json:"footprint_bytes"`
	FootprintBytesMax float64  `json:"footprint_bytes_max"`
	FootprintLines    float64  `json:"footprint_lines"`
	Class             *string  `json:"class"`
}

// TestRegionsOfProduct has C += A B over (m, n, k) touch 4 (m k + k n + m n) bytes at every level of
// the tree, whoever runs it, simulated or not.
func TestRegionsOfProduct(t *testing.T) {
	for _, flags := range [][]string{
		{"--machine", "westmere-ex-4s", "--cores", "24", "--sched", "workfirst"},
		{"--machine", "westmere-ex-4s", "--cores", "24", "--sched", "shepherd-socket"},
		{"--cores", "2", "--sched", "helpfirst"},
	} {
		run := filepath.Join(t.TempDir(), "run")
		args := append([]string{"run", "matmul", "--n", "128", "--reps", "1", "--trace",
			"full,tasks,regions", "--out", run}, flags...)
		code, _, stderr := krdlab(args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, stderr)
		}
		code, stdout, stderr := krdlab("regions", run, "--json", "--work", "kernels")
		if code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, stderr)
		}
		var d regionsOf
		if err := json.Unmarshal([]byte(stdout), &d); err != nil {
			t.Fatal(err)
		}
		if d.SchemaVersion != 1 || d.Unit != "kernels" {
			t.Errorf("schema %d, unit %q", d.SchemaVersion, d.Unit)
		}
		leaves := 0
		for _, r := range d.Regions {
			m, n, k := 128.0, 128.0, 128.0
			for _, step := range r.Path {
				switch step {
				case "rows":
					m /= 2
				case "cols":
					n /= 2
				case "inner":
					k /= 2
				}
			}
			if r.Kind == "kernel" {
				m, n, k = 32, 32, 64
				leaves += int(r.Instances)
			}
			if want := 4 * (m*k + k*n + m*n); r.FootprintBytes != want || r.FootprintBytesMax != want ||
				r.FootprintLines != want/64 {
				t.Errorf("%v: %s touches %g bytes, at most %g, %g lines, expected %g bytes", flags,
					strings.Join(r.Path, " > "), r.FootprintBytes, r.FootprintBytesMax, r.FootprintLines, want)
			}
			// leaves that update the same tile of C follow each other; halves of its rows or columns do not
			path, self := r.Instances*uint64(max(1, k/64)), 1.0
			for _, c := range d.Regions {
				if len(c.Path) == len(r.Path)+1 && r.Kind == "task" && len(r.Path) > 1 &&
					slices.Equal(c.Path[:len(r.Path)], r.Path) && c.Path[len(r.Path)] != "inner" {
					self = 2
				}
			}
			if r.CriticalPath == nil || *r.CriticalPath != path || r.SelfParallelism == nil ||
				*r.SelfParallelism != self || *r.TotalParallelism != float64(r.Work)/float64(path) ||
				r.Class != nil {
				t.Errorf("%s: path %d, expected %d, self-parallelism %g, expected %g",
					strings.Join(r.Path, " > "), *r.CriticalPath, path, *r.SelfParallelism, self)
			}
		}
		if p := *d.Regions[0].TotalParallelism; p != 4*4 {
			t.Errorf("%v: total parallelism %g, expected that of the tiles of C", flags, p)
		}
		if want := 4 * 4 * 2; leaves != want {
			t.Errorf("%v: %d leaves, expected %d", flags, leaves, want)
		}
		if !slices.ContainsFunc(d.Regions, func(r regionOf) bool {
			return r.Kind == "task" && slices.Contains(r.Path, "inner")
		}) {
			t.Errorf("%v: %d regions", flags, len(d.Regions))
		}
	}
}

// TestRegionsOfValues has the critical paths of a Go program, by its values, and of one that fails
// those up to its end.
func TestRegionsOfValues(t *testing.T) {
	dir := corpus.Lay(t, "values", map[string][]byte{"go.mod": []byte("module m\n\ngo 1.24\n"),
		"main.go": []byte(`package main

import "os"

func main() {
	a, s := make([]float64, 50), 0.0
	for i := range a {
		a[i] = float64(i) / 3
	}
	for i := range a {
		s += a[i]
	}
	os.Exit(len(os.Args) - 1)
}
`)})
	for flag, want := range map[string]string{"--values": "instructions doall reduction",
		"--values -- fail": "instructions doall reduction", "--memory": "accesses",
		"--memory -- fail": "accesses"} {
		exit := strings.Count(flag, "fail")
		var stdout, stderr bytes.Buffer
		argv := strings.Fields("krdlab regions go . --json " + flag)
		code := builtApp(t, dir, &stdout, &stderr).main(argv)
		if code != exit ||
			strings.Count(stderr.String(), "the program failed: exit code 1") != exit {
			t.Fatalf("%s: exit code %d, %s", flag, code, &stderr)
		}
		var d regionsOf
		if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
			t.Fatalf("%v in\n%s", err, &stdout)
		}
		got := d.Unit
		for _, r := range d.Regions {
			if r.Class != nil {
				got += " " + *r.Class
			}
			if known := strings.HasPrefix(flag, "--values"); known != (r.CriticalPath != nil) ||
				known != (r.SelfParallelism != nil) || known != (r.TotalParallelism != nil) {
				t.Errorf("%s: %+v", flag, r)
			}
		}
		if got != want {
			t.Errorf("%s: %s, expected %s", flag, got, want)
		}
	}
}

// TestRegionsTry has the loops of a plan executed in other orders: what removes their dependences, as
// the analysis names it, is carried out, and all stay.
func TestRegionsTry(t *testing.T) {
	dir := corpus.Lay(t, "planned", map[string][]byte{"go.mod": []byte("module m\n\ngo 1.24\n"),
		"main.go": []byte(`package main

import "fmt"

func fill(row []int, x int) {
	for i := range row {
		row[i] = x
	}
}

func main() {
	a, w, last, n := make([]int, 50), make([]int, 3), 0, 3
	for i := range a {
		a[i] = i * i
	}
	for i := 0; i < 49; i++ {
		a[i] = a[i+1] * 2
	}
	for i := 48; i >= 0; i-- {
		if a[i]%3 == 0 {
			last = i
		}
	}
	i := 0
	for i < 40 {
		fill(w, i)
		a[n] += w[1]
		n++
		i++
	}
	fmt.Println(a, last, n, i)
}
`)})
	var stdout, stderr bytes.Buffer
	argv := strings.Fields("krdlab regions go . --json --values --try 9 --spawn-cost 0 --least-speedup 1")
	if code := builtApp(t, dir, &stdout, &stderr).main(argv); code != 0 {
		t.Fatalf("exit code %d, %s", code, &stderr)
	}
	var d struct {
		Plan []struct {
			Path    []string
			Removed []struct{ By, Name string }
			Tried   struct{ Result, Why string }
		}
		Struck []any
	}
	if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
		t.Fatalf("%v in\n%s", err, &stdout)
	}
	var got []string
	for _, p := range d.Plan {
		got = append(got, fmt.Sprintf("%s %v %s", p.Path[len(p.Path)-1], p.Removed, p.Tried.Result))
	}
	slices.Sort(got)
	want := []string{"main.main:13 [] same", "main.main:16 [{copy a}] same",
		"main.main:19 [{last value last}] same",
		"main.main:25 [{private row} {induction n} {induction i}] same"}
	if !slices.Equal(got, want) || len(d.Struck) > 0 {
		t.Errorf("%d struck, plan\n%s", len(d.Struck), strings.Join(got, "\n"))
	}
}
