package shadow

// A directory finds what belongs to the number of a table, in blocks of 512 consecutive numbers: a
// number far from all others takes a block, 4 KiB. The blocks are in a map, before which those that
// were used last stand by the lower bits of their numbers.
type directory[T any] struct {
	blocks map[uint64]*block[T]
	recent [64]*block[T]
}

type block[T any] struct {
	number uint64
	count  int // of what it leads to
	list   [blockLen]*T
}

const (
	blockBits = 9
	blockLen  = 1 << blockBits
)

// block returns the block of a number, nil if there is none.
func (d *directory[T]) block(number uint64) *block[T] {
	number >>= blockBits
	r := &d.recent[number%uint64(len(d.recent))]
	if *r == nil || (*r).number != number {
		b := d.blocks[number]
		if b == nil {
			return nil
		}
		*r = b
	}
	return *r
}

// find returns what belongs to a number, or nil.
func (d *directory[T]) find(number uint64) *T {
	if b := d.block(number); b != nil {
		return b.list[number%blockLen]
	}
	return nil
}

// add enters x, which is not nil, under a number that has nothing.
func (d *directory[T]) add(number uint64, x *T) {
	b := d.block(number)
	if b == nil {
		b = &block[T]{number: number >> blockBits}
		if d.blocks == nil {
			d.blocks = map[uint64]*block[T]{}
		}
		d.blocks[b.number] = b
	}
	b.list[number%blockLen] = x
	b.count++
}

// remove takes out what belongs to a number, which has something.
func (d *directory[T]) remove(number uint64) {
	b := d.block(number)
	b.list[number%blockLen] = nil
	if b.count--; b.count == 0 {
		delete(d.blocks, b.number)
		d.recent[b.number%uint64(len(d.recent))] = nil
	}
}

// bytes returns the size of the directory, about.
func (d *directory[T]) bytes() uint64 {
	return uint64(len(d.blocks) * (sizeOf[block[T]]() + 2*sizeOf[*block[T]]()))
}
