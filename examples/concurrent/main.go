// Package main has four small programs whose goroutines share data: their first argument names one. The
// second is a size.
//
//	sparse  SciMark's sparse matrix times a vector, rows by worker, a wait group for each round
//	pool    workers that take jobs from a channel and send results
//	maps    a map in shards, each with a lock for reading and writing
//	store   a server of keys and values with a log that another goroutine compacts
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

const workers = 4

func main() {
	size := 0
	if len(os.Args) == 3 {
		size, _ = strconv.Atoi(os.Args[2])
	}
	programs := map[string]func(int) int{"sparse": sparse, "pool": pool, "maps": maps, "store": store}
	if size < 1 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "expected sparse, pool, maps or store, and a size from 1 on")
		os.Exit(2)
	}
	fmt.Println(programs[os.Args[1]](size))
}

// random returns the next of a row of numbers.
func random(x uint32) uint32 {
	x ^= x << 13
	x ^= x >> 17
	return x ^ x<<5
}

// sparse multiplies a matrix of 5 entries a row by a vector, and the result again.
func sparse(rows int) int {
	const perRow, rounds = 5, 4
	value, column := make([]float64, rows*perRow), make([]int, rows*perRow)
	seed := uint32(1)
	for i := range value {
		seed = random(seed)
		value[i], column[i] = 1, int(seed)%rows
		if column[i] < 0 {
			column[i] += rows
		}
	}
	x, y := make([]float64, rows), make([]float64, rows)
	for i := range x {
		x[i] = 1
	}
	for range rounds {
		var wg sync.WaitGroup
		for w := range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for r := w * rows / workers; r < (w+1)*rows/workers; r++ {
					sum := 0.0
					for k := r * perRow; k < (r+1)*perRow; k++ {
						sum += value[k] * x[column[k]]
					}
					y[r] = sum
				}
			}()
		}
		wg.Wait()
		x, y = y, x
	}
	return int(x[0])
}

type job struct{ from, to int }

// pool sums parts of a table, each with a weight that all share.
func pool(jobs int) int {
	const part = 32
	table, weight := make([]int, jobs*part), make([]int, part)
	for i := range table {
		table[i] = i
	}
	for i := range weight {
		weight[i] = 1
	}
	todo, sums := make(chan job, workers), make(chan int, workers)
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range todo {
				sum := 0
				for i := j.from; i < j.to; i++ {
					sum += table[i] * weight[i-j.from]
				}
				sums <- sum
			}
		}()
	}
	go func() {
		for j := range jobs {
			todo <- job{j * part, (j + 1) * part}
		}
		close(todo)
		wg.Wait()
		close(sums)
	}()
	all := 0
	for sum := range sums {
		all += sum
	}
	return all
}

type shard struct {
	mu   sync.RWMutex
	keys map[uint32]int
}

// maps has each worker count keys, of which half are those of all workers.
func maps(keys int) int {
	shards := make([]*shard, 8)
	for i := range shards {
		shards[i] = &shard{keys: map[uint32]int{}}
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			seed := uint32(w + 1)
			for i := range keys {
				key := uint32(i)
				if seed = random(seed); i%2 == 0 {
					key = seed
				}
				s := shards[key%8]
				s.mu.Lock()
				s.keys[key]++
				s.mu.Unlock()
				s.mu.RLock()
				if s.keys[key] == 0 {
					panic("a key is lost")
				}
				s.mu.RUnlock()
			}
		}()
	}
	wg.Wait()
	sum := 0
	for _, s := range shards {
		sum += len(s.keys)
	}
	return sum
}

type request struct {
	key   uint32
	value int // 0: it is read
	reply chan int
}

// entry is one of the log.
type entry struct {
	key   uint32
	value int
}

// store serves clients that write and read keys. Writes go to a log, whose full segments
// another goroutine compacts.
func store(requests int) int {
	const segment = 64
	ask, full := make(chan request), make(chan []entry, 2)
	var clients, all sync.WaitGroup
	all.Add(2)
	go func() {
		defer all.Done()
		keys, log := map[uint32]int{}, make([]entry, 0, segment)
		for r := range ask {
			if r.value == 0 {
				r.reply <- keys[r.key]
				continue
			}
			keys[r.key] = r.value
			if log = append(log, entry{r.key, r.value}); len(log) == segment {
				full <- log
				log = make([]entry, 0, segment)
			}
			r.reply <- r.value
		}
		full <- log
		close(full)
	}()
	latest := map[uint32]int{}
	go func() {
		defer all.Done()
		for log := range full {
			for _, e := range log {
				latest[e.key] = e.value
			}
		}
	}()
	for w := range workers {
		clients.Add(1)
		go func() {
			defer clients.Done()
			seed, reply := uint32(w+1), make(chan int, 1)
			for i := range requests {
				seed = random(seed)
				ask <- request{seed % 512, (i % 3) * (i + 1), reply}
				<-reply
			}
		}()
	}
	clients.Wait()
	close(ask)
	all.Wait()
	return len(latest)
}
