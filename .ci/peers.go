//go:build ignore

// Peers measures what docs/performance.md has of krdlab's speed, each row beside a peer on the same machine
// in the same run, and prints a table:
//
//	go run .ci/peers.go WORK        # in an empty folder, 15 min; nothing else may run
//	go run .ci/peers.go WORK 1 6    # rows 1 and 6
//
// Peers need Debian's packages cargo, librust-rayon-dev, libopenblas-dev and valgrind, gcc and git; Lace comes
// from $LACE, a repository, or from GitHub. A peer that cannot be built is "n/a", with the reason on stderr.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/intel-go/cpuid"
)

const (
	rayonMain = `use std::time::Instant;
fn fib(n: u64) -> u64 {
    if n < 2 { return n }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}
fn main() {
    let threads = std::env::args().nth(1).unwrap().parse().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let begin = Instant::now();
    assert!(pool.install(|| fib(35)) == 9227465);
    println!("Time: {}", begin.elapsed().as_secs_f64());
}
`
	rayonToml = "[package]\nname = \"fib\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[dependencies]\nrayon = \"1\"\n" +
		"[profile.release]\nlto = true\n"
	blasMain = `#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]), reps = 1 + 2e9 / ((double)m * n * k);
	float *a = malloc(4l * m * k), *b = malloc(4l * k * n), *c = calloc(m, 4l * n);
	for (long i = 0; i < (long)m * k; i++)
		a[i] = i % 17 - 8;
	for (long i = 0; i < (long)k * n; i++)
		b[i] = i % 13 - 6;
	for (int i = 0; i < 8; i++) {
		struct timespec t, u;
		clock_gettime(CLOCK_MONOTONIC, &t);
		for (int r = 0; r < reps; r++)
			cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 1, c, n);
		clock_gettime(CLOCK_MONOTONIC, &u);
		printf("Time: %.9f\n", (u.tv_sec - t.tv_sec + (u.tv_nsec - t.tv_nsec) * 1e-9) / reps);
	}
}
`
	forks  = 14930351 // of fib(35)
	rounds = 5
)

var (
	work   string
	krdlab string
)

var schedulers = []string{"workfirst", "helpfirst", "shepherd-socket", "adws", "central-fifo"}

var rows = []func() []string{
	spawn("1"), spawn("2"), distances, simulation, readme, start, build, traceGo, fmm, matmul,
}

// output runs a command and returns what it prints.
func output(dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	var stderr bytes.Buffer
	c.Dir, c.Stderr = dir, &stderr
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %.400s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), err
}

// must works like output, for what krdlab itself needs.
func must(dir, name string, args ...string) string {
	out, err := output(dir, name, args...)
	if err != nil {
		log.Fatal(err)
	}
	return out
}

// timed runs a command some times and returns the medians of its seconds, by the clock and of processors.
func timed(times int, dir, env, name string, args ...string) (wall, cpu float64, err error) {
	var walls, cpus []float64
	for range times {
		c := exec.Command(name, args...)
		c.Dir, c.Env = dir, append(os.Environ(), env)
		begin := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			return 0, 0, fmt.Errorf("%s: %w: %.400s", name, err, out)
		}
		walls = append(walls, time.Since(begin).Seconds())
		cpus = append(cpus, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds())
	}
	return median(walls), median(cpus), nil
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// metrics are the medians of benchmarks' metrics, by "name unit".
type metrics map[string]float64

func (m metrics) at(key string) float64 {
	x, ok := m[key]
	if !ok {
		log.Fatalf("no benchmark printed %q", key)
	}
	return x
}

