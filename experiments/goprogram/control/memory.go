package control

import (
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A Policy chooses who is next, numbered as in loi/front/build/_runtime/krdcontrol.go.
type Policy int

// The policies. first goes on with the goroutine that runs or, if that waits, takes the first one, and least
// takes that at once.
const (
	Walk Policy = 1 + iota
	PCT
	first
	least
	POS
	RoundRobin
)

// Policies are those that draw schedules.
var Policies = []Policy{Walk, PCT, POS, RoundRobin}

func (p Policy) String() string {
	return [...]string{"walk", "pct", "follow", "all", "pos", "round-robin"}[p-1]
}

// Preempt is where goroutines may be left.
type Preempt int

// Goroutines may be left at operations by which they wait for each other; at atomic ones of the packages that are
// observed too; there at accesses to shared data too.
const (
	AtSync Preempt = iota
	AtAtomics
	AtAccesses
)

func (p Preempt) String() string { return Preempts()[p] }

// Preempts returns the names.
func Preempts() []string { return []string{"sync", "atomics", "accesses"} }

// The words of the memory that is shared with the program, of 8 bytes each, and the list behind them.
const (
	wordMagic = iota
	wordPolicy
	wordSeed
	wordDepth
	wordLength
	wordLimit
	wordFollow
	wordSteps
	wordChoices
	wordHash
	wordEnd
	wordEarly
	wordPreempt
	wordLearn
	words
)

// The sites of shared data stand behind the words, as bits, and the list of choices behind these.
const (
	siteWords = 1 << 13
	listAt    = (words + siteWords) * 8
)

const (
	magic       = 0x6b7264637472316c
	mostChoices = 1 << 18
)

// shared is the memory.
type shared struct {
	file *os.File
	data []byte
}

func newShared(path string) (*shared, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	const size = listAt + mostChoices*4
	if err = f.Truncate(size); err == nil {
		var data []byte
		if data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
			return &shared{f, data}, nil
		}
	}
	f.Close()
	return nil, fmt.Errorf("memory of control: %w", err)
}

func (s *shared) close() {
	_ = unix.Munmap(s.data)
	_ = s.file.Close()
}

func (s *shared) word(n int) uint64 { return binary.LittleEndian.Uint64(s.data[8*n:]) }

func (s *shared) set(n int, v uint64) { binary.LittleEndian.PutUint64(s.data[8*n:], v) }

// begin sets what the next run is to do.
func (s *shared) begin(of *schedule, r *Request) {
	clear(s.data[:8*words])
	for n, v := range map[int]uint64{wordMagic: magic, wordPolicy: uint64(of.policy), wordSeed: of.seed,
		wordDepth: uint64(of.depth), wordLength: of.length, wordLimit: r.Limit,
		wordPreempt: uint64(r.Preempt), wordFollow: uint64(len(of.follow))} {
		s.set(n, v)
	}
	for n, is := range map[int]bool{wordEarly: r.Early, wordLearn: of.learn} {
		if is {
			s.set(n, 1)
		}
	}
	for i, x := range of.follow {
		binary.LittleEndian.PutUint32(s.data[listAt+4*i:], x)
	}
}

// choices returns those of the last run, as many as there is room for, and of how many goroutines each was.
func (s *shared) choices() (list, of []uint32) {
	list = make([]uint32, min(s.word(wordChoices), mostChoices))
	of = make([]uint32, len(list))
	for i := range list {
		x := binary.LittleEndian.Uint32(s.data[listAt+4*i:])
		list[i], of[i] = x&0xffff, x>>16
	}
	return list, of
}
