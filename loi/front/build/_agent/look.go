package krdagent

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/maps"
	"unsafe"
)

// A Root is a variable from which memory is looked at that a tried loop may have written.
type Root struct {
	name string
	at   unsafe.Pointer
	of   *abi.Type
}

// At returns a root.
func At[T any](name string, at *T) Root { return Root{name, unsafe.Pointer(at), abi.TypeFor[T]()} }

// looked writes for the tracer what was found; false: nothing is looked at.
//
//go:linkname looked runtime.krdLooked
func looked(p unsafe.Pointer, n int) bool

// planned reads so many bytes of what the plain order had; false: there are none.
//
//go:linkname planned runtime.krdPlain
func planned(p unsafe.Pointer, n int) bool

// object returns where the object in the heap begins that has an address; 0: it is not there, or may
// lie anywhere in a block.
//
//go:linkname object runtime.krdObject
func object(at uintptr) uintptr

// detail returns the number of an instance and a loop whose values are written one by one; "": all
// are hashed.
//
//go:linkname detail runtime.krdDetail
func detail() string

var looks struct {
	lock    atomic.Uint32
	loops   map[string]*looking
	globals map[string][]Root // by file
}

// A looking is how far the instances of a loop have been looked at.
type looking struct {
	number, ended int
	values        int // that were hashed
	sums          int // that were written
}

// All instances are looked at until so many values were, then those whose number is a power of two;
// and so many sums are written.
const (
	valuesOfAll = 1 << 22
	mostValues  = 1 << 28
	mostSums    = 1 << 22
)

// Look notes, at the end of an instance, the values that the loop left. Each is a line:
//
//	loop NUMBER NAME
//	sums NUMBER BITS...     of floating point, in hexadecimal; without BITS: too many
//	off NUMBER INSTANCE NAME PLAIN HERE     a sum that is not as in the plain order
//	root NUMBER INSTANCE NAME HASH HASH     what is reached from it first; without floating point
//	value KIND VALUE PATH     in detail
//
// Beside roots there are those of a file, "": none.
func (o *Order[I]) Look(file string, roots ...Root) {
	if !looked(nil, 0) {
		return
	}
	for _, g := range looks.globals[file] {
		again := false
		for i := range roots {
			again = again || roots[i].at == g.at
		}
		if !again {
			roots = append(roots, g)
		}
	}
	look(o.loop, o.kept, o.plain, roots)
}

// Globals adds roots that functions of a file may write.
func Globals(file string, roots ...Root) {
	if looks.globals == nil {
		looks.globals = map[string][]Root{}
	}
	looks.globals[file] = roots
}

func look(loop string, kept []Kept, plain bool, roots []Root) {
	for !looks.lock.CompareAndSwap(0, 1) {
	}
	var out text
	l := looks.loops[loop]
	if l == nil {
		l = &looking{number: len(looks.loops)}
		if looks.loops == nil {
			looks.loops = map[string]*looking{}
		}
		looks.loops[loop] = l
		out.add("loop ").number(l.number).add(" ").add(loop).add("\n")
	}
	w := walk{loop: l, instance: l.ended}
	l.ended++
	for _, v := range kept {
		if s, ok := v.(*sum); ok && plain {
			s.tell(l, &out)
		} else if ok {
			s.settle(&w, &out)
		}
		if from, to := v.hides(); from < to {
			w.hidden = append(w.hidden, [2]uintptr{from, to})
		}
	}
	if d := detail(); d != "" {
		var which text
		if string(*which.number(w.instance).add(" ").add(loop)) == d {
			w.out = &out
			w.roots(roots)
		}
	} else if l.values < valuesOfAll || w.instance&(w.instance-1) == 0 && l.values < mostValues {
		for i, h := range w.roots(roots) {
			out.add("root ").number(l.number).add(" ").number(w.instance).add(" ").add(roots[i].name)
			out.add(" ").bits(h[0]).add(" ").bits(h[1]).add("\n")
		}
	}
	if len(out) > 0 {
		looked(unsafe.Pointer(&out[0]), len(out))
	}
	looks.lock.Store(0)
}

