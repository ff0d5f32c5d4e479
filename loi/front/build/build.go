// Package build has the go command build Go programs that package front rewrites. The user's files
// are read only: the files in their place are in an overlay (go help build).
//
//	Request -> choose -> plain -> rewrite -> overlay -> go build -> Program
//
// The program is first built as it is: from that build the compiler reports the variables on the
// heap and the inlined calls (escapes.go), and the rewritten one is compiled so that both stay as
// they were (inlined.go). The agent, which rewritten sources call, and the patches of the runtime
// are laid into the standard library (runtime.go, sync.go). The user's overlay, the directives of
// package embed and the module cache are handled in settings.go, embed.go and modulecache.go.
//
// # Rejected
//
//   - To keep allocations where they were (inlined.go): inlining in the source changes positions
//     and the order of evaluation; -l without inlining in both programs is another program than the
//     user's; a patch of the compiler takes a build of it. The compiler reads a profile as it is.
//   - The hooks of package internal/race for waiting (sync.go): with them sync.Pool drops items at
//     random, and they do not give the receiver of what was sent. Calls around the channel
//     operations of the program: they miss those of packages that are not rewritten, and have not
//     the order in which operations took effect.
package build

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/hw/failure"
	"krdlab/loi/front"
)

// A Request selects the program to build and the packages to rewrite.
type Request struct {
	Dir  string // of the module; "" is the current directory
	Path string // a package, as go build takes it
	Test bool   // its tests, as go test -c builds them
	Tags string // build tags, separated by commas
	// Patterns of import paths that may end in ... (see pick): which packages are rewritten; those of
	// the standard library begin with Standard. Include nil: all of the main module.
	Include, Exclude []string
	// Plain rewrites no package: only the standard library records (Sync).
	Plain bool
	// Control, with options.Sync, lets one goroutine run at a time: see package control.
	Control bool
	// Options select the records; Run sets Escapes and Texts. Iterations imply Regions, and Values
	// Iterations and Stack. With Sync the standard library records what goroutines wait for.
	front.Options
}

// A Program was rewritten and built.
type Program struct {
	Binary   string // below the folder that was given
	Folder   string // of the package's sources, which go test runs its tests in
	Packages []string
	Stack    bool // what is on the stack is observed, as asked for or implied
	*front.Rewritten
	// Failed are packages that did not build when rewritten, and so are as they were.
	Failed []Failure

	flags string // of go build: how the rewritten packages are compiled
}

// A Failure is a package that could not be built when it was rewritten.
type Failure struct{ Package, Why string }

// ErrFailed is wrapped by the error of a program that does not build.
var ErrFailed = failure.New(failure.Failed, "the program does not build")

// ErrRewritten is wrapped by the error of a program that go build builds, and that does not build as
// it is built here.
var ErrRewritten = failure.New(failure.Failed, "go build builds the program, but krdlab does not")

// ErrPackage is wrapped by the error of a package that cannot be traced.
var ErrPackage = failure.New(failure.Request, "no program to trace")

// Run rewrites the packages of a program and builds it in the folder dir, which exists. It takes
// the time of a build; the first one for a version of Go also builds the standard library anew,
// since its runtime has been patched. Where ctx has ended, the error is its cause.
func Run(ctx context.Context, q Request, dir string) (*Program, error) {
	r := &run{Request: q, ctx: ctx, dir: dir, replace: map[string]string{}}
	p, err := r.program()
	if err != nil {
		return nil, failure.OfContext(ctx, r.blame(err)) // the go command may have been killed
	}
	return p, nil
}

// A run has what the steps of Run share.
type run struct {
	Request
	ctx     context.Context
	dir     string            // of what is made
	env     environment       // of the go command
	replace map[string]string // the overlay, without what is rewritten
	view    moduleView
}