// bench runs benchmarks.
func bench(pkg, pattern string, args ...string) metrics {
	all := map[string][]float64{}
	out := must(".", "go", append([]string{"test", pkg, "-run", "^$", "-timeout", "2h", "-bench", pattern}, args...)...)
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		for i := 3; i < len(f) && strings.HasPrefix(f[0], "Benchmark"); i += 2 {
			if x, err := strconv.ParseFloat(f[i-1], 64); err == nil {
				key := strings.TrimSuffix(f[0], "-2") + " " + f[i]
				all[key] = append(all[key], x)
			}
		}
	}
	medians := metrics{}
	for key, list := range all {
		medians[key] = median(list)
	}
	return medians
}

// times runs a peer, and returns the median of the times that it prints.
func times(runs int, name string, args ...string) (float64, error) {
	var list []float64
	for range runs {
		out, err := exec.Command(name, args...).Output()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		for _, m := range regexp.MustCompile(`Time: ([0-9.]+)`).FindAllStringSubmatch(string(out), -1) {
			x, _ := strconv.ParseFloat(m[1], 64)
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return 0, fmt.Errorf("%s printed no time", name)
	}
	return median(list), nil
}

// peer is a cell of a peer: n/a, with the reason on stderr, where it has an error.
func peer(format string, x float64, err error) string {
	if err != nil {
		log.Print(err)
		return strings.NewReplacer("%.1f", "n/a", "%.2f", "n/a", "%.0f", "n/a").Replace(format)
	}
	return fmt.Sprintf(format, x)
}

func put(name, text string) error {
	path := filepath.Join(work, name)
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
}

func rayon(threads string) (float64, error) {
	dir := filepath.Join(work, "rayon")
	if err := errors.Join(put("rayon/src/main.rs", rayonMain), put("rayon/Cargo.toml", rayonToml)); err != nil {
		return 0, err
	}
	if _, err := output(dir, "cargo", "build", "--release", "--offline", "--config",
		`source.crates-io.replace-with="debian"`, "--config",
		`source.debian.directory="/usr/share/cargo/registry"`); err != nil {
		return 0, err
	}
	t, err := times(rounds, filepath.Join(dir, "target/release/fib"), threads)
	return t * 1e9 / forks, err
}

func lace(threads string) (float64, error) {
	dir := filepath.Join(work, "lace")
	if _, err := os.Stat(dir); err != nil {
		from := os.Getenv("LACE")
		if from == "" {
			from = "https://github.com/trolando/lace"
		}
		if _, err := output(".", "git", "clone", "-q", from, dir); err != nil {
			return 0, err
		}
	}
	if err := put("lace/src/lace_config.h", ""); err != nil {
		return 0, err
	}
	if _, err := output(dir, "gcc", "-O3", "-march=native", "-D_GNU_SOURCE", "-Isrc", "benchmarks/fib/fib-lace.c",
		"src/lace.c", "-o", "fib", "-pthread", "-lm"); err != nil {
		return 0, err
	}
	t, err := times(rounds, filepath.Join(dir, "fib"), "-w", threads, "35")
	return t * 1e9 / forks, err
}

// spawn is fib without a cut-off on some workers, in ns for each fork.
func spawn(workers string) func() []string {
	return func() []string {
		m := bench("./runtimes", "Spawn/sched=("+strings.Join(schedulers, "|")+")$/cores="+workers, "-benchtime", "3x",
			"-count", strconv.Itoa(rounds))
		var here []string
		for _, s := range schedulers {
			here = append(here, fmt.Sprintf("%s %.1f", s, m.at("BenchmarkSpawn/sched="+s+"/cores="+workers+" ns/fork")))
		}
		r, err := rayon(workers)
		beside := peer("rayon %.1f", r, err)
		l, err := lace(workers)
		return []string{"fib, ns a fork, workers: " + workers, strings.Join(here, ", "),
			beside + peer(", Lace %.1f", l, err)}
	}
}

// distances is the exact engine, in million accesses a second.
func distances() []string {
	if os.Getenv("KRDLAB_ACCESSES") == "" {
		os.Setenv("KRDLAB_ACCESSES", "100e6")
	}
	m := bench("./krd/stack", "Keyed|Dense", "-benchtime", "1x", "-count", "2")
	var here []string
	for _, t := range []string{"matmul4096", "zipf1M", "uniform1M", "uniform16M"} {
		keyed := "BenchmarkKeyed/trace=" + t + "/cores="
		here = append(here, fmt.Sprintf("%s %.1f/%.1f, two cores %.1f", t, m.at(keyed+"1 best-Maccess/s"),
			m.at("BenchmarkDense/trace="+t+" best-Maccess/s"), m.at(keyed+"2 best-Maccess/s")))
	}
	return []string{"KRD, exact, M accesses/s, keyed/dense", strings.Join(here, "; "),
		"IAF as published: 5.2, 3.7, 3.6, 2.3"}
}

// simulation is matmul on 24 cores, in million kernels for each second of processors.
func simulation() []string {
	var here []string
	m := bench("./experiments/run/measure", "Simulate/.*/blocks", "-cpu", "1", "-benchtime", "1x", "-count", "3")
	for key, x := range m {
		if name, ok := strings.CutSuffix(key, "/blocks Mkernels/CPU-s"); ok {
			here = append(here, fmt.Sprintf("%s %.1f", strings.TrimPrefix(name, "BenchmarkSimulate/"), x))
		}
	}
	slices.Sort(here)
	return []string{"simulation, M kernels/CPU-s", strings.Join(here, ", "), ""}
}

// readme is the README's first command.
func readme() []string {
	text, err := os.ReadFile("README.md")
	m := regexp.MustCompile(`(?m)^    go run ./cmd/krdlab (run .*)$`).FindSubmatch(text)
	if err != nil || m == nil {
		log.Fatal("README.md has no command: ", err)
	}
	wall, cpu, err := timed(rounds, work, "", krdlab, strings.Fields(string(m[1]))...)
	if err != nil {
		log.Fatal(err)
	}
	return []string{"README's first command", fmt.Sprintf("%.2f s, %.2f s of CPU", wall, cpu), ""}
}

func start() []string {
	wall, _, err := timed(50, work, "", krdlab, "--help")
	version, _, err2 := timed(50, work, "", "go", "version")
	info, err3 := os.Stat(krdlab)
	if err := errors.Join(err, err2, err3); err != nil {
		log.Fatal(err)
	}
	return []string{"start; binary", fmt.Sprintf("%.3f s; %.1f MB", wall, float64(info.Size())/1e6),
		fmt.Sprintf("go version %.3f s", version)}
}

// build is a build with an empty cache, and the modules that it takes packages of.
func build() []string {
	_, cpu, err := timed(1, ".", "GOCACHE="+filepath.Join(work, "cache"), "go", "build", "-o", "/dev/null",
		"./cmd/krdlab")
	if err != nil {
		log.Fatal(err)
	}
	dirs := strings.Fields(must(".", "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Dir}}{{end}}{{end}}",
		"./cmd/krdlab"))
	slices.Sort(dirs)
	size := int64(0)
	for _, dir := range slices.Compact(dirs) {
		filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				if info, err := d.Info(); err == nil {
					size += info.Size()
				}
			}
			return nil
		})
	}
	return []string{"build, empty GOCACHE; modules", fmt.Sprintf("%.0f CPU s; %.0f MB", cpu, float64(size)/1e6), ""}
}

