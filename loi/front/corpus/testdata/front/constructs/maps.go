package constructs

import (
	"fmt"
	std "maps"
	"slices"
)

type key struct {
	a int
	b string
}

type entry struct {
	n    int
	tags []string
}

func maps_(m map[string]int) []string { return slices.Sorted(std.Keys(m)) }

func ranges2(m map[key]entry) (n int) {
	for k, e := range m {
		n += k.a*len(k.b) + e.n
	}
	for range m {
		n++
	}
	for _, e := range m {
		n += len(e.tags)
	}
	return n
}

func mapsOf() map[string]map[int]*entry { return map[string]map[int]*entry{"x": {1: {n: 3}}} }

type month uint8

func maps1() {
	m := map[key]entry{{1, "a"}: {n: 1}, {2, "bb"}: {2, []string{"t"}}}
	m[key{3, "c"}] = entry{n: 4}
	e := m[key{1, "a"}]
	e.n++
	m[key{1, "a"}] = e
	_, ok := m[key{9, ""}]
	fmt.Println(len(m), ok, m[key{2, "bb"}].tags[0], ranges2(m))
	any1 := map[any]int{1: 1, "a": 2, 2.5: 3, key{1, "x"}: 4, nil: 5}
	var s fmt.Stringer
	any1[s]++
	any1[uint8(1)] = 6
	k := "a"
	any1[k] += 10
	fmt.Println(any1[1], any1["a"], any1[2.5], any1[key{1, "x"}], any1[nil], any1[uint8(1)],
		len(any1))
	months := map[month]string{1: "jan", 2: "feb"}
	months[3], months[4] = "mar", "apr"
	for i := range month(5) {
		if v, ok := months[i]; ok {
			fmt.Print(v, " ")
		}
	}
	delete(months, 2)
	fmt.Println(len(months), months[1<<1])
	f := map[float64]bool{0.5: true, 1: false, 1e3: true}
	fmt.Println(f[1/2.0], f[1000], len(f))
	c := map[complex128][]rune{1i: {'x'}}
	c[0+1i] = append(c[1i], 'y')
	fmt.Println(string(c[1i]))
	b := map[bool]int{}
	for i := range 5 {
		b[i%2 == 0]++
		b[i > 3] += i
	}
	fmt.Println(b)
	arr := map[[2]int]string{{1, 2}: "x"}
	arr[[2]int{3, 4}] += "y"
	fmt.Println(arr)
	p := map[*entry]int{}
	pe := &entry{n: 1}
	p[pe]++
	p[pe] <<= 3
	fmt.Println(p[pe], p[nil])
	nested := mapsOf()
	nested["x"][1].n += 4
	nested["x"][2] = nested["x"][1]
	nested["x"][2].tags = append(nested["x"][2].tags, "q")
	fmt.Println(nested["x"][1].n, nested["x"][1].tags, nested["y"][3] == nil)
	var none map[string]int
	delete(none, "a")
	fmt.Println(none["a"], len(none))
	clear(nested)
	fmt.Println(len(nested))
	words := map[string]int{}
	for _, w := range []string{"a", "b", "a"} {
		words[w]++
	}
	for k := range words {
		words[k] *= 2
		delete(words, "zz")
	}
	fmt.Println(maps_(words), words)
	fs := map[string]func(int) int{"double": func(i int) int { return 2 * i }}
	fmt.Println(fs["double"](4))
	ch := map[string]chan int{"c": make(chan int, 1)}
	ch["c"] <- words["a"]
	words["got"] = <-ch["c"]
	ch["c"] <- 1
	v, ok := <-ch["c"+""[:0]]
	_ = v
	fmt.Println(words["got"], ok)
}

func maps() {
	defer func() {
		if x := recover(); x != nil {
			panic(x)
		}
	}()
	maps1()
	mapsRest()
}

func mapsRest() {
	type local struct{ a, b int }
	m := map[local]int{{1, 2}: 3}
	m[local{1, 2}]++
	m[local{b: 2}]--
	fmt.Println(m)
	var x any = local{1, 2}
	fmt.Println(m[x.(local)])
	chans := make(map[string]chan int)
	chans["a"] = make(chan int, 2)
	chans["a"] <- 3
	chans["a"] <- 4
	m[local{}], m[local{9, 9}] = <-chans["a"], <-chans["a"]
	fmt.Println(m)
	var ok bool
	m[local{7, 7}], ok = m[local{1, 2}]
	fmt.Println(m, ok)
	type boolean bool
	var named boolean
	_, named = m[local{}]
	fmt.Println(named)
}
