//go:build ignore

// Mutants says what the tests notice. A mutant is the module with one small fault in its code. It
// is killed where a test fails. The list of mutants is kept with what killed each: when tests are
// cut, those that were killed must be killed again. Run it in the module's folder:
//
//	go run .ci/mutants.go draw -n 200 -seed 1 -list .ci/mutants.txt
//	go run .ci/mutants.go run -list .ci/mutants.txt          those without a verdict
//	go run .ci/mutants.go run -list .ci/mutants.txt -again   those that were killed, too
//
// An interrupted run is continued by the second command, also where it was the third. The third
// fails if a mutant that was killed is not killed now; git diff of the list shows which.
//
// The fault is an overlay of the go command: nothing in the module's folder changes. The overlay
// reaches what the tested packages embed, too (loi/front/build and loi/agent embed Go files). It
// does not reach a go build that a test runs itself.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Which importing packages are run when a package's own tests let a mutant live: those that import
// it directly, in tests or not, the cheapest first, at most maxImporters. The dear ones are left
// out. Of them, those in followed are run where the mutated package is in followedFrom and they
// depend on it, also through others. The package that killed the mutant before is always run.
const maxImporters = 4

var (
	dear         = []string{"cmd/krdlab/app", "loi/front/build", "experiments/goprogram", "runtimes"}
	followed     = []string{"experiments/goprogram", "loi/front/build"}
	followedFrom = []string{"loi/collect", "loi/front", "loi/front/build", "krd/analysis/flow",
		"krd/analysis/dependences", "krd/analysis/regions", "experiments/goprogram", "loi/dag"}
)

// seconds is what the tests of a package take of one CPU. Those not named take about one second.
var seconds = map[string]int{"cmd/krdlab/app": 132, "loi/front/build": 120,
	"experiments/goprogram": 57, "runtimes": 27, "experiments": 16, "examples/scimark": 15, "experiments/show/view": 15,
	"krd/analysis/analyses": 13, "experiments/show/report": 12, "experiments/read/correlate": 12,
	"experiments/papers/skadu": 10, "krd": 9}

// timed are the packages whose tests measure time: a failure must be seen twice.
var timed = []string{"hw", "hw/machine", "kernels/calibrate"}

// The limits of one run of a package's tests. A loop without end is found by its CPU time, also
// where the machine has much else to do.
const (
	maxWall   = 300 * time.Second
	maxBuild  = 300 * time.Second // before the tests
	maxCPU    = 120 * time.Second
	maxCPUPer = 4                // more seconds for each one that is expected
	maxIdle   = 60 * time.Second // with less CPU time than minBusy: what waits for ever
	minBusy   = 500 * time.Millisecond
	maxMemory = 6 << 30
	maxOutput = 200 << 20
	tick      = 200 * time.Millisecond
	maxGap    = 5 * time.Second // between two looks, unless something was stopped
)

// notProduct are the files that no mutant is drawn from.
var notProduct = regexp.MustCompile(
	`_test\.go$|(^|/)(testdata|examples|gen|asmgen|browser|[a-z]*test)/`)

// A mutant is a line of the list. Its text is the trimmed line of the file, column a byte in it.
type mutant struct {
	id, file                string
	line                    int
	text                    string
	column                  int
	kind, old, new, verdict string
}

// An edit is a mutant and the bytes of its file that are replaced.
type edit struct {
	mutant
	from, to int
	with     string
}

var (
	draws = flag.Int("n", 200, "draw: so many mutants")
	seed  = flag.Uint64("seed", 1, "draw: seed")
	list  = flag.String("list", ".ci/mutants.txt", "the list")
	only  = flag.String("only", "", "run: mutants of these ids")
	of    = flag.String("packages", "", "run: mutants of these packages, or killed by them before")
	again = flag.Bool("again", false, "run: those that were killed, too")
	jobs  = flag.Int("j", 1, "run: so many at a time")
	moved = flag.String("moved", "", "run: folders that were moved, `old=new,old=new`")
	quiet = flag.String("quiet", "", "while this file exists, wait, and stop what runs")
)

func main() {
	command := strings.Join(os.Args[1:min(2, len(os.Args))], "")
	flag.CommandLine.Parse(os.Args[min(2, len(os.Args)):])
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch command {
	case "draw":
		load().draw(ctx)
	case "run":
		load().run(ctx)
	default:
		fail(errors.New("draw or run?"))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// has says whether s is in a list with commas, which has everything when it is empty.
func has(list, s string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), s)
}