// traceGo traces SciMark's kernels, beside valgrind's lackey on the same binaries.
func traceGo() []string {
	native := filepath.Join(work, "scimark")
	must(".", "go", "build", "-o", native, "./examples/scimark")
	var here, beside []string
	for _, program := range []string{"fft -n 1048576", "lu -n 1000", "sor -n 1000", "sparse -n 100000 -nz 1000000"} {
		args := strings.Fields(program)
		name := args[0]
		alone, _, err := timed(rounds, work, "", native, args...)
		var list []float64
		for range 3 {
			var d struct {
				TracedNs float64 `json:"traced_ns"`
			}
			out := must(".", krdlab, append([]string{"trace", "go", "./examples/scimark", "--unit", "line", "--json", "--"},
				args...)...)
			if err := json.Unmarshal([]byte(out), &d); err != nil || d.TracedNs == 0 {
				log.Fatal("no traced_ns: ", err)
			}
			list = append(list, d.TracedNs/1e9)
		}
		if err != nil {
			log.Fatal(err)
		}
		here = append(here, fmt.Sprintf("%s %.1f", name, median(list)/alone))
		_, lackey, err := timed(1, work, "", "valgrind", append([]string{"--tool=lackey", "--log-file=/dev/null", native},
			args...)...)
		beside = append(beside, peer(name+" %.0f", lackey/alone, err))
	}
	return []string{"trace go, lines, times native", strings.Join(here, ", "),
		"lackey, which counts alone (CPU), " + strings.Join(beside, ", ")}
}

