// Package service answers requests in JSON from a table behind a lock, with counters and a pool of buffers.
package service

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
)

type table struct {
	mu      sync.Mutex
	values  map[int]int
	answers atomic.Int64
	buffers sync.Pool
}

type answer struct{ Key, Value, Number int }

// ask changes a value and returns the answer.
func (t *table) ask(key int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.values[key%8] += key
	b, _ := t.buffers.Get().(*bytes.Buffer)
	if b == nil {
		b = &bytes.Buffer{}
	}
	b.Reset()
	a := answer{key, t.values[key%8], int(t.answers.Add(1))}
	if err := json.NewEncoder(b).Encode(a); err != nil {
		panic(err)
	}
	t.buffers.Put(b)
	return b.String()
}

// Main asks from four goroutines, of which each reads its answers.
func Main() {
	t := &table{values: map[int]int{}}
	var read [4]int
	var all sync.WaitGroup
	for g := range read {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 25 {
				var a answer
				if err := json.Unmarshal([]byte(t.ask(4*i+g)), &a); err != nil {
					panic(err)
				}
				if read[g]++; a.Key != 4*i+g {
					panic("the answer to another request")
				}
			}
		}()
	}
	all.Wait()
	fmt.Println(t.answers.Load(), read)
}
