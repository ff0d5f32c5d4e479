package named

import (
	"context"
	"runtime/pprof"
)

var p = new(int)

func leaf() { *p++ }

//krd:kernel by comment
func named() {
	leaf()
	pprof.Do(context.Background(), pprof.Labels("kernel", "hidden"), func(context.Context) { leaf() })
}

func Main() {
	leaf()
	named()
	other := context.Background()
	pprof.Do(other, pprof.Labels("kernel", "a label", "else", "x"), func(context.Context) {
		leaf()
		done := make(chan bool)
		go func() {
			leaf()
			close(done)
		}()
		<-done
	})
	//krd:kernel loop
	for range 3 {
		leaf()
	}
	leaf()
}
