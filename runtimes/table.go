package runtimes

// The families of runtimes as which schedulers are priced.
const (
	massiveThreads = "massivethreads"
	tbb            = "tbb"
	tbbAffinity    = "tbb-affinity"
	qthreadsCore   = "qthreads-core"
	qthreadsSocket = "qthreads-socket"
)

const sherwood = "Olivier, Porterfield, Wheeler, Prins: Scheduling task parallelism on " +
	"multi-socket multicore systems, ROSS"

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
		Origin: "Nakashima, Taura: MassiveThreads: A thread library for high productivity " +
			"languages, Concurrent Objects and Beyond", Year: 2014,
		Params: workFirstParams, Make: makeWorkFirst,
	},
	{
		Name: "helpfirst", Paper: "TBB", Family: tbb, Random: true,
		Doc: "children are queued, the parent goes on; random victim; a started task never " +
			"migrates (TBB)",
		Origin: "Kukanov, Voss: The foundations for scalable multi-core software in Intel " +
			"Threading Building Blocks, Intel Technology Journal 11(4)", Year: 2007,
		Params: helpFirstParams, Make: makeHelpFirst,
	},
	{
		Name: "helpfirst-locality", Family: tbbAffinity, Twin: "helpfirst", Random: true,
		Doc: "as helpfirst; a task is also mailed to the worker that last touched its data (TBB " +
			"with affinity)",
		Origin: "Robison, Voss, Kukanov: Optimization via reflection on work stealing in TBB, " +
			"IPDPS", Year: 2008,
		Policy: &HelpFirst{Locality: true},
	},
	{
		Name: "shepherd-core", Paper: "QTH/Core", Family: qthreadsCore, Random: true,
		Doc: "children are queued, one locked LIFO per worker and a spawn cache; a thief takes " +
			"half of the first of a random list (Qthreads)",
		Origin: sherwood, Year: 2011,
		Params: shepherdParams(Shepherd{}), Make: shepherd(Shepherd{}),
	},
	{
		Name: "shepherd-socket", Paper: "QTH/Socket", Family: qthreadsSocket, Random: true,
		Doc: "as shepherd-core, one locked LIFO per last-level cache; one thief at a time " +
			"(Qthreads)",
		Origin: sherwood, Year: 2011,
		Params: shepherdParams(Shepherd{Socket: true}),
		Make:   shepherd(Shepherd{Socket: true}),
	},
	{
		Name: "central-fifo", Family: qthreadsSocket, BreadthFirst: true,
		Doc:    "one locked queue for all workers, oldest first: breadth first",
		Policy: Central{TakeOldest},
	},
	{
		Name: "central-lifo", Family: qthreadsSocket,
		Doc:    "one locked queue for all workers, newest first",
		Policy: Central{TakeNewest},
	},
	{
		Name: "static", Family: qthreadsCore, Speedup: 0.1, // whatever its parts hold
		Doc: "children are dealt to ranges of workers by their numbers, from one worker on they " +
			"are called; no steals (OpenMP's schedule(static))",
		Policy: Static{},
	},
	{
		Name: "steal-half", Family: tbb, Random: true,
		Doc:    "children are queued, the parent goes on; the older half of a random victim's deque",
		Origin: "Hendler, Shavit: Non-blocking steal-half work queues, PODC",
		Year:   2002,
		Policy: StealHalf{},
	},
	{
		Name: "private-deques", Family: tbb, Random: true,
		Doc: "as helpfirst, but nobody steals: a thief asks a random worker, which answers at its " +
			"next spawn; the last to finish goes on",
		Origin: "Acar, Charguéraud, Rainey: Scheduling parallel programs by work stealing with " +
			"private deques, PPoPP", Year: 2013,
		Policy: PrivateDeques{},
	},
	{
		Name: "leapfrog", Family: tbb, Random: true,
		Doc: "as helpfirst, but who waits at a join helps only the thief of one of its children",
		Origin: "Wagner, Calder: Leapfrogging: a portable technique for implementing efficient " +
			"futures, PPoPP",
		Year:   1993,
		Policy: Leapfrog{},
	},
	{
		Name: "depth-restricted", Family: tbb, Random: true,
		Doc: "as helpfirst, but who waits at a join takes deeper tasks only",
		Origin: "Sukha: Brief announcement: A lower bound for depth-restricted work stealing, " +
			"SPAA",
		Year:   2009,
		Policy: DepthRestricted{},
	},
	{
		Name: "hierarchical", Family: massiveThreads, Random: true,
		Doc: "as workfirst, but thieves stay within their node; only the node's leader steals " +
			"from others",
		Origin: "Quintin, Wagner: Hierarchical work-stealing, Euro-Par", Year: 2010,
		Policy: Hierarchical{},
	},
	{
		Name: "numa-ws", Family: massiveThreads, Random: true,
		Doc: "as workfirst, but near victims are likelier, and a thief mails what is near to " +
			"another node there",
		Origin: "Deters, Wu, Xu, Lee: A NUMA-aware provably-efficient task-parallel platform " +
			"based on the work-first principle, IISWC", Year: 2018,
		Params: numaWSParams, Make: makeNumaWS,
	},
	{
		Name: "slaw", Family: massiveThreads, Random: true,
		Doc: "workfirst's side of a spawn first while nothing is stolen, helpfirst's under steal " +
			"pressure or with a deep stack",
		Origin: "Guo, Zhao, Cavé, Sarkar: SLAW: a scalable locality-aware adaptive " +
			"work-stealing scheduler, IPDPS", Year: 2010,
		Policy: SLAW{},
	},
	{
		Name: "laws", Family: qthreadsSocket, Random: true,
		Doc: "subtrees that by their hints fit a last-level cache are allotted to nodes in serial " +
			"order and stolen whole; one locked LIFO per node",
		Origin: "Chen, Guo, Guan: LAWS: Locality-aware work-stealing for multi-socket multi-core " +
			"architectures, ICS",
		Year:   2014,
		Policy: LAWS{},
	},
	{
		Name: "adws", Family: qthreadsCore, Random: true,
		Doc: "ranges of workers are divided by hints of work, and steals stay within them; one " +
			"locked LIFO per worker",
		Origin: "Shiina, Taura: Almost deterministic work stealing, SC", Year: 2019,
		Policy: ADWS{},
	},
	{
		Name: "space-bounded", Family: qthreadsSocket, Random: true,
		Doc: "a task that by its hint fits a last-level cache is anchored to one with room for it; " +
			"one locked LIFO per node",
		Origin: "Simhadri, Blelloch, Fineman, Gibbons, Kyrola: Experimental analysis of " +
			"space-bounded schedulers, SPAA",
		Year:   2014,
		Params: spaceBoundedParams, Make: makeSpaceBounded,
	},
	{
		Name: "pdf", Family: qthreadsSocket,
		Doc: "one locked queue for all workers; what the serial run would begin first (parallel " +
			"depth first)",
		Origin: "Blelloch, Gibbons, Matias: Provably efficient scheduling for languages with " +
			"fine-grained parallelism, Journal of the ACM 46(2)",
		Year:   1999,
		Policy: PDF{},
	},
	{
		Name: "priority", Family: qthreadsSocket,
		Doc:    "one locked queue for all workers; the highest priority hint first",
		Policy: Central{TakeHighest},
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
