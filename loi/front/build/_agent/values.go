package krdagent

// Value is the kind of an event of an operation: no more; its number.
const Value = 64

// O records that an operation of the source was done. It is a call, of few nodes: functions of very
// many are compiled otherwise.
//
//go:noinline
func O(b *Buf, operation uint64) { put(b, 0, Value<<KindShift|operation) }

// OC works like O, for a condition whose value is v, and returns v.
func OC[T ~bool](b *Buf, v T, operation uint64) T {
	O(b, operation)
	return v
}

// OV works like O, for a call whose operands have been evaluated, v being the last, and returns v.
func OV[T any](b *Buf, v T, operation uint64) T {
	O(b, operation)
	return v
}
