package goprogram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"krdlab/hw/failure"
	"krdlab/hw/scratch"
	"krdlab/krd/analysis/loops"
	"krdlab/krd/analysis/regions"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
)

// orders are those in which loops are tried.
var orders = []string{"reversed", "halves", "shuffled:1", "shuffled:2"}

// mostTimes is how many times as long as the plain order another may take, and leastWait how long at
// least.
const (
	mostTimes = 20
	leastWait = 10 * time.Second
)

// Try builds the program of a request anew, nothing recorded, and makes it execute each of some
// planned loops in other orders, with the removal of their dependences carried out. The memory
// after the loop, the output of the program and its exit are compared with the plain order, whose
// standard input is empty too. A reduction of floating point may be rounded otherwise, and becomes
// what it is in the plain order, so that the rest can be the same; where it is not found by a name,
// or there are too many, no number of floating point is compared, and those that are printed up to
// rounding.
func Try(ctx context.Context, r *Request, plan []regions.Planned) ([]regions.Tried, error) {
	list := make([]regions.Tried, len(plan))
	if len(plan) == 0 {
		return list, nil
	}
	work, err := scratch.Make(os.Getenv("GOTMPDIR"), "krdlab-go-")
	if err != nil {
		return nil, fmt.Errorf("temporary folder (GOTMPDIR, TMPDIR): %w", err)
	}
	defer work.Remove()
	q := r.Build
	q.Options = front.Options{Tries: map[string][]front.Removal{}}
	for i := range plan {
		q.Tries[loopOf(&plan[i])] = removals(plan[i].Removed)
	}
	t := &trying{Request: r, ctx: ctx, wraps: map[string]bool{}, folder: work.Path}
	var plain *ending
	for plain == nil {
		if err := work.Lend(func() (err error) {
			t.built, err = build.Run(ctx, q, work.Path)
			return err
		}); err != nil {
			return nil, err
		}
		t.limit = time.Hour
		if plain, err = t.run("", nil); err != nil {
			return nil, err
		}
		if _, after, found := strings.Cut(plain.stderr.String(), wrapsAround); found {
			loop, _, _ := strings.Cut(after, ": ")
			delete(q.Tries, loop)
			t.wraps[loop], plain = true, nil
		}
	}
	t.limit = max(leastWait, mostTimes*plain.took)
	seen, err := t.run("", &look{})
	if err != nil {
		return nil, err
	}
	again, err := t.run("", &look{})
	if err != nil {
		return nil, err
	}
	unsteady := plain.differs(again, false)
	if d := plain.differs(seen, false); unsteady == nil {
		unsteady = d
	}
	if unsteady != nil {
		unsteady.Order = "the second time"
	}
	for i := range plan {
		x := &list[i]
		x.Orders, x.Result = []string{}, regions.NotTried
		if x.Why = t.why(loopOf(&plan[i])); x.Why == "" && unsteady != nil {
			x.Why = "the plain order does not do the same each time: " + unsteady.String()
		}
		if x.Why != "" {
			continue
		}
		if err := t.orders(x, &plan[i], seen, again); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// orders executes a loop in other orders.
func (t *trying) orders(x *regions.Tried, p *regions.Planned, plain, again *ending) (err error) {
	x.Result = regions.Same
	loop := loopOf(p)
	rounds := slices.ContainsFunc(p.Removed, func(r loops.Removal) bool { return r.Rounds })
	memory, loose := plain.looks[loop], rounds && t.loose(loop)
	k := &look{}
	if memory != nil {
		x.Looked, x.Aside = memory.instances, memory.steady(again.looks[loop])
		if loose = loose || rounds && memory.much; !loose {
			k.plain = memory.sums
		}
	}
	x.Loose = loose
	for _, order := range orders {
		got, err := t.run(order+" "+loop, k)
		if err != nil {
			return err
		}
		x.Orders = append(x.Orders, order)
		if x.Difference, err = t.inMemory(x, loop, order, memory, got, k); err != nil {
			return err
		}
		if x.Difference == nil {
			x.Difference = plain.differs(got, loose)
		}
		if x.Difference != nil {
			x.Difference.Order, x.Result = order, regions.Differs
			return nil
		}
	}
	return nil
}

// inMemory returns the first difference in the memory after the loop; nil: there is none.
func (t *trying) inMemory(x *regions.Tried, loop, order string, plain *looking, got *ending,
	k *look) (*regions.Difference, error) {
	if plain == nil {
		return nil, nil
	}
	other := got.looks[loop]
	at, differs := plain.differs(other, x.Aside, x.Loose)
	if other != nil && other.off != nil && (!differs || other.off.Instance <= at.instance+1) {
		return other.off, nil
	}
	if !differs || other == nil {
		return nil, nil // it has not come so far: it ends otherwise
	}
	d := &regions.Difference{In: regions.InMemory, Place: at.name, Instance: at.instance + 1}
	detail := fmt.Sprint(at.instance, " ", loop)
	if _, err := t.run("", &look{detail: detail}); err != nil {
		return nil, err
	}
	told := filepath.Join(t.folder, "told")
	kept := told + ".plain"
	if err := os.Rename(told, kept); err != nil {
		return nil, err
	}
	if _, err := t.run(order+" "+loop, &look{plain: k.plain, detail: detail}); err != nil {
		return nil, err
	}
	var err error
	d.Place, d.Plain, d.Found, err = firstValue(kept, told, at.name, x.Loose)
	return d, err
}

// loose reports that what the reductions of a loop round is not known by a name.
func (t *trying) loose(loop string) bool {
	return slices.ContainsFunc(t.built.Tried, func(x front.Tried) bool { return x.Loop == loop && x.Loose })
}

func loopOf(p *regions.Planned) string { return p.Path[len(p.Path)-1] }

func removals(list []loops.Removal) []front.Removal {
	all := []front.Removal{}
	for _, r := range list {
		all = append(all, front.Removal{By: r.By, Name: r.Name, Operator: r.Operator, Rounds: r.Rounds})
	}
	return all
}

// A trying runs a program whose loops can be executed in other orders.
type trying struct {
	*Request
	ctx   context.Context
	built *build.Program
	limit time.Duration
	wraps map[string]bool // loops whose index does

	folder string // for files of runs
}

// wrapsAround is the text of the agent's panic, before the name of a loop whose index wraps around.
const wrapsAround = "krdlab: cannot be tried: "

// why returns the reason why a loop cannot be tried.
func (t *trying) why(loop string) string {
	found := false
	for _, x := range t.built.Tried {
		if found = found || x.Loop == loop; x.Loop == loop && x.Why != "" {
			return x.Why
		}
	}
	if t.wraps[loop] {
		return "its index wraps around"
	}
	if len(t.built.Failed) > 0 && !found {
		return "a package with it does not build so: " + t.built.Failed[0].Why
	}
	if !found {
		return "its function is not rewritten"
	}
	return ""
}

// An ending holds the output of a run of the program, and how it ended.
type ending struct {
	stdout, stderr bytes.Buffer
	exit           string
	took           time.Duration
	looks          looks
}

// run executes the program in an order, and, if k is not nil, looks at what its loops leave.
func (t *trying) run(order string, k *look) (*ending, error) {
	ctx, cancel := context.WithTimeout(t.ctx, t.limit)
	defer cancel()
	c := exec.CommandContext(ctx, t.built.Binary, t.Args...)
	c.Env = append(os.Environ(), "KRD_ORDER="+order)
	told := ""
	if k != nil {
		vars, path, err := k.environment(t.folder)
		if err != nil {
			return nil, err
		}
		c.Env, told = append(c.Env, vars...), path
	}
	if c.Dir = t.Build.Dir; t.Build.Test {
		c.Dir = t.built.Folder
	}
	e := &ending{}
	c.Stdout, c.Stderr, c.WaitDelay = &e.stdout, &e.stderr, childOutput
	began := time.Now()
	err := c.Run()
	e.took = time.Since(began)
	switch x, exited := errors.AsType[*exec.ExitError](err); {
	case t.ctx.Err() != nil:
		return nil, failure.OfContext(t.ctx, err)
	case ctx.Err() != nil:
		e.exit = fmt.Sprintf("none within %v", t.limit.Round(time.Second))
	case exited:
		e.exit = x.ProcessState.String()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, fmt.Errorf("%w: %w", ErrProgram, err)
	default:
		e.exit = "exit status 0"
	}
	if k != nil && k.detail == "" {
		if e.looks, err = readLooks(told); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// differs returns the first difference of another run; nil: there is none.
func (e *ending) differs(x *ending, rounds bool) *regions.Difference {
	for _, of := range []struct {
		name        string
		plain, here []byte
	}{{"stdout", e.stdout.Bytes(), x.stdout.Bytes()}, {"stderr", e.stderr.Bytes(), x.stderr.Bytes()}} {
		at := firstDifference(of.plain, of.here, rounds)
		if at < 0 {
			continue
		}
		return &regions.Difference{In: of.name, Offset: at, Line: 1 + bytes.Count(of.plain[:at], []byte("\n")),
			Plain: lineAt(of.plain, at), Found: lineAt(of.here, at)}
	}
	if e.exit != x.exit {
		return &regions.Difference{In: "exit", Plain: e.exit, Found: x.exit}
	}
	return nil
}

// mostLine is how many bytes of a line are shown.
const mostLine = 40

// lineAt returns the line of a text that has the byte at, or ends there.
func lineAt(text []byte, at int) string {
	at = min(at, len(text))
	from := bytes.LastIndexByte(text[:at], '\n') + 1
	from = max(from, at-mostLine/2)
	line, _, _ := bytes.Cut(text[from:], []byte("\n"))
	return string(line[:min(len(line), mostLine)])
}

// rounding is how much numbers may differ, of the greater, that were rounded otherwise.
const rounding = 1e-6

var number = regexp.MustCompile(`[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`)

// firstDifference returns the offset in plain of the first byte at which another text differs, or,
// if numbers were rounded otherwise, of the first number; -1: they are the same.
func firstDifference(plain, other []byte, rounds bool) int {
	at := 0
	for rounds {
		a, b := number.FindIndex(plain[at:]), number.FindIndex(other)
		if a == nil || b == nil || !bytes.Equal(plain[at:at+a[0]], other[:b[0]]) ||
			!near(string(plain[at+a[0]:at+a[1]]), string(other[b[0]:b[1]])) {
			break
		}
		at, other = at+a[1], other[b[1]:]
	}
	rest := plain[at:]
	if bytes.Equal(rest, other) {
		return -1
	}
	n := 0
	for n < min(len(rest), len(other)) && rest[n] == other[n] {
		n++
	}
	return at + n
}

// near reports that two numbers are the same, or, if one is no integer, nearly.
func near(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && strings.ContainsAny(a+b, ".eE") &&
		math.Abs(x-y) <= rounding*max(math.Abs(x), math.Abs(y))
}
