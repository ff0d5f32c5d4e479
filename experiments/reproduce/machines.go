package reproduce

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/dataset"
	"krdlab/experiments/figures"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/experiments/show"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd"
)

// Names of what WriteMachines leaves in the folder of the experiment.
const (
	MachinesText   = "machines.txt"
	MachinesCSV    = "machines.csv"
	ConclusionsCSV = "conclusions.csv"
	MachinesFigure = "machines"
)

// machineSizes are the programs by scale; FMM runs on all cores of a machine only.
var machineSizes = map[Scale]struct {
	matmul, fmm  kernel.Params
	seeds, draws int
}{
	Smoke: {kernel.Params{"n": 256}, kernel.Params{"bodies": 2000}, 6, 1},
	Quick: {kernel.Params{"n": 2048}, kernel.Params{"bodies": 30_000}, 6, mostMachineDraws},
	Paper: {kernel.Params{"n": 4096}, kernel.Params{"bodies": 100_000}, 6, mostMachineDraws},
}

// MachinesPlan returns the requests that ask the paper's conclusions of machines: the schedulers of
// the evaluation on the cores of one last-level cache, on half of the caches and on all; and the
// matrix product, with one seed, on draws of each machine whose guesses have ranges.
func MachinesPlan(scale Scale, machines []*machine.Machine) ([]request.Request, error) {
	size, ok := machineSizes[scale]
	if !ok {
		return nil, fmt.Errorf("there is no scale %q", scale)
	}
	schedulers, err := request.FindSchedulers(Schedulers)
	if err != nil {
		return nil, err
	}
	var plan []request.Request
	add := func(name string, params kernel.Params, m *machine.Machine, cores, seeds int) error {
		k, err := request.FindKernel(name)
		if err != nil {
			return err
		}
		c := request.New(k)
		for name, v := range params {
			c.Params[name] = v
		}
		c.Machine, c.Cores, c.Schedulers, c.Reps = m, cores, schedulers, seeds
		c.Warmup, c.Trace = 0, request.TraceKRD
		plan = append(plan, c)
		return nil
	}
	for _, m := range machines {
		for _, n := range coresOf(m) {
			if err := add("matmul", size.matmul, m, n, size.seeds); err != nil {
				return nil, err
			}
		}
		if err := add("fmm", size.fmm, m, m.Cores(), size.seeds); err != nil {
			return nil, err
		}
		drawn, err := drawnMachines(m, size.draws)
		if err != nil {
			return nil, err
		}
		for _, d := range drawn {
			if err := add("matmul", size.matmul, d, d.Cores(), 1); err != nil {
				return nil, err
			}
		}
	}
	return plan, nil
}

// coresOf are the cores of one node, of half of the nodes and of all.
func coresOf(m *machine.Machine) []int {
	return slices.Compact([]int{m.CoresPerNode, (m.Nodes + 1) / 2 * m.CoresPerNode, m.Cores()})
}

// beyondLLC is the share of the accesses that no last-level cache of the machine's size holds, cold
// ones included, in %.
var beyondLLC = perHistogram(func(h *krd.Histogram) result.Number {
	if h.Far == nil {
		return result.Number{}
	}
	far := *h.Far + h.Cold
	return dataset.ShareOf(h, &far)
})

// A conclusion is what the paper concludes of its machine, as a question to any.
type conclusion struct {
	id, says, where string
	judge           func(s *site) Verdict
}

// A site is a program on so many cores of a machine.
type site struct {
	group *dataset.Group
	cores int
	exact bool   // of a draw: its values are taken as they are
	draws []site // the same program on as many cores of draws of the machine
}

func (s *site) machine() string { return s.group.Cells[0].MachineName() }

// of is a measure under a scheduler; unknown where that was not run.
func (s *site) of(m measure, scheduler string) interval {
	r := s.group.At(scheduler, s.cores)
	switch {
	case r == nil:
		return interval{}
	case s.exact:
		return m(r).exactly()
	}
	return m(r)
}

