//go:build !amd64

package agent

func tsc() uint64 { return 0 }

const haveTSC = false
