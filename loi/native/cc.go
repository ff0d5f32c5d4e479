package native

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/hw/failure"
)

// The runtime's sources, for the user's compiler, the header for programs that record by themselves, and that
// for programs of oneTBB.
//
//go:embed c/*.c c/*.h loi.h tbb.h
var sources embed.FS

// A Language is compiled by a wrapper.
type Language struct {
	Name      string   // of the wrapper: krdlab cc
	Variable  string   // of the environment, which names the compiler
	Compilers []string // else the first of these that there is
	Of        string   // what it compiles, for people
	File      string   // an example of that
}

// Languages lists them.
var Languages = []Language{
	{"cc", "KRDLAB_CC", []string{"cc", "gcc", "clang"}, "C", "program.c"},
	{"c++", "KRDLAB_CXX", []string{"c++", "g++", "clang++"}, "C++", "program.cc"},
	{"fc", "KRDLAB_FC", []string{"gfortran"}, "Fortran", "program.f90"},
}

// ErrCompiler is wrapped by the error of a compiler that is missing or cannot build the runtime, ErrFlag by
// that of a flag which does not go with recording.
var (
	ErrCompiler = failure.New(failure.Capability, "no compiler that records")
	ErrFlag     = failure.New(failure.Request, "a flag that does not go with recording")
)

// Compiler returns the path of the user's.
func (l *Language) Compiler() (string, error) {
	if name := os.Getenv(l.Variable); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("krdlab %s: %w: %s: %w", l.Name, ErrCompiler, l.Variable, err)
		}
		return path, nil
	}
	for _, name := range l.Compilers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("krdlab %s: %w: none of %s is in PATH; install one, or name yours in %s", l.Name,
		ErrCompiler, strings.Join(l.Compilers, ", "), l.Variable)
}

// flags are given to a compiler with its sources.
var flags = []string{"-fsanitize=thread", "-g"}

// Command returns the command that does what the compiler would do with args, and has the program record.
// It builds the runtime in the user's cache folder when a compiler is used first. Errors wrap [ErrFlag] and
// [ErrCompiler].
func (l *Language) Command(ctx context.Context, args []string) ([]string, error) {
	compiler, err := l.Compiler()
	if err != nil {
		return nil, err
	}
	given := responses(args, 0)
	for _, a := range given {
		switch kind, is := strings.CutPrefix(a, "-fsanitize="); {
		case is:
			return nil, fmt.Errorf("krdlab %s: %w: %s: the program would have two runtimes; leave it out", l.Name, ErrFlag,
				"-fsanitize="+kind)
		case a == "-static", a == "-static-pie", a == "--static":
			return nil, fmt.Errorf("krdlab %s: %w: %s: the C library's own functions cannot be replaced then; leave it out",
				l.Name, ErrFlag, a)
		}
	}
	if !inputs(given) { // a question such as --version
		return append([]string{compiler}, args...), nil
	}
	r, err := built(ctx, compiler)
	if err != nil {
		return nil, err
	}
	argv := []string{compiler}
	if links(given) && r.clang {
		argv = append(argv, r.object)
	}
	if links(given) {
		argv = append(argv, "-Wl,--export-dynamic-symbol=__tsan_*")
	}
	argv = append(append(argv, flags...), r.flags...)
	return append(argv, args...), nil
}

// responses returns args with the words of response files in place of those, as far as they can be read.
func responses(args []string, depth int) (all []string) {
	for _, a := range args {
		text, err := os.ReadFile(strings.TrimPrefix(a, "@"))
		if !strings.HasPrefix(a, "@") || err != nil || depth > 8 {
			all = append(all, a)
			continue
		}
		all = append(all, responses(strings.Fields(string(text)), depth+1)...)
	}
	return all
}

// valued are flags whose value is the next word, which is no file to compile.
var valued = []string{"-o", "-x", "-I", "-L", "-D", "-U", "-include", "-isystem", "-idirafter", "-iquote", "-imacros",
	"-MF", "-MT", "-MQ", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-T", "-u", "-z", "-arch", "-target", "-J", "-B", "-l",
	"-mllvm", "-Xclang", "--param", "-aux-info", "-A", "-e", "-wrapper"}

// inputs reports whether there is a file among args.
func inputs(args []string) bool {
	for i := 0; i < len(args); i++ {
		if a := args[i]; slices.Contains(valued, a) {
			i++
		} else if a == "-" || !strings.HasPrefix(a, "-") {
			return true
		}
	}
	return false
}

// links reports whether args make a program.
func links(args []string) bool {
	return !slices.ContainsFunc(args, func(a string) bool {
		switch a {
		case "-c", "-S", "-E", "-M", "-MM", "-shared", "-r", "-fsyntax-only", "-###":
			return true
		}
		return false
	})
}

// A runtime was built by a compiler.
type runtime struct {
	object string
	clang  bool
	flags  []string // by which the compiler links it and finds the header
}