// A pkg is a package of the module, as go list tells.
type pkg struct {
	ImportPath                               string
	GoFiles, TestGoFiles, XTestGoFiles       []string
	Imports, TestImports, XTestImports, Deps []string
}

func (p *pkg) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// A module has its packages by their paths in the module.
type module struct {
	root  string
	files []string
	pkgs  map[string]*pkg
}

func load() *module {
	root, err := os.Getwd()
	fail(err)
	output := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).Output()
		fail(err)
		return string(out)
	}
	own := strings.TrimSpace(output("go", "list", "-m")) + "/"
	m := &module{root, strings.Fields(output("git", "ls-files", "*.go")), map[string]*pkg{}}
	list := strings.ReplaceAll(output("go", "list", "-json", "./..."), `"`+own, `"`)
	for d := json.NewDecoder(strings.NewReader(list)); d.More(); {
		p := new(pkg)
		fail(d.Decode(p))
		m.pkgs[p.ImportPath] = p
	}
	return m
}

// owner returns the package whose code the file is, or whose embedded text.
func owner(file string) string {
	dir, _, _ := strings.Cut(path.Dir(file), "/_")
	return dir
}

// product returns the files that mutants are drawn from, with their text. Files that are not built
// here are left out: no test could kill their mutants.
func (m *module) product() ([]string, map[string][]byte) {
	var files []string
	texts := map[string][]byte{}
	for _, f := range m.files {
		p := m.pkgs[owner(f)]
		embedded := owner(f) != path.Dir(f)
		if p == nil || notProduct.MatchString(f) ||
			!embedded && !slices.Contains(p.GoFiles, path.Base(f)) {
			continue
		}
		text, err := os.ReadFile(f)
		fail(err)
		if !regexp.MustCompile(`(?m)^// Code generated`).Match(text) {
			files, texts[f] = append(files, f), text
		}
	}
	return files, texts
}

var (
	operators = map[token.Token][2]string{
		token.LSS: {"border", "<="}, token.LEQ: {"border", "<"}, token.GTR: {"border", ">="},
		token.GEQ: {"border", ">"}, token.EQL: {"border", "!="}, token.NEQ: {"border", "=="},
		token.ADD: {"sign", "-"}, token.SUB: {"sign", "+"}, token.ADD_ASSIGN: {"sign", "-="},
		token.SUB_ASSIGN: {"sign", "+="}, token.INC: {"sign", "--"}, token.DEC: {"sign", "++"},
		token.LAND: {"constant", "||"}, token.LOR: {"constant", "&&"}}
	swapped = []token.Token{token.SUB, token.QUO, token.REM, token.LSS, token.LEQ, token.GTR,
		token.GEQ}
	message = regexp.MustCompile(`^(errors\.New|fmt\.Errorf|failure\.\w+|panic)$`)
	help    = regexp.MustCompile(`^(Short|Long|Example|Use|Usage|Help|Doc|Why)$`)
)

