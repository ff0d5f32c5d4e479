package front

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/hw/failure"
)

// What is laid into the standard library of a build: the package that rewritten sources import,
// and the runtime's end of it. Folders that begin with _ are not built otherwise.
//
//go:embed _agent/*.go _runtime/* _sync/*.go
var sources embed.FS

// AgentPackage is the import path of what rewritten sources call.
const AgentPackage = "krdagent"

// A patch puts text before and behind an anchor, or in its place, which a file of the standard
// library has so many times, or once.
type patch struct {
	file, anchor, before, after, instead string

	remove bool
	times  int
}

// on returns the file's text with p.
func (p *patch) on(text string) (string, bool) {
	with := p.before + p.anchor + p.after
	if p.instead != "" || p.remove {
		with = p.instead
	}
	n := max(p.times, 1)
	return strings.ReplaceAll(text, p.anchor, with), strings.Count(text, p.anchor) == n
}

var patches = []patch{
	{file: "runtime/malloc.go", after: " krdAlloc(x, elemsize, typ)",
		anchor: "\nfunc postMallocgcDebug(x unsafe.Pointer, elemsize uintptr, typ *_type) {"},
	{file: "runtime/proc.go", anchor: "\n\tgcinit()\n", before: "\n\tkrdInit()"},
	{file: "runtime/proc.go", anchor: "\nfunc gdestroy(gp *g) {\n\tmp := getg().m\n\tpp := mp.p.ptr()\n",
		after: "\n\tkrdEnd(gp)\n"},
	{file: "runtime/proc.go", anchor: "\nfunc dropg() {\n\tgp := getg()", after: "; krdRest(gp.m.curg)"},
	{file: "runtime/proc.go", anchor: "\nfunc syscall_runtime_BeforeExec() {", after: " krdExec(1)"},
	{file: "runtime/proc.go", anchor: "\nfunc syscall_runtime_AfterExec() {", after: " krdExec(0)"},
	{file: "runtime/proflabel.go", anchor: "\n\tgetg().labels = labels\n",
		after: "\tkrdLabels(labels)\n"},
	{file: "runtime/runtime2.go", anchor: "\n\tgcAssistBytes int64\n",
		after: "\tkrd uintptr\n\tkrdAt, krdRested, krdAway, krdOp, krdOn uint64\n"},
	{file: "runtime/proc.go", after: "\n\tkrdResume(gp)\n",
		anchor: "\nfunc execute(gp *g, inheritTime bool) {\n\tmp := getg().m\n"},
}

// ErrRuntime is wrapped by the error of a Go whose runtime is not as it is expected here.
var ErrRuntime = failure.New(failure.Capability, "this Go's runtime cannot be traced")

// runtimeOverlay writes the agent and the patched files of the standard library below dir, and
// returns what replaces what. sync says that what goroutines wait for is recorded, sample that a
// sample of the accesses is.
func runtimeOverlay(goroot, dir string, sync, sample bool) (map[string]string, error) {
	replace := make(map[string]string)
	src := filepath.Join(goroot, "src")
	add := func(name string, text []byte) error {
		path := filepath.Join(dir, name)
		replace[filepath.Join(src, name)] = path
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o644)
	}
	list := patches
	added := map[string]string{"runtime/zkrdlab.go": "_runtime/krd.go",
		"runtime/zkrdlab_amd64.s":     "_runtime/ticks_amd64.s",
		AgentPackage + "/krdagent.go": "_agent/agent.go",
		AgentPackage + "/values.go":   "_agent/values.go",
		AgentPackage + "/sample.go":   "_agent/sample.go",
		AgentPackage + "/how.go":      "_agent/all.go"}
	if sample {
		added[AgentPackage+"/how.go"] = "_agent/sampled.go"
	}
	if sync {
		list = slices.Concat(list, syncPatches)
		added["runtime/zkrdsync.go"], added["sync/zkrdlab.go"] = "_runtime/krdsync.go", "_sync/krd.go"
	}
	texts := make(map[string]string)
	for _, p := range list {
		text, ok := texts[p.file]
		if !ok {
			b, err := os.ReadFile(filepath.Join(src, p.file))
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrRuntime, err)
			}
			text = string(b)
		}
		if texts[p.file], ok = p.on(text); !ok {
			return nil, fmt.Errorf("%w: %s has %q %d times, expected %d; Go 1.26 is known to work",
				ErrRuntime, filepath.Join(src, p.file), strings.TrimSpace(p.anchor),
				strings.Count(text, p.anchor), max(p.times, 1))
		}
	}
	for name, text := range texts {
		if err := add(name, []byte(text)); err != nil {
			return nil, err
		}
	}
	for name, source := range added {
		text, err := sources.ReadFile(source)
		if err != nil {
			return nil, err
		}
		if err := add(name, text); err != nil {
			return nil, err
		}
	}
	return replace, nil
}