// The files of a built runtime: gcc links the first two in place of its sanitizer's own.
const (
	preinit = "libtsan_preinit.o"
	archive = "libtsan.a"
	isClang = "clang"
	header  = "loi.h" // in a folder of its own, which the user's compiler searches last
	include = "include"
	oneTBB  = "tbb.h" // in a folder that is searched first, beside headers that include it
	first   = "first"
)

// shadowed are headers of oneTBB that define what oneTBB redefines, or include one that does.
var shadowed = []string{"oneapi/tbb.h", "tbb/tbb.h", "collaborative_call_once.h", "flow_graph.h", "parallel_for.h",
	"parallel_for_each.h", "parallel_invoke.h", "parallel_pipeline.h", "parallel_reduce.h", "parallel_scan.h",
	"parallel_sort.h", "partitioner.h", "task_group.h"}

// built returns the runtime for a compiler, from the user's cache folder or built now.
func built(ctx context.Context, compiler string) (*runtime, error) {
	key := sha256.New()
	names, err := fs.Glob(sources, "c/*")
	if err != nil {
		return nil, err
	}
	names = append(names, header, oneTBB)
	for _, name := range names {
		text, err := sources.ReadFile(name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(key, "%s %d\n%s", name, len(text), text)
	}
	real, err := filepath.EvalSymlinks(compiler)
	if err != nil {
		return nil, err
	}
	s, err := os.Stat(real)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(key, "%s %d %d", real, s.Size(), s.ModTime().UnixNano())
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "krdlab", "native", hex.EncodeToString(key.Sum(nil))[:16])
	if _, err := os.Stat(dir); err != nil {
		if err := makeRuntime(ctx, compiler, dir, names); err != nil {
			return nil, err
		}
	}
	r := &runtime{object: filepath.Join(dir, preinit)}
	if _, err := os.Stat(filepath.Join(dir, isClang)); err == nil {
		r.clang, r.flags = true, []string{"-fno-sanitize-link-runtime"}
	} else {
		r.flags = []string{"-B" + dir, "-L" + dir}
	}
	r.flags = append(r.flags, "-I", filepath.Join(dir, first), "-idirafter", filepath.Join(dir, include))
	return r, nil
}

// makeRuntime builds the runtime into a new folder.
func makeRuntime(ctx context.Context, compiler, dir string, names []string) error {
	fail := func(err error, out []byte) error {
		return fmt.Errorf("krdlab's runtime for %s, in %s: %w: %w: %s", compiler, dir, ErrCompiler, err,
			strings.TrimSpace(string(out)))
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fail(err, nil)
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "making-")
	if err != nil {
		return fail(err, nil)
	}
	defer os.RemoveAll(work)
	out, err := exec.CommandContext(ctx, compiler, "--version").CombinedOutput()
	if err != nil {
		return fail(err, out)
	}
	files := map[string][]byte{archive: []byte("!<arch>\n")}
	if strings.Contains(string(out), "clang") {
		files[isClang] = nil
	}
	var objects []string
	for _, name := range names {
		file := filepath.Base(name)
		switch name {
		case header:
			file = filepath.Join(include, header)
		case oneTBB:
			file = filepath.Join(first, "krdlab", oneTBB)
		}
		if files[file], err = sources.ReadFile(name); err != nil {
			return err
		}
	}
	for _, name := range shadowed {
		paths := []string{name}
		if !strings.Contains(name, "/") {
			paths = []string{"tbb/" + name, "oneapi/tbb/" + name}
		}
		for _, path := range paths {
			files[filepath.Join(first, path)] = fmt.Appendf(nil,
				"#pragma GCC system_header\n#include <krdlab/%s>\n#include_next <%s>\n", oneTBB, path)
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(work, name)), 0o755); err != nil {
			return fail(err, nil)
		}
		if err := os.WriteFile(filepath.Join(work, name), text, 0o644); err != nil {
			return fail(err, nil)
		}
	}
	for _, name := range names {
		file := filepath.Base(name)
		base, isC := strings.CutSuffix(file, ".c")
		if !isC {
			continue
		}
		objects = append(objects, base+".o")
		c := exec.CommandContext(ctx, compiler, "-x", "c", "-std=gnu11", "-O2", "-g", "-fPIE", "-mcx16", "-fno-builtin",
			"-fno-stack-protector", "-fexceptions", "-w", "-U_FORTIFY_SOURCE", "-c", file, "-o", base+".o")
		c.Dir = work
		if out, err := c.CombinedOutput(); err != nil {
			return fail(err, out)
		}
	}
	c := exec.CommandContext(ctx, compiler, append([]string{"-r", "-nostdlib", "-o", preinit}, objects...)...)
	c.Dir = work
	if out, err := c.CombinedOutput(); err != nil {
		return fail(err, out)
	}
	if err := os.Rename(work, dir); err != nil {
		if _, other := os.Stat(dir); other != nil { // else another process was faster
			return fail(err, nil)
		}
	}
	return os.Chmod(dir, 0o755)
}
