// forkjoin.h is fork and join by one of the runtimes: -DSERIAL, -D_OPENMP (by -fopenmp), -DTBB, -DMYTH or
// -DQTHREADS.
//
// fork2(a, b) forks a, calls b and joins, as krdlab's schedulers do with a phase of two children. run(workers, f)
// calls f on a worker. With MYTH and QTHREADS the thread that returns from a join may be another than the one
// that came to it.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#if defined TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

static const char *const runtime = "tbb";

template <class A, class B> void fork2(const A &a, const B &b)
{
	tbb::task_group g;
	g.run(a);
	b();
	g.wait();
}
template <class F> void run(int workers, const F &f)
{
	tbb::global_control c(tbb::global_control::max_allowed_parallelism, workers);
	tbb::task_arena(workers).execute(f);
}

#elif defined MYTH
#include <myth.h>

static const char *const runtime = "massivethreads";

template <class A> void *call(void *a)
{
	(*static_cast<const A *>(a))();
	return nullptr;
}
template <class A, class B> void fork2(const A &a, const B &b)
{
	myth_thread_t t = myth_create(call<A>, const_cast<A *>(&a));
	b();
	myth_join(t, nullptr);
}
template <class F> void run(int workers, const F &f)
{
	char n[16];
	snprintf(n, sizeof n, "%d", workers);
	setenv("MYTH_WORKER_NUM", n, 1);
	myth_init();
	f();
	myth_fini();
}

#elif defined QTHREADS
#include <qthread/qthread.h>

static const char *const runtime = "qthreads";

template <class A> aligned_t call(void *a)
{
	(*static_cast<const A *>(a))();
	return 0;
}
template <class A, class B> void fork2(const A &a, const B &b)
{
	aligned_t ended;
	qthread_fork(call<A>, const_cast<A *>(&a), &ended);
	b();
	qthread_readFF(nullptr, &ended);
}
// run makes one shepherd for each worker, or one for all if QTHREAD_NUM_SHEPHERDS is 1.
template <class F> void run(int workers, const F &f)
{
	char n[16];
	const char *one = getenv("QTHREAD_NUM_SHEPHERDS");
	snprintf(n, sizeof n, "%d", workers);
	setenv(one && one[0] == '1' && !one[1] ? "QTHREAD_NUM_WORKERS_PER_SHEPHERD" : "QTHREAD_NUM_SHEPHERDS", n, 1);
	setenv("QTHREAD_NUM_WORKERS_PER_SHEPHERD", "1", 0);
	setenv("QTHREAD_STACK_SIZE", "65536", 0);
	qthread_initialize();
	aligned_t ended; // f runs in a thread of its own: the program's is tied to its worker
	qthread_fork(call<F>, const_cast<F *>(&f), &ended);
	qthread_readFF(nullptr, &ended);
	qthread_finalize();
}

#elif defined _OPENMP

#ifdef __clang__
static const char *const runtime = "libomp";
#else
static const char *const runtime = "libgomp";
#endif

template <class A, class B> void fork2(const A &a, const B &b)
{
#pragma omp taskgroup // taskwait in b would wait for a too: both are in one task
	{
#pragma omp task shared(a)
		a();
		b();
	}
}
template <class F> void run(int workers, const F &f)
{
#pragma omp parallel num_threads(workers)
#pragma omp single
	f();
}

#else

static const char *const runtime = "serial";

template <class A, class B> void fork2(const A &a, const B &b)
{
	a();
	b();
}
template <class F> void run(int, const F &f) { f(); }
#endif
