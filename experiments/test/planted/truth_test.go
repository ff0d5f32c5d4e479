package planted

import (
	"krdlab/krd/doc"
)

// A truth is an input with what has to be concluded from it, and what must not be.
type truth struct {
	name  string
	group string
	// lay writes the input into a folder; nil: files are all.
	lay   func(dir string) error
	files map[string]string
	// run are the arguments of krdlab, a command a line; the last prints a document. Commands before it
	// may be written > FILE, and "set FILE QUANTITY VALUE" changes the file of a machine.
	run string
	// want are findings that have to be among the first three of their level; none: nothing is planted.
	want []named
	// tells are findings with a number that is known: they are wanted too.
	tells []number
	// never are findings that must not be there.
	never []named
	// long truths run with KRDLAB_LONG=1 only.
	long bool
	// why is the reason why there is no finding yet; the test fails once there is.
	why string
}

// A named finding is a code and a subject: what the finding is about or, if it has no subject, its
// first argument, or both as SUBJECT: ARGUMENT. "": any.
type named struct {
	code    doc.Code
	subject string
}

// A number is argument arg of a finding, which lies between from and to.
type number struct {
	named
	arg      int
	from, to float64
}

// never returns codes, of whatever subject.
func never(codes ...doc.Code) (list []named) {
	for _, c := range codes {
		list = append(list, named{code: c})
	}
	return list
}
