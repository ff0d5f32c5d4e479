package result

// CPUTime is the time that the workers of a repetition had on their CPUs.
type CPUTime struct {
	// NS is the CPU time of the workers' threads, or of all threads of the process where workers
	// have none of their own, in ns.
	NS *int64 `json:"ns"`
	// Share is that of the worker that had least: 1 - time in which it could have run and had no
	// CPU / time. A worker that sleeps for lack of work loses nothing.
	Share Number `json:"share"`
	// Source records what told Share: "schedstat" (the kernel's account of waiting threads, and of
	// the time that a hypervisor took), "task clock" (CPU time against work and scheduling), or "".
	Source string `json:"source"`
	Reason string `json:"reason,omitempty"` // why it is not schedstat
}

// The sources of [CPUTime].
const (
	ShareFromSchedstat = "schedstat"
	ShareFromTaskClock = "task clock"
)

// Conditions describe the CPU of a worker in a repetition.
type Conditions struct {
	CPUNS    *int64 `json:"cpu_ns"`    // CPU time of its thread
	CPUShare Number `json:"cpu_share"` // as [CPUTime.Share], of this worker
	// CycleNS is the time of one dependent addition, which is a clock cycle of the core.
	CycleNSBefore Number `json:"cycle_ns_before"`
	CycleNSAfter  Number `json:"cycle_ns_after"`
	// HandoverNS is how long a cache line takes from the CPU of worker 0 to this one and back.
	HandoverNSBefore Number `json:"handover_ns_before"`
	HandoverNSAfter  Number `json:"handover_ns_after"`
	// ClockNS is how far its clock is ahead of worker 0's, to within ClockBoundNS.
	ClockNSBefore      Number `json:"clock_ns_before"`
	ClockNSAfter       Number `json:"clock_ns_after"`
	ClockBoundNSBefore Number `json:"clock_bound_ns_before"`
	ClockBoundNSAfter  Number `json:"clock_bound_ns_after"`
	// ClockError records that no constant offset explains the stamps of the two CPUs.
	ClockError string `json:"clock_error,omitempty"`
}

// Disturbances counts what other programs, or the machine, spoiled of a result.
type Disturbances struct {
	Repetitions    int `json:"repetitions"`        // that stay disturbed
	Serial         int `json:"serial_repetitions"` // likewise
	SetAside       int `json:"set_aside"`          // repetitions that were done again
	SerialSetAside int `json:"serial_set_aside"`   // likewise
}

// Disturbed reports whether other programs, or the machine, had a part in the numbers of r: a
// repetition or a serial one stays disturbed, or, in documents without that field, there is a
// warning of it.
func (r *Result) Disturbed() bool {
	if d := r.Disturbances; d != nil && d.Repetitions+d.Serial > 0 {
		return true
	}
	for _, w := range r.WarningCodes {
		if w.Code == StampedOverCPU || w.Code == LostCPU {
			return true
		}
	}
	return false
}

// disturbances counts the disturbed ones among the repetitions of m; nil where none was judged.
func (m *Measured) disturbances() *Disturbances {
	d := &Disturbances{SetAside: len(m.SetAside), SerialSetAside: len(m.SerialSetAside)}
	judged := false
	count := func(reps []Repetition) (n int) {
		for i := range reps {
			judged = judged || reps[i].Disturbed != nil
			if len(reps[i].Disturbed) > 0 {
				n++
			}
		}
		return n
	}
	d.Repetitions, d.Serial = count(m.Repetitions), count(m.Serial)
	if !judged {
		return nil
	}
	return d
}
