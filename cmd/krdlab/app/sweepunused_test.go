package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Cells that are finished and cannot be used make every command that works without them end with
// an exit code of its own, and a count; what can be used is printed all the same.
func TestSweepUnused(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	if code, _, stderr := krdlab("sweep", "matmul", "--n", "64", "--cores", "1,6", "--sched",
		"workfirst", "--machine", "westmere-ex-4s", "--reps", "2", "--out", whole); code != 0 {
		t.Fatal(code, stderr)
	}
	first, second := filepath.Join("cells", "0000-matmul-n64-c1-s1"),
		filepath.Join("cells", "0001-matmul-n64-c6-s1")
	cut := func(file string) error { return os.Truncate(file, 100) }
	for _, test := range []struct {
		name   string
		damage func(dir string) error
		count  string
		rows   int // of table.csv
		others bool
	}{
		{"damaged", func(dir string) error {
			return cut(filepath.Join(dir, first, "result.json"))
		}, "1 of 2", 2, true},
		{"all damaged", func(dir string) error {
			if err := cut(filepath.Join(dir, first, "result.json")); err != nil {
				return err
			}
			return os.Remove(filepath.Join(dir, second, "result.json"))
		}, "2 of 2", 0, false},
		{"swapped", func(dir string) error {
			a, b, c := filepath.Join(dir, first), filepath.Join(dir, second),
				filepath.Join(dir, "c")
			for _, move := range [][2]string{{a, c}, {b, a}, {c, b}} {
				if err := os.Rename(move[0], move[1]); err != nil {
					return err
				}
			}
			return nil
		}, "2 of 2", 0, false},
		{"changed plan", func(dir string) error {
			path := filepath.Join(dir, "plan.jsonl")
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, bytes.Replace(b, []byte(`"n":64`), []byte(`"n":128`), 1),
				0o666)
		}, "1 of 2", 2, true},
		{"edited number", func(dir string) error {
			return increase(filepath.Join(dir, first, "result.json"), `"steals_failed": `)
		}, "1 of 2", 2, true},
		{"edited idle time", func(dir string) error {
			return increase(filepath.Join(dir, first, "result.json"), `"idle_ns": `)
		}, "1 of 2", 2, true},
		{"interrupted", func(dir string) error {
			path := filepath.Join(dir, first, "result.json")
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, bytes.Replace(b, []byte(`"interrupted": false`),
				[]byte(`"interrupted": true`), 1), 0o666)
		}, "1 of 2", 2, true},
	} {
		dir := filepath.Join(t.TempDir(), "exp")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		if err := test.damage(dir); err != nil {
			t.Fatal(err)
		}
		commands := [][]string{{"sweep", "resume", dir}, {"sweep", "collect", dir},
			{"sweep", "submit", dir, "--dry-run", "--max-array", "10"}}
		if test.others {
			commands = append(commands, []string{"correlate", dir}, []string{"correlate", dir,
				"--json"}, []string{"plot", dir}, []string{"report", dir},
				[]string{"compare", whole, dir})
		}
		want := "krdlab: " + test.count + " cells not used; why: krdlab sweep status " + dir + "\n"
		for _, c := range commands {
			code, stdout, stderr := krdlab(c...)
			if code != exitIncomplete || !strings.HasSuffix(stderr, want) ||
				stdout == "" && c[1] != "submit" {
				t.Errorf("%s: krdlab %s: exit code %d\n%s%s\nwant %d and\n%s", test.name,
					strings.Join(c, " "), code, stdout, stderr, exitIncomplete, want)
			}
		}
		b, err := os.ReadFile(filepath.Join(dir, "table.csv"))
		if n := bytes.Count(b, []byte("\n")) - 1; err != nil || n != test.rows {
			t.Errorf("%s: %d rows, want %d, %v", test.name, n, test.rows, err)
		}
		if code, _, stderr := krdlab("sweep", "exec", "--plan", dir, "--index",
			"0"); code != exitIncomplete || !strings.Contains(stderr, "cannot be used: ") {
			t.Errorf("%s: exec: exit code %d\n%s", test.name, code, stderr)
		}
		if code, stdout, stderr := krdlab("sweep", "status", dir); code != 0 ||
			!strings.Contains(stdout, " "+test.count[:1]+" damaged\n") ||
			strings.Contains(stdout, "go on with") {
			t.Errorf("%s: status: exit code %d\n%s%s", test.name, code, stdout, stderr)
		}
	}
}

// increase adds one to the first number behind key in a file.
func increase(path, key string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(string(b), key)
	digits, rest, found := strings.Cut(after, ",")
	n, err := strconv.Atoi(digits)
	if !found || err != nil {
		return fmt.Errorf("%s: no number behind %s", path, key)
	}
	return os.WriteFile(path, fmt.Append(nil, before, key, n+1, ",", rest), 0o666)
}
