package app

import (
	"strings"
	"testing"
)

// An analysis of a kernel's name ends with the two commands that do it, made of what was typed.
func TestKernelNamed(t *testing.T) {
	for typed, want := range map[string]string{
		"graph matmul":                              "krdlab run matmul --reps 1 --trace full,tasks; krdlab graph",
		"graph --json matmul --n 64 --reps=2":       "krdlab run matmul --n 64 --reps=2 --trace full,tasks; krdlab graph --json",
		"graph --n 64 matmul --bogus 3":             "krdlab run matmul --n 64 --bogus 3 --reps 1 --trace full,tasks; krdlab graph",
		"krd lu --n 64 --seed 3 --out x --by stack": "krdlab run lu --n 64 --seed 3 --out x --reps 1 --trace full,regions; krdlab krd x --seed 3 --by stack",
		"krd lu --trace krd,cores --smt":            "krdlab run lu --smt --reps 1 --trace full,cores; krdlab krd",
		"activity fib":                              "krdlab run fib --reps 1 --trace full,tasks; krdlab activity",
		"regions lu --trace full,tasks":             "krdlab run lu --reps 1 --trace full,tasks,regions; krdlab regions",
		"explore lu --llc 1/8 --class tiny":         "krdlab run lu --class tiny --sched all --machine westmere-ex-4s --reps 3 --trace full,tasks; krdlab explore --llc 1/8",
		"explore lu --follow s.txt --machine x":     "krdlab run lu --follow s.txt --machine x --class small --reps 3 --trace full,tasks; krdlab explore",
		"explore fib":                               "fib has no kernels that say it",
		"dependences lu":                            "type krdlab dependences go PACKAGE",
		"graph lu x":                                "one argument too many",
		"graph go ./nothing --n 3 -- matmul":        "there is no flag --n",
	} {
		code, _, stderr := krdlab(strings.Fields(typed)...)
		if code != exitUsage || !strings.Contains(strings.TrimSpace(stderr)+"\n", want) {
			t.Errorf("krdlab %s: exit code %d, %s, want %s", typed, code, stderr, want)
		}
	}
}
