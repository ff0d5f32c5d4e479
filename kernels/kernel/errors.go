package kernel

import "krdlab/hw/failure"

// ErrData is wrapped by errors about the content of a file that a kernel reads. Their text names
// the file and the place in it, what was expected and what was found.
var ErrData = failure.New(failure.Data, "bad data in a file")
