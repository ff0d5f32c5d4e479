package collect

import "krdlab/loi"

// kindValue is an event of an operation (loi/front/build/_agent/values.go): nothing; its number.
const kindValue = 64

// operation takes an event that an operation was done. It has no time of its own: its Act has that
// of the last region that began or ended, which there always is one of before it.
func (r *Reader) operation(t *thread, e event) error {
	n := e[1] & siteMask
	if n == 0 || n > r.Operations || t.recent == 0 {
		r.Odd++
		return nil
	}
	if err := r.turn(t, t.recent); err != nil {
		return err
	}
	r.act(t, Act{Time: t.recent, Kind: loi.EventOperation, Number: uint32(n)})
	return r.full()
}
