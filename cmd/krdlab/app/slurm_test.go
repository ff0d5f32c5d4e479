//go:build linux

package app

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"krdlab/experiments/sweep"
	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
)

// slurmConf is a cluster of one computer that is used by one user: no accounting, no cgroups, no
// systemd, on loopback.
const slurmConf = `ClusterName=krdlab
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[4]d
SlurmdPort=%[5]d
SlurmUser=%[3]s
SlurmdUser=%[3]s
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket
CredType=cred/munge
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
MaxArraySize=4
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=%[1]s Default=YES MaxTime=60 State=UP
`

// startSlurm starts munged, slurmctld and slurmd in a folder of their own, as children that die
// with this process, and returns what the environment of Slurm's commands needs. It skips where
// Slurm is not installed or cannot run.
func startSlurm(t *testing.T) (env []string) {
	t.Helper()
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo",
		"squeue", "scancel"} {
		if _, err := lookDaemon(name); err != nil {
			t.Skipf("Slurm is not installed (%v); on Debian: apt-get install slurmctld slurmd "+
				"slurm-client munge", err)
		}
	}
	if os.Geteuid() != 0 {
		t.Skipf("slurmd needs to be root, and this is user %d", os.Geteuid())
	}
	me, err := user.Current()
	if err != nil {
		t.Skipf("who this is: %v", err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Skipf("this computer's name: %v", err)
	}
	host, _, _ = strings.Cut(host, ".")
	dir, err := os.MkdirTemp("", "slurm") // t.TempDir's name would be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"state", "spool", "cgroup"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	key := make([]byte, 1024)
	rand.Read(key)
	ports := freePorts(t, 2)
	for name, text := range map[string]string{
		"munge.key":  string(key),
		"slurm.conf": fmt.Sprintf(slurmConf, host, dir, me.Username, ports[0], ports[1]),
		// slurmd starts no cgroup plugin's machinery without a job that asks, but loads one: this
		// one, in an empty folder, finds nothing to manage.
		"cgroup.conf": "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nCgroupMountpoint=" + dir +
			"/cgroup\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	env = append(os.Environ(), "SLURM_CONF="+filepath.Join(dir, "slurm.conf"))
	daemon(t, env, filepath.Join(dir, "munged.out"), "munged", "--foreground", "--force",
		"--key-file="+dir+"/munge.key", "--socket="+dir+"/munge.socket",
		"--pid-file="+dir+"/munged.pid", "--log-file="+dir+"/munged.log", "--seed-file="+dir+
			"/munge.seed")
	waitFor(t, dir+"/munge.socket", 1, "munged")
	daemon(t, env, filepath.Join(dir, "slurmctld.out"), "slurmctld", "-D", "-i")
	daemon(t, env, filepath.Join(dir, "slurmd.out"), "slurmd", "-D", "-N", host)
	var out []byte
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(
		200 * time.Millisecond) {
		c := exec.Command("sinfo", "--noheader", "--format=%t")
		c.Env = env
		if out, _ = c.CombinedOutput(); strings.TrimSpace(string(out)) == "idle" {
			return env
		}
	}
	var logs strings.Builder
	for _, name := range []string{"munged.out", "slurmctld.out", "slurmd.out"} {
		b, _ := os.ReadFile(filepath.Join(dir, name))
		fmt.Fprintf(&logs, "%s:\n%s\n", name, b[max(0, len(b)-2000):])
	}
	t.Skipf("Slurm is installed and its node is not idle after 30 s (%s):\n%s",
		bytes.TrimSpace(out), logs.String())
	return nil
}

// lookDaemon finds a program, also where those for root are.
func lookDaemon(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return exec.LookPath("/usr/sbin/" + name)
}

// daemon starts a program that ends with the test, or with this process.
func daemon(t *testing.T, env []string, log, name string, args ...string) {
	t.Helper()
	path, err := lookDaemon(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// timeout ends it whatever becomes of this process: a signal of the parent's death is not asked
	// for again by a daemon's own children.
	limit := fmt.Sprint(int(time.Until(hwtest.Deadline(t)).Seconds()) + 1)
	c := exec.Command("timeout", append([]string{"--kill-after=5", limit, path}, args...)...)
	c.Env, c.Stdout, c.Stderr = env, f, f
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM) // timeout passes it on
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
			<-ended
		}
	})
}