// least says whether a scheduler has less of a measure than the paper's others.
func least(m measure, scheduler string) func(s *site) Verdict {
	return func(s *site) Verdict {
		var others []interval
		for _, o := range papers {
			if o != scheduler {
				others = append(others, s.of(m, o))
			}
		}
		return below(s.of(m, scheduler), others...)
	}
}

// most says whether it has more than each of them.
func most(m measure, scheduler string) func(s *site) Verdict {
	return func(s *site) Verdict {
		var verdicts []Verdict
		for _, o := range papers {
			if o != scheduler {
				verdicts = append(verdicts, less(s.of(m, o), s.of(m, scheduler)))
			}
		}
		return all(verdicts...)
	}
}

// conclusions are what is asked. Programs, core counts and sizes of caches are others than the
// paper's, so that they are no claims.
var conclusions = []conclusion{
	{"socket-reuse", "QTH/Socket has the fewest accesses beyond the LLC", "IV-A",
		least(beyondLLC, qts)},
	{"tbb-reuse", "TBB has the most of them", "IV-A", most(beyondLLC, tbb)},
	{"sharing", "QTH/Socket misses less than QTH/Core: one LIFO for a cache pays", "table I",
		func(s *site) Verdict { return less(s.of(misses, qts), s.of(misses, qtc)) }},
	{"mth-misses", "MTH has the fewest LLC misses", "table I", least(misses, mth)},
	{"mth-wti", "MTH inflates work least", "table I", least(wti, mth)},
	{"socket-wti", "QTH/Socket inflates work most", "table I", most(wti, qts)},
	{"tbb-wti", "TBB inflates work more than MTH", "II-C",
		func(s *site) Verdict { return less(s.of(wti, mth), s.of(wti, tbb)) }},
	{"tbb-ovr", "TBB has more overhead than MTH", "II-C",
		func(s *site) Verdict { return less(s.of(ovr, mth), s.of(ovr, tbb)) }},
	{"mth-fastest", "MTH is the fastest", "II-C", least(milliseconds, mth)},
}

// sites are those of an experiment: program by program, machines in the order of its plan, cores
// ascending; draws of a machine are within its own.
func sites(e *dataset.Experiment) (list []site, err error) {
	of, err := drawsIn(e)
	if err != nil {
		return nil, err
	}
	groups := e.Groups()
	var programs []string
	for i := range groups {
		if p := programOf(&groups[i]); !slices.Contains(programs, p) {
			programs = append(programs, p)
		}
	}
	for _, program := range programs {
		var drawn []*dataset.Group
		for i := range groups {
			if g := &groups[i]; programOf(g) == program && of[hashOf(g)] != "" {
				drawn = append(drawn, g)
			}
		}
		for i := range groups {
			g := &groups[i]
			if programOf(g) != program || of[hashOf(g)] != "" {
				continue
			}
			for _, n := range g.Cores() {
				s := site{group: g, cores: n}
				for _, d := range drawn {
					if of[hashOf(d)] == hashOf(g) && slices.Contains(d.Cores(), n) {
						s.draws = append(s.draws, site{group: d, cores: n, exact: true})
					}
				}
				list = append(list, s)
			}
		}
	}
	return list, nil
}

// programOf is what tells programs apart.
func programOf(g *dataset.Group) string { return g.Kernel + " " + g.Params }

// over is a measure under a scheduler over that under MTH, as far apart as the intervals allow.
func (s *site) over(m measure, scheduler string) interval {
	return ratio(s.of(m, scheduler), s.of(m, mth))
}

