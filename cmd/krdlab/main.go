// Command krdlab shows what a task scheduler does to data reuse: it runs kernels under schedulers,
// traces them, and sets kernel reuse distances against cache misses, overhead and work time
// inflation. See `krdlab help`.
package main

import (
	"os"

	"krdlab/cmd/krdlab/app"
)

func main() {
	os.Exit(app.Main(os.Args, app.Tables{}))
}