func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// A real Slurm runs a sweep: six cells as elements of arrays of at most four, and a job that writes
// the tables, which are those of a sweep in one process. An element of a cell that is done does
// nothing.
func TestSlurm(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes some seconds to start Slurm")
	}
	env := startSlurm(t)
	dir := t.TempDir()
	args := func(out string, more ...string) []string {
		return append([]string{"sweep", "matmul", "--n", "128", "--cores", "1,6,24", "--seed",
			"1,2", "--sched", "workfirst,shepherd-socket", "--machine", "westmere-ex-4s",
			"--reps", "6", "--out", out}, more...)
	}
	command := func(args ...string) string { return runIn(t, env, args...) }
	alone, exp := filepath.Join(dir, "alone"), filepath.Join(dir, "with 'quotes' and 100 %")
	command(args(alone)...)
	command(args(exp, "--plan-only")...)
	program, err := exec.LookPath("krdlab")
	if err != nil {
		t.Fatal(err)
	}
	submitted := command("sweep", "submit", exp, "--program", program)
	if !strings.Contains(submitted, ": 4 cells\n") || !strings.Contains(submitted, ": 2 cells\n") ||
		!strings.Contains(submitted, ": tables\n") {
		t.Fatalf("submitted:\n%s", submitted)
	}
	untilIdle(t, env, exp)
	outputs, err := filepath.Glob(filepath.Join(dir, "with*", "slurm", "*.out"))
	if err != nil || len(outputs) != 7 {
		t.Errorf("outputs of jobs %v, %v, expected 6 elements and 1", outputs, err)
	}
	var s sweep.Status
	if err := json.Unmarshal([]byte(command("sweep", "status", exp, "--json")), &s); err != nil ||
		len(s.Done) != 6 {
		t.Fatalf("status %+v, %v", s, err)
	}
	for _, table := range sweep.Tables {
		a, aerr := os.ReadFile(filepath.Join(alone, table))
		b, berr := os.ReadFile(filepath.Join(exp, table))
		if err := errors.Join(aerr, berr); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s of Slurm's cells is not that of a sweep in one process: %d and %d "+
				"bytes, %v", table, len(b), len(a), err)
		}
	}
	if out := command("sweep", "exec", "--plan", filepath.Join(exp, "plan.jsonl"), "--index",
		"5"); !strings.Contains(out, "was done already") {
		t.Errorf("an element once more:\n%s", out)
	}
	if out := command("sweep", "submit", exp); !strings.Contains(out, "none of the 6 cells") {
		t.Errorf("submitted once more:\n%s", out)
	}
}

// runIn runs krdlab in an environment and returns what it prints.
func runIn(t *testing.T, env []string, args ...string) string {
	t.Helper()
	c := exec.Command("krdlab", args...)
	c.Env = env
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("krdlab %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// untilIdle waits until Slurm has no job; the test is skipped if it began none of exp within a minute.
func untilIdle(t *testing.T, env []string, exp string) {
	t.Helper()
	began, end := time.Now(), hwtest.Deadline(t)
	for ; ; time.Sleep(200 * time.Millisecond) {
		c := exec.Command("squeue", "--noheader")
		c.Env = env
		queue, err := c.CombinedOutput()
		if err == nil && len(bytes.TrimSpace(queue)) == 0 {
			return
		}
		if time.Since(began) > time.Minute {
			if outs, _ := filepath.Glob(filepath.Join(exp, "slurm", "*")); len(outs) == 0 {
				t.Skipf("Slurm began no job within a minute: %s, %v", queue, err)
			}
		}
		if time.Now().After(end) {
			t.Fatalf("jobs are left: %s, %v", queue, err)
		}
	}
}

// A real Slurm has elements of two cells, one at a time, with a line of setup and a time limit. First
// krdlab is not where the scripts look for it: the status names the elements that ended without a cell. Then
// the same cells are submitted again, and are those of a sweep in one process.
func TestSlurmElements(t *testing.T) {
	t.Parallel()
	long.Only(t, "it waits for several arrays of Slurm")
	env := startSlurm(t)
	dir := t.TempDir()
	exp, alone, mark := filepath.Join(dir, "exp"), filepath.Join(dir, "alone"), filepath.Join(dir, "mark")
	args := []string{"sweep", "matmul", "--n", "128", "--cores", "1,6,24", "--seed", "1,2", "--sched", "workfirst",
		"--machine", "westmere-ex-4s", "--reps", "6", "--out"}
	runIn(t, env, append(args, alone)...)
	runIn(t, env, append(args, exp, "--plan-only")...)
	more := []string{"--cells-per-element", "2", "--at-once", "1", "--setup", "echo set up >>" + mark, "--time", "1m"}
	runIn(t, env, append([]string{"sweep", "submit", exp, "--program", filepath.Join(dir, "gone")}, more...)...)
	untilIdle(t, env, exp)
	if out := runIn(t, env, "sweep", "status", exp); !strings.Contains(out, "3 elements") ||
		!strings.Contains(out, "gone") {
		t.Errorf("elements that ended without a cell are not named:\n%s", out)
	}
	program, err := exec.LookPath("krdlab")
	if err != nil {
		t.Fatal(err)
	}
	if out := runIn(t, env, append([]string{"sweep", "submit", exp, "--program", program}, more...)...); !strings.Contains(
		out, ": 6 cells\n") {
		t.Errorf("submitted again:\n%s", out)
	}
	untilIdle(t, env, exp)
	if b, err := os.ReadFile(mark); err != nil || strings.Count(string(b), "set up\n") < 6 {
		t.Errorf("lines of setup: %q, %v", b, err)
	}
	for _, table := range sweep.Tables {
		a, aerr := os.ReadFile(filepath.Join(alone, table))
		b, berr := os.ReadFile(filepath.Join(exp, table))
		if err := errors.Join(aerr, berr); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s of Slurm's cells: %d and %d bytes, %v", table, len(b), len(a), err)
		}
	}
}
