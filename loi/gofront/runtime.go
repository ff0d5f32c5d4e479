package gofront

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"krdlab/hw/failure"
)

// What is laid into the standard library of a build: the package that rewritten sources import,
// and the runtime's end of it. Folders that begin with _ are not built otherwise.
//
//go:embed _agent/agent.go _runtime/krd.go _runtime/ticks_amd64.s
var sources embed.FS

// AgentPackage is the import path of what rewritten sources call.
const AgentPackage = "krdagent"

// A patch puts text before or behind an anchor, which a file of package runtime has exactly once.
type patch struct {
	file, anchor  string
	before, after string
}

var patches = []patch{
	{file: "malloc.go", after: " krdAlloc(x, elemsize, typ)",
		anchor: "\nfunc postMallocgcDebug(x unsafe.Pointer, elemsize uintptr, typ *_type) {"},
	{file: "proc.go", anchor: "\n\tgcinit()\n", before: "\n\tkrdInit()"},
	{file: "proc.go", anchor: "\nfunc gdestroy(gp *g) {\n\tmp := getg().m\n\tpp := mp.p.ptr()\n",
		after: "\n\tkrdEnd(gp)\n"},
	{file: "proc.go", anchor: "\nfunc dropg() {\n\tgp := getg()", after: "; krdRest(gp.m.curg)"},
	{file: "proc.go", anchor: "\nfunc syscall_runtime_BeforeExec() {", after: " krdExec(1)"},
	{file: "proc.go", anchor: "\nfunc syscall_runtime_AfterExec() {", after: " krdExec(0)"},
	{file: "runtime2.go", anchor: "\n\tgcAssistBytes int64\n", after: "\tkrd uintptr\n"},
}

// ErrRuntime is wrapped by the error of a Go whose runtime is not as it is expected here.
var ErrRuntime = failure.New(failure.Capability, "this Go's runtime cannot be traced")

// runtimeOverlay writes the agent and the patched files of the runtime below dir, and returns what
// replaces what.
func runtimeOverlay(goroot, dir string) (map[string]string, error) {
	replace := make(map[string]string)
	add := func(original, name string, text []byte) error {
		path := filepath.Join(dir, name)
		replace[original] = path
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o644)
	}
	from := filepath.Join(goroot, "src", "runtime")
	texts := make(map[string]string)
	for _, p := range patches {
		text, ok := texts[p.file]
		if !ok {
			b, err := os.ReadFile(filepath.Join(from, p.file))
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrRuntime, err)
			}
			text = string(b)
		}
		if n := strings.Count(text, p.anchor); n != 1 {
			return nil, fmt.Errorf("%w: %s has %q %d times, expected once; Go 1.26 is known to work",
				ErrRuntime, filepath.Join(from, p.file), strings.TrimSpace(p.anchor), n)
		}
		texts[p.file] = strings.Replace(text, p.anchor, p.before+p.anchor+p.after, 1)
	}
	for name, text := range texts {
		if err := add(filepath.Join(from, name), filepath.Join("runtime", name),
			[]byte(text)); err != nil {
			return nil, err
		}
	}
	for original, name := range map[string]string{
		filepath.Join(from, "zkrdlab.go"):                         "_runtime/krd.go",
		filepath.Join(goroot, "src", AgentPackage, "krdagent.go"): "_agent/agent.go",
		filepath.Join(from, "zkrdlab_amd64.s"):                    "_runtime/ticks_amd64.s",
	} {
		text, err := sources.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := add(original, name, text); err != nil {
			return nil, err
		}
	}
	return replace, nil
}
