package imports

import (
	"bufio"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unsafe"
)

// A sorter puts rows in order of their times; rows of the same time stay in the order that they
// were added in. It keeps runs of up to runRows rows in memory; if there are several, they are kept
// in a file without a name and merged in the end (Knuth, The Art of Computer Programming 3, 5.4).
type sorter struct {
	dir     string // where the file may be
	runRows int
	run     []row
	file    *os.File
	runs    []int64  // rows of each run in the file
	back    uint64   // rows whose time was before that of the last row of their worker
	last    []uint64 // time of the last row, by worker
	keys    []sortKey
	sorted  []row // what sortRun fills, and then swaps with run
}

type sortKey struct {
	time uint64
	at   uint32 // in the run
}

const (
	sortRows = 1 << 20 // 72 MiB
	rowBytes = int(unsafe.Sizeof(row{}))
)

func newSorter(dir string) *sorter { return &sorter{dir: dir, runRows: sortRows} }

// add takes a copy of rows.
func (s *sorter) add(rows []row) error {
	for len(rows) > 0 {
		n := min(len(rows), s.runRows-len(s.run))
		for i := range rows[:n] {
			r := &rows[i]
			for int(r.worker) >= len(s.last) {
				s.last = append(s.last, 0)
			}
			if r.time < s.last[r.worker] {
				s.back++
			}
			s.last[r.worker] = r.time
		}
		s.run = append(s.run, rows[:n]...)
		rows = rows[n:]
		if len(s.run) == s.runRows {
			if err := s.spill(); err != nil {
				return err
			}
		}
	}
	return nil
}

// sortRun sorts the run. Keys are sorted, and then the rows, which are large, are moved once.
func (s *sorter) sortRun() {
	if slices.IsSortedFunc(s.run, func(a, b row) int { return cmp.Compare(a.time, b.time) }) {
		return
	}
	s.keys = s.keys[:0]
	for i := range s.run {
		s.keys = append(s.keys, sortKey{s.run[i].time, uint32(i)})
	}
	slices.SortFunc(s.keys, func(a, b sortKey) int {
		if a.time != b.time {
			return cmp.Compare(a.time, b.time)
		}
		return cmp.Compare(a.at, b.at)
	})
	s.sorted = s.sorted[:0]
	for _, k := range s.keys {
		s.sorted = append(s.sorted, s.run[k.at])
	}
	s.run, s.sorted = s.sorted, s.run
}

// raw returns the memory of rows, which have no pointers. It stays within this process.
func raw(rows []row) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows)*rowBytes)
}

// spill writes the run to the file.
func (s *sorter) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, ".sort-*")
		if err != nil {
			return fmt.Errorf("room for sorting: %w", err)
		}
		s.file = f
		if err := os.Remove(f.Name()); err != nil {
			return fmt.Errorf("room for sorting: %w", err)
		}
	}
	s.sortRun()
	if _, err := s.file.Write(raw(s.run)); err != nil {
		return fmt.Errorf("room for sorting: %w", err)
	}
	s.runs = append(s.runs, int64(len(s.run)))
	s.run = s.run[:0]
	return nil
}

// each calls yield with all rows in order, some at a time.
func (s *sorter) each(yield func([]row) error) error {
	if s.file == nil {
		s.sortRun()
		return yield(s.run)
	}
	if len(s.run) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.run, s.sorted, s.keys = nil, nil, nil
	var m merge
	var at int64
	for i, n := range s.runs {
		r := bufio.NewReaderSize(io.NewSectionReader(s.file, at, n*int64(rowBytes)), 64<<10)
		at += n * int64(rowBytes)
		c := &mergeRun{r: r, left: n, number: i, head: make([]row, 1)}
		if err := c.next(); err != nil {
			return err
		}
		m = append(m, c)
	}
	heap.Init(&m)
	out := make([]row, 0, batchRows)
	for len(m) > 0 {
		out = append(out, m[0].head[0])
		if len(out) == cap(out) {
			if err := yield(out); err != nil {
				return err
			}
			out = out[:0]
		}
		err := m[0].next()
		if err == io.EOF {
			heap.Pop(&m)
		} else if err != nil {
			return err
		} else {
			heap.Fix(&m, 0)
		}
	}
	return yield(out)
}

func (s *sorter) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// A mergeRun is a run in the file and its next row.
type mergeRun struct {
	r      *bufio.Reader
	left   int64
	number int
	head   []row // one
}

// next reads the next row; io.EOF: there is none.
func (c *mergeRun) next() error {
	if c.left == 0 {
		return io.EOF
	}
	c.left--
	_, err := io.ReadFull(c.r, raw(c.head))
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("room for sorting: the file ends too early: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// merge is the heap of runs that have a next row.
type merge []*mergeRun

func (m merge) Len() int { return len(m) }
func (m merge) Less(i, j int) bool {
	if a, b := m[i].head[0].time, m[j].head[0].time; a != b {
		return a < b
	}
	return m[i].number < m[j].number
}
func (m merge) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)   { *m = append(*m, x.(*mergeRun)) }
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
