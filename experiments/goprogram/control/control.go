// Package control runs a Go program under schedules that are chosen: of its goroutines one runs at a time,
// and at each operation by which they wait for each other it is chosen who is next. It finds how the program
// ends under them: deadlocks, panics, other outputs; each with the shortest schedule that was found, which
// can be repeated.
//
//	build with Request.Control -> a process for each schedule -> endings -> Document
//
// The program's end is in krdlab/loi/front/build/_runtime/krdcontrol.go.
package control

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	run "krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/krd/doc"
	"krdlab/loi/front/build"
)

// A Request asks for runs of a program.
type Request struct {
	Built    *build.Program // with Control
	Name     string         // of the program, for people
	Command  []string       // that asks for it, without samplers, runs, seed and Args
	Dir      string         // that it runs in
	Args     []string
	Policies []Policy
	Runs     int // of each policy
	// First stops at the first run that fails.
	First bool
	// Enumerate goes through all schedules in place of drawing some; it is an error if there are more than so
	// many. Random numbers of the program are those of the first seed.
	Enumerate int
	Follow    []End  // of another document of the program: their choices are followed, and none is drawn
	File      string // where they stand, for people
	Seed      uint64 // of the first run; the others follow
	Depth     int    // of PCT
	Early     bool   // timers may end while a goroutine could run
	Preempt   Preempt
	Limit     uint64 // operations after which a run is stopped
	Time      time.Duration
	Progress  func(done, total uint64) // may be nil
}

const schemaVersion = 1 // of Document

const ( // the default limits of a run
	DefaultLimit = 1_000_000
	DefaultTime  = 10 * time.Second
)

// A schedule is followed by a run.
type schedule struct {
	policy Policy
	seed   uint64
	depth  int
	length uint64
	follow []uint32
	learn  bool // which accesses are to shared data
}

// A Kind is how a run ended.
type Kind string

// The kinds of ends.
const (
	Ended    Kind = "ended"
	Output   Kind = "another output" // than most that ended
	Deadlock Kind = "deadlock"
	Panic    Kind = "panic"
	Exit     Kind = "exit code"
	Stopped  Kind = "stopped" // at a limit
)

// A Document has all ends; it is an [analysis.Result].
type Document struct {
	SchemaVersion int      `json:"schema_version"`
	Program       string   `json:"program"`
	Policies      []string `json:"policies"`
	Runs          int      `json:"runs"` // of each policy, at most
	Schedules     int      `json:"schedules"`
	Seed          uint64   `json:"seed"`
	Preempt       string   `json:"preempt"`      // where goroutines were left
	Early         bool     `json:"early_timers"` // timers ended while goroutines could run
	// Complete: all schedules were gone through, for one row of random numbers.
	Complete bool `json:"complete"`
	// Orders are the distinct ones in which goroutines ran, of all runs.
	Orders  int    `json:"orders"`
	Choices uint64 `json:"choices"` // the most of a run: operations at which several goroutines could go on
	Steps   uint64 `json:"steps"`   // the most of a run: operations
	Ends    []End  `json:"ends"`
	doc.Concluded
}

// An End is runs that ended in the same way.
type End struct {
	Kind Kind   `json:"kind"`
	What string `json:"what"` // the first line of a panic, an exit code, the begin of another output
	Runs int    `json:"runs"`
	// Outputs are the distinct ones of several.
	Outputs int `json:"outputs,omitempty"`
	// The run with the fewest choices; those up to Needed have to be as they were, the rest may be any: each
	// goroutine goes on until it waits. -1: not looked for.
	Policy  string   `json:"policy"`
	Command string   `json:"command"` // that repeats it
	Seed    uint64   `json:"seed"`
	Choices uint64   `json:"choices"`
	Needed  int      `json:"needed"`
	Follow  []uint32 `json:"follow,omitempty"` // the needed choices
	Text    string   `json:"text,omitempty"`   // what it printed on its second output

	key string
}

// result is how a run ended.
type result struct {
	kind           Kind
	what, text     string
	hash           uint64
	steps, choices uint64
	list, of       []uint32
}

func (r *result) key() string { return string(r.kind) + "\x00" + r.what }

// runner runs a program.
type runner struct {
	*Request
	memory *shared
	path   string
}

