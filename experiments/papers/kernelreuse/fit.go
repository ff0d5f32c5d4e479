package kernelreuse

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"krdlab/experiments"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
	"krdlab/hw/ops"
	"krdlab/hw/scratch"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// How near a fit comes to the serial time, as a share of it, and after how many steps it must.
const (
	fitSerial = 0.0005
	mostFits  = 24
)

// mostFactor bounds what one step changes a price by.
const mostFactor = 4

// A fitting is a machine on the way to the targets of its [[fits]].
type fitting struct {
	m       *machine.Machine
	request request.Request
	serial  float64 // ns that the serial run is to take
	targets []target
	off     []target // those of request, all or the ones that were not near
	near    float64  // how near an OVR comes
	rates   []rateStep
}

// A target is the OVR of a scheduler.
type target struct {
	machine.Fit
	scheduler runtimes.Scheduler
}

// rateStep is a value of rates.fused and the serial time with it.
type rateStep struct{ rate, serial float64 }

// Fit changes the fitted numbers of m until its fits hold, by the rule of docs/simulation.md:
// rates.fused until the serial run takes its target, and a factor on the fitted prices of each
// family until the median OVR of its scheduler over some seeds is within near of the target. The
// program is that of the fits with params in place of theirs, and a serial run of other size is to
// take as long for each execution of a kernel. An OVR of few seeds and small programs jumps by more
// than near when a price changes at all: steps go on until it happens to be near. It runs in a new
// folder in dir, which is made where it is missing, and removes it, also if it is interrupted.
// Errors: a fit without target, or of several programs; that it does not hold after some steps;
// those of running. It costs one simulated run for each step, of the seeds and of the schedulers
// that are not near yet.
func Fit(ctx context.Context, m *machine.Machine, params kernel.Params, seeds int, near float64,
	dir string, argv []string) error {
	f, err := newFitting(m, params)
	if err != nil {
		return fmt.Errorf("fit machine %s: %w", m.Name, err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	// A name of its own: another process may fit in dir too.
	tmp, err := scratch.Make(dir, "."+m.Name+".fit-")
	if err != nil {
		return err
	}
	defer tmp.Remove()
	f.request.Reps, f.near = seeds, near
	topo, err := m.Topology()
	if err != nil {
		return err
	}
	var off string
	for i := range mostFits {
		f.request.Out = filepath.Join(tmp.Path, strconv.Itoa(i))
		out, err := experiments.Run(ctx, &f.request, argv, topo, nil, nil)
		if err != nil {
			return fmt.Errorf("fit machine %s: %w", m.Name, err)
		}
		if off, err = f.step(out.Results); err != nil {
			return fmt.Errorf("fit machine %s: %w", m.Name, err)
		}
		if off == "" {
			return nil
		}
	}
	return fmt.Errorf("fit machine %s: after %d steps found %s", m.Name, mostFits, off)
}

// newFitting reads what m was fitted to.
func newFitting(m *machine.Machine, params kernel.Params) (*fitting, error) {
	f := &fitting{m: m}
	var serial machine.Fit
	for _, x := range m.Fits {
		if x.Target == 0 {
			return nil, fmt.Errorf("found no target of %s %s, expected one", x.Quantity,
				x.Scheduler)
		}
		switch {
		case x.Quantity == machine.FitSerialTime:
			serial = x
		case len(f.targets) > 0 && (x.Kernel != f.targets[0].Kernel ||
			x.Cores != f.targets[0].Cores):
			return nil, fmt.Errorf("found fits of %s on %d cores and %s on %d, expected one "+
				"program", x.Kernel, x.Cores, f.targets[0].Kernel, f.targets[0].Cores)
		default:
			s, ok := runtimes.SchedulerByName(x.Scheduler)
			if !ok {
				return nil, fmt.Errorf("found a fit of the scheduler %q, which there is not",
					x.Scheduler)
			}
			f.targets = append(f.targets, target{x, s})
		}
	}
	if serial.Target == 0 || len(f.targets) == 0 || serial.Kernel != f.targets[0].Kernel {
		return nil, fmt.Errorf("found %d fits of OVR, expected some, and one of the serial time "+
			"of the same program", len(f.targets))
	}
	k, err := request.FindKernel(serial.Kernel)
	if err != nil {
		return nil, err
	}
	f.request = request.New(k)
	executions := func() (float64, error) {
		p, err := k.Plan(f.request.Params)
		return float64(p.Executions), err
	}
	f.request.Params[k.Size] = paperSizes[k.Name]
	whole, err := executions()
	if err != nil {
		return nil, err
	}
	for name, v := range params {
		f.request.Params[name] = v
	}
	part, err := executions()
	if err != nil {
		return nil, err
	}
	f.serial = serial.Target * part / whole
	f.request.Machine, f.request.Cores = m, f.targets[0].Cores
	f.ask(f.targets)
	f.request.Warmup, f.request.Trace = 0, request.TraceProfile
	return f, nil
}

// ask makes some targets those of the next run.
func (f *fitting) ask(list []target) {
	f.off, f.request.Schedulers = list, nil
	for _, x := range list {
		f.request.Schedulers = append(f.request.Schedulers, x.scheduler)
	}
}

// step compares results with the targets and changes what is off; "" where nothing is.
func (f *fitting) step(results []result.Result) (off string, err error) {
	serial := results[0].Serial.TimeNS.Float()
	if !(serial > 0) {
		return "", fmt.Errorf("found a serial time of %g ns", serial)
	}
	var far []target
	for i, x := range f.off {
		ovr := results[i].Summary.OVR.Median.Float()
		if math.IsNaN(ovr) {
			return "", fmt.Errorf("found no OVR under %s", x.Scheduler)
		}
		if math.Abs(ovr-x.Target) <= f.near {
			continue
		}
		far = append(far, x)
		off = fmt.Sprintf("an OVR of %.4f under %s, expected %.4f", ovr, x.Scheduler, x.Target)
		factor := float64(mostFactor)
		if ovr > 1 {
			factor = min(factor, (x.Target-1)/(ovr-1))
		}
		if !f.m.ScaleFitted(x.scheduler.Family, max(factor, 1.0/mostFactor)) {
			return "", fmt.Errorf("found no fitted price of %s, expected some", x.scheduler.Family)
		}
	}
	f.ask(far)
	if math.Abs(serial/f.serial-1) > fitSerial {
		off = fmt.Sprintf("a serial time of %.4g ns, expected %.4g", serial, f.serial)
		f.m.Rates[ops.Fused] = f.rate(serial)
		f.ask(f.targets) // all hang on it
	}
	return off, nil
}

// rate returns the next rates.fused: a serial run takes a + b/rate, and two runs determine a and b.
func (f *fitting) rate(serial float64) uint64 {
	now := rateStep{float64(f.m.Rates[ops.Fused]), serial}
	next := now.rate * serial / f.serial
	if n := len(f.rates); n > 0 {
		was := f.rates[n-1]
		if b := (now.serial - was.serial) / (1/now.rate - 1/was.rate); was.rate != now.rate &&
			b > 0 {
			next = 1 / (1/now.rate + (f.serial-now.serial)/b)
		}
	}
	f.rates = append(f.rates, now)
	const digits = 1e6 // a thousandth of Gop/s, as a file has it
	return uint64(math.Round(next/digits)) * digits
}
