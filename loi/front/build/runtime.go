package build

import (
	"embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/hw/failure"
	"krdlab/loi/front"
)

// Files laid into the standard library of a build: the package that rewritten sources import, and
// the runtime's end of it. Folders that begin with _ are not built otherwise.
//
//go:embed _agent/*.go _runtime/* _sync/*.go
var sources embed.FS

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

// laid are the new sources in the standard library, by the file that is made of them.
var laid = map[string]string{
	"runtime/zkrdlab.go":         "_runtime/krd.go",
	"runtime/zkrdlab_amd64.s":    "_runtime/ticks_amd64.s",
	front.Agent + "/krdagent.go": "_agent/agent.go",
	front.Agent + "/values.go":   "_agent/values.go",
	front.Agent + "/sample.go":   "_agent/sample.go",
	front.Agent + "/how.go":      "_agent/all.go",
}

// patchStandard writes the agent and the patched files of the standard library.
func (r *run) patchStandard() error {
	src := filepath.Join(r.env.GOROOT, "src")
	list, added := patches, maps.Clone(laid)
	if r.Sample {
		added[front.Agent+"/how.go"] = "_agent/sampled.go"
	}
	if r.Tries != nil {
		added[front.Agent+"/try.go"], added[front.Agent+"/look.go"] = "_agent/try.go", "_agent/look.go"
	}
	if r.Sync {
		list = slices.Concat(list, syncPatches)
		added["runtime/zkrdsync.go"], added["sync/zkrdlab.go"] = "_runtime/krdsync.go", "_sync/krd.go"
		added["time/zkrdlab.go"] = "_sync/time.go"
		added["runtime/zkrdcontrol.go"] = "_runtime/krdfree.go"
	}
	if r.Control {
		list = slices.Concat(list, controlPatches)
		added["runtime/zkrdcontrol.go"] = "_runtime/krdcontrol.go"
	}
	texts := make(map[string]string)
	for name, source := range added {
		text, err := sources.ReadFile(source)
		if err != nil {
			return err
		}
		texts[name] = string(text)
	}
	for _, p := range list {
		text, ok := texts[p.file]
		if !ok {
			b, err := os.ReadFile(filepath.Join(src, p.file))
			if err != nil {
				return fmt.Errorf("%w: %w", ErrRuntime, err)
			}
			text = string(b)
		}
		if texts[p.file], ok = p.on(text); !ok {
			return fmt.Errorf("%w: %s has %q %d times, expected %d; Go 1.26 is known to work",
				ErrRuntime, filepath.Join(src, p.file), strings.TrimSpace(p.anchor),
				strings.Count(text, p.anchor), max(p.times, 1))
		}
	}
	for name, text := range texts {
		path := filepath.Join(r.dir, "std", name)
		if err := write(path, []byte(text)); err != nil {
			return err
		}
		r.replace[filepath.Join(src, name)] = path
	}
	return nil
}
