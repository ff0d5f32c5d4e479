package engine

// first is the distance of a first access.
const first = -1

// A stack is objects in the order of their last accesses, the last one first. Stacks are numbered
// as they come up; number 0 is empty.
type stacks struct {
	objects int
	lists   [][]uint8
	numbers map[string]int32
	next    []hop // of stack s and object o at s*objects + o; to 0: not known yet
}

// A hop is the stack after an access, and the distance of that.
type hop struct{ to, distance int32 }

func newStacks(objects int) *stacks {
	return &stacks{objects: objects, lists: [][]uint8{{}}, numbers: map[string]int32{"": 0},
		next: make([]hop, objects)}
}

// access returns the stack after an access to o, and its distance: how many objects are above o.
// Cost: one look, but for the first time.
func (s *stacks) access(stack, o int32) hop {
	h := s.next[int(stack)*s.objects+int(o)]
	if h.to != 0 {
		return h
	}
	return s.find(stack, o)
}

func (s *stacks) find(stack, o int32) hop {
	list := s.lists[stack]
	at := first
	after := append(make([]uint8, 0, len(list)+1), uint8(o))
	for i, x := range list {
		if int32(x) == o {
			at = i
			continue
		}
		after = append(after, x)
	}
	to, seen := s.numbers[string(after)]
	if !seen {
		to = int32(len(s.lists))
		s.numbers[string(after)] = to
		s.lists = append(s.lists, after)
		s.next = append(s.next, make([]hop, s.objects)...)
	}
	h := hop{to, int32(at)}
	s.next[int(stack)*s.objects+int(o)] = h
	return h
}

// arrangements returns the number of stacks of up to n objects, at most limit.
func arrangements(n int, limit float64) float64 {
	sum, of := 1.0, 1.0
	for k := n; k > 0 && sum < limit; k-- {
		of *= float64(k)
		sum += of
	}
	return min(sum, limit)
}
