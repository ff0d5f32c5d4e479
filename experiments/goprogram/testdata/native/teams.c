// Cases of teams of OpenMP and of what clang makes otherwise than gcc, by the first argument; the third is how
// many threads. Each prints zeros. Compiled by TestNativeTeams.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>

enum { N = 64, MANY = 100 };
static long a[N], b[N], all, many[MANY], nest[4][8];
__attribute__((noinline)) static void put(long *p, long v) { *p += v; }

static void loops(int n, int barrier)
{
#pragma omp parallel num_threads(n)
	{
#pragma omp for nowait
		for (int i = 0; i < N; i++)
			put(&a[i], i);
		if (barrier) {
#pragma omp barrier
		}
#pragma omp for
		for (int i = 0; i < N; i++)
			put(&b[i], a[N - 1 - i]);
#pragma omp for schedule(dynamic, 3)
		for (int i = 0; i < N; i++)
			put(&a[i], b[N - 1 - i]);
	}
#pragma omp parallel for num_threads(n)
	for (int i = 0; i < N; i++)
		put(&a[N - 1 - i], 1);
}

// Of few threads each adds its part by itself, of many they combine them in the barrier.
static void reduce(int n)
{
	long sum = 0;
#pragma omp parallel for num_threads(n) reduction(+: sum)
	for (int i = 0; i < N; i++)
		sum += i;
#pragma omp parallel for num_threads(4 * n) reduction(+: sum)
	for (int i = 0; i < N; i++)
		sum += i;
	put(&all, sum);
}

static void single(int n)
{
#pragma omp parallel num_threads(n)
	{
		long p;
#pragma omp single copyprivate(p)
		{
			put(&all, 1);
			p = all;
		}
		if (omp_get_thread_num())
			put(&all, p);
#pragma omp barrier
#pragma omp critical
		put(&all, p);
	}
}

static void nested(int n)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(n)
	{
		int me = omp_get_thread_num();
#pragma omp parallel for num_threads(2)
		for (int i = 0; i < 8; i++)
			put(&nest[me][i], 1);
		for (int i = 0; i < 8; i++)
			put(&nest[me][i], 1);
	}
	for (int i = 0; i < 8; i++)
		put(&nest[0][i], 1);
}

// libomp would make some of so many tasks by tasks of its own.
static void loop(void)
{
#pragma omp taskloop grainsize(1)
	for (int i = 0; i < MANY; i++)
		put(&many[i], 1);
	for (int i = 0; i < MANY; i++)
		put(&many[i], 1);
#pragma omp taskloop if (0) grainsize(1)
	for (int i = 0; i < 8; i++)
		put(&all, 1);
}

// Pieces of these may run on different threads.
static void untied(void)
{
	for (int i = 0; i < 20; i++) {
#pragma omp task untied
		{
			put(&many[i], 1);
#pragma omp task untied
			{
				put(&many[i], 1);
#pragma omp task
				put(&many[i], 1);
#pragma omp taskwait
				put(&many[i], 1);
			}
#pragma omp taskwait
			put(&many[i], 1);
		}
// Its child goes on when it has ended.
#pragma omp task untied
		{
#pragma omp task untied
			{
#pragma omp task
				put(&many[i + 20], 1);
#pragma omp taskwait
				put(&many[i + 20], 1);
			}
		}
	}
}

static void depends(void)
{
	long x = 0;
#pragma omp task depend(out: x) shared(x)
	put(&x, 1);
#pragma omp taskwait depend(in: x)
	put(&x, 1);
#pragma omp task depend(inout: x) shared(x)
	put(&x, 1);
#pragma omp task depend(inout: x) shared(x) if (0)
	put(&x, 1);
	put(&x, 1);
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	int n = atoi(argv[3]);
	(void)argc;
	if (!strcmp(what, "loops")) loops(n, 1);
	if (!strcmp(what, "nowait")) loops(n, 0);
	if (!strcmp(what, "reduce")) reduce(n);
	if (!strcmp(what, "single")) single(n);
	if (!strcmp(what, "nested")) nested(n);
#pragma omp parallel num_threads(n)
#pragma omp single
	{
		if (!strcmp(what, "loop")) loop();
		if (!strcmp(what, "untied")) untied();
		if (!strcmp(what, "depends")) depends();
	}
	printf("0 0\n");
	return 0;
}
