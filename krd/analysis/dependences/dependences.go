// Package dependences implements the analysis `dependences`: it lists what the iterations of a
// program's loops depend on each other by, how these are removed, and the class of each loop that
// follows. Package loops finds it. Dependences between goroutines, which are none that a loop
// carries, are kept apart.
package dependences

import (
	"slices"
	"strings"

	"krdlab/hw/failure"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/loi"
)

// Analysis is the line of the table.
var Analysis = &analysis.Analysis{
	Name:    "dependences",
	Summary: "Dependences between the iterations of a Go program's loops",
	Long: "For each loop that was executed, list which operation depends on another, or on itself, " +
		"in an earlier iteration: RAW reads what that wrote, WAR overwrites what it read, WAW what " +
		"it wrote; through which variable or data, whether as data or as control, how many " +
		"iterations before, and how often. Where a transformation removes a dependence, it is named: " +
		"a private variable, its last value, a copy, induction or a reduction. The class of a loop " +
		"follows from the dependences left in this run: doall, none; reduction, only reductions; " +
		"ordered, one that no transformation removes. Dependences between goroutines are listed " +
		"apart, those through channels if the trace was made with --sync.",
	Example: "  krdlab trace go . --values --out program.loi && krdlab dependences program.loi\n" +
		"  krdlab dependences program.loi --without induction,reduction",
	Needs: analysis.Needs{Regions: true, Operations: true},
	New:   func() any { return &Options{} },
}

// Options are the flags.
type Options struct {
	Without []string `flag:"without" help:"leave out what these REMOVE: private, last value, copy, induction, reduction"`
}

// ErrRemoval is wrapped by the error of an option that names nothing that removes dependences.
var ErrRemoval = failure.New(failure.Request, "nothing that removes dependences")

// Check implements [analysis.Checked].
func (o *Options) Check() error {
	for _, w := range o.Without {
		if !slices.Contains(loops.Removals, w) {
			return failure.Errorf(failure.Request, "--without %s: %w; expected some of %s", w, ErrRemoval,
				strings.Join(loops.Removals, ", "))
		}
	}
	return nil
}

// sink takes the events.
type sink struct {
	in    *analysis.Input
	opt   *Options
	loops *loops.Loops
}

// Begin implements [analysis.OverEvents].
func (o *Options) Begin(in *analysis.Input) (analysis.Sink, error) {
	return &sink{in, o, loops.New(in.Header)}, nil
}

// TableNames implements [analysis.Tabled].
func (*Options) TableNames() []string { return []string{"classes", "dependences", "between"} }

// Event implements [analysis.Sink].
func (s *sink) Event(e *loi.Event) error {
	s.loops.Flow.Event(e)
	return nil
}