// edits returns the faults that the file could have. Texts of errors and of help have none, and the
// last part of a for statement has none, which would only loop without end.
func edits(file string, src []byte) []edit {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var all []edit
	at := func(p token.Pos) int { return set.File(f.FileStart).Offset(p) }
	text := func(n ast.Node) string { return string(src[at(n.Pos()):at(n.End())]) }
	add := func(kind string, from, to int, with string) {
		start := bytes.LastIndexByte(src[:from], '\n') + 1
		line, _, _ := bytes.Cut(src[start:], []byte("\n"))
		start += len(line) - len(bytes.TrimLeft(line, " \t"))
		e := edit{from: from, to: to, with: with, mutant: mutant{file: file,
			line: bytes.Count(src[:from], []byte("\n")) + 1, text: string(bytes.TrimSpace(line)),
			column: from - start, kind: kind, old: short(string(src[from:to])), new: short(with)}}
		if !strings.Contains(e.text, "\t") {
			all = append(all, e)
		}
	}
	operator := func(p token.Pos, t token.Token) {
		if with, ok := operators[t]; ok {
			add(with[0], at(p), at(p)+len(t.String()), with[1])
		}
	}
	operand := func(x ast.Expr) string {
		if _, ok := x.(*ast.BinaryExpr); ok {
			return "(" + text(x) + ")"
		}
		return text(x)
	}
	skip := map[ast.Node]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || skip[n] {
			return false
		}
		drop := false
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.KeyValueExpr:
			return !help.MatchString(text(n.Key))
		case *ast.CallExpr:
			return !message.MatchString(text(n.Fun))
		case *ast.ForStmt:
			if n.Post != nil {
				skip[n.Post] = true
			}
		case *ast.BinaryExpr:
			operator(n.OpPos, n.Op)
			if slices.Contains(swapped, n.Op) && text(n.X) != text(n.Y) &&
				!strings.Contains(text(n), "\n") {
				add("swapped", at(n.Pos()), at(n.End()),
					operand(n.Y)+" "+n.Op.String()+" "+operand(n.X))
			}
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(n.Value, 0, 64); n.Kind == token.INT && err == nil {
				add("constant", at(n.Pos()), at(n.End()), strconv.FormatInt(v+1, 10))
			}
		case *ast.Ident:
			if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
				add("constant", at(n.Pos()), at(n.End()), other)
			}
		case *ast.IncDecStmt:
			operator(n.TokPos, n.Tok)
			drop = true
		case *ast.AssignStmt:
			operator(n.TokPos, n.Tok)
			drop = n.Tok == token.ASSIGN && text(n.Lhs[0]) != "_"
		case *ast.ExprStmt:
			drop = true
		case *ast.IfStmt:
			if len(n.Body.List) > 0 {
				add("dropped", at(n.Body.Lbrace)+1, at(n.Body.Rbrace), "")
			}
		}
		if drop {
			add("dropped", at(n.Pos()), at(n.End()), "")
		}
		return true
	})
	return all
}

// short returns s in one line of the list.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60])
	}
	return s
}

func (e *edit) apply(src []byte) []byte {
	return slices.Concat(src[:e.from], []byte(e.with), src[e.to:])
}

// overlay writes the faulty file and the overlay's file into dir, and returns the latter.
func (m *module) overlay(dir, file string, text []byte) string {
	to, list := filepath.Join(dir, path.Base(file)), filepath.Join(dir, "overlay.json")
	b, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(m.root, file): to}})
	fail(err)
	fail(os.WriteFile(to, text, 0o644))
	fail(os.WriteFile(list, b, 0o644))
	return list
}

// draw writes a list of mutants that compile. It draws a line of all that could have a fault, then
// one of its faults.
func (m *module) draw(ctx context.Context) {
	files, texts := m.product()
	var lines [][]edit
	for _, f := range files {
		byLine := map[int][]edit{}
		for _, e := range edits(f, texts[f]) {
			byLine[e.line] = append(byLine[e.line], e)
		}
		for _, l := range slices.Sorted(maps.Keys(byLine)) {
			lines = append(lines, byLine[l])
		}
	}
	fmt.Printf("%d files, %d lines\n", len(files), len(lines))
	r, tried, drawn := rand.New(rand.NewPCG(*seed, 0)), map[mutant]bool{}, []*mutant{}
	dir, err := os.MkdirTemp("", "mutants")
	fail(err)
	defer os.RemoveAll(dir)
	for len(drawn) < *draws && len(tried) < 100**draws && ctx.Err() == nil {
		of := lines[r.IntN(len(lines))]
		e := of[r.IntN(len(of))]
		if tried[e.mutant] {
			continue
		}
		tried[e.mutant] = true
		for waiting(ctx) {
			time.Sleep(time.Second)
		}
		if m.compiles(dir, &e, texts) {
			e.id, e.verdict = fmt.Sprintf("%03d", len(drawn)+1), "?"
			drawn = append(drawn, &e.mutant)
		}
	}
	fmt.Printf("%d mutants, %d tried\n", len(drawn), len(tried))
	fail(write(drawn))
}