func fmm() []string {
	m := bench("./kernels/fmm", "Traversal", "-benchtime", "7x")
	off, trace := m.at("BenchmarkTraversal median-ms-off"), m.at("BenchmarkTraversal median-ms-trace-kernel")
	return []string{"FMM traversal traced at kernel grain over untraced", fmt.Sprintf("%.2f", trace/off), ""}
}

// matmul is single precision on one core, beside OpenBLAS's.
func matmul() []string {
	err := put("blas.c", blasMain)
	binary := filepath.Join(work, "blas")
	if err == nil {
		_, err = output(work, "gcc", "-O2", "blas.c", "-o", binary, "-lopenblas")
	}
	os.Setenv("OPENBLAS_NUM_THREADS", "1")
	if cpuid.HasExtendedFeature(cpuid.AVX512F) { // which it does not find on newer processors
		os.Setenv("OPENBLAS_CORETYPE", "SkylakeX")
	}
	m := bench("./kernels/matmul/dense", "Product", "-cpu", "1", "-count", "3")
	var sizes, here, beside []string
	for key := range m {
		if size, ok := strings.CutSuffix(strings.TrimPrefix(key, "BenchmarkProduct/size="), "/layout=tiled GFLOP/s"); ok {
			sizes = append(sizes, size)
		}
	}
	flops := func(size string) (f float64) {
		f = 2
		for n := range strings.SplitSeq(size, "x") {
			x, _ := strconv.ParseFloat(n, 64)
			f *= x
		}
		return f
	}
	slices.SortFunc(sizes, func(a, b string) int { return cmp.Compare(flops(a), flops(b)) })
	for _, size := range sizes {
		tiled := m.at("BenchmarkProduct/size=" + size + "/layout=tiled GFLOP/s")
		row := m.at("BenchmarkProduct/size=" + size + "/layout=row GFLOP/s")
		t, err2 := times(1, binary, strings.Split(size, "x")...)
		blas := flops(size) / t / 1e9
		here = append(here, fmt.Sprintf("%s %.0f, %.0f", size, tiled, row))
		beside = append(beside, peer(size+" %.0f", blas, errors.Join(err, err2)))
	}
	return []string{"matmul, GFLOP/s, tiled and by rows", strings.Join(here, "; "),
		"OpenBLAS " + strings.Join(beside, "; ")}
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("expected WORK [ROW...]")
	}
	var err error
	if work, err = filepath.Abs(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	krdlab = filepath.Join(work, "krdlab")
	must(".", "go", "build", "-o", krdlab, "./cmd/krdlab")
	fmt.Print("| # | what | here | beside it |\n|---|---|---|---|\n")
	for i, row := range rows {
		if n := strconv.Itoa(i + 1); len(os.Args) == 2 || slices.Contains(os.Args[2:], n) {
			r := row()
			fmt.Printf("| %s | %s | %s | %s |\n", n, r[0], r[1], r[2])
		}
	}
}
