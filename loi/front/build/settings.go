package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/failure"
)

// ErrSetting is wrapped by the error of a setting of the go command with which nothing is traced.
var ErrSetting = failure.New(failure.Request, "no program is traced with this setting")

// An environment holds some variables as go env prints them. Of the flags in the user's GOFLAGS,
// flags are those that stay, and overlay and modfile the values of two, as absolute paths or "".
type environment struct {
	GOROOT, GOMODCACHE, GOMOD, GOWORK, GOFLAGS, GOOS, GOARCH, GO111MODULE string

	flags            []string
	overlay, modfile string
	view             moduleView // the user's
}

// A refusal is the reason why a flag in GOFLAGS is refused, and the values with which it is left
// out instead, since they are the default. A flag in no list here stays.
type refusal struct {
	why  string
	fine []string
}

var refused = map[string]refusal{
	"n":            {why: "it builds nothing"},
	"cover":        {why: covered},
	"covermode":    {why: covered},
	"coverpkg":     {why: covered},
	"buildmode":    {"it builds no program to start", []string{"default", "exe", "pie"}},
	"compiler":     {"the agent is for the runtime of gc", []string{"gc"}},
	"linkshared":   {why: "the runtime is patched and linked into the program"},
	"gcflags":      {"rewritten packages are compiled with flags of their own", []string{""}},
	"exec":         {why: "krdlab starts the program by itself"},
	"C":            {why: "the go command takes it from its command line alone"},
	"coverprofile": {why: covered},
}

const covered = "its counters are accesses of their own; leave it out"

// leftOut are flags that change what the go command prints, how often it builds, or where it puts
// the program, and those of go list and go env.
const leftOut = " a c changed compiled deps e export f find json m o retracted reuse test u " +
	"v versions vet w work x "

// ofTests are flags that go test hands to the program.
const ofTests = " artifacts bench benchmem benchtime blockprofile blockprofilerate count cpu " +
	"cpuprofile failfast fullpath fuzz fuzzminimizetime fuzztime list memprofile memprofilerate " +
	"mutexprofile mutexprofilefraction outputdir parallel run short shuffle skip timeout trace "

// settings reads what the user has set of the go command, and refuses what cannot be traced with.
// From then on the go command hears the rest, and its temporary files lie below r.dir.
func (r *run) settings() error {
	temporary := filepath.Join(r.dir, "tmp")
	if err := os.MkdirAll(temporary, 0o777); err != nil {
		return err
	}
	r.view.env = []string{"GOTMPDIR=" + temporary, "TMPDIR=" + temporary}
	// flags that GOFLAGS may have for go env, too
	out, _, err := r.command("env", "-json", "-u=false", "-w=false", "-changed=false", "GOROOT",
		"GOMODCACHE", "GOMOD", "GOWORK", "GOFLAGS", "GOOS", "GOARCH", "GO111MODULE")
	if bad, ok := errors.AsType[goError](err); ok {
		return fmt.Errorf("%w: %w", ErrSetting, bad.error)
	}
	if err == nil {
		err = json.Unmarshal([]byte(out), &r.env)
	}
	if err != nil {
		return err
	}
	r.env.GOMODCACHE = filepath.Clean(r.env.GOMODCACHE)
	for _, x := range []struct{ name, is, want string }{{"GOOS", r.env.GOOS, "linux"},
		{"GOARCH", r.env.GOARCH, "amd64"}} {
		if x.is != x.want {
			return fmt.Errorf("%w: %s=%s, expected %s", ErrSetting, x.name, x.is, x.want)
		}
	}
	if r.env.GO111MODULE == "off" {
		return fmt.Errorf("%w: GO111MODULE=off, expected a module", ErrSetting)
	}
	words, err := splitFlags(r.env.GOFLAGS)
	if err != nil {
		return fmt.Errorf("%w: GOFLAGS=%s: %w", ErrSetting, r.env.GOFLAGS, err)
	}
	for _, f := range words {
		if err := r.flagOfUser(f); err != nil {
			return fmt.Errorf("%w: GOFLAGS has %s: %w", ErrSetting, f, err)
		}
	}
	// without a flag, GOFLAGS would be that of go env -w
	r.env.view.env = append(r.view.env, "GOFLAGS="+joinFlags(append(r.env.flags, "-n=false")),
		"GOPACKAGESDRIVER=off")
	r.view = r.env.view
	return nil
}

// flagOfUser takes a flag of the user's GOFLAGS.
func (r *run) flagOfUser(f string) error {
	name, value, _ := strings.Cut(strings.TrimPrefix(f, "-"), "=")
	name = strings.TrimPrefix(name, "-")
	is := func(list string) bool { return strings.Contains(list, " "+name+" ") }
	if x, ok := refused[name]; ok {
		if on, err := strconv.ParseBool(value); err == nil && !on || slices.Contains(x.fine, value) {
			return nil
		}
		return errors.New(x.why)
	}
	switch {
	case is(leftOut) || is(ofTests) && !r.Test:
		return nil
	case is(ofTests):
		return fmt.Errorf("it is for go test; give it to the program: -- -test.%s",
			strings.TrimLeft(f, "-"))
	case name == "ldflags": // symbols tell where the variables are
		f += " -s=false"
	case name == "overlay" && value != "":
		r.env.overlay = r.absolute(value)
		return r.overlayOfUser()
	case name == "modfile" && value != "":
		// package packages has commands that refuse it in GOFLAGS
		r.env.modfile = r.absolute(value)
		r.env.view.flags = []string{"-modfile=" + r.env.modfile}
		_, err := os.Stat(r.env.modfile)
		return err
	}
	r.env.flags = append(r.env.flags, f)
	return nil
}

// splitFlags takes GOFLAGS apart as the go command does: at white space, but for words in quotes.
func splitFlags(text string) (words []string, err error) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		quote, word, rest := text[:1], "", ""
		if quote == `"` || quote == "'" {
			var ok bool
			if word, rest, ok = strings.Cut(text[1:], quote); !ok {
				return nil, fmt.Errorf("a quote %s is not closed", quote)
			}
		} else if end := strings.IndexAny(text, " \t\n\r"); end >= 0 {
			word, rest = text[:end], text[end:]
		} else {
			word = text
		}
		words, text = append(words, word), rest
	}
	return words, nil
}

func joinFlags(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if strings.ContainsAny(w, " \t\n\r\"'") {
			quote := "'"
			if strings.Contains(w, quote) {
				quote = `"`
			}
			quoted[i] = quote + w + quote
		}
	}
	return strings.Join(quoted, " ")
}

// An overlay is the file that go build -overlay reads.
type overlay struct{ Replace map[string]string }

func overlayIn(dir string) string { return filepath.Join(dir, "overlay.json") }

// overlayOfUser reads the overlay of the user's GOFLAGS: the go command takes one, so it goes into
// that of the rewritten sources. One that removes files is refused.
func (r *run) overlayOfUser() error {
	var given overlay
	text, err := os.ReadFile(r.env.overlay)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	for from, to := range given.Replace {
		from = r.absolute(from)
		if to == "" {
			return fmt.Errorf("it removes %s, expected an overlay that only replaces and adds files",
				from)
		}
		if err := r.replaceBy(from, r.absolute(to)); err != nil {
			return err
		}
	}
	return nil
}

// replaceBy replaces a file by another, for the go command and for the rewriting.
func (r *run) replaceBy(file, other string) (err error) {
	r.Texts[file], err = os.ReadFile(other)
	r.replace[file] = other
	return err
}

// absolute returns a path that the go command is given in r.Dir.
func (r *run) absolute(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Dir, path)
	}
	return filepath.Clean(path)
}
