package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"krdlab/hw/hwtest/long"
)

// A docCommand is a command that a page shows.
type docCommand struct {
	page string
	line int
	text string // from krdlab on, without comment
}

var (
	shown  = regexp.MustCompile(`^ {4,}(?:\./krdlab|krdlab|go run \./cmd/krdlab) (.*)$`)
	spaces = regexp.MustCompile(`( {2,}| +#).*$`) // what follows is a comment
	inline = regexp.MustCompile("`(?:\\./)?krdlab ([a-z][^`]*)`")
	option = regexp.MustCompile(`\[[^\]]*\]`)
)

// pages returns the names of README and of the pages of docs.
func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../../../docs/*.md")
	if err != nil || len(list) < 10 {
		t.Fatalf("%d pages, %v", len(list), err)
	}
	return append([]string{"../../../README.md"}, list...)
}

// commands returns those that stand on lines of their own.
func commands(t *testing.T) (list []docCommand) {
	t.Helper()
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			m := shown.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			for _, c := range strings.Split(spaces.ReplaceAllString(m[1], ""), "; ") {
				c = strings.TrimPrefix(strings.TrimPrefix(c, "./"), "krdlab ")
				list = append(list, docCommand{filepath.Base(page), i + 1, c})
			}
		}
	}
	return list
}

// small makes a command of a page one that takes a moment, on the files of the test; ok is false
// where it cannot be run here.
func small(text string) (command string, ok bool) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "[EXP]", "exp"), "[A B]", "exp other")
	text = option.ReplaceAllString(text, "")
	for _, r := range [][2]string{
		{"krdlab-runs/.../", "run/"}, {"krdlab-runs/...", "one"}, {"TRACE", "run/workfirst.loi"},
		{" EXP", " exp"}, {"FILE.html", "page.html"}, {"--out DIR", "--out figures"}, {" A B",
			" exp other"},
		{"--isa avx512", "--isa auto"}, {"--scale paper", ""}, {"--out accesses.loi", "--out acc.loi"},
		{"krd accesses.loi", "krd acc.loi"}, {"examples/interleavings/", "$EXAMPLES/interleavings/"},
	} {
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	words := append(strings.Fields(text), "")
	switch {
	case slices.Contains(words, "saxpy") || words[0] == goProgram || words[0] == "native" ||
		slices.Contains([]string{"graph", "regions", "predict", "explore"}, words[0]) && words[1] == goProgram ||
		words[0] == "trace" && words[1] == goProgram && words[2] != "--agent":
		return text, false
	case slices.Contains(words, "--help"):
	case words[0] == "explore" && words[1] == "--llc":
		text += " --runs 5 --search 5"
	case words[0] == "run" && words[1] == "fmm":
		text = strings.Replace(text, "--sched all", "--sched workfirst,static", 1) +
			" --bodies 300 --reps 1 --warmup 0"
	case words[0] == "run":
		text += " --n 20 --reps 1 --warmup 0"
	case words[0] == "sweep" && words[1] == "submit":
		return text, slices.Contains(words, "--dry-run") // the others need a cluster
	case words[0] == "sweep" && words[1] == "all": // the matrix in small
		text = strings.NewReplacer("--sched all", "--sched workfirst,static", "1,6,24", "6",
			"1,2", "2").Replace(text) + " --reps 1 --warmup 0"
		// by default one of them runs every kernel, and none does natively
		one := slices.Contains(words, "--out") && !slices.Contains(words, "native")
		if !one && long.Or(true, false) {
			text += " --dry-run"
		}
	case words[0] == "sweep" && slices.Contains(words, "--plan-only"):
		text = strings.ReplaceAll(text, "--out exp", "--out planned")
	case words[0] == "sweep" && strings.HasPrefix(words[1], "matmul"):
		text = strings.ReplaceAll(text, "--out exp", fmt.Sprintf("--out swept%d", len(text)))
		text = strings.NewReplacer("--sched all", "--sched workfirst,static", "1,2,4,6,12,24", "1,6").Replace(
			text) + " --n 64 --reps 1"
	case words[0] == "sweep" && strings.HasSuffix(text, "--out few"):
		text = strings.Replace(text, "6,16", "6 --sched workfirst,static --reps 1", 1)
	case words[0] == "sweep" && strings.HasPrefix(words[1], "docs/survey"):
		text += " --dry-run"
	case words[0] == "survey":
		text = "survey few"
	case words[0] == "sweep" && (strings.HasPrefix(words[1], "docs/levels-") ||
		words[1] == "docs/model.toml"):
		text = strings.ReplaceAll(text, words[1], "levels.toml") // the plan in small
	case words[0] == "model":
		text, _, _ = strings.Cut(text, " > ")
	case text == "sweep ablation" || strings.HasPrefix(text, "sweep ablation "):
		text = "sweep ablation --matmul.n 256 --cores 12 --out ablated"
	case text == "sweep machines" || strings.HasPrefix(text, "sweep machines "):
		text = "sweep machines --matmul.n 128 --fmm.bodies 300 --machine xeon-2s,mine.toml --out machines"
	case strings.HasPrefix(text, "sweep validation"): // of a computer that was measured
		text = "sweep matmul --n 64 --machine native,mine.toml --cores 1 --reps 6 --sched workfirst --over simulated --out v"
	case strings.HasPrefix(text, "reproduce virda") || strings.HasPrefix(text, "reproduce skadu") ||
		strings.HasPrefix(text, "reproduce regression") || strings.HasPrefix(text, "reproduce all"):
		text = "reproduce " + words[1] + " --help" // tests of their own run them
	case strings.HasPrefix(text, "reproduce disconpro") || strings.HasPrefix(text, "reproduce krd"):
		text = "reproduce " + words[1] + " --scale smoke --out redone-" + words[1]
	case words[0] == "correlate" || words[0] == "compare": // this computer may be busy
		text = strings.Replace(text, " dealt", " few", 1) + " --include-disturbed"
	case words[0] == "machine" && words[1] == "calibrate": // scripts run it
		text = "machine calibrate --help"
	}
	return text, true
}

// smallLevels makes docs/levels.toml smaller, smallSurvey those of docs/survey.toml.
var (
	smallLevels = strings.NewReplacer("n = [256, 512]", "n = [64, 128]",
		"bodies = [1000, 2000]", "bodies = [60, 120]",
		`"helpfirst", "helpfirst-locality", "shepherd-core", `, "")
	smallSurvey = strings.NewReplacer("n = 3072", "n = 512", "= 12_000", "= 1000", "= 14_680_064",
		"= 262_144", "n = 4608", "n = 512", "n = 6400", "n = 512", "= 1_400_000", "= 65_536",
		"= 41_943_040", "= 524_288", "= 16_777_216", "= 65_536", "n = 4096", "n = 512", "n = 13",
		"n = 8", "root = 250", "root = 50", "items = 60", "items = 20")
)

var (
	worksIn = regexp.MustCompile(`(?m)^exits 0 krdlab ` +
		`((?:reproduce|model predict|model change|sweep ablation|sweep machines|sweep matmul --n 64 --machine native\S*) .*)$`)
	folder = regexp.MustCompile(` --out \S+`)
)

// scripted are the reproductions that scripts run and that work there, without the folder they go
// to: long ones, which nothing else of a page reads.
func scripted(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("testdata/script/*.txt*")
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range worksIn.FindAllSubmatch(text, -1) {
			set[folder.ReplaceAllString(string(m[1]), "")] = true
		}
	}
	return set
}

// Every command that README and docs show works as it stands, but for sizes and names of files.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs some forty commands")
	}
	caches := hostCaches()
	var script bytes.Buffer
	script.WriteString("exits 0 krdlab run matmul --n 64 --cores 1 --reps 1 --trace full --sched " +
		"workfirst --out run\n" +
		"cp run/workfirst.1.loi run/workfirst.loi\ncp run/workfirst.1.loi run.loi\ncp run/workfirst.1.loi tbb.loi\n" +
		"exits 0 krdlab run matmul --n 64 --cores 1 --reps 1 --out one\n")
	script.WriteString("exits 0 krdlab sweep matmul --n 64 --cores 1,6 --sched workfirst,helpfirst," +
		"shepherd-socket --machine westmere-ex-4s --reps 2 --out exp\n" +
		"exits 0 krdlab sweep collect exp --out other\n")
	seen := map[string]bool{}
	var left []string
	known, elsewhere := scripted(t), 0
	for _, c := range commands(t) {
		command, ok := small(c.text)
		switch {
		case !ok:
			left = append(left, c.text)
			continue
		case seen[command]:
			continue
		}
		seen[command] = true
		if known[folder.ReplaceAllString(command, "")] {
			elsewhere++
			continue
		}
		code := "0"
		if !caches && strings.Contains(command, "--replay host") { // this computer does not tell them
			code = "2"
		}
		fmt.Fprintf(&script, "# %s:%d: %s\nexits %s krdlab %s\n", c.page, c.line, c.text, code,
			command)
	}
	if len(seen) < 30 {
		t.Errorf("only %d commands were found", len(seen))
	}
	if elsewhere < 7 { // of claims, rules, machines, native over simulated, models, interleavings
		t.Errorf("scripts run %d of them, expected 7", elsewhere)
	}
	// programs, which package goprogram's tests have, the kernel of a page, which
	// TestOutside runs, and a cluster, which sweep/slurm's tests have
	if want := []string{"go ./examples/slow", "run saxpy --n 1000000 --sched all",
		"trace go ./examples/scimark --unit datum --json -- lu -n 64 > 64.json",
		"trace go ./examples/scimark --unit datum --json -- lu -n 128 > 128.json",
		"predict go ./examples/scimark --size 64,128,256 --at 2048 -- lu -n {}",
		"explore go ./cmd/server --llc 1/8",
		"explore go ./cmd/server --control --runs 1000 -- -port 0",
		"explore go ./examples/concurrent --under pct --recordings 20 -- pool 40", "native -- ./program ARGS",
		"native --unit datum --out c.loi -- ./scimark lu 100",
		"trace go --unit datum --out go.loi ./examples/scimark -- lu -n 100", "regions go ./cmd/server -- -port 8080",
		"sweep submit exp --sbatch-arg=--partition=long", "graph go ./cmd/server -- -port 8080", "go ./cmd/server --for 30s -- -port 8080",
		"trace go ./cmd/server -- -port 8080",
		"trace go test ./tree -- -test.run Insert"}; !slices.Equal(left, want) {
		t.Errorf("not run: %q, expected %q", left, want)
	}
	script.WriteString("-- accesses.csv --\ntime,worker,object,block,bytes,mode,kernel\n" +
		"0,0,a,0,64,r,k\n1,1,a,0,64,w,k\n-- ls.lackey --\nI  04000000,3\n L 1ffe0000,8\n" +
		" S 1ffe0008,8\n")
	for _, name := range []string{"64.json", "128.json"} { // as krdlab trace go prints
		fmt.Fprintf(&script, "-- %s --\n"+`{"schema_version": 1, "package": ".", "unit": "datum", `+
			`"accesses": 3, "functions": [], "krd": {"schema_version": 1, "distance": "exclusive", "weight": "count", `+
			`"accesses": 3, "cold": 1, "bins": [{"from_bytes": 0, "to_bytes": 1, "count": 2}]}}`+"\n", name)
	}
	for _, name := range []string{"survey.toml", "survey-factor.toml", "prices-zen5.toml"} {
		text, err := os.ReadFile("../../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "survey.toml" {
			small := smallSurvey.Replace(string(text))
			if small == string(text) {
				t.Error("docs/survey.toml has other sizes than those that the test makes smaller")
			}
			text = []byte(long.Or(small, string(text)))
		}
		fmt.Fprintf(&script, "-- docs/%s --\n%s", name, text)
	}
	levels, err := os.ReadFile("../../../docs/levels.toml")
	if err != nil {
		t.Fatal(err)
	}
	if plan := smallLevels.Replace(string(levels)); plan == string(levels) {
		t.Error("docs/levels.toml has other sizes than those that the test makes smaller")
	} else {
		fmt.Fprintf(&script, "-- levels.toml --\n%s", long.Or(plan, string(levels)))
	}
	file := filepath.Join(t.TempDir(), "docs.txtar")
	if err := os.WriteFile(file, script.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../../examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{file}, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			return setup(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits}})
}

// Commands that stand within a sentence name subcommands and flags that there are.
func TestMentionedCommands(t *testing.T) {
	found, root := 0, newApp(io.Discard, io.Discard).root()
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inline.FindAllStringSubmatch(string(text), -1) {
			found++
			words := strings.Fields(option.ReplaceAllString(m[1], ""))
			c, rest, err := root.Find(words)
			if err == nil && c.Name() != words[min(len(words)-1, strings.Count(c.CommandPath(), " ")-1)] {
				err = fmt.Errorf("no command %q", words)
			}
			for _, w := range rest {
				if strings.HasPrefix(w, "--") {
					name, _, _ := strings.Cut(w[2:], "=")
					if c.Flag(name) == nil {
						err = errors.Join(err, fmt.Errorf("%s has no flag %s", c.CommandPath(), w))
					}
				}
			}
			if err != nil && !errors.Is(err, pflag.ErrHelp) {
				t.Errorf("%s: %s: %v", filepath.Base(page), m[0], err)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d commands were found", found)
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchors returns those of a page's headings.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	set := map[string]bool{}
	for _, line := range prose(t, page) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			word := notSlug.ReplaceAllString(strings.ToLower(heading), "")
			set[strings.ReplaceAll(word, " ", "-")] = true
		}
	}
	return set
}

// prose returns the lines of a page; those of code between fences are empty.
func prose(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	code := false
	for i, line := range lines {
		fence := strings.HasPrefix(line, "```")
		if code = code != fence; code || fence {
			lines[i] = ""
		}
	}
	return lines
}

// The output that README shows is that of the command above it, shortened.
func TestReadmeOutput(t *testing.T) {
	t.Parallel()
	var command, shown []string
	for _, line := range prose(t, "../../../README.md") {
		code, ok := strings.CutPrefix(line, "    ")
		if !ok && command != nil {
			break
		}
		if rest, is := strings.CutPrefix(code, "$ krdlab "); ok && is {
			command = strings.Fields(rest)
		} else if ok && command != nil {
			shown = append(shown, strings.Join(strings.Fields(code), " "))
		}
	}
	code, out, errs := krdlab(append(command, "--out", filepath.Join(t.TempDir(), "run"))...)
	if code != 0 || len(shown) < 8 {
		t.Fatalf("exit code %d, %d lines shown: %s", code, len(shown), errs)
	}
	all := strings.Join(strings.Fields(out), " ")
	for _, line := range shown {
		if !strings.Contains(all, line) {
			t.Errorf("%q is not in the output\n%s", line, out)
		}
	}
}

// Lines of pages have at most 100 columns, but for rows of tables, which cannot be broken; links to
// files and headings lead to what there is; no page names another without a link; README is short.
func TestPages(t *testing.T) {
	found := 0
	for _, page := range pages(t) {
		for i, line := range prose(t, page) {
			place := fmt.Sprintf("%s:%d", filepath.Base(page), i+1)
			if n := len([]rune(line)); n > 100 && !strings.HasPrefix(line, "|") {
				t.Errorf("%s has %d columns, want at most 100", place, n)
			}
			if strings.Contains(line, " docs/") && !strings.HasPrefix(line, "    ") {
				t.Errorf("%s: a page is named and not linked: %s", place, line)
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				file, anchor, _ := strings.Cut(m[1], "#")
				if strings.Contains(file, "://") || !strings.Contains(m[1], "#") &&
					!strings.Contains(file, ".") {
					continue
				}
				found++
				to := page
				if file != "" {
					to = filepath.Join(filepath.Dir(page), file)
				}
				if _, err := os.Stat(to); err != nil {
					t.Errorf("%s: %v", place, err)
				} else if anchor != "" && !anchors(t, to)[anchor] {
					t.Errorf("%s: %s has no heading #%s", place, file, anchor)
				}
			}
		}
	}
	if n := len(prose(t, "../../../README.md")) - 1; n > 72 {
		t.Errorf("README has %d lines, want at most 72", n)
	}
	if found < 60 {
		t.Errorf("only %d links were found", found)
	}
}
