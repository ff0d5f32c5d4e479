package runtimes

// Serial runs the children of every task one after the other, in order, on one worker: T_serial of
// the paper's equation (KRD paper, I-A).
type Serial struct{}

func (Serial) Rules() Rules      { return Rules{Spawn: SpawnCall} }
func (Serial) Look(*Search) Move { return Rest }
