// Cases of OpenMP tasks, by the first argument; the second is a size, the third how many threads. Each
// prints its result and how many tasks it made. Compiled by TestNativeTasks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>

#define OWN __attribute__((noinline))
enum { PARTS = 4 };

static long shared, made, cells[64];

OWN static void add(void) { shared++; }
OWN static long touch(long i) { return ++cells[i]; }

// This is not recorded, and so orders nothing: clang records all atomic operations that it makes itself.
__attribute__((noinline, no_sanitize_thread)) static void plus(long *p, long v)
{
	__asm__ volatile("lock addq %1, %0" : "+m"(*p) : "r"(v));
}
static void count(void) { plus(&made, 1); }

static long fib(int n)
{
	long x, y;
	touch(n);
	if (n < 2)
		return n;
#pragma omp task shared(x)
	{
		count();
		x = fib(n - 1);
	}
#pragma omp task shared(y)
	{
		count();
		y = fib(n - 2);
	}
#pragma omp taskwait
	return x + y;
}

// One task after the other, each the child of the one before.
static void nested(int n)
{
	add();
	if (n > 0) {
#pragma omp task
		{
			count();
			nested(n - 1);
		}
#pragma omp taskwait
	}
}

// Each is waited for before the next begins.
static void chain(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp task
		{
			count();
			add();
		}
#pragma omp taskwait
	}
}

static void siblings(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp task
		{
			count();
			add();
		}
	}
}

static long local(int n)
{
	long x = 0;
	for (int i = 0; i < n; i++) {
#pragma omp task shared(x)
		{
			count();
			x = 7;
		}
	}
#pragma omp taskwait
	return x;
}

// The tasks of tasks end before the group does, and not before taskwait.
static void group(int n, int grouped)
{
	if (grouped) {
#pragma omp taskgroup
		siblings(n > 1 ? 1 : n);
#pragma omp taskgroup
		{
#pragma omp task
			{
				count();
				siblings(1);
			}
		}
	} else {
#pragma omp task
		{
			count();
			siblings(1);
		}
#pragma omp taskwait
	}
	add();
}

static long loop(int n)
{
	long sum = 0;
#pragma omp taskloop grainsize(1) shared(sum)
	for (int i = 0; i < n; i++) {
		count();
		plus(&sum, touch(i));
	}
	for (int i = 0; i < n; i++)
		sum += touch(i);
	return sum;
}

static long reduced(int n)
{
	long sum = 0;
#pragma omp taskloop num_tasks(PARTS) reduction(+: sum)
	for (unsigned long i = 0; i < (unsigned long)n; i++)
		sum += i;
	return sum;
}

// Copies of arrays, of an alignment that malloc does not have.
typedef struct {
	double v[16] __attribute__((aligned(64)));
} wide;

static long copied(int n)
{
	wide w;
	long sum = 0;
	for (int i = 0; i < 16; i++)
		w.v[i] = i;
	for (int k = 0; k < n; k++) {
		int odd[3] = {k, k, k};
#pragma omp task firstprivate(w, odd) shared(sum)
		{
			count();
			w.v[0] += odd[2];
			long own = (unsigned long)w.v % 64 ? -1000000 : 0;
#pragma omp task firstprivate(w) shared(sum)
			{
				count();
				long all = own + ((unsigned long)w.v % 64 ? -1000000 : 0);
				for (int i = 0; i < 16; i++)
					all += w.v[i];
				plus(&sum, all);
			}
#pragma omp taskwait
		}
	}
#pragma omp taskwait
	return sum;
}

// Readers follow the writer before them, and the next writer follows them.
static void dependent(int n, int bare)
{
	long a = 0;
	for (int k = 0; k < n; k++) {
#pragma omp task depend(inout: a) shared(a)
		{
			count();
			add();
		}
		for (int i = 0; i < 2; i++) {
			if (bare) {
#pragma omp task
				{
					count();
					cells[2 * k + i] = *(volatile long *)&shared;
				}
			} else {
#pragma omp task depend(in: a) depend(out: cells[i])
				{
					count();
					cells[i] = *(volatile long *)&shared;
				}
			}
		}
	}
#pragma omp taskwait
}

static void undeferred(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp task if (0)
		{
			count();
			add();
		}
		add();
	}
#pragma omp task final(1)
	{
		count();
		chain(1);
		siblings(n);
		add();
	}
#pragma omp taskwait
}

static long run(const char *what, int n)
{
	if (!strcmp(what, "fib"))
		return fib(n);
	if (!strcmp(what, "nested")) nested(n);
	if (!strcmp(what, "chain")) chain(n);
	if (!strcmp(what, "siblings")) siblings(n);
	if (!strcmp(what, "local"))
		return local(n);
	if (!strcmp(what, "grouped")) group(n, 1);
	if (!strcmp(what, "waited")) group(n, 0);
	if (!strcmp(what, "loop")) return loop(n);
	if (!strcmp(what, "reduced")) return reduced(n);
	if (!strcmp(what, "copied")) return copied(n);
	if (!strcmp(what, "dependent")) dependent(n, 0);
	if (!strcmp(what, "independent")) dependent(n, 1);
	if (!strcmp(what, "undeferred")) undeferred(n);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	int n = atoi(argv[2]);
	long result = 0;
	(void)argc;
#pragma omp parallel num_threads(atoi(argv[3]))
	{
		if (!strcmp(what, "barrier")) {
			if (omp_get_thread_num() == 0) {
#pragma omp task
				{
					count();
					add();
				}
			}
#pragma omp barrier
			if (omp_get_thread_num() == omp_get_num_threads() - 1)
				add();
		} else {
#pragma omp single nowait
			result = run(what, n);
		}
	}
	add(); // behind all tasks
	printf("%ld %ld\n", result, made);
	return 0;
}
