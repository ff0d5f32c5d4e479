// Package kernels lists the kernels, and tests every scheduler with every kernel.
//
// A new kernel is a package beside fib and matmul that exports a [kernel.Kernel], and a line in the
// table.
package kernels

import (
	"krdlab/kernels/cholesky"
	"krdlab/kernels/cilksort"
	"krdlab/kernels/fft"
	"krdlab/kernels/fib"
	"krdlab/kernels/fmm"
	"krdlab/kernels/heat"
	"krdlab/kernels/kernel"
	"krdlab/kernels/knapsack"
	"krdlab/kernels/lu"
	"krdlab/kernels/matmul"
	"krdlab/kernels/nqueens"
	"krdlab/kernels/sor"
	"krdlab/kernels/sparselu"
	"krdlab/kernels/spmv"
	"krdlab/kernels/strassen"
	"krdlab/kernels/triad"
	"krdlab/kernels/uts"
)

// Table is every kernel there is.
var Table = []*kernel.Kernel{
	&matmul.Kernel,
	&fib.Kernel,
	&fmm.Kernel,
	&triad.Kernel,
	&heat.Kernel,
	&sor.Kernel,
	&spmv.Kernel,
	&cilksort.Kernel,
	&fft.Kernel,
	&lu.Kernel,
	&cholesky.Kernel,
	&sparselu.Kernel,
	&strassen.Kernel,
	&nqueens.Kernel,
	&uts.Kernel,
	&knapsack.Kernel,
}

// ByName returns the kernel of that name.
func ByName(name string) (*kernel.Kernel, bool) {
	for _, k := range Table {
		if k.Name == name {
			return k, true
		}
	}
	return nil, false
}
