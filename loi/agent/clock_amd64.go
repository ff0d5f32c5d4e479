package agent

// tsc reads the time-stamp counter.
func tsc() uint64

const haveTSC = true
