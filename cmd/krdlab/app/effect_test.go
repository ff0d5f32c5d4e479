package app

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mentioned are pairs of flags: the first has an effect without the second, which its help names,
// or its reader refuses it without the second.
var mentioned = map[string]string{
	"leaf": "a parameter", "input": "a parameter", "split": "a parameter", "include": "its syntax",
	"regions": "by what reads it",
	"trace":   "a default",
	"unit":    "implied",
	"stack":   "implied", "bins": "the other way round", "by": "by its value",
	"values": "by the program", "figure": "the other way round", "sync": "by the front end",
	"follow": "of another command",
}

// TestExcludedFlags gives each command two flags that exclude each other.
func TestExcludedFlags(t *testing.T) {
	for args, flags := range map[string][2]string{
		"krd t.loi --by kernel --node 0":                    {"by", "node"},
		"krd t.loi --replay host --csv":                     {"replay", "csv"},
		"krd t.loi --json --csv":                            {"json", "csv"},
		"graph go . --json --csv=path":                      {"json", "csv"},
		"predict a:1 b:2 --at 4 --json --csv":               {"json", "csv"},
		"topo --root . --measure":                           {"root", "measure"},
		"topo --measure --caches 48KiB:12,1MiB:16,32MiB:16": {"measure", "caches"},
		"correlate --csv coefficients --all":                {"csv", "all"},
		"model t.csv --formula a~b --response a":            {"formula", "response"},
		"model t.csv --json --all":                          {"json", "all"},
		"model t.csv --folds 0 --seed 2":                    {"folds", "seed"},
		"model predict m.json t.csv --json --csv":           {"json", "csv"},
		"survey --markdown --json":                          {"markdown", "json"},
		"trace go . --out new.loi --by function":            {"out", "by"},
		"trace go . --sample --no-accesses --out new.loi":   {"sample", "no-accesses"},
		"trace go . --sample --out new.loi":                 {"sample", "out"},
		"trace go . --overhead 1.5 --sync --out new.loi":    {"overhead", "sync"},
		"trace go . --values --load-store --out new.loi":    {"load-store", "values"},
	} {
		code, _, stderr := krdlab(strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(stderr, flags[0]) || !strings.Contains(stderr, flags[1]) {
			t.Errorf("krdlab %s: exit code %d, %s", args, code, stderr)
		}
	}
}

// A flag whose help names another flag of its command is refused without it, or stands above; each
// refusal names the flag to add.
func TestFlagsWithoutEffect(t *testing.T) {
	refused, exempt := 0, map[string]bool{}
	var walk func(c *cobra.Command, path []string)
	walk = func(c *cobra.Command, path []string) {
		c.InheritedFlags() // merges them
		c.Flags().VisitAll(func(f *pflag.Flag) {
			with := f.Annotations[needsNote]
			c.Flags().VisitAll(func(g *pflag.Flag) {
				if f == g || !strings.Contains(f.Usage+" ", "--"+g.Name+" ") &&
					!strings.Contains(f.Usage, "--"+g.Name+",") || with != nil && with[0] == g.Name {
					return
				}
				if exempt[g.Name] = true; mentioned[g.Name] == "" && with == nil {
					t.Errorf("%s: the help of --%s names --%s: is there an effect without it?",
						c.CommandPath(), f.Name, g.Name)
				}
			})
			if with == nil {
				return
			}
			refused++
			value := f.DefValue
			if _, ok := f.Value.(*size); ok {
				value = "1M"
			} else if value == "" {
				value = "x"
			} else if f.Value.Type() == "bool" {
				value = "true"
			}
			argv := append(path[:len(path):len(path)], "--"+f.Name+"="+value)
			for _, word := range strings.Fields(c.Use)[1:] {
				if !strings.HasPrefix(word, "[") {
					argv = append(argv, word)
				}
			}
			code, _, stderr := krdlab(argv...)
			if want := "--" + f.Name + " is for --" + with[0] + "; add " + with[1] + "\n"; code !=
				exitUsage || !strings.HasSuffix(stderr, want) {
				t.Errorf("krdlab %s: exit code %d, %s, want %s", strings.Join(argv, " "), code, stderr, want)
			}
		})
		for _, s := range c.Commands() {
			if words := append(path[:len(path):len(path)], s.Name()); len(path) > 0 || s.Name() != "man" {
				walk(s, words)
			}
		}
	}
	walk(newApp(io.Discard, io.Discard).root(), nil)
	if refused < 7 {
		t.Errorf("%d flags need another", refused)
	}
	for name := range mentioned {
		if !exempt[name] {
			t.Errorf("no help names --%s", name)
		}
	}
}

// A flag of a run that it does not heed is named.
func TestFlagsNotHeeded(t *testing.T) {
	dir := t.TempDir()
	for i, c := range []struct{ args, want string }{
		{"--warmup 3 --machine westmere-ex-4s", "--warmup has no effect: westmere-ex-4s is simulated"},
		{"--bind scatter --machine westmere-ex-4s", "--bind has no effect: westmere-ex-4s is simulated"},
		{"--trace-limit 1M --trace off --machine westmere-ex-4s", "--trace-limit has no effect: --trace off"},
		{"--cache-model lines --machine native --warmup 0", "--cache-model has no effect: no machine"},
		{"--runtime-data --machine native --warmup 0", "--runtime-data has no effect: no machine"},
		{"--warmup 0 --bind compact --machine native", ""},
		{"--cache-model lines --machine westmere-ex-4s", ""},
	} {
		out := filepath.Join(dir, string(rune('a'+i)))
		code, _, stderr := krdlab(append([]string{"run", "matmul", "--n", "32", "--cores", "1", "--reps",
			"1", "--out", out}, strings.Fields(c.args)...)...)
		if code != 0 || !strings.Contains(stderr, c.want) ||
			c.want == "" && strings.Contains(stderr, "no effect") {
			t.Errorf("%s: exit code %d, %s, want %q", c.args, code, stderr, c.want)
		}
		code, _, stderr = krdlab(append([]string{"sweep", "matmul", "--n", "32", "--cores", "1", "--reps",
			"1", "--dry-run"}, strings.Fields(c.args)...)...)
		if code != 0 || !strings.Contains(stderr, c.want) {
			t.Errorf("sweep %s: exit code %d, %s, want %q", c.args, code, stderr, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err != nil {
		t.Error(err)
	}
}
