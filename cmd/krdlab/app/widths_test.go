package app

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"krdlab/hw/hwtest/long"
)

// Text for people fits into the columns of the terminal, under every command. A word that is
// longer, such as a path, stays whole on a line of its own. Text for programs is not broken: CSV,
// JSON, TOML, completions, and errors, which are one line.
func TestWidths(t *testing.T) {
	t.Chdir(t.TempDir())
	main := func(t *testing.T, command string) (stdout string) {
		t.Helper()
		var out, stderr bytes.Buffer
		a := newApp(&out, &stderr)
		if code := a.main(strings.Fields("krdlab " + command)); code != 0 {
			t.Fatalf("krdlab %s: exit code %d: %s", command, code, &stderr)
		}
		return out.String()
	}
	const machine = "--machine westmere-ex-4s"
	n, ns, bodies := long.Or("64", "128"), long.Or("32,64", "128,256"), long.Or("300", "2000")
	const all = "--sched workfirst,helpfirst,helpfirst-locality,shepherd-core,shepherd-socket"
	commands := []string{"list", "doctor", "topo", "version",
		"run matmul --n " + n + " --cores 12 --reps 6 " + all + " " + machine + " --out WIDTH/run",
		"run matmul --n " + n + " --cores 12 --reps 6 " + all + " " + machine + " --verbose" +
			" --out WIDTH/more",
		"run fmm --bodies " + bodies + " --cores 12 --reps 2 " + all + " " + machine + " -v" +
			" --out WIDTH/fmm",
		"run matmul --n " + n + " --cores 1 --reps 2 --counters off --out WIDTH/native",
		"krd WIDTH/run --llc 18MiB:16 --coherence", "krd WIDTH/run --by object-pair --bins 1K-",
		"krd WIDTH/run --by kernel --bins 1K-", "krd WIDTH/run --engine shards",
		"krd WIDTH/run/workfirst.loi --replay westmere-ex-4s",
		"trace info WIDTH/run/workfirst.loi", "trace verify WIDTH/run/workfirst.loi",
		"trace recover WIDTH/run/workfirst.loi --out WIDTH/again.loi",
		"trace export WIDTH/run/workfirst.loi --format parquet --out WIDTH/a.parquet",
		"trace import WIDTH/a.parquet --out WIDTH/b.loi",
		"trace compress WIDTH/b.loi --out WIDTH/b.loi.zst",
		"sweep matmul --n " + ns + " --cores 1,6,12 --reps 6 --trace krd " + all + " " + machine +
			" --out sweep", // runs once; the second time it goes on, and prints the same
		"sweep matmul --n " + ns + " --cores 1,6,12 --reps 6 " + all + " " + machine + " --dry-run",
		"sweep all --sched all --cores 24 " + machine + " --dry-run",
		"sweep status sweep", "sweep collect sweep", "correlate sweep",
		"correlate sweep --all", "compare WIDTH/run WIDTH/more", "man WIDTH/man",
	}
	for _, c := range newApp(&bytes.Buffer{}, &bytes.Buffer{}).root().Commands() {
		commands = append(commands, c.Name()+" --help")
		subs := c.Commands() // those of an analysis are one for each kernel, with the same flags
		for _, sub := range subs[:min(len(subs), long.Or(8, len(subs)))] {
			commands = append(commands, c.Name()+" "+sub.Name()+" --help")
		}
	}
	for _, columns := range []int{80, 40} {
		t.Setenv("COLUMNS", fmt.Sprint(columns))
		if err := os.Mkdir(fmt.Sprint(columns), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, c := range commands {
			c = strings.ReplaceAll(c, "WIDTH", fmt.Sprint(columns))
			for line := range strings.Lines(main(t, c)) {
				line = strings.TrimRight(line, "\n")
				if n := utf8.RuneCountInString(line); n > columns &&
					strings.ContainsRune(strings.TrimLeft(line, " "), ' ') {
					t.Errorf("krdlab %s: %d of %d columns: %s", c, n, columns, line)
				}
			}
		}
	}
}
