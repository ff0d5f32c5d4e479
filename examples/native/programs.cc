// programs.cc has krdlab's kernels fib and matmul (leaf 32x32x64, tiled, n a multiple of 64) for the runtimes of
// forkjoin.h. It writes a trace of the executions and tasks that the kernels in Go have.
//
//	program fib|matmul N WORKERS [TRACE]
#define LOI_IMPLEMENTATION
#include <loi.h>
#include <stdio.h>
#include <string.h>

#include <vector>

#include "forkjoin.h"

// A record is written by a function of its own: a join may change the thread, and with it the address of
// thread-local data.
#define APART __attribute__((noinline))

// at is a child of a phase of a task.
struct at {
	uint32_t task, phase, child;
};
static APART uint32_t begins(at a, uint32_t children) { return loi_task(a.task, a.phase, a.child, children); }
static APART void ends(at a) { loi_child(a.task, a.phase, a.child); }
static APART void ended(uint32_t task, uint32_t phase, uint32_t next) { loi_phase(task, phase, next); }

static long fib(int n, at a)
{
	if (n < 2) {
		ends(a);
		return n;
	}
	long x, y;
	uint32_t task = begins(a, 2);
	fork2([&] { x = fib(n - 1, {task, 0, 0}); }, [&] { y = fib(n - 2, {task, 0, 1}); });
	x += y; // by the piece that ends here
	ended(task, 0, 0);
	return x;
}

enum { M = 32, N = 32, K = 64 };
static int size, gemm;
static std::vector<float> A, B, C; // tiles of MxK, KxN and MxN, row by row

static APART void leaf(int i, int j, int k, at t)
{
	uint32_t a = i * (size / K) + k, b = k * (size / N) + j, c = i * (size / N) + j;
	uint64_t start = loi_begin();
	const float *x = &A[a * M * K], *y = &B[b * K * N];
	float *z = &C[c * M * N];
	for (int r = 0; r < M; r++, x += K, z += N) {
		float sum[N] = {};
		for (int s = 0; s < K; s++)
			for (int q = 0; q < N; q++)
				sum[q] += x[s] * y[s * N + q];
		for (int q = 0; q < N; q++)
			z[q] += sum[q];
	}
	loi_end(gemm, start, a, b, c);
	ends(t);
}

struct span {
	int lo, hi;
	span half(int second) const
	{
		int mid = lo + (hi - lo + 1) / 2;
		return second ? span{mid, hi} : span{lo, mid};
	}
	int above(int block) const { return hi - lo > 1 ? (hi - lo) * block : 0; }
};

// product halves the largest dimension above its leaf: rows and columns of C in parallel, the inner one by calls.
static void product(span i, span j, span k, at a)
{
	int rows = i.above(M), cols = j.above(N), inner = k.above(K);
	if (!rows && !cols && !inner)
		return leaf(i.lo, j.lo, k.lo, a);
	if (inner > rows && inner > cols) {
		uint32_t task = begins(a, 1);
		product(i, j, k.half(0), {task, 0, 0});
		ended(task, 0, 1);
		product(i, j, k.half(1), {task, 1, 0});
		ended(task, 1, 0);
		return;
	}
	uint32_t task = begins(a, 2);
	if (rows >= cols)
		fork2([=] { product(i.half(0), j, k, {task, 0, 0}); }, [=] { product(i.half(1), j, k, {task, 0, 1}); });
	else
		fork2([=] { product(i, j.half(0), k, {task, 0, 0}); }, [=] { product(i, j.half(1), k, {task, 0, 1}); });
	ended(task, 0, 0);
}

// wrong compares C u with A (B u) for a vector u of small integers: both are exact.
static bool wrong()
{
	std::vector<double> u(size), bu(size), cu(size), abu(size);
	for (int i = 0; i < size; i++)
		u[i] = (i * 7 + 3) % 11 - 5;
	auto times = [&](const std::vector<float> &m, int rows, int cols, const std::vector<double> &v,
			 std::vector<double> &out) {
		for (int i = 0; i < size; i++)
			for (int j = 0; j < size; j++) {
				int tile = i / rows * (size / cols) + j / cols;
				out[i] += double(m[tile * rows * cols + i % rows * cols + j % cols]) * v[j];
			}
	};
	times(B, K, N, u, bu);
	times(A, M, K, bu, abu);
	times(C, M, N, u, cu);
	return cu != abu;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: %s fib|matmul N WORKERS [TRACE]\n", argv[0]);
		return 2;
	}
	bool mul = !strcmp(argv[1], "matmul"), bad = false;
	int workers = atoi(argv[3]);
	size = atoi(argv[2]);
	loi_options o = {};
	char program[128]; // as `krdlab run --follow` expects it
	snprintf(program, sizeof program, "%s n=%d%s", argv[1], size,
		 mul ? " leaf=32x32x64 layout=tiled isa=auto inputs=integers" : "");
	o.program = program, o.scheduler = runtime;
	if (mul) {
		if (size < K || size % K)
			return fprintf(stderr, "N is no multiple of %d\n", K), 2;
		size_t all = size_t(size) * size;
		A.resize(all), B.resize(all), C.assign(all, 0);
		for (size_t i = 0; i < all; i++)
			A[i] = int(i * 5 % 17) - 8, B[i] = int(i * 11 % 17) - 8;
		int a = loi_partition("A", all / (M * K), 4 * M * K), b = loi_partition("B", all / (K * N), 4 * K * N);
		int c = loi_partition("C", all / (M * N), 4 * M * N);
		gemm = loi_kernel("gemm", 3, a, LOI_IN, b, LOI_IN, c, LOI_INOUT);
	}
	long number = 0, x = 0, y = 1;
	run(workers, [&] {
		if (argc > 4 && loi_open(argv[4], workers, &o)) {
			bad = true;
			return;
		}
		if (mul)
			product({0, size / M}, {0, size / N}, {0, size / K}, {0, 0, 0});
		else
			number = fib(size, {0, 0, 0});
		bad = (argc > 4 && loi_close()) || loi_discarded() > 0;
	});
	for (int i = 0; !mul && i < size; i++) {
		long z = x + y;
		x = y, y = z;
	}
	if (bad || (mul ? wrong() : number != x))
		return fprintf(stderr, "wrong, or no trace\n"), 1;
	return 0;
}
