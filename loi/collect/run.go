package collect

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"krdlab/hw/failure"
)

// ErrEnded is wrapped by the error of a tracing that could not go on and ended the program.
var ErrEnded = failure.New(failure.Failed, "the program was ended by krdlab")

// graceful is how long a program may take to end after an interrupt, before it is killed.
const graceful = 5 * time.Second

// Stopped reports that the program was interrupted when its time was over.
func (r *Reader) Stopped() bool { return r.stopped.Load() }

// Run starts a program that was built by package front, and hands what it records to r until it
// has ended. It returns how many events came too late to be put in order, and the error of the
// program's end, such as an [*exec.ExitError]; r has then all that it recorded up to there. err is
// of the tracing itself. An error of r's sink ends the program, and then err wraps [ErrEnded] too.
//
// If ctx is cancelled, the program gets SIGINT, which a terminal has sent it already if this
// process is in its foreground. If ctx is cancelled before, nothing is started, and err is its cause.
//
// It waits by sleeping, for at most a millisecond at a time.
func Run(ctx context.Context, cmd *exec.Cmd, m *Memory, r *Reader) (late uint64, exit, err error) {
	cmd.Env = append(cmd.Environ(), m.Env())
	endWithParent(cmd)
	if ctx.Err() != nil {
		return 0, nil, context.Cause(ctx)
	}
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	defer context.AfterFunc(ctx, func() {
		if !inForeground() || !m.Started() { // it may be younger than the terminal's signal
			cmd.Process.Signal(os.Interrupt)
		}
	})()
	if r.For > 0 {
		kill := time.AfterFunc(r.For+graceful, func() { cmd.Process.Kill() })
		defer kill.Stop()
		defer time.AfterFunc(r.For, func() {
			r.stopped.Store(true)
			cmd.Process.Signal(os.Interrupt)
		}).Stop()
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if r.Sample != nil {
		defer m.sample(r, cpuTime(cmd.Process.Pid))()
	}
	o := newOrder(m, r.Events)
	pause, most := time.Duration(0), time.Millisecond
	if r.Sample != nil {
		most = sampledPause
	}
	for {
		came, err := o.round(false)
		if err != nil {
			return o.late, nil, end(cmd, ended, err)
		}
		m.answer(r)
		if came {
			pause = 0
			continue
		}
		pause = min(pause+20*time.Microsecond, most)
		select {
		case exit := <-ended:
			if _, err := o.round(true); err != nil {
				return o.late, exit, err
			}
			m.waiting(r.waiting)
			return o.late, exit, r.End()
		case <-time.After(pause):
		}
	}
}

// end kills a program after an error, and waits for its end.
func end(cmd *exec.Cmd, ended <-chan error, err error) error {
	if kill := cmd.Process.Kill(); !errors.Is(kill, os.ErrProcessDone) {
		err = errors.Join(err, kill)
	}
	var x *exec.ExitError
	if errors.As(<-ended, &x) {
		if s, ok := x.Sys().(syscall.WaitStatus); ok && s.Signaled() && s.Signal() == syscall.SIGKILL {
			return &endedError{err}
		}
	}
	return err // it has ended by itself
}

// endedError is an error after which the program was killed.
type endedError struct{ err error }

func (e *endedError) Error() string   { return e.err.Error() + "; " + ErrEnded.Error() }
func (e *endedError) Unwrap() []error { return []error{e.err, ErrEnded} }