// compiles says whether the fault is one for tests to find. Of an embedded file, whose package is
// not there to be built, the types are checked: a fault must not add an error.
func (m *module) compiles(dir string, e *edit, texts map[string][]byte) bool {
	text := e.apply(texts[e.file])
	if path.Dir(e.file) == owner(e.file) {
		return exec.Command("nice", "-n", "19", "go", "build", "-o", os.DevNull, "-overlay",
			m.overlay(dir, e.file, text), "./"+owner(e.file)).Run() == nil
	}
	count := func(text []byte) (n int) {
		set, files := token.NewFileSet(), []*ast.File{}
		for f, src := range texts {
			if f == e.file {
				src = text
			}
			if path.Dir(f) == path.Dir(e.file) {
				file, err := parser.ParseFile(set, f, src, 0)
				fail(err)
				files = append(files, file)
			}
		}
		c := types.Config{Importer: importer.ForCompiler(set, "source", nil),
			Error: func(error) { n++ }}
		c.Check(files[0].Name.Name, set, files, nil)
		return n
	}
	return count(text) <= count(texts[e.file])
}

// waiting says whether the machine must be quiet.
func waiting(ctx context.Context) bool {
	_, err := os.Stat(*quiet)
	return *quiet != "" && err == nil && ctx.Err() == nil
}

const columns = "# id\tfile\tline\ttext of the line\tcolumn\tkind\told\tnew\tverdict\n"

