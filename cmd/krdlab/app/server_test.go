package app

import (
	"bytes"
	"encoding/gob"
	"errors"
	"os"
	"os/exec"

	"github.com/rogpeppe/go-internal/testscript"
)

// A server is a process that runs the commands of one script, each in an app of its own: most take
// less than the start of a process.
type server struct {
	calls   *gob.Encoder
	answers *gob.Decoder
	stderr  bytes.Buffer // of the process, not of commands
}

// A call is a command with the folder and the variables that it finds.
type call struct {
	Dir  string
	Env  map[string]string
	Args []string
}

type answer struct {
	Code           int
	Stdout, Stderr string
}

// passed are the variables that scripts set.
var passed = []string{"COLUMNS", "BROWSER", "WAYLAND_DISPLAY", "PATH"}

// serve is the process: it answers calls until there are no more.
func serve() {
	calls, answers := gob.NewDecoder(os.NewFile(3, "calls")), gob.NewEncoder(os.NewFile(4, "answers"))
	for {
		var c call
		if calls.Decode(&c) != nil {
			return
		}
		err := os.Chdir(c.Dir)
		for name, value := range c.Env {
			err = errors.Join(err, os.Setenv(name, value))
		}
		if err != nil {
			panic(err)
		}
		var stdout, stderr bytes.Buffer
		a := newApp(&stdout, &stderr)
		a.computer.beside = 1 // other tests
		code := a.main(c.Args)
		if err := answers.Encode(answer{code, stdout.String(), stderr.String()}); err != nil {
			panic(err)
		}
	}
}

// setup begins the server of a script. Sentences are not broken, so that scripts can look for them.
func setup(e *testscript.Env) error {
	e.Setenv("COLUMNS", "1000")
	callsOut, callsIn, err1 := os.Pipe()
	answersOut, answersIn, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	s := &server{calls: gob.NewEncoder(callsIn), answers: gob.NewDecoder(answersOut)}
	c := exec.Command("krdlab-serve")
	c.Env, c.Dir, c.Stderr, c.ExtraFiles = e.Vars, e.WorkDir, &s.stderr, []*os.File{callsOut, answersIn}
	err := c.Start()
	callsOut.Close()
	answersIn.Close()
	e.Defer(func() {
		callsIn.Close()
		c.Wait()
		answersOut.Close()
	})
	e.Values["t"], e.Values["server"] = e.T(), s
	return err
}

// runs runs a command of a script, krdlab in the script's server, another program as such.
func runs(ts *testscript.TestScript, args []string) (a answer) {
	if args[0] != "krdlab" {
		if err := ts.Exec(args[0], args[1:]...); err != nil {
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok {
				ts.Fatalf("%v", err)
			}
			a.Code = exit.ExitCode()
		}
		a.Stdout, a.Stderr = ts.ReadFile("stdout"), ts.ReadFile("stderr")
		return a
	}
	c := call{Dir: ts.MkAbs("."), Env: map[string]string{}, Args: args}
	for _, name := range passed {
		c.Env[name] = ts.Getenv(name)
	}
	s := ts.Value("server").(*server)
	if err := errors.Join(s.calls.Encode(c), s.answers.Decode(&a)); err != nil {
		ts.Fatalf("%q: %v\n%s", args, err, &s.stderr)
	}
	ts.Stdout().Write([]byte(a.Stdout))
	ts.Stderr().Write([]byte(a.Stderr))
	return a
}
