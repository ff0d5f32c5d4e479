package goprogram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
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

// Try builds the program of a request anew, nothing recorded, and has it execute each of some planned
// loops in other orders, with what removes their dependences carried out. What it prints and how it
// exits is compared with the plain order, whose standard input is empty too: of numbers that are no
// integers up to rounding, where the loop has a reduction of floating point.
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
	t := &trying{Request: r, ctx: ctx, wraps: map[string]bool{}}
	var plain *ending
	for plain == nil {
		if err := work.Lend(func() (err error) {
			t.built, err = build.Run(ctx, q, work.Path)
			return err
		}); err != nil {
			return nil, err
		}
		t.limit = time.Hour
		if plain, err = t.run(""); err != nil {
			return nil, err
		}
		if _, after, found := strings.Cut(plain.stderr.String(), wrapsAround); found {
			loop, _, _ := strings.Cut(after, ": ")
			delete(q.Tries, loop)
			t.wraps[loop], plain = true, nil
		}
	}
	t.limit = max(leastWait, mostTimes*plain.took)
	again, err := t.run("")
	if err != nil {
		return nil, err
	}
	unsteady := plain.differs(again, false)
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
		x.Result = regions.Same
		rounds := slices.ContainsFunc(plan[i].Removed, func(r loops.Removal) bool { return r.Rounds })
		for _, order := range orders {
			got, err := t.run(order + " " + loopOf(&plan[i]))
			if err != nil {
				return nil, err
			}
			x.Orders = append(x.Orders, order)
			if x.Difference = plain.differs(got, rounds); x.Difference != nil {
				x.Difference.Order, x.Result = order, regions.Differs
				break
			}
		}
	}
	return list, nil
}

func loopOf(p *regions.Planned) string { return p.Path[len(p.Path)-1] }

func removals(list []loops.Removal) []front.Removal {
	all := []front.Removal{}
	for _, r := range list {
		all = append(all, front.Removal{By: r.By, Name: r.Name, Operator: r.Operator})
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
}

// wrapsAround is what the agent panics with, before the name of a loop whose index wraps around.
const wrapsAround = "krdlab: cannot be tried: "

// why is why a loop cannot be tried.
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

// An ending is what a run of the program printed, and how it ended.
type ending struct {
	stdout, stderr bytes.Buffer
	exit           string
	took           time.Duration
}

func (t *trying) run(order string) (*ending, error) {
	ctx, cancel := context.WithTimeout(t.ctx, t.limit)
	defer cancel()
	c := exec.CommandContext(ctx, t.built.Binary, t.Args...)
	c.Env = append(os.Environ(), "KRD_ORDER="+order)
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

// lineAt is the line of a text that has the byte at, or ends there.
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

// firstDifference is the offset in plain of the first byte at which another text differs, or, if
// numbers were rounded otherwise, of the first number; -1: they are the same.
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