// Run runs a program under schedules. Errors: of files, and of ctx.
func Run(ctx context.Context, r *Request, dir string) (*Document, error) {
	x := &runner{Request: r, path: filepath.Join(dir, "control")}
	var err error
	if x.memory, err = newShared(x.path); err != nil {
		return nil, err
	}
	defer x.memory.close()
	if err := x.learn(ctx); err != nil {
		return nil, err
	}
	d := &Document{SchemaVersion: schemaVersion, Program: r.Name, Runs: r.Runs, Seed: r.Seed, Preempt: r.Preempt.String(),
		Early: r.Early, Ends: []End{}}
	orders, done := map[uint64]bool{}, 0
	add := func(got *result, p Policy, seed uint64, total int) {
		orders[got.hash] = true
		d.Choices, d.Steps = max(d.Choices, got.choices), max(d.Steps, got.steps)
		d.add(got, p, seed)
		if done++; r.Progress != nil {
			r.Progress(uint64(done), uint64(total))
		}
	}
	if r.Follow != nil {
		d.Policies = []string{"the choices in " + r.File}
		err = x.followed(ctx, d, func(got *result, e *End) { add(got, first, e.Seed, len(r.Follow)) })
		d.Runs = done
	} else if r.Enumerate > 0 {
		d.Complete, d.Policies = true, []string{least.String()}
		err = x.enumerate(ctx, func(got *result) { add(got, least, r.Seed, max(done+1, r.Enumerate)) })
		d.Runs = done
	} else {
		err = x.draw(ctx, func(got *result, p Policy, n int) { add(got, p, r.Seed+uint64(n), len(r.Policies)*r.Runs) })
		for _, p := range r.Policies {
			d.Policies = append(d.Policies, p.String())
		}
	}
	if err != nil {
		return nil, err
	}
	d.Orders, d.Schedules = len(orders), done
	d.outputs()
	for i := range d.Ends {
		e := &d.Ends[i]
		e.Command = r.again(d, e)
		if e.Kind != Ended {
			if err := x.shorten(ctx, e); err != nil {
				return nil, err
			}
		} else {
			e.Follow = nil
		}
	}
	slices.SortStableFunc(d.Ends, func(a, b End) int { return cmp.Compare(b.Runs, a.Runs) })
	return d, nil
}