type text []byte

func (t *text) add(s string) *text { *t = append(*t, s...); return t }

func (t *text) number(n int) *text {
	if n < 0 {
		*t = append(*t, '-')
		return t.unsigned(-uint64(n))
	}
	return t.unsigned(uint64(n))
}

func (t *text) unsigned(n uint64) *text {
	if n >= 10 {
		t.unsigned(n / 10)
	}
	*t = append(*t, '0'+byte(n%10))
	return t
}

func (t *text) bits(n uint64) *text {
	if n >= 16 {
		t.bits(n / 16)
	}
	*t = append(*t, "0123456789abcdef"[n%16])
	return t
}

// A walk hashes the data reached from some roots, each value once. Pointers are by the object that
// they point to: the so-manyeth that was reached, and where in it.
type walk struct {
	loop     *looking
	instance int
	hidden   [][2]uintptr // addresses that are not looked at
	hash     [2]uint64    // of all, of all but floating point
	objects  map[uintptr]uint64
	done     map[part][2]uintptr // addresses of an object, as values of a type
	next     []reached
	shallow  int   // pointers are not followed, nor are they told from one another
	out      *text // of details; nil: there are none
}

type part struct {
	object uintptr
	of     *abi.Type
}

// reached are n values that are still to be looked at; 0: it is one, and no slice.
type reached struct {
	at   unsafe.Pointer
	of   *abi.Type
	n    int
	path string
}

// roots returns the hashes of the data reached first from each.
func (w *walk) roots(roots []Root) [][2]uint64 {
	w.objects, w.done = map[uintptr]uint64{}, map[part][2]uintptr{}
	var all [][2]uint64
	for _, r := range roots {
		w.hash = [2]uint64{1, 1}
		w.next = append(w.next[:0], reached{r.at, r.of, 0, r.name})
		for i := 0; i < len(w.next); i++ {
			r := w.next[i]
			if r.n == 0 {
				w.value(r.of, r.at, r.path)
			}
			for k := range r.n {
				w.value(r.of, unsafe.Add(r.at, uintptr(k)*r.of.Size_), w.element(r.path, k))
			}
		}
		all = append(all, w.hash)
	}
	return all
}

func (w *walk) element(path string, i int) string {
	if w.out == nil {
		return ""
	}
	t := text(path)
	return string(*t.add("[").number(i).add("]"))
}

func (w *walk) within(path, name string) string {
	if w.out == nil {
		return ""
	}
	return path + "." + name
}

// mix takes a value into the hash.
func (w *walk) mix(x uint64) {
	for i, h := range w.hash {
		w.hash[i] = mixed(h, x)
	}
	w.loop.values++
}

