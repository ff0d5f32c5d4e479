// Package sweep runs many configurations into one experiment folder, whose form package dataset
// describes, and writes tables that sum them up.
//
// A plan is written before anything runs. Its cells are independent: each is one `krdlab run` of
// several schedulers, run by [experiments.Run]. A cell is finished when its folder has lost the
// suffix .partial, which is one rename, after everything in it was synced; so a sweep can be ended
// at any moment, kill -9 included, and goes on with the cells that are not finished.
//
// # Who may run a cell
//
// Whoever holds the lock on the file cells/ID.lock (flock; over NFS that is a lock on the server),
// and looks again, once it has it, whether the cell is finished. Processes on one computer, and
// elements of a Slurm array on many that share the folder, thus never run a cell twice. The system
// releases the lock of a process that dies, so that nothing that is stale ever blocks: a .partial
// folder whose lock is free is the rest of a dead process, and is removed. The file is removed by
// its holder before it lets go; whoever got the lock of a file that was removed meanwhile sees that
// the name is another file, or none, and tries again.
//
// Rejected: a file made with O_EXCL that names its maker (after kill -9 it blocks for ever, and
// whether a process of another computer lives cannot be asked); the same with a time of last life
// (a computer that sleeps, or a slow file server, looks dead); one lock for the whole folder
// (elements of an array would wait for each other). Where a file system has no locks (ENOSYS,
// ENOLCK, EOPNOTSUPP) nothing is run, and the error names it.
//
// A sweep, as opposed to a single cell, also holds sweep.lock: two on one folder would disturb each
// other's native cells.
package sweep

// Names of what a sweep adds to an experiment folder.
const (
	LockSuffix = ".lock"      // of cells/ID
	sweepLock  = "sweep.lock" // held by the process that works through the plan
	tableLock  = "table.lock" // held while tables are written
)