// learn finds the accesses to shared data: their sites, by runs that are the same for all seeds, so that a seed
// is a schedule.
func (x *runner) learn(ctx context.Context) error {
	if x.Preempt != AtAccesses {
		return nil
	}
	list := []schedule{{policy: first}, {policy: least}, {policy: RoundRobin}}
	for n := range 5 {
		list = append(list, schedule{policy: Walk, seed: seedOf(0, n)})
	}
	for i := range list {
		list[i].learn = true
		if _, err := x.run(ctx, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// draw makes Runs runs by each policy, or, with First, so many until one fails.
func (x *runner) draw(ctx context.Context, each func(got *result, p Policy, n int)) error {
	plain, err := x.run(ctx, &schedule{policy: first})
	if err != nil {
		return err
	}
	for n := range x.Runs {
		for _, p := range x.Policies {
			got, err := x.run(ctx, &schedule{policy: p, seed: seedOf(x.Seed, n), depth: x.Depth, length: plain.choices})
			if err != nil {
				return err
			}
			if each(got, p, n); x.First && got.kind != Ended {
				return nil
			}
		}
	}
	return nil
}

var errNoFollow = failure.New(failure.Data, "--follow") // the ends of a file cannot be followed

// Followed returns the ends of a JSON document that failed or had another output, with choices to follow, which
// have to be where r has them.
func Followed(name string, text []byte, r *Request) ([]End, error) {
	d := &Document{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; expected what --control --json prints", errNoFollow, name, err)
	}
	if d.SchemaVersion != schemaVersion || d.Ends == nil {
		return nil, fmt.Errorf("%w: %s: schema version %d with %d ends; expected what --control --json prints, version %d",
			errNoFollow, name, d.SchemaVersion, len(d.Ends), schemaVersion)
	}
	if d.Preempt != r.Preempt.String() || d.Early != r.Early {
		return nil, fmt.Errorf("%w: %s: its choices are those of --preempt %s --early-timers=%t; expected %s and %t",
			errNoFollow, name, d.Preempt, d.Early, r.Preempt, r.Early)
	}
	list := slices.DeleteFunc(d.Ends, func(e End) bool { return e.Kind == Ended })
	if !slices.ContainsFunc(list, func(e End) bool { return e.Needed == len(e.Follow) }) {
		return nil, fmt.Errorf("%w: %s: no end has choices to follow", errNoFollow, name)
	}
	return list, nil
}

// notFollowed: how many ends, of how many, the file.
const notFollowed doc.Code = "schedules_not_followed"

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{notFollowed: {Level: doc.Doubt, Example: []any{1, 3, "ends.json"},
		Words: "of %[2]v ends in %[3]v %[1]v were not run as they were found: the program has other choices, or the file " +
			"has none"}})
}

// followed makes a run with the choices of each end; behind them each goroutine goes on until it waits.
func (x *runner) followed(ctx context.Context, d *Document, each func(*result, *End)) error {
	others := 0
	for i := range x.Follow {
		e := &x.Follow[i]
		if e.Needed != len(e.Follow) {
			others++
			continue
		}
		got, err := x.run(ctx, &schedule{policy: first, seed: seedOf(e.Seed, 0), depth: x.Depth, follow: e.Follow})
		if err != nil {
			return err
		}
		if !slices.Equal(got.list[:min(len(got.list), len(e.Follow))], e.Follow) {
			others++
		}
		each(got, e)
	}
	if others > 0 {
		d.Conclude(doc.Find(notFollowed, others, len(x.Follow), x.File))
	}
	return nil
}

// ErrMany is wrapped by the error of a program that has more schedules than are gone through.
var ErrMany = failure.New(failure.Request, "--enumerate: too many schedules")

// ErrUnsteady is wrapped by the error of a program whose schedule does not depend on choices and seed alone.
var ErrUnsteady = failure.New(failure.Data, "--enumerate: a run does not follow its schedule; system calls or "+
	"other processes have a say in it")

// ErrBubble is wrapped by the error of a program with a bubble of testing/synctest.
var ErrBubble = failure.New(failure.Capability, "testing/synctest is not under control: a bubble has a clock of its own")

// enumerate makes a run for each schedule.
func (x *runner) enumerate(ctx context.Context, each func(*result)) error {
	var path []uint32
	for n := 0; ; n++ {
		if n == x.Enumerate {
			return fmt.Errorf("%w: there are more than %d; leave it out, and some are drawn", ErrMany, n)
		}
		got, err := x.run(ctx, &schedule{policy: least, seed: seedOf(x.Seed, 0), follow: path})
		if err != nil {
			return err
		}
		if len(got.list) < len(path) || !slices.Equal(got.list[:len(path)], path) {
			return fmt.Errorf("%w: run %d", ErrUnsteady, n+1)
		}
		each(got)
		last := len(got.list) - 1
		for last >= 0 && got.list[last]+1 == got.of[last] {
			last--
		}
		if last < 0 {
			return nil
		}
		path = append(got.list[:last:last], got.list[last]+1)
	}
}

// again returns the command that repeats an end.
func (r *Request) again(d *Document, e *End) string {
	c := slices.Clone(r.Command)
	switch {
	case r.Follow != nil:
		c = append(c, "--follow", r.File)
	case d.Complete:
		c = append(c, "--enumerate", "--seed", strconv.FormatUint(e.Seed, 10))
	default:
		c = append(c, "--sampler", e.Policy, "--runs", "1", "--seed", strconv.FormatUint(e.Seed, 10))
	}
	if e.Policy == PCT.String() {
		c = append(c, "--depth", strconv.Itoa(r.Depth))
	}
	if r.Early {
		c = append(c, "--early-timers")
	}
	if r.Preempt != AtSync {
		c = append(c, "--preempt", r.Preempt.String())
	}
	if len(r.Args) > 0 {
		c = append(append(c, "--"), r.Args...)
	}
	return run.Shell(c)
}

// seedOf returns the seed of run n, which differs from that of the neighbours in all bits.
func seedOf(seed uint64, n int) uint64 { return rand.New(rand.NewPCG(seed+uint64(n), 0)).Uint64() }

// add adds a run.
func (d *Document) add(r *result, p Policy, seed uint64) {
	i := slices.IndexFunc(d.Ends, func(e End) bool { return e.key == r.key() })
	if i < 0 {
		i = len(d.Ends)
		d.Ends = append(d.Ends, End{Kind: r.kind, What: r.what, key: r.key(), Needed: -1, Choices: 1<<64 - 1})
	}
	e := &d.Ends[i]
	e.Runs++
	if r.choices < e.Choices {
		e.Policy, e.Seed, e.Choices, e.Follow, e.Text = p.String(), seed, r.choices, r.list, r.text
	}
}

// outputs makes one end of the runs that ended with another output than most.
func (d *Document) outputs() {
	most, other := -1, -1
	for i := range d.Ends {
		if e := &d.Ends[i]; e.Kind == Ended && (most < 0 || e.Runs > d.Ends[most].Runs) {
			most = i
		}
	}
	for i := 0; i < len(d.Ends); i++ {
		e := &d.Ends[i]
		switch {
		case e.Kind != Ended || i == most:
		case other < 0:
			e.Kind, other, e.Outputs = Output, i, 1
		default:
			x := &d.Ends[other]
			runs, outputs := x.Runs+e.Runs, x.Outputs+1
			if e.Choices < x.Choices {
				*x = *e
			}
			x.Kind, x.Runs, x.Outputs = Output, runs, outputs
			if d.Ends = slices.Delete(d.Ends, i, i+1); most > i {
				most--
			}
			i--
		}
	}
}

// shorten looks for the fewest choices of an end behind which each goroutine goes on until it waits, by
// halves: it need not be the least number.
func (x *runner) shorten(ctx context.Context, e *End) error {
	same := func(n int) (bool, error) {
		got, err := x.run(ctx, &schedule{policy: first, seed: seedOf(e.Seed, 0), depth: x.Depth, follow: e.Follow[:n]})
		return err == nil && got.key() == e.key, err
	}
	if e.Choices > uint64(len(e.Follow)) {
		e.Follow = nil
		return nil
	}
	low, high := 0, len(e.Follow)
	if ok, err := same(high); err != nil || !ok {
		e.Follow = nil
		return err
	}
	for low < high {
		mid := (low + high) / 2
		ok, err := same(mid)
		if err != nil {
			return err
		}
		if ok {
			high = mid
		} else {
			low = mid + 1
		}
	}
	e.Needed, e.Follow = high, e.Follow[:high]
	return nil
}

// env returns the environment of a program that is run so.
func (x *runner) env() []string {
	return []string{"KRD_CONTROL=" + x.path, "GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=2GiB",
		"GODEBUG=" + strings.TrimPrefix(os.Getenv("GODEBUG")+",asyncpreemptoff=1", ","), "GOTRACEBACK=all"}
}

// A Session has runs that others start, by the first of a request's policies.
type Session struct {
	x      *runner
	length uint64 // choices of the plain run
}

// NewSession begins a session with its files in dir; the program is run once. Close ends it.
func NewSession(ctx context.Context, r *Request, dir string) (*Session, error) {
	x := &runner{Request: r, path: filepath.Join(dir, "control")}
	var err error
	if x.memory, err = newShared(x.path); err != nil {
		return nil, err
	}
	plain, err := x.run(ctx, &schedule{policy: first})
	if err != nil {
		x.memory.close()
		return nil, err
	}
	return &Session{x, plain.choices}, nil
}

// Close ends the session.
func (s *Session) Close() { s.x.memory.close() }

// Next sets the schedule of the next run, number n from 0, and returns what its environment has to have. It is
// that of the run with this number of [Run].
func (s *Session) Next(n int) []string {
	x := s.x
	x.memory.begin(&schedule{policy: x.Policies[0], seed: seedOf(x.Seed, n), depth: x.Depth, length: s.length}, x.Request)
	return x.env()
}

// run makes one run.
func (x *runner) run(ctx context.Context, s *schedule) (*result, error) {
	x.memory.begin(s, x.Request)
	within, cancel := context.WithTimeout(ctx, x.Time)
	defer cancel()
	c := exec.CommandContext(within, x.Built.Binary, x.Args...)
	c.Dir = x.Dir
	c.Env = append(c.Environ(), x.env()...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &result{kind: Ended, hash: x.memory.word(wordHash), steps: x.memory.word(wordSteps),
		choices: x.memory.word(wordChoices), text: errs.String()}
	r.list, r.of = x.memory.choices()
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		r.what = summary(out.Bytes())
	case x.memory.word(wordEnd) == 2:
		return nil, ErrBubble
	case x.memory.word(wordEnd) == 1:
		r.kind, r.what = Stopped, fmt.Sprintf("after %d operations", x.Limit)
	case within.Err() != nil:
		r.kind, r.what = Stopped, "after "+x.Time.String()
	case !failed:
		return nil, err
	default:
		r.kind, r.what = failedBy(r.text, out.String(), exit)
	}
	return r, nil
}

var (
	panics   = regexp.MustCompile(`(?:panic|fatal error): .*`) // behind what the program printed, maybe
	failures = regexp.MustCompile(`(?m)^\s*--- FAIL: \S+`)
	numbers  = regexp.MustCompile(`0x[0-9a-f]+`)
)

// failedBy returns what a program that failed printed about that.
func failedBy(errs, out string, exit *exec.ExitError) (Kind, string) {
	line := ""
	if exit.ExitCode() == 2 { // of Go's runtime
		line = numbers.ReplaceAllString(panics.FindString(errs), "0x...")
	}
	switch {
	case strings.Contains(line, "all goroutines are asleep - deadlock!"):
		return Deadlock, "all goroutines wait"
	case line != "":
		return Panic, strings.TrimSpace(line)
	}
	if list := failures.FindAllString(out, -1); list != nil {
		slices.Sort(list)
		return Exit, fmt.Sprintf("%d, %s", exit.ExitCode(), strings.TrimSpace(strings.Join(slices.Compact(list), "; ")))
	}
	if exit.ExitCode() < 0 {
		return Exit, exit.String()
	}
	return Exit, fmt.Sprint(exit.ExitCode())
}

// summary tells outputs apart: a short one is itself.
func summary(out []byte) string {
	const most = 60
	text := strings.TrimSpace(string(out))
	if len(text) <= most && !strings.ContainsAny(text, "\n\r\t") {
		return text
	}
	return fmt.Sprintf("%d bytes, SHA-256 %.8x", len(out), sha256.Sum256(out))
}