func mixed(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// say writes a value.
func (w *walk) say(kind, path string, x uint64) {
	if w.out != nil {
		w.out.add("value ").add(kind).add(" ").bits(x).add(" ").add(path).add("\n")
	}
}

// value takes the value of a type at an address.
func (w *walk) value(t *abi.Type, p unsafe.Pointer, path string) {
	for _, h := range w.hidden {
		if at := uintptr(p); at >= h[0] && at < h[1] {
			return
		}
	}
	switch t.Kind() {
	case abi.Bool, abi.Uint8, abi.Int8:
		w.plain("i", uint64(*(*int8)(p)), path)
	case abi.Int16, abi.Uint16:
		w.plain("i", uint64(*(*int16)(p)), path)
	case abi.Int32, abi.Uint32:
		w.plain("i", uint64(*(*int32)(p)), path)
	case abi.Int, abi.Uint, abi.Int64, abi.Uint64:
		w.plain("i", *(*uint64)(p), path)
	case abi.Float32, abi.Float64, abi.Complex64, abi.Complex128:
		for f := range floats(t, p) {
			b := f.bits()
			w.hash[0] = mixed(w.hash[0], b)
			w.loop.values++
			w.say("f", path, b)
		}
	case abi.String:
		s := *(*string)(p)
		h := uint64(len(s))
		for i := range len(s) {
			h = mixed(h, uint64(s[i]))
		}
		w.mix(h)
		w.loop.values += len(s) / 8
		w.say("s", path, h)
	case abi.Array:
		a := t.ArrayType()
		for i := range a.Len {
			w.value(a.Elem, unsafe.Add(p, i*a.Elem.Size_), w.element(path, int(i)))
		}
	case abi.Struct:
		for _, f := range t.StructType().Fields {
			if name := f.Name.Name(); name != "_" {
				w.value(f.Typ, unsafe.Add(p, f.Offset), w.within(path, name))
			}
		}
	case abi.Slice:
		s := (*[2]uintptr)(p)
		w.plain("n", uint64(s[1]), path)
		if s[1] > 0 {
			w.pointer(*(*unsafe.Pointer)(p), t.Elem(), int(s[1]), path)
		}
	case abi.Pointer:
		w.pointer(*(*unsafe.Pointer)(p), t.Elem(), 0, path)
	case abi.Map:
		w.entries(t.MapType(), *(**maps.Map)(p), path)
	case abi.Interface:
		w.dynamic(t, p, path)
	case abi.Chan: // what it holds is not looked at
		w.pointer(*(*unsafe.Pointer)(p), abi.TypeFor[struct{}](), 0, path)
	case abi.Func, abi.UnsafePointer:
		is := uint64(0)
		if *(*unsafe.Pointer)(p) != nil {
			is = 1
		}
		w.plain("p", is, path)
	}
}

func (w *walk) plain(kind string, x uint64, path string) {
	w.mix(x)
	w.say(kind, path, x)
}

// dynamic takes an interface.
func (w *walk) dynamic(t *abi.Type, p unsafe.Pointer, path string) {
	e := (*abi.EmptyInterface)(p)
	of := e.Type
	if tab := *(**abi.ITab)(p); t.NumMethod() > 0 && tab != nil {
		of = tab.Type
	}
	if of == nil {
		w.plain("p", 0, path)
		return
	}
	w.plain("t", uint64(of.Hash), path)
	if of.IsDirectIface() {
		w.value(of, unsafe.Pointer(&e.Data), path)
	} else {
		w.pointer(e.Data, of, 0, path)
	}
}

// pointer takes a pointer to n values of a slice; 0: to one.
func (w *walk) pointer(p unsafe.Pointer, of *abi.Type, n int, path string) {
	if p == nil {
		w.plain("p", 0, path)
		return
	}
	if w.shallow > 0 {
		w.mix(1)
		return
	}
	at := uintptr(p)
	from := object(at)
	if from == 0 {
		from = at
	}
	number := w.objects[from]
	if number == 0 {
		number = uint64(len(w.objects) + 1)
		w.objects[from] = number
	}
	w.plain("p", number<<32+uint64(at-from), path)
	key, to := part{from, of}, at+uintptr(max(n, 1))*of.Size_
	if d, ok := w.done[key]; ok && d[0] <= at && to <= d[1] {
		return
	} else if !ok || at <= d[1] && d[0] <= to {
		if ok {
			at, to = min(at, d[0]), max(to, d[1])
		}
		w.done[key] = [2]uintptr{at, to}
	}
	w.next = append(w.next, reached{p, of, n, path})
}

// entries takes a map, in an order of its keys. Those that are the same but for what they point to are
// taken together, without what they point to.
func (w *walk) entries(t *abi.MapType, m *maps.Map, path string) {
	if m == nil {
		w.plain("n", 0, path)
		return
	}
	w.plain("n", m.Used(), path)
	type entry struct {
		key        uint64
		elem, from unsafe.Pointer
	}
	var list []entry
	var it maps.Iter
	out, hash := w.out, w.hash
	w.out = nil
	w.shallow++
	for it.Init(t, m); ; {
		if it.Next(); it.Key() == nil {
			break
		}
		w.hash = [2]uint64{1, 1}
		w.value(t.Key, it.Key(), "")
		list = append(list, entry{w.hash[0], it.Elem(), it.Key()})
	}
	w.shallow--
	w.out, w.hash = out, hash
	sortBy(list, func(a, b *entry) bool { return a.key < b.key })
	for i := 0; i < len(list); {
		e := i + 1
		for e < len(list) && list[e].key == list[i].key {
			e++
		}
		name := path
		if k := t.Key.Kind(); w.out != nil && k == abi.String {
			name = path + "[\"" + *(*string)(list[i].from) + "\"]"
		} else if w.out != nil && k >= abi.Int && k <= abi.Uint64 {
			name = w.element(path, integerAt(t.Key, list[i].from))
		} else if w.out != nil {
			name = path + "[...]"
		}
		w.plain("k", list[i].key, name)
		if e == i+1 {
			w.value(t.Elem, list[i].elem, name)
		} else {
			w.alike(t.Elem, e-i, func(k int) unsafe.Pointer { return list[i+k].elem }, name)
		}
		i = e
	}
}

func integerAt(t *abi.Type, p unsafe.Pointer) int {
	switch t.Size_ {
	case 1:
		return int(*(*int8)(p))
	case 2:
		return int(*(*int16)(p))
	case 4:
		return int(*(*int32)(p))
	}
	return *(*int)(p)
}

// alike takes n values in no order.
func (w *walk) alike(t *abi.Type, n int, at func(int) unsafe.Pointer, path string) {
	out, hash, all := w.out, w.hash, [2]uint64{}
	w.out = nil
	w.shallow++
	for k := range n {
		w.hash = [2]uint64{1, 1}
		w.value(t, at(k), "")
		all[0] += w.hash[0]
		all[1] += w.hash[1]
	}
	w.shallow--
	w.out = out
	w.hash = [2]uint64{mixed(hash[0], all[0]), mixed(hash[1], all[1])}
	w.say("k", path, all[0])
}

// sortBy sorts by merging: the agent lies below package sort.
func sortBy[E any](list []E, less func(a, b *E) bool) {
	if len(list) < 2 {
		return
	}
	half := len(list) / 2
	sortBy(list[:half], less)
	sortBy(list[half:], less)
	a, b := append([]E(nil), list[:half]...), list[half:]
	for i := 0; len(a) > 0; i++ {
		if len(b) > 0 && less(&b[0], &a[0]) {
			list[i], b = b[0], b[1:]
		} else {
			list[i], a = a[0], a[1:]
		}
	}
}

// A real is a number of floating point somewhere.
type real struct {
	at    unsafe.Pointer
	short bool
}

func (r real) get() float64 {
	if r.short {
		return float64(*(*float32)(r.at))
	}
	return *(*float64)(r.at)
}

// bits returns the bits of the number; all NaNs have the same.
func (r real) bits() uint64 {
	x := r.get()
	if x != x {
		return 0x7ff8 << 48
	}
	return *(*uint64)(unsafe.Pointer(&x))
}

func (r real) set(bits uint64) {
	x := *(*float64)(unsafe.Pointer(&bits))
	if r.short {
		*(*float32)(r.at) = float32(x)
	} else {
		*(*float64)(r.at) = x
	}
}

// floats yields those of a value, of its elements and fields; not what it points to.
func floats(t *abi.Type, p unsafe.Pointer) func(yield func(real) bool) {
	return func(yield func(real) bool) { reals(t, p, yield) }
}

func reals(t *abi.Type, p unsafe.Pointer, yield func(real) bool) bool {
	some := func(of *abi.Type, p unsafe.Pointer, n uintptr) bool {
		for i := range n {
			if !reals(of, unsafe.Add(p, i*of.Size_), yield) {
				return false
			}
		}
		return true
	}
	switch t.Kind() {
	case abi.Float32, abi.Float64:
		return yield(real{p, t.Size_ == 4})
	case abi.Complex64, abi.Complex128:
		half := t.Size_ / 2
		return yield(real{p, half == 4}) && yield(real{unsafe.Add(p, half), half == 4})
	case abi.Array:
		return some(t.ArrayType().Elem, p, t.ArrayType().Len)
	case abi.Struct:
		for _, f := range t.StructType().Fields {
			if !reals(f.Typ, unsafe.Add(p, f.Offset), yield) {
				return false
			}
		}
	}
	return true
}

// A sum is a variable to which iterations add numbers of floating point, which are rounded
// differently in another order. Its value there must be near its value in the plain order, and
// becomes that.
type sum struct {
	name  string
	at    unsafe.Pointer
	of    *abi.Type
	slice bool    // its elements, else its value
	most  float64 // the largest value that one had
	lost  bool
}

// Sum keeps a sum, or several.
func Sum[T any](name string, at *T) Kept {
	s := &sum{name: name, at: unsafe.Pointer(at), of: abi.TypeFor[T]()}
	if s.of.Kind() == abi.Slice {
		s.of, s.slice = s.of.Elem(), true
	}
	return s
}

func (s *sum) start()                {}
func (s *sum) begin(int)             {}
func (s *sum) leave(int)             {}
func (s *sum) wrote(int)             {}
func (s *sum) hides() (a, b uintptr) { return 0, 0 }

// end looks at a single number, which may have been larger than it is in the end.
func (s *sum) end(int) {
	if k := s.of.Kind(); !s.slice && (k == abi.Float32 || k == abi.Float64) {
		s.most = max(s.most, abs(real{s.at, k == abi.Float32}.get()))
	}
}

func abs(x float64) float64 { return max(x, -x) }

func (s *sum) all() (list []real) {
	at, n := s.at, 1
	if s.slice {
		at, n = *(*unsafe.Pointer)(s.at), (*[2]int)(s.at)[1]
	}
	for i := range n {
		for r := range floats(s.of, unsafe.Add(at, uintptr(i)*s.of.Size_)) {
			list = append(list, r)
		}
	}
	return list
}

func (s *sum) tell(l *looking, out *text) {
	list := s.all()
	out.add("sums ").number(l.number)
	if l.sums += len(list) + 1; l.sums < mostSums {
		out.add(" ").bits(uint64(len(list)))
		for _, r := range list {
			out.add(" ").bits(r.bits())
		}
	}
	out.add("\n")
}

// roundedBy is how much sums may differ, of the largest value.
const roundedBy = 1e-6

func (s *sum) settle(w *walk, out *text) {
	var n uint64
	list := s.all()
	if s.lost || !planned(unsafe.Pointer(&n), 8) {
		return
	}
	off := func(name string, plain, here uint64) {
		if !s.lost {
			out.add("off ").number(w.loop.number).add(" ").number(w.instance).add(" ").add(name)
			out.add(" ").bits(plain).add(" ").bits(here).add("\n")
			s.lost = true
		}
	}
	if n != uint64(len(list)) {
		off("len("+s.name+")", n, uint64(len(list)))
		return
	}
	for i, r := range list {
		var b uint64
		if !planned(unsafe.Pointer(&b), 8) {
			return
		}
		plain, here := *(*float64)(unsafe.Pointer(&b)), r.get()
		most := max(s.most, abs(plain), abs(here))
		if b != r.bits() && !(abs(plain-here) <= roundedBy*most) {
			name := s.name
			if len(list) > 1 {
				t := text(name)
				name = string(*t.add("[").number(i).add("]"))
			}
			off(name, b, r.bits())
			continue
		}
		r.set(b)
	}
}