func write(all []*mutant) error {
	var b strings.Builder
	b.WriteString(columns)
	for _, m := range all {
		fmt.Fprintf(&b, "%s\t%s\t%d\t%s\t%d\t%s\t%s\t%s\t%s\n",
			m.id, m.file, m.line, m.text, m.column, m.kind, m.old, m.new, m.verdict)
	}
	if err := os.WriteFile(*list+".new", []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(*list+".new", *list)
}

func read() (all []*mutant) {
	b, err := os.ReadFile(*list)
	fail(err)
	for line := range strings.Lines(strings.TrimPrefix(string(b), columns)) {
		w := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(w) != 9 {
			fail(fmt.Errorf("%s: not a mutant: %s", *list, line))
		}
		n, _ := strconv.Atoi(w[2])
		column, _ := strconv.Atoi(w[4])
		all = append(all, &mutant{w[0], w[1], n, w[3], column, w[5], w[6], w[7], w[8]})
	}
	return all
}

// find returns the edit of a mutant in the files as they are now: in its file, which may have been
// moved, or else in one of the same name. Of equal lines it is the nearest.
func (m *module) find(w *mutant) (found *edit, src []byte) {
	there := slices.Contains(m.files, move(w.file))
	far := func(e *edit) int { return max(e.line-w.line, w.line-e.line) }
	for _, f := range m.files {
		if there && f != move(w.file) || path.Base(f) != path.Base(w.file) {
			continue
		}
		text, err := os.ReadFile(f)
		fail(err)
		for _, e := range edits(f, text) {
			if e.text == w.text && e.column == w.column && e.kind == w.kind && e.old == w.old &&
				e.new == w.new && (found == nil || far(&e) < far(found)) {
				found, src = &e, text
			}
		}
	}
	return found, src
}

func move(name string) string {
	for m := range strings.SplitSeq(*moved, ",") {
		from, to, ok := strings.Cut(m, "=")
		if ok && (name == from || strings.HasPrefix(name, from+"/")) {
			return to + name[len(from):]
		}
	}
	return name
}

var verdicts = regexp.MustCompile(`^(\? was )?(killed by|timeout in|memory in) ([^:]+)`)

// killer returns the package that a verdict names.
func killer(verdict string) string {
	if w := verdicts.FindStringSubmatch(verdict); w != nil {
		return w[3]
	}
	return ""
}

// plan returns the packages whose tests are run, in order.
func (m *module) plan(own, before string) []string {
	var importers, last, plan []string
	for name, p := range m.pkgs {
		direct := slices.Contains(slices.Concat(p.Imports, p.TestImports, p.XTestImports), own)
		if !slices.Contains(dear, name) {
			if direct && p.tested() {
				importers = append(importers, name)
			}
		} else if slices.Contains(followed, name) && slices.Contains(followedFrom, own) &&
			(direct || slices.Contains(p.Deps, own)) {
			last = append(last, name)
		}
	}
	for _, list := range [][]string{importers, last} {
		slices.SortFunc(list, func(a, b string) int {
			return cmp.Or(cmp.Compare(max(seconds[a], 1), max(seconds[b], 1)), cmp.Compare(a, b))
		})
	}
	importers = importers[:min(len(importers), maxImporters)]
	for _, p := range slices.Concat([]string{before, own}, importers, last) {
		if q := m.pkgs[p]; q != nil && q.tested() && !slices.Contains(plan, p) {
			plan = append(plan, p)
		}
	}
	return plan
}

// run gives verdicts to the chosen mutants, and exits with 1 where one lives that was killed.
func (m *module) run(ctx context.Context) {
	all := read()
	work := make(chan *mutant, len(all))
	for _, w := range all {
		k := killer(w.verdict)
		if !has(*only, w.id) || !has(*of, owner(move(w.file))) && !has(*of, move(k)) {
			continue
		}
		if *again && k != "" && w.verdict[0] != '?' {
			w.verdict = "? was " + w.verdict
		}
		if w.verdict[0] == '?' {
			work <- w
		}
	}
	close(work)
	fail(write(all))
	var locked sync.Mutex
	var workers sync.WaitGroup
	weaker := 0
	for range *jobs {
		workers.Go(func() {
			for w := range work {
				begin, was := time.Now(), *w
				now, verdict, how := m.judge(ctx, &was)
				if ctx.Err() != nil {
					return
				}
				locked.Lock()
				w.file, w.line, w.verdict = now.file, now.line, verdict
				if killer(was.verdict) != "" && killer(verdict) == "" {
					weaker++
					verdict += ", " + was.verdict[2:]
				}
				fmt.Printf("%s %s:%d %s %q to %q: %s (%.0f s:%s)\n", w.id, w.file, w.line, w.kind,
					w.old, w.new, verdict, time.Since(begin).Seconds(), how)
				fail(write(all))
				locked.Unlock()
			}
		})
	}
	workers.Wait()
	if weaker > 0 {
		fail(fmt.Errorf("%d that were killed are not now", weaker))
	}
	fail(ctx.Err())
}

// judge returns the mutant where it is now, its verdict and what was run. What fails without the
// mutant too ends the run. A failure of an importing package, one of a test that measures time, and
// one of the clock must be seen twice.
func (m *module) judge(ctx context.Context, w *mutant) (now *mutant, verdict, how string) {
	e, src := m.find(w)
	if e == nil {
		return w, "gone", ""
	}
	dir, err := os.MkdirTemp("", "mutants")
	fail(err)
	defer os.RemoveAll(dir)
	overlay, own := m.overlay(dir, e.file, e.apply(src)), owner(e.file)
	for _, p := range m.plan(own, move(killer(w.verdict))) {
		begin := time.Now()
		r := test(ctx, dir, overlay, p, ".")
		if r.killed() && (p != own || slices.Contains(timed, p) || r.clock) {
			if again := test(ctx, dir, overlay, p, cmp.Or(r.test, ".")); !again.killed() {
				how += " seen once: " + r.what + " " + p + ": " + r.test + ","
				r = again
			}
		}
		how += fmt.Sprintf(" %s %.0f%s", p, time.Since(begin).Seconds(), r.output)
		if r.killed() {
			none := filepath.Join(dir, "none.json")
			fail(os.WriteFile(none, []byte("{}"), 0o666))
			if clean := test(ctx, dir, none, p, cmp.Or(r.test, ".")); clean.killed() {
				fail(fmt.Errorf("%s: %s fails without a mutant", p, clean.test))
			}
		}
		if r.what != "" && r.what != notBuilt {
			return &e.mutant, strings.TrimSuffix(r.what+" "+p+": "+r.test, ": "), how
		}
	}
	return &e.mutant, "survived", how
}

// A result is what a run of tests ended with: nothing where they passed. That the tests cannot be
// built with the mutant is no verdict. Other failures that are no test's want a look at the output.
type result struct {
	what, test, output string
	clock              bool // the time was over, perhaps only since the machine had much else to do
}

const notBuilt = "not built"

func (r result) killed() bool { return killer(r.what+" ?") != "" }

var (
	failed  = regexp.MustCompile(`(?m)^ *--- FAIL: ([^ /]+)`)
	started = regexp.MustCompile(`(?m)^=== (?:RUN|CONT) +([^\s/]+)`)
	crashed = regexp.MustCompile(`(?m)^(panic: |fatal error: |SIG[A-Z]+: )`)
	unbuilt = regexp.MustCompile(`\[(build|setup) failed\]`)
)

// test runs the tests of a package that the pattern names. A failure where they were stopped is run
// once more. What vet has to say of a mutant is left out: no test says it.
func test(ctx context.Context, dir, overlay, p, pattern string) result {
	for waiting(ctx) {
		time.Sleep(time.Second)
	}
	if pattern != "." {
		pattern = "^" + pattern + "$"
	}
	temp, err := os.MkdirTemp(dir, "run")
	fail(err)
	defer os.RemoveAll(temp)
	out, err := os.Create(filepath.Join(dir, "output"))
	fail(err)
	defer out.Close()
	cmd := exec.Command("nice", "-n", "19", "go", "test", "-v", "-vet=off", "-failfast", "-count=1",
		"-timeout", maxWall.String(), "-overlay", overlay, "-run", pattern, "./"+p)
	cmd.Stdout, cmd.Stderr, cmd.Env = out, out, append(os.Environ(), "TMPDIR="+temp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	fail(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	over, stopped, err := watch(ctx, cmd.Process.Pid, p, out, ended)
	text, _ := os.ReadFile(out.Name())
	r := result{what: over}
	if w := failed.FindSubmatch(text); w != nil {
		r.test = string(w[1])
	} else if w := started.FindAllSubmatch(text, -1); w != nil {
		r.test = string(w[len(w)-1][1])
	}
	switch {
	case over != "" || err == nil:
	case stopped && ctx.Err() == nil:
		return test(ctx, dir, overlay, p, pattern)
	case unbuilt.Match(text):
		r.what, r.output = notBuilt, " (not built)"
	case bytes.Contains(text, []byte("panic: test timed out after ")):
		r.what, r.clock = "timeout in", true
	case failed.Match(text) || crashed.Match(text):
		r.what = "killed by"
	default:
		r.what, r.output = "look at", fmt.Sprintf(" %v: %q", err, text[max(0, len(text)-300):])
	}
	return r
}

// watch waits for the end of a session of processes, and ends it where it is over a limit, which it
// names. While the machine must be quiet, the processes are stopped. Where they were, or the watch
// itself was, it says so: what failed may be a clock.
func watch(ctx context.Context, session int, p string, out *os.File, ended chan error) (over string,
	stopped bool, err error) {
	defer func() { // what a test has left running
		for each(session, syscall.SIGKILL).running > 0 {
			time.Sleep(tick / 10)
		}
	}()
	var wall, idle, busy time.Duration
	for last := time.Now(); ; {
		select {
		case err := <-ended:
			return over, stopped, err
		case <-time.After(tick):
		}
		if waiting(ctx) {
			for ; waiting(ctx); time.Sleep(tick) {
				each(session, syscall.SIGSTOP)
			}
			each(session, syscall.SIGCONT)
			last = time.Time{}
		}
		passed := time.Since(last)
		last, stopped = time.Now(), stopped || passed > maxGap
		wall += min(passed, maxGap)
		use := each(session, 0)
		if idle += min(passed, maxGap); use.cpu > busy+minBusy {
			idle, busy = 0, use.cpu
		}
		info, _ := out.Stat()
		limit := maxCPU + time.Duration(maxCPUPer*seconds[p])*time.Second
		switch {
		case ctx.Err() != nil:
			over = "interrupted"
		case use.memory > maxMemory || info != nil && info.Size() > maxOutput:
			over = "memory in"
		case use.cpu > limit || idle > maxIdle || wall > maxWall+maxBuild:
			over = "timeout in"
		}
		if over != "" {
			each(session, syscall.SIGKILL)
		}
	}
}

type usage struct {
	running, memory int
	cpu             time.Duration
}

// each sends a signal to the processes of a session, and returns what they use.
func each(session int, s syscall.Signal) (u usage) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		b, _ := os.ReadFile(name)
		w := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // from the state on
		if len(w) < 22 || w[3] != strconv.Itoa(session) || w[0] == "Z" {
			continue
		}
		number := func(i int) int { n, _ := strconv.Atoi(w[i]); return n }
		u.running++
		u.memory += number(21) * os.Getpagesize()
		ticks := number(11) + number(12) + number(13) + number(14) // of 10 ms, with its children's
		u.cpu += time.Duration(ticks) * 10 * time.Millisecond
		if pid, err := strconv.Atoi(path.Base(path.Dir(name))); err == nil && s != 0 {
			syscall.Kill(pid, s)
		}
	}
	return u
}
