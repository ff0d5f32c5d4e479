package loi

// The shapes of an access in a record that lists its accesses, bits 56 to 63 of its word. Bits 32
// to 47 are the object, bits 48 to 55 the mode.
const (
	shapeBlock = 0 // a whole block of a partition; its number is in bits 0 to 31
	shapeSized = 1 // the same, and a word with the size of the block
	shapeName  = 2 // a word with a key or an offset; the size is in bits 0 to 31
	shapeWide  = 3 // words with a key or an offset, and the size
	shapeRows  = 4 // words with offset, bytes of a row and stride; the rows are in bits 0 to 31

	accessObjectShift = 32
	accessModeShift   = 48
	accessShapeShift  = 56
)

// shapeWords is the number of words of an access by its shape.
var shapeWords = [...]int{shapeBlock: 1, shapeSized: 2, shapeName: 2, shapeWide: 3, shapeRows: 4}

// maxExtent is the largest size of an access and the largest end of a range.
const maxExtent = 1 << 62

// shapeOf returns the shape in which an access to an object of a kind is written. An access that
// does not suit its kind gets one with which readers will find fault.
func shapeOf(kind ObjectKind, a *Access) int {
	switch {
	case a.Rows > 1:
		return shapeRows
	case kind != Partition || a.Block>>32 != 0:
		if a.Bytes>>32 != 0 {
			return shapeWide
		}
		return shapeName
	case a.Bytes != 0:
		return shapeSized
	}
	return shapeBlock
}

// checkNamed returns the fault of an access to an object of kind Keyed or Span, or returns "".
func checkNamed(kind ObjectKind, a *Access) string {
	switch {
	case a.Bytes == 0 || a.Bytes > maxExtent:
		return sprint("%d bytes, expected 1 to 2^62", a.Bytes)
	case a.Mode < In || a.Mode > InOut:
		return sprint("%v, expected in, out or inout", a.Mode)
	case kind == Keyed && a.Rows > 1:
		return sprint("%d rows, which only a span has", a.Rows)
	case kind == Keyed:
		return ""
	case a.Rows <= 1:
		if a.Block > maxExtent-a.Bytes {
			return sprint("%d bytes at offset %d, which end past 2^62", a.Bytes, a.Block)
		}
		return ""
	case a.Stride < a.Bytes:
		return sprint("rows of %d bytes that are %d bytes apart", a.Bytes, a.Stride)
	case a.Block > maxExtent-a.Bytes || a.Stride > (maxExtent-a.Bytes-a.Block)/uint64(a.Rows-1):
		return sprint("%d rows of %d bytes, %d bytes apart, at offset %d, which end past 2^62",
			a.Rows, a.Bytes, a.Stride, a.Block)
	}
	return ""
}

// accessWords returns the number of words that putAccesses needs for list. The kind of an object
// that is not registered is taken for Partition.
func accessWords(kinds []ObjectKind, list []Access) int {
	n := 1
	for i := range list {
		n += shapeWords[shapeOf(kindOf(kinds, list[i].Object), &list[i])]
	}
	return n
}

func kindOf(kinds []ObjectKind, o ObjectID) ObjectKind {
	if int(o) < len(kinds) {
		return kinds[o]
	}
	return Partition
}

// kinds returns the kind of each object.
func (r *Registry) kinds() []ObjectKind {
	list := make([]ObjectKind, len(r.Objects))
	for i := range list {
		list[i] = r.Objects[i].Kind
	}
	return list
}

// putAccesses writes list as it stands in a record.
func putAccesses(body []uint64, kinds []ObjectKind, list []Access) {
	body[0] = uint64(len(list))
	j := 1
	for i := range list {
		a := &list[i]
		shape := shapeOf(kindOf(kinds, a.Object), a)
		w := uint64(a.Object)<<accessObjectShift | uint64(a.Mode)<<accessModeShift | uint64(
			shape)<<accessShapeShift
		switch shape {
		case shapeBlock:
			w |= a.Block
		case shapeSized:
			w |= a.Block
			body[j+1] = a.Bytes
		case shapeName:
			w |= a.Bytes
			body[j+1] = a.Block
		case shapeWide:
			body[j+1], body[j+2] = a.Block, a.Bytes
		case shapeRows:
			w |= uint64(a.Rows)
			body[j+1], body[j+2], body[j+3] = a.Block, a.Bytes, a.Stride
		}
		body[j] = w
		j += shapeWords[shape]
	}
}

// takeAccess reads the access at the beginning of b and checks it against its object. It returns
// the bytes that it takes, or its fault. A record that was scanned has all the words of its
// accesses.
func (t *Trace) takeAccess(b []byte, a *Access) (n int, what string) {
	w := le.Uint64(b)
	*a = Access{Object: ObjectID(w >> accessObjectShift), Mode: Mode(w >> accessModeShift)}
	shape, low := int(w>>accessShapeShift), w&(1<<32-1)
	if shape >= len(shapeWords) {
		return 0, sprint("an access with flags %#x", shape)
	}
	if a.Mode < In || a.Mode > InOut {
		return 0, sprint("an access with %v, expected in, out or inout", a.Mode)
	}
	if int(a.Object) >= len(t.objects) {
		return 0, sprint("an access to object %d, which is not registered", a.Object)
	}
	o, name := &t.objects[a.Object], t.Header.Registry.Objects[a.Object].Name
	n = 8 * shapeWords[shape]
	if (shape < shapeName) != (o.kind == Partition) {
		return 0, sprint("an access of shape %d to object %q, which is %v", shape, name, o.kind)
	}
	if o.kind == Partition {
		if a.Block = low; a.Block >= uint64(o.n) {
			return 0, sprint("an access to block %d of object %q, which has %d", a.Block, name, o.n)
		}
		if a.Bytes = o.size(uint32(a.Block)); shape == shapeSized && le.Uint64(b[8:]) != a.Bytes {
			return 0, sprint("an access gives block %d of object %q %d bytes, but it has %d",
				a.Block, name, le.Uint64(b[8:]), a.Bytes)
		}
		return n, ""
	}
	a.Block, a.Bytes = le.Uint64(b[8:]), low
	if shape >= shapeWide {
		a.Bytes = le.Uint64(b[16:])
	}
	if shape == shapeRows {
		a.Rows, a.Stride = uint32(low), le.Uint64(b[24:])
		if a.Rows <= 1 {
			return 0, sprint("an access to object %q in the shape of several rows has %d", name,
				a.Rows)
		}
	} else if shape == shapeWide && low != 0 {
		return 0, sprint("an access to object %q has two sizes", name)
	}
	if what = checkNamed(o.kind, a); what != "" {
		return 0, sprint("an access to object %q has %s", name, what)
	}
	return n, ""
}
