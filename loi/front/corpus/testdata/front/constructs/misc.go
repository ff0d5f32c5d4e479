package constructs

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	. "unsafe"
)

func closures() {
	counter := func() func() *int {
		n := 0
		return func() *int { n++; return &n }
	}()
	p := counter()
	*p += 10
	fmt.Println(*counter(), *p)
	s := []int{1, 2, 3}
	x := &node{value: 1}
	add := func(n int) int {
		s[0] += n
		x.value += s[0]
		s = append(s, x.value)
		return s[len(s)-1]
	}
	fmt.Println(add(1), add(2), s, x.value)
	var fib func(int) int
	memo := map[int]int{}
	fib = func(n int) int {
		if v, ok := memo[n]; ok || n < 2 {
			return max(v, n)
		}
		memo[n] = fib(n-1) + fib(n-2)
		return memo[n]
	}
	fmt.Println(fib(40))
	func() {
		defer func(n int) { fmt.Println("deferred", n, x.value) }(x.value)
		x.value = 50
	}()
	swap := func() { x, s[0] = &node{value: s[0]}, x.value }
	old := x
	swap()
	old.value++
	fmt.Println(x.value, s[0], old.value)
	x.value = func() int { x = &node{value: -1}; return 5 }()
	fmt.Println(x.value)
	x.value += func() int { x = &node{value: -5}; return 7 }()
	fmt.Println(x.value)
	s[0] = func() int { s = []int{7, 8}; return 9 }()
	fmt.Println(s)
	i := 0
	s[i] = func() int { i = 1; return 4 }()
	fmt.Println(s, i)
	func(f ...func()) {
		for _, g := range f {
			g()
		}
	}(func() { fmt.Print("one ") }, func() { fmt.Println("two") })
}

func concurrent() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := &node{}
	var count atomic.Int64
	var raw int64
	results := make([]int, 8)
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range 100 {
				mu.Lock()
				total.value += j
				total.kids = append(total.kids, &node{value: j})
				mu.Unlock()
				count.Add(1)
				atomic.AddInt64(&raw, 2)
			}
			results[i] = i * i
		}()
	}
	wg.Wait()
	fmt.Println(total.value, len(total.kids), count.Load(), raw, results)
	type message struct {
		n     int
		reply chan *message
	}
	in := make(chan *message)
	go func() {
		for m := range in {
			m.n *= 2
			m.reply <- m
		}
	}()
	m := &message{1, make(chan *message)}
	for m.n < 100 {
		in <- m
		m = <-m.reply
	}
	fmt.Println(m.n)
	boxes := []chan int{make(chan int, 1), make(chan int, 1), nil}
	got := make([]int, 3)
	for k := range 6 {
		select {
		case boxes[k%2] <- k:
			fmt.Print("sent ")
		case got[1] = <-boxes[0]:
			fmt.Print("got ")
		case v, ok := <-boxes[2]:
			fmt.Print(v, ok)
		}
		select {
		case got[0] = <-boxes[k%2]:
		default:
			fmt.Print("none ")
		}
	}
	fmt.Println(got[0] >= 0)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { <-ctx.Done(); total.value = -1; close(done) }()
	cancel()
	select {
	case <-done:
		fmt.Println(total.value, ctx.Err())
	case <-time.After(time.Minute):
		fmt.Println("late")
	}
	var once sync.Once
	for range 3 {
		once.Do(func() { total.value++ })
	}
	go func(n *node) { n.value++; in <- &message{n: n.value, reply: make(chan *message, 1)} }(total)
	close(make(chan int))
	for total.value < 1 {
		mu.Lock()
		total.value++
		mu.Unlock()
		runtime.Gosched()
	}
	fmt.Println(total.value > 0)
}

type header struct {
	a byte
	b int32
	c [3]uint16
}

//go:nosplit
func nosplit(p *header) int32 { p.b++; return p.b }

//go:noinline
func noinline(p *header) int32 { p.b++; return p.b }

func unsafely() {
	h := &header{1, 2, [3]uint16{3, 4, 5}}
	p := Pointer(h)
	b := (*int32)(Pointer(uintptr(p) + Offsetof(h.b)))
	*b += 40
	c := (*uint16)(Add(p, Offsetof(h.c)+2))
	*c++
	fmt.Println(h.b, h.c, Sizeof(*h), Alignof(h.c), Sizeof(h.c[0]), Offsetof(h.c))
	s := Slice(&h.c[0], 3)
	s[2] = 9
	fmt.Println(s, len(s), h.c)
	bytes := (*[12]byte)(p)
	bytes[0]++
	fmt.Println(h.a, len(bytes))
	str := String(&bytes[0], 1)
	fmt.Println(str[0], *StringData("x"), *SliceData(s))
	fmt.Println(nosplit(h), noinline(h))
	const size = Sizeof(header{})
	var arr [size]byte
	fmt.Println(len(arr))
	runtime.GC()
	runtime.KeepAlive(h)
}

