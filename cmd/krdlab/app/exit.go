package app

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/hw/failure"
)

// The exit codes of every command.
const (
	exitOK     = 0
	exitFailed = 1 // I/O, a missing file, a panic in a kernel
	// wrong flags, an impossible request, something that exists and is not overwritten
	exitUsage       = 2
	exitCheck       = 3   // the check failed
	exitCapability  = 4   // a capability that was demanded is missing
	exitData        = 5   // the content of a data file is bad
	exitIncomplete  = 6   // done, but some cells of a sweep could not be used
	exitInterrupted = 130 // what was done is kept
)

var codes = map[failure.Class]int{
	failure.Failed: exitFailed, failure.Request: exitUsage, failure.Check: exitCheck,
	failure.Capability: exitCapability, failure.Data: exitData,
	failure.Incomplete: exitIncomplete, failure.Interrupted: exitInterrupted,
}

// A codeError ends the program with the code of a cell that ended before.
type codeError struct {
	code int
	error
}

func (e *codeError) Unwrap() error { return e.error }

// readers are the commands that read files which others may have spoiled, and whether cells of a
// sweep are among them.
var readers = map[string]bool{"krd": false, "trace info": false, "trace verify": false,
	"trace recover": false, "trace import": false, "trace export": false, "trace compress": false,
	"sweep status": false, "sweep resume": false, "sweep collect": false,
	"plot": true, "report": true, "correlate": true, "compare": true}

// sayExitCodes puts the exit codes of readers into their help.
func sayExitCodes(root *cobra.Command) {
	for path, cells := range readers {
		c, _, err := root.Find(strings.Fields(path))
		if err != nil {
			panic(err) // the path is a constant
		}
		if c.Long == "" {
			c.Long = c.Short + "."
		}
		c.Long += "\n\nExit codes: 0 done; 1 failed; 2 not a possible request; 5 the content of a " +
			"file is bad"
		if cells {
			c.Long += "; 6 done, but some cells could not be used"
		}
		c.Long += "."
	}
}

func usageError(format string, args ...any) error {
	return failure.Errorf(failure.Request, format, args...)
}

// exitCode returns the code of an error of any layer.
func exitCode(err error) int {
	var code *codeError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return code.code
	}
	return codes[failure.Of(err)]
}
