package runtimes

// The families of runtimes as which schedulers are priced.
const (
	massiveThreads = "massivethreads"
	tbb            = "tbb"
	tbbAffinity    = "tbb-affinity"
	qthreadsCore   = "qthreads-core"
	qthreadsSocket = "qthreads-socket"
)

// Schedulers is the table. A new one is a file with a [Policy], and a line here; the conformance
// suite of package kernels and `krdlab list` read the table. A line's place decides how the
// scheduler looks in figures.
var Schedulers = withDefaults([]Scheduler{
	{
		Name:   "serial",
		Doc:    "plain depth-first calls on one worker; gives T_serial",
		Policy: Serial{},
	},
	{
		Name: "workfirst", Paper: "MTH", Family: massiveThreads, Random: true,
		Doc: "child first, the rest of the parent is queued; one random victim, its oldest entry " +
			"(MassiveThreads, Cilk)",
		Params: workFirstParams, Make: makeWorkFirst,
	},
	{
		Name: "helpfirst", Paper: "TBB", Family: tbb, Random: true,
		Doc: "children are queued, the parent goes on; random victim; a started task never " +
			"migrates (TBB)",
		Params: helpFirstParams, Make: makeHelpFirst,
	},
	{
		Name: "helpfirst-locality", Family: tbbAffinity, Random: true,
		Doc: "as helpfirst; a task is also mailed to the worker that last touched its data (TBB " +
			"with affinity)",
		Policy: HelpFirst{Locality: true},
	},
	{
		Name: "shepherd-core", Paper: "QTH/Core", Family: qthreadsCore, Random: true,
		Doc: "children are queued, one locked LIFO per worker and a spawn cache; a thief takes " +
			"half of the first of a random list (Qthreads)",
		Params: shepherdParams(Shepherd{}), Make: shepherd(Shepherd{}),
	},
	{
		Name: "shepherd-socket", Paper: "QTH/Socket", Family: qthreadsSocket, Random: true,
		Doc: "as shepherd-core, one locked LIFO per last-level cache; one thief at a time " +
			"(Qthreads)",
		Params: shepherdParams(Shepherd{Socket: true}),
		Make:   shepherd(Shepherd{Socket: true}),
	},
	{
		Name: "go", Unordered: true,
		Doc:    "a go statement per task, a WaitGroup per join: Go's own scheduler (native only)",
		Policy: Goroutines{},
	},
})

// withDefaults makes the policies of lines that have parameters.
func withDefaults(lines []Scheduler) []Scheduler {
	for i := range lines {
		lines[i] = lines[i].with(nil)
	}
	return lines
}
