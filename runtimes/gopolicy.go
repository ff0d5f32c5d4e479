package runtimes

// Goroutines is Go's own scheduler: a go statement for each spawned child, a WaitGroup for the
// join, GOMAXPROCS workers. It is the baseline of someone who writes Go and nothing else. There are
// no workers of ours, hence no steals, no scheduling and no idle time to report, and it exists on
// threads only, not in virtual time.
type Goroutines struct{}

func (Goroutines) Rules() Rules      { return Rules{Spawn: SpawnGo} }
func (Goroutines) Look(*Search) Move { return Rest }
