package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/papers/kernelreuse"
	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/units"
)

// A study is what reproduce does instead of the evaluation: an experiment with its plan, or draws.
type study struct {
	*kernelreuse.Study // nil of draws
	plan               func(scale steps.Scale, dir string) ([]request.Request, error)
}

// name is the flag that asks for it, after which its folder is named.
func (s *study) name() string {
	if s.Study == nil {
		return "draws"
	}
	return s.Name
}

// study is the one that the flags ask for, nil for the evaluation itself. Errors: several are asked
// for, or what one does not have.
func (a *app) study(ctx context.Context, f *reproduceFlags) (*study, error) {
	var asked []study
	if f.ablation {
		asked = append(asked, study{kernelreuse.Ablation,
			func(scale steps.Scale, _ string) ([]request.Request, error) {
				return kernelreuse.AblationPlan(scale)
			}})
	}
	if f.machines != "" {
		list, err := a.machinesNamed(f.machines)
		if err != nil {
			return nil, err
		}
		asked = append(asked, study{kernelreuse.Machines,
			func(scale steps.Scale, _ string) ([]request.Request, error) {
				return kernelreuse.MachinesPlan(scale, list)
			}})
	}
	if f.validate {
		asked = append(asked, study{kernelreuse.Validation,
			func(scale steps.Scale, dir string) ([]request.Request, error) {
				m, err := a.asMeasured(ctx, dir, f.caches, scale == steps.Smoke)
				if err != nil {
					return nil, err
				}
				host, err := a.host("")
				if err != nil {
					return nil, err
				}
				return kernelreuse.ValidatePlan(scale, m, request.AllCores(host, false))
			}})
	}
	if f.drawn {
		if f.draws < 1 || f.draws > kernelreuse.MaxDraws {
			return nil, usageError("--draws %d: expected a number from 1 to %d", f.draws,
				kernelreuse.MaxDraws)
		}
		asked = append(asked, study{})
	}
	switch {
	case f.caches != "" && !f.validate:
		return nil, usageError("krdlab reproduce: --caches is for --validate")
	case len(asked) == 0:
		return nil, nil
	case len(asked) > 1:
		return nil, usageError("krdlab reproduce: --%s and --%s exclude each other; give one",
			asked[0].name(), asked[1].name())
	case f.json:
		return nil, usageError("krdlab reproduce: --%s has no --json; its CSV is in the folder",
			asked[0].name())
	}
	return &asked[0], nil
}

// machinesNamed are those of a list of names and files, or all that are built in.
func (a *app) machinesNamed(list string) ([]*machine.Machine, error) {
	names := strings.Split(list, ",")
	if list == "all" {
		names = machine.Names()
	}
	host, err := a.host("")
	if err != nil {
		return nil, err
	}
	var found []*machine.Machine
	for i, name := range names {
		m, err := simulatedMachine(a.machinesOf(host),
			"krdlab reproduce --machines", name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], name) {
			return nil, usageError("krdlab reproduce --machines: found %s twice, expected each once",
				name)
		}
		found = append(found, m)
	}
	return found, nil
}

// measuredName is the name of the machine that this computer was measured as.
const measuredName = "calibrated"

// sameCaches is an error if the caches that are told, if any, are not those with which m, which is
// in dir, was measured.
func sameCaches(m *machine.Machine, t *hw.Topology, dir string, caches given) error {
	if caches == "" {
		return nil
	}
	told, err := machine.Host(t)
	if err != nil {
		return err
	}
	text := func(m *machine.Machine) string {
		var list []string
		for _, c := range []machine.Cache{m.L1, m.L2, m.LLC} {
			list = append(list, fmt.Sprintf("%s:%d", strings.ReplaceAll(units.Bytes(c.Bytes), " ", ""),
				c.Ways))
		}
		return strings.Join(list, ",")
	}
	if found, want := text(m), text(told); found != want {
		return usageError("krdlab reproduce --validate: %s holds this computer as it was measured "+
			"with the caches %s, expected those of --caches, %s; choose another --out", dir, found,
			want)
	}
	return nil
}

// asMeasured is this computer as a machine: that of the experiment in dir, so that it can go on,
// or, where there is none yet, as it is measured now.
func (a *app) asMeasured(ctx context.Context, dir string, caches given, quick bool) (
	*machine.Machine, error) {
	t, err := a.sized(ctx, caches)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		m, err := machine.Load(filepath.Join(dir, dataset.MachinesDir, measuredName+".toml"))
		switch {
		case err == nil:
			return m, sameCaches(m, t, dir, caches)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, failure.As(failure.Data, err)
		}
	} else if err == nil {
		return nil, usageError("krdlab reproduce --validate: %s is a file, expected a folder; "+
			"choose another --out", dir)
	}
	m, _, err := a.measureComputer(ctx, t, measuredName, quick)
	if err != nil && ctx.Err() != nil {
		return nil, failure.New(failure.Interrupted, "interrupted; nothing was written")
	}
	return m, err
}
