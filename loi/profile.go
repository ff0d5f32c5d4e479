package loi

import "unsafe"

// A Profile counts the executions of kernels and their time on one worker, instead of recording
// them. Add is for its owner only; others may look when the owner has stopped, with a
// happens-before edge between.
type Profile struct {
	_       [128]byte // no hot word of another profile shares a cache line with this one
	kernels []KernelProfile
	_       [128]byte
}

// A KernelProfile counts the executions of one kernel on a worker, and their time.
type KernelProfile struct {
	Count uint64
	Ticks uint64 // sum of end - start
	Min   uint64 // ticks of the shortest execution; meaningless if Count is 0
	Max   uint64 // ticks of the longest one
}

const profilePad = 4 // entries, 128 bytes

var _ [128]byte = [profilePad * unsafe.Sizeof(KernelProfile{})]byte{}

// NewProfile returns a profile of the given number of kernels, all zero.
func NewProfile(kernels int) *Profile {
	all := make([]KernelProfile, kernels+2*profilePad)
	p := &Profile{kernels: all[profilePad : profilePad+kernels : profilePad+kernels]}
	p.Reset()
	return p
}

// Add counts an execution of k. It panics if there is no such kernel. Cost: see BenchmarkProfile.
func (p *Profile) Add(k KernelID, start, end uint64) {
	s := &p.kernels[k]
	d := end - start
	s.Count++
	s.Ticks += d
	s.Min = min(s.Min, d)
	s.Max = max(s.Max, d)
}

// Kernel returns what was counted of k.
func (p *Profile) Kernel(k KernelID) KernelProfile { return p.kernels[k] }

// Reset makes p as NewProfile made it.
func (p *Profile) Reset() {
	for i := range p.kernels {
		p.kernels[i] = KernelProfile{Min: ^uint64(0)}
	}
}