// WriteMachines writes, from the cells of the experiment, which conclusions hold on which machine,
// the numbers behind them, and a figure. p is shown the tables as well.
func WriteMachines(p *show.Page, e *dataset.Experiment) error {
	list, err := sites(e)
	if err != nil {
		return err
	}
	if err := machinesText(p, list); err != nil {
		return err
	}
	files := []struct {
		name  string
		write func(w io.Writer) error
	}{
		{MachinesText, func(w io.Writer) error { return machinesText(show.NewPage(w, 0), list) }},
		{MachinesCSV, func(w io.Writer) error { return machinesCSV(w, list) }},
		{ConclusionsCSV, func(w io.Writer) error { return conclusionsCSV(w, list) }},
		{MachinesFigure + ".svg", func(w io.Writer) error {
			return machinesFigure(list).Write(w, "svg")
		}},
	}
	if len(list) == 0 {
		files = files[:len(files)-1]
	}
	for _, f := range files {
		if err := result.Rewrite(filepath.Join(e.Dir, f.name), f.write); err != nil {
			return err
		}
	}
	return nil
}

// signs are verdicts where there is little room.
var signs = map[Verdict]string{Agree: "yes", Disagree: "no", CannotTell: "?", NotRun: "-"}

// machineColumns are the numbers behind the conclusions.
var machineColumns = ablationColumns[:4]

// machinesText has a table of conclusions and one of numbers.
func machinesText(p *show.Page, list []site) error {
	head := []string{"program", "machine", "cores"}
	for i := range conclusions {
		head = append(head, strconv.Itoa(i+1))
	}
	t := show.NewTable(2, head...)
	holds, asked := make([]int, len(conclusions)), make([]int, len(conclusions))
	for i := range list {
		s := &list[i]
		row := []any{s.group.Kernel, s.machine(), s.cores}
		for n, c := range conclusions {
			v := c.judge(s)
			row = append(row, signs[v])
			if v != NotRun {
				asked[n]++
			}
			if v == Agree {
				holds[n]++
			}
		}
		t.Row(row...)
	}
	p.Table(t)
	p.Line("")
	for n, c := range conclusions {
		p.Line("%d  %s [%s]: %d of %d", n+1, c.says, c.where, holds[n], asked[n])
	}
	p.Line("\nyes, no: the intervals of the seeds are apart; ?: they are not\n")

	head = []string{"machine", "cores", "scheduler", "time / MTH"}
	for _, col := range machineColumns {
		head = append(head, col.head)
	}
	var numbers *show.Table
	for i := range list {
		s := &list[i]
		if i == 0 || programOf(s.group) != programOf(list[i-1].group) {
			if numbers != nil {
				p.Table(numbers)
				p.Line("")
			}
			p.Line("%s", programOf(s.group))
			numbers = show.NewTable(3, append(slices.Clone(head), "beyond LLC, %")...)
			numbers.Keys = 3
		}
		for n, name := range Schedulers {
			row := []any{"", "", name}
			if n == 0 {
				row = []any{s.machine(), s.cores, name}
			}
			row = append(row, s.over(milliseconds, name).compact())
			for _, col := range machineColumns {
				row = append(row, s.of(col.of, name).compact())
			}
			numbers.Row(append(row, s.of(beyondLLC, name).compact())...)
		}
	}
	if numbers != nil {
		p.Table(numbers)
	}
	drawsText(p, list)
	p.Line("\nSimulated: medians and 95 %% intervals over seeds, which vary the schedule only; the " +
		"interval of a ratio is as far from it as those of both allow. Machines that were fitted, or " +
		"whose guesses have no ranges, are not drawn.")
	return p.Close()
}

