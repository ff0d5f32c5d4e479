package reproduce

import (
	"encoding/csv"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/krd/doc"
)

// WriteMachines writes, from the cells of the experiment, which conclusions hold on which machine,
// the numbers behind them, and a figure. p is shown the tables as well.
func WriteMachines(p *doc.Page, e *dataset.Experiment) error {
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
		{MachinesText, func(w io.Writer) error { return machinesText(doc.NewPage(w, 0), list) }},
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
func machinesText(p *doc.Page, list []site) error {
	head := []string{"program", "machine", "cores"}
	for i := range conclusions {
		head = append(head, strconv.Itoa(i+1))
	}
	t := doc.NewTable(2, head...)
	holds, fails := make([]int, len(conclusions)), make([]int, len(conclusions))
	asked := make([]int, len(conclusions))
	for i := range list {
		s := &list[i]
		row := []any{s.group.Kernel, s.machine(), s.cores}
		for n, c := range conclusions {
			v := c.judge(s)
			row = append(row, signs[v])
			if v != NotRun {
				asked[n]++
			}
			switch v {
			case Agree:
				holds[n]++
			case Disagree:
				fails[n]++
			}
		}
		t.Row(row...)
	}
	p.Table(t)
	p.Line("")
	for n, c := range conclusions {
		p.Line("%d  %s [%s]: %d yes, %d no of %d", n+1, c.says, c.where, holds[n], fails[n],
			asked[n])
	}
	p.Line("\nyes, no: the intervals of the seeds are apart; ?: they are not\n")

	head = []string{"machine", "cores", "scheduler", "time / MTH"}
	for _, col := range machineColumns {
		head = append(head, col.head)
	}
	var numbers *doc.Table
	for i := range list {
		s := &list[i]
		if i == 0 || programOf(s.group) != programOf(list[i-1].group) {
			if numbers != nil {
				p.Table(numbers)
				p.Line("")
			}
			p.Line("%s", programOf(s.group))
			numbers = doc.NewTable(3, append(slices.Clone(head), "beyond LLC, %")...)
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

// conclusionsCSV has a line for each conclusion on each site; what is not known is empty.
func conclusionsCSV(w io.Writer, list []site) error {
	rows := [][]string{{"kernel", "params", "machine", "cores", "conclusion", "says", "verdict",
		"draws", "draws_it_holds_on"}}
	for i := range list {
		s := &list[i]
		for n := range conclusions {
			c := &conclusions[n]
			held := "" // of none that were drawn
			if len(s.draws) > 0 {
				held = strconv.Itoa(s.held(c))
			}
			rows = append(rows, []string{s.group.Kernel, s.group.Params, s.machine(),
				strconv.Itoa(s.cores), c.id, c.says, string(c.judge(s)),
				strconv.Itoa(len(s.draws)), held})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
