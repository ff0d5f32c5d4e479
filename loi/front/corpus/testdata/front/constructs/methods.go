package constructs

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

type base struct {
	id   int
	name string
}

func (b base) describe() string { return fmt.Sprint(b.id, b.name) }
func (b *base) rename(n string) { b.name = n }

type middle struct {
	*base
	level int
}

type derived struct {
	middle
	fmt.Stringer
	sync.Mutex
	extra [3]base
}

type text string

func (t text) String() string { return strings.ToUpper(string(t)) }

type byID []base

func (b byID) Len() int           { return len(b) }
func (b byID) Less(i, j int) bool { return b[i].id < b[j].id }
func (b byID) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type visitor func(*base) visitor

func (v visitor) visit(bs ...*base) {
	for _, b := range bs {
		v = v(b)
	}
}

type empty struct{}

func (empty) zero() int  { return 0 }
func (*empty) star() int { return 1 }

var globalBase = base{1, "global"}
var globalDerived = derived{middle: middle{&globalBase, 2}, Stringer: text("text")}

func methods() {
	d := &derived{middle: middle{base: &base{7, "seven"}, level: 1}, Stringer: text("abc")}
	d.rename("new")
	fmt.Println(d.describe(), d.id, d.name, d.level, d.middle.base.name, d.String())
	d.id++
	d.middle.id += 2
	d.base.id *= 3
	d.Lock()
	d.extra[1].rename("x")
	d.extra[d.level].id = 4
	d.Unlock()
	fmt.Println(d.extra[1].describe(), d.id, d.extra)
	f, g, h := d.describe, d.rename, d.extra[1].describe
	d.rename("later")
	d.extra[1].id = 100
	g("by value")
	fmt.Println(f(), h(), d.describe())
	e1, e2 := base.describe, (*base).rename
	e2(d.base, "expression")
	fmt.Println(e1(*d.base), derived.describe(*d), (*derived).describe(d))
	bs := []base{{3, "c"}, {1, "a"}, {2, "b"}}
	sort.Sort(byID(bs))
	sort.Slice(bs, func(i, j int) bool { return bs[i].name > bs[j].name })
	fmt.Println(bs, byID(bs).Len())
	n := 0
	var v visitor
	v = func(b *base) visitor { n += b.id; b.id = n; return v }
	v.visit(&bs[0], &bs[1], d.base)
	fmt.Println(n, bs, d.id)
	globalBase.rename("changed")
	globalDerived.rename("twice")
	globalDerived.level++
	globalDerived.extra[2] = globalBase
	fmt.Println(globalBase.describe(), globalDerived.describe(), globalDerived.String(),
		globalDerived.extra, globalDerived.level)
	var s fmt.Stringer = text("iface")
	str := s.String
	s = text("other")
	fmt.Println(str(), s.String())
	e := &empty{}
	fmt.Println(e.zero(), e.star(), empty{}.zero())
	m := map[string]*derived{"d": d}
	m["d"].extra[0].id, m["d"].level = 5, 6
	m["d"].Lock()
	m["d"].Unlock()
	fmt.Println(m["d"].extra[0].describe(), m["d"].level, m["d"].describe())
	arr := [2]base{{1, "x"}, {2, "y"}}
	for i := range arr {
		arr[i].rename(arr[1-i].name)
		fmt.Print(arr[i].describe(), " ")
	}
	pp := &d
	(*pp).rename("pp")
	(**pp).level = 9
	fmt.Println((*pp).describe(), (**pp).level)
	defer (*pp).describe()
	defer d.extra[0].rename("deferred")
	func() {
		defer func() { fmt.Println(recover()) }()
		var nilBase *base
		nilBase.describe()
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var none derived
		none.rename("none")
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var i interface{ describe() string } = (*base)(nil)
		i.describe()
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		f := globalDerived.middle.base
		f = nil
		_ = f.describe
	}()
}