// machinesCSV has a line for each scheduler on each site; what is not known is empty.
func machinesCSV(w io.Writer, list []site) error {
	columns := slices.Clone(machineColumns)
	columns = append(columns, struct {
		head, key string
		of        measure
	}{"", "beyond_llc_percent", beyondLLC})
	head := []string{"kernel", "params", "machine", "cores", "scheduler", "n"}
	for _, col := range columns {
		head = append(head, col.key, col.key+"_low", col.key+"_high")
	}
	rows := [][]string{append(head, "time_over_workfirst", "time_over_workfirst_low",
		"time_over_workfirst_high", "draws", "time_over_workfirst_lowest_draw",
		"time_over_workfirst_highest_draw")}
	for i := range list {
		s := &list[i]
		for _, name := range Schedulers {
			r := s.group.At(name, s.cores)
			if r == nil {
				continue
			}
			row := []string{s.group.Kernel, s.group.Params, s.machine(), strconv.Itoa(s.cores),
				name, strconv.Itoa(r.Summary.TimeNS.N)}
			for _, col := range columns {
				row = append(row, col.of(r).fields()...)
			}
			row = append(row, s.over(milliseconds, name).fields()...)
			band := s.band(func(s *site) interval { return s.over(milliseconds, name) })
			row = append(row, strconv.Itoa(len(s.draws)))
			rows = append(rows, append(row, band.fields()[1:]...))
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// conclusionsCSV has a line for each conclusion on each site.
func conclusionsCSV(w io.Writer, list []site) error {
	rows := [][]string{{"kernel", "params", "machine", "cores", "conclusion", "says", "verdict",
		"draws", "draws_it_holds_on"}}
	for i := range list {
		s := &list[i]
		for n := range conclusions {
			c := &conclusions[n]
			rows = append(rows, []string{s.group.Kernel, s.group.Params, s.machine(),
				strconv.Itoa(s.cores), c.id, c.says, string(c.judge(s)),
				strconv.Itoa(len(s.draws)), strconv.Itoa(s.held(c))})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// machinesFigure is, on all cores of each machine, what each scheduler has over MTH: a row of panels
// for each program.
func machinesFigure(list []site) *figures.Figure {
	const spread = 0.13 // between schedulers on one machine
	measures := []struct {
		title string
		of    measure
	}{{"time", milliseconds}, {"accesses beyond the LLC", beyondLLC}}
	others := slices.DeleteFunc(slices.Clone(Schedulers), func(s string) bool { return s == mth })
	looks := figures.SchedulerLooks(others)

	var programs []string
	full := map[string][]*site{} // of a program, on all cores of each machine
	for i := range list {
		s := &list[i]
		if i+1 < len(list) && list[i+1].group == s.group {
			continue
		}
		program := programOf(s.group)
		if !slices.Contains(programs, program) {
			programs = append(programs, program)
		}
		full[program] = append(full[program], s)
	}
	var panels []figures.Panel
	var cores []string
	for _, m := range measures {
		for _, program := range programs {
			p := figures.Panel{Title: full[program][0].group.Kernel + ": " + m.title,
				X: figures.Axis{Min: 0.5, Max: float64(len(full[program])) + 0.5}}
			for n, s := range full[program] {
				p.X.Ticks = append(p.X.Ticks, figures.Tick{Value: float64(n + 1),
					Label: s.machine()})
				if on := fmt.Sprintf("%s %d", s.machine(), s.cores); !slices.Contains(cores, on) {
					cores = append(cores, on)
				}
			}
			for i, name := range others {
				series := figures.NumberedSeries(name, looks[i])
				series.Apart = true
				for n, s := range full[program] {
					v := s.over(m.of, name)
					if !v.known {
						continue
					}
					point := figures.Point{At: s.machine(), Y: result.Some(v.mid), N: v.n,
						X: float64(n+1) + spread*(float64(i)-float64(len(others)-1)/2)}
					if v.sure {
						point.Low, point.High = result.Some(v.low), result.Some(v.high)
					}
					series.Points = append(series.Points, point)
				}
				if len(series.Points) > 0 {
					p.Series = append(p.Series, series)
				}
			}
			if len(p.Series) > 0 {
				panels = append(panels, p)
			}
		}
	}
	return figures.Places(MachinesFigure, "Today's machines: schedulers over "+mth,
		"over "+mth, "as "+mth, []string{"SIMULATED, all cores of each machine (" +
			strings.Join(cores, ", ") + "): what a scheduler has over what " + mth + " has; " +
			strings.Join(programs, "; ") + ". Bars: as far as the 95 % intervals of both allow, " +
			"over seeds, which vary the schedule only."}, panels)
}
