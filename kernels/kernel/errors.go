package kernel

import "errors"

// ErrData is wrapped by errors about the content of a file that a kernel reads. Their text names the file and the place in it, what
// was expected and what was found.
var ErrData = errors.New("bad data in a file")
