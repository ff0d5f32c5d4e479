package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"krdlab/experiments"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/krd"
)

// The values of --machine that name no machine.
const (
	machineAuto   = "auto"
	machineNative = "native"
	machineHost   = "host"
)

// machineOf returns the machine to simulate, nil for a native run, and the topology that workers are placed on. auto is native where
// the host has the cores asked for, and the paper's machine where it does not.
func (a *app) machineOf(flags *pflag.FlagSet, f *runFlags) (*machine.Machine, *hw.Topology, error) {
	host, err := a.topology()
	if err != nil {
		return nil, nil, fmt.Errorf("this machine's topology: %w", err)
	}
	switch f.machine {
	case machineNative:
		return nil, host, nil
	case machineAuto:
		have := experiments.AllCores(host, f.smt)
		real := f.oversubscribe || f.smt || f.topology != "" || flags.Changed("bind") || f.counters == string(experiments.CountersPerf)
		if f.cores <= have || real {
			return nil, host, nil
		}
		m, err := machine.ByName(experiments.DefaultMachine)
		if err != nil {
			return nil, nil, err
		}
		if f.cores > m.Cores() {
			return nil, nil, &experiments.ConfigError{Flag: "cores", Got: fmt.Sprint(f.cores), Want: fmt.Sprintf(
				"this process may use %d, and %s, which would be simulated, has %d; use fewer, name a larger one with --machine (krdlab list machines), or add --oversubscribe",
				have, m.Name, m.Cores())}
		}
		fmt.Fprintf(a.stderr, "this process may use %d of the %d cores asked for: SIMULATED on %s; --machine native refuses instead\n", have, f.cores, m.Name)
		t, err := m.Topology()
		return m, t, err
	}
	m, err := loadMachine(f.machine, host)
	if err != nil {
		return nil, nil, err
	}
	t, err := m.Topology()
	return m, t, err
}

// loadMachine returns a machine by its name, or from a file.
func loadMachine(name string, host *hw.Topology) (*machine.Machine, error) {
	if name == machineHost {
		return machine.Host(host)
	}
	m, err := machine.ByName(name)
	if err == nil || !errors.Is(err, machine.ErrNoSuchMachine) {
		return m, err
	}
	info, serr := os.Stat(name)
	if serr == nil && info.IsDir() {
		return nil, &experiments.ConfigError{Flag: "machine", Got: name, Want: "it is a folder; expected a TOML file, or the name of a machine (krdlab list machines)"}
	}
	if serr != nil && !strings.ContainsAny(name, "/.") {
		return nil, &experiments.ConfigError{Flag: "machine", Got: name, Want: "there is no such machine, and no such file; " +
			experiments.Suggest(name, append([]string{machineAuto, machineNative, machineHost}, machine.Names()...))}
	}
	m, err = machine.Load(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &exitError{exitFailed, fmt.Errorf("%s: there is no such file; expected the TOML file of a machine, or the name of one (krdlab list machines)", name)}
	} else if err != nil {
		return nil, &exitError{exitUsage, fewer(err)}
	}
	return m, nil
}

// fewer keeps the first of the many fields that are missing in a file that is no machine at all, and what is wrong with those that are there.
func fewer(err error) error {
	const most = 5
	var kept []string
	missing := 0
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if strings.Contains(line, ": found nothing, ") {
			if missing++; missing > most {
				continue
			}
		}
		kept = append(kept, line)
	}
	if missing <= most+1 {
		return err
	}
	return fmt.Errorf("%s\nand %d more fields are missing", strings.Join(kept, "\n"), missing-most)
}

// substrate sets what depends on whether the run is simulated and was not asked for otherwise.
func (f *runFlags) substrate(flags *pflag.FlagSet, c *experiments.Config) {
	if !flags.Changed("reps") {
		c.Reps = experiments.DefaultReps
	}
	if c.Simulated == nil {
		return
	}
	if !flags.Changed("reps") {
		c.Reps = experiments.SimulatedReps
	}
	c.Warmup = 0
	if strings.TrimSpace(f.sched) == "all" {
		var there []string
		for _, s := range c.Schedulers {
			if s != krd.SchedulerGo {
				there = append(there, s)
			}
		}
		c.Schedulers = there
	}
}
