package runtimes

// Listed leaves all to a schedule: see [Following].
type Listed struct{}

// Rules implements [Policy].
func (Listed) Rules() Rules { return Rules{Spawn: SpawnListed} }

// Look implements [Policy].
func (Listed) Look(*Search) Move { return Rest }
