package reproduce

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"krdlab/experiments/show"
)

// Count sums up findings: how many of those that the machine was not fitted to agree, disagree,
// cannot be told, were not run, or not on the paper's size; and how many were fitted.
type Count struct{ Agree, Disagree, CannotTell, NotRun, OtherSize, Fitted int }

// CountOf counts findings.
func CountOf(list []Finding) (c Count) {
	for _, f := range list {
		switch {
		case f.Fitted:
			c.Fitted++
		case f.Verdict == Agree:
			c.Agree++
		case f.Verdict == Disagree:
			c.Disagree++
		case f.Verdict == CannotTell:
			c.CannotTell++
		case f.Verdict == OtherSize:
			c.OtherSize++
		default:
			c.NotRun++
		}
	}
	return c
}

func (c Count) String() string {
	s := fmt.Sprintf("claims: %d agree, %d disagree, %d cannot be told", c.Agree, c.Disagree,
		c.CannotTell)
	if c.NotRun > 0 {
		s += fmt.Sprintf(", %d not run", c.NotRun)
	}
	if c.OtherSize > 0 {
		s += fmt.Sprintf(", %d run on another size than the paper's", c.OtherSize)
	}
	return s + fmt.Sprintf("; %d more are what the simulated machine was fitted to and prove "+
		"nothing", c.Fitted)
}

// WriteText writes the findings as a table of about 130 columns for a person, and what they sum up
// to.
func WriteText(w io.Writer, list []Finding) error {
	const columnsLeft = 5
	t := show.NewTable(columnsLeft, "verdict", "claim", "paper", "test", "ours")
	t.Style().Options.SeparateRows = true
	var columns []table.ColumnConfig
	for i, width := range []int{11, 36, 16, 26, 40} {
		columns = append(columns, table.ColumnConfig{Number: i + 1, WidthMax: width,
			WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(columns)
	for _, f := range list {
		verdict := string(f.Verdict)
		if f.Fitted {
			verdict += ", fitted"
		}
		t.AppendRow(table.Row{verdict, f.Says + " [" + f.Where + "]", f.Paper, f.Test, f.Ours})
	}
	for i, line := range strings.Split(t.Render(), "\n") {
		if i > 1 {
			line = strings.TrimRight(line, "-")
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	count := strings.ReplaceAll(CountOf(list).String(), "; ", ";\n")
	_, err := fmt.Fprintf(w, "\n%s.\n\nOurs: medians and 95 %% intervals over seeds, of the "+
		"simulated machine unless a claim says otherwise.\n", count)
	return err
}

// WriteCSV writes the findings with a header.
func WriteCSV(w io.Writer, list []Finding) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"id", "where", "claim", "paper", "test", "fitted", "ours", "verdict"}}
	for _, f := range list {
		rows = append(rows, []string{f.ID, f.Where, f.Says, f.Paper, f.Test,
			strconv.FormatBool(f.Fitted), f.Ours, string(f.Verdict)})
	}
	return c.WriteAll(rows)
}
