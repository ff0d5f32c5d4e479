package collect

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// Run starts a program that was built by package gofront, and hands what it records to r until it
// has ended. It returns how many events came too late to be put in order, and the error of the
// program's end, an [*exec.ExitError] if it failed; r has then all that it recorded up to there. An
// error of r's sink ends the program.
//
// If ctx is cancelled, the program gets SIGINT, which a terminal has sent it already if this process
// is in its foreground.
//
// It waits by sleeping, for at most a millisecond at a time.
func Run(ctx context.Context, cmd *exec.Cmd, m *Memory, r *Reader) (late uint64, err error) {
	cmd.Env = append(cmd.Environ(), m.Env())
	endWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() {
		if !inForeground() {
			cmd.Process.Signal(os.Interrupt)
		}
	})()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	o := newOrder(m, r.Events)
	pause := time.Duration(0)
	for {
		came, err := o.round(false)
		if err != nil {
			return o.late, errors.Join(err, cmd.Process.Kill(), <-ended)
		}
		if came {
			pause = 0
			continue
		}
		pause = min(pause+20*time.Microsecond, time.Millisecond)
		select {
		case exit := <-ended:
			if _, err := o.round(true); err != nil {
				return o.late, err
			}
			return o.late, errors.Join(r.End(), exit)
		case <-time.After(pause):
		}
	}
}