var (
	first1 = second + 1
	second = func() int { third.value++; return third.value }()
	third  = &node{value: compute(4)}
	lookup = map[string]func(*node) int{"v": func(n *node) int { return n.value }}
	tree1  = []*node{{value: 1}, {value: 2, next: &node{value: 3}}}
	lines  [3]struct{ n int }
	_      = setUp("blank")
)

func compute(n int) int { table[3] = n; return n * n }
func setUp(s string) bool {
	names = append(names, s)
	return true
}

var names []string

func init() { setUp("first"); table[2] = second }
func init() { setUp("second"); lines[1].n = len(names) }

func globals() {
	fmt.Println(first1, second, third.value, names, table, lines)
	fmt.Println(lookup["v"](tree1[1].next), tree1[0].value)
	lines[0], lines[2] = lines[1], lines[0]
	lines[1].n += 5
	old := lines
	lines[0].n = 100
	fmt.Println(old, lines, old == lines)
	args := os.Args
	fmt.Println(len(args), len(os.Args[1:]), os.Args[1][:2])
	fmt.Fprintln(os.Stderr, "to stderr", names[0])
	slice, names = slice[:2], nil
	fmt.Println(slice, names == nil, len(slice), cap(slice))
}

func texts() {
	s := "héllo, wörld"
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			n += int(s[i])
		}
	}
	type name string
	t := name("typed")
	h := &struct {
		s string
		t name
		b []byte
	}{s, t, []byte("bytes")}
	h.s += h.s[:2] + string(h.t[0]) + string(h.b[1:3])
	fmt.Println(n, h.s, h.t[len(h.t)-1], h.s[0] == 'h', "abc"[n%3], string(rune(h.b[0])))
	copy(h.b, h.t)
	copy(h.b[1:], "xyz")
	h.b = append(h.b, h.s[:3]...)
	h.b = append(h.b, h.t...)
	fmt.Println(string(h.b), strings.Fields(h.s)[1])
	fmt.Println(copy(h.b, h.b[2:]), string(h.b), h.s < "z", h.t == "typed", h.s == s)
	var b strings.Builder
	for _, r := range h.s {
		if r != 'l' {
			b.WriteRune(r)
		}
	}
	fmt.Println(b.String(), len([]rune(h.s)), []byte(h.s[:2]), h.s[uint8(1)])
	switch h.s[:1] {
	case "h":
		fmt.Println("h")
	}
	const c = "const"
	fmt.Println(len(c), c[1], c[len(s)%3], `raw
line`[n%2])
}

func appends() {
	h := &struct {
		s  []int
		ss [][]int
	}{}
	for i := range 10 {
		h.s = append(h.s, i, i*i)
		h.ss = append(h.ss, h.s[len(h.s)-2:])
	}
	fmt.Println(len(h.s), h.ss[3], h.ss[9])
	more := func() int { h.s = append(h.s, -1); return len(h.s) }
	h.s = append(h.s, more(), more())
	h.s = append(h.s[:3], h.s[5:]...)
	h.s = append(h.s, make([]int, 3)...)
	h.s = append([]int(nil), h.s...)
	h.s = append([]int{}, append(h.s, 7)...)
	h.s = append(h.s)
	fmt.Println(h.s)
	n := copy(h.s, h.s[3:])
	clear(h.s[n:])
	fmt.Println(h.s, n, copy(h.s[1:3], []int{5, 5, 5}), h.s[:4])
	h.ss = append(h.ss, nil, []int{1}, append([]int(nil), 2, 3))
	h.ss[0], h.ss[1] = append(h.ss[1], 1), append(h.ss[0], 2)
	fmt.Println(h.ss[0], h.ss[1], len(h.ss), h.ss[10] == nil)
	var xs []any
	xs = append(xs, 1, "a", nil, h.s[0], error(nil), xs)
	fmt.Println(len(xs), xs[:4])
	var es []error
	es = append(es, nil, fmt.Errorf("e"), os.ErrExist)
	fmt.Println(es)
	type bytes []byte
	b := append(bytes("abc"), "def"...)
	b = append(b, 'x', 1<<3)
	fmt.Println(string(b[:7]), len(b))
	stack := []*node{{value: 1}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if top.value < 5 {
			stack = append(stack, &node{value: top.value + 2}, &node{value: top.value * 2})
		}
		fmt.Print(top.value, " ")
	}
	grow := func(p *[]int) { *p = append(*p, len(*p)); (*p)[0]++ }
	grow(&h.s)
	fmt.Println(h.s[0], h.s[len(h.s)-1])
	big := make([][4]int, 2, 10)
	big[1][2] = 3
	big = append(big, big[1], [4]int{9})
	big[0], big[1][0] = big[3], 4
	fmt.Println(big, len(big))
	defer copy(h.s, []int{100})
	defer fmt.Println(append(h.s[:0:0], 1, 2)[1])
}
