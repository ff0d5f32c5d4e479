// Command krdlab runs kernels under task schedulers, traces them, and compares their reuse
// distances with cache misses, overhead and work time inflation. See `krdlab help`.
package main

import (
	"os"

	"krdlab/cmd/krdlab/app"
)

func main() {
	os.Exit(app.Main(os.Args, app.Tables{}))
}
