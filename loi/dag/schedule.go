package dag

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"krdlab/hw/failure"
	"krdlab/loi"
)

// ErrSchedule is wrapped by the error of a text that is no schedule, or one of another program.
var ErrSchedule = failure.New(failure.Data, "bad schedule")

// A Schedule is the order in which the pieces of a program's code begin, and who runs each.
type Schedule struct {
	Program string // kernel and parameters, as KERNEL KEY=VALUE...; it is one line
	Nodes   []int  // of each worker
	Steps   []Step
}

// ProgramOf returns the kernel of a trace with all its parameters, as KERNEL KEY=VALUE...
func ProgramOf(h *loi.Header) string {
	text := h.Kernel
	for _, p := range h.Params {
		text += " " + p.Key + "=" + p.Value
	}
	return text
}

// A Step is a piece of code: a child of the phase in which a task is, or what follows that phase.
// Task 0 is the program, whose only child is the root; the others are numbered from 1, in the order
// in which steps make them.
type Step struct {
	Task   uint32
	Child  uint32 // [loi.AfterPhase]: what follows the phase
	Worker uint32
}

// ScheduleHead is the first line of a schedule.
const ScheduleHead = "krdlab schedule 1"

const (
	scheduleAfter = "after"
	// maxScheduleLine is how long a line may be, in bytes
	maxScheduleLine = 1 << 20
)

// Write writes s as text: a head, the program, the node of each worker, and a line for each step:
// task, child or "after", worker.
func (s *Schedule) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\nprogram %s\nnodes", ScheduleHead, s.Program)
	for _, n := range s.Nodes {
		fmt.Fprintf(b, " %d", n)
	}
	b.WriteByte('\n')
	var line []byte
	for _, x := range s.Steps {
		line = append(strconv.AppendUint(line[:0], uint64(x.Task), 10), ' ')
		if x.Child == loi.AfterPhase {
			line = append(line, scheduleAfter...)
		} else {
			line = strconv.AppendUint(line, uint64(x.Child), 10)
		}
		line = strconv.AppendUint(append(line, ' '), uint64(x.Worker), 10)
		if _, err := b.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return b.Flush()
}

// ReadSchedule reads what [Schedule.Write] wrote. Errors wrap [ErrSchedule] and name the line, or
// are those of r. That the steps are of some program is checked when they are followed.
func ReadSchedule(r io.Reader) (*Schedule, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxScheduleLine)
	n := 0
	wrong := func(want string) error {
		if err := in.Err(); err != nil {
			return fmt.Errorf("line %d: %w: %w", n, ErrSchedule, err)
		}
		got := in.Text()
		if len(got) > 60 {
			got = got[:60] + "..."
		}
		return fmt.Errorf("line %d: %w: found %q, expected %s", n, ErrSchedule, got, want)
	}
	next := func() bool { n++; return in.Scan() }
	s := &Schedule{}
	if !next() || in.Text() != ScheduleHead {
		return nil, wrong("\"" + ScheduleHead + "\"")
	}
	next()
	program, ok := strings.CutPrefix(in.Text(), "program ")
	if !ok {
		return nil, wrong("\"program KERNEL KEY=VALUE...\"")
	}
	s.Program = program
	next()
	nodes, ok := strings.CutPrefix(in.Text(), "nodes ")
	if !ok {
		return nil, wrong("\"nodes\" and the node of each worker")
	}
	for _, word := range strings.Fields(nodes) {
		node, err := strconv.ParseUint(word, 10, 31)
		if err != nil {
			return nil, wrong("\"nodes\" and the node of each worker")
		}
		s.Nodes = append(s.Nodes, int(node))
	}
	const want = "TASK CHILD WORKER, or TASK after WORKER"
	for next() {
		words := strings.Fields(in.Text())
		if len(words) != 3 {
			return nil, wrong(want)
		}
		task, err := strconv.ParseUint(words[0], 10, 32)
		child, err2 := uint64(loi.AfterPhase), error(nil)
		if words[1] != scheduleAfter {
			if child, err2 = strconv.ParseUint(words[1], 10, 32); child == uint64(loi.AfterPhase) {
				return nil, wrong("the number of a child")
			}
		}
		worker, err3 := strconv.ParseUint(words[2], 10, 32)
		if err != nil || err2 != nil || err3 != nil {
			return nil, wrong(want)
		}
		if worker >= uint64(len(s.Nodes)) {
			return nil, wrong(fmt.Sprintf("a worker below %d", len(s.Nodes)))
		}
		s.Steps = append(s.Steps, Step{uint32(task), uint32(child), uint32(worker)})
	}
	if in.Err() != nil || len(s.Steps) == 0 {
		return nil, wrong(want)
	}
	return s, nil
}
