package hw

import "runtime"

// OnCPU runs f on a thread that is bound to a CPU and ends with it. f does not run where the thread
// cannot be bound; the error is that of [Pin].
func OnCPU(cpu int, f func()) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is retired
		_, err := Pin(cpu)
		if err == nil {
			f()
		}
		done <- err
	}()
	return <-done
}