func (r *run) program() (*Program, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	what, err := r.choose()
	if err != nil {
		return nil, err
	}
	p := &Program{Binary: filepath.Join(r.dir, "bin", what.binary), Folder: what.folder,
		Stack: r.Stack, Packages: what.names}
	if r.Plain {
		p.Packages = nil
	}
	if err := r.patchStandard(); err != nil {
		return nil, err
	}
	before, err := r.plain(p.Packages)
	if err != nil {
		return nil, err
	}
	r.Escapes = before.moved()
	if err := r.seen(what.in, p.Packages); err != nil {
		return nil, err
	}
	for {
		bad, err := r.attempt(p, what, before)
		if err == nil {
			return p, r.took(p)
		}
		left := slices.DeleteFunc(slices.Clone(p.Packages), func(n string) bool {
			return slices.Contains(bad, n)
		})
		if len(left) == len(p.Packages) {
			return nil, err
		}
		for _, n := range bad {
			p.Failed = append(p.Failed, Failure{n, err.Error()})
		}
		p.Packages = left
	}
}

// begin completes the request.
func (r *run) begin() (err error) {
	r.Stack, r.Iterations = r.Stack || r.Values, r.Iterations || r.Values
	r.Regions = r.Regions || r.Iterations
	// The tools name files as their working directory does: a symbolic link on the way to it would
	// make two names of one file.
	if r.Dir, err = filepath.Abs(r.Dir); err != nil {
		return err
	}
	if r.Dir, err = filepath.EvalSymlinks(r.Dir); err != nil {
		return err
	}
	r.Texts = map[string][]byte{}
	return r.settings()
}

// attempt rewrites and builds p.Packages. If that fails, bad is the packages that the compiler
// complains about.
func (r *run) attempt(p *Program, what choice, before *compiled) (bad []string, err error) {
	list, err := r.loadForRewriting(p.Packages)
	if err != nil {
		return nil, err
	}
	if p.Rewritten, err = front.Rewrite(list, r.Options); err != nil {
		return nil, err
	}
	replace := maps.Clone(r.replace)
	if err := embedded(p.Rewritten, list, replace); err != nil {
		return nil, err
	}
	p.Left = append(p.Left, what.left...)
	i := slices.IndexFunc(p.Left, func(l front.Left) bool { return l.Whole() })
	if len(p.Files) == 0 && i >= 0 {
		return nil, nothingLeft(&p.Left[i])
	}
	sources := sourcesOf(list)
	if r.Test {
		sources = append(sources, testsOf(p.Folder)...)
	}
	if p.flags, err = before.inlined(sources, r.dir); err != nil {
		return nil, err
	}
	if err := r.lay(p.Files, replace); err != nil {
		return nil, err
	}
	_, _, err = r.command(slices.Concat(r.buildTo(p.Binary), r.flags(),
		compilerFlags(p.Packages, p.flags), []string{"-overlay", overlayIn(r.dir), r.Path})...)
	if err == nil {
		return nil, nil
	}
	for line := range strings.Lines(err.Error()) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "# "); ok {
			name, _, _ = strings.Cut(name, " ")
			bad = append(bad, name)
		}
	}
	return bad, err
}

func nothingLeft(l *front.Left) error {
	return fmt.Errorf("%w: nothing of it can be observed: %s", ErrPackage, l)
}

// lay writes rewritten files and the overlay, with what it replaces already.
func (r *run) lay(files map[string][]byte, replace map[string]string) error {
	for i, original := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(r.dir, "src", fmt.Sprintf("%d_%s", i+1, filepath.Base(original)))
		if err := write(path, files[original]); err != nil {
			return err
		}
		replace[original] = path
	}
	text, err := json.Marshal(overlay{replace})
	if err != nil {
		return err
	}
	return write(overlayIn(r.dir), text)
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// took checks that the build has read what was rewritten: each package of it imports the agent.
func (r *run) took(p *Program) error {
	args := append([]string{"list", "-overlay", overlayIn(r.dir)}, r.flags()...)
	args = append(args, "-f",
		`{{range .Imports}}{{if eq . "`+front.Agent+`"}}{{$.Dir}}{{end}}{{end}}`)
	var folders []string
	for _, group := range r.groups(p.Packages) {
		out, _, err := r.command(slices.Concat(args, group)...)
		if err != nil {
			return err
		}
		folders = append(folders, strings.Split(out, "\n")...)
	}
	for path, text := range p.Files {
		if bytes.Contains(text, []byte(`"`+front.Agent+`"`)) &&
			!slices.Contains(folders, filepath.Dir(path)) {
			return fmt.Errorf("%w: go build did not take the rewritten %s", ErrRewritten, path)
		}
	}
	return nil
}
