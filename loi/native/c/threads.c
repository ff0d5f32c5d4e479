// Threads begin and end here, and the process may become another.
#include "krd.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <threads.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

typedef struct {
	void *(*run)(void *);
	void *arg;
	uint64_t number;
} begun;

// Threads are numbered from 1, which is the first.
HIDDEN __thread uint64_t krd_number;
HIDDEN __thread void *krd_entry;
static _Atomic uint64_t threads;
uint64_t krd_another(void) { return atomic_fetch_add(&threads, 1) + 1; }

void krd_starts(uint64_t number)
{
	krd_buf *b = krd_own();
	if (b == &krd_none)
		return;
	krd_put(b, number, KIND(GO));
	krd_put(b, krd_ticks(), KIND(DONE) | b->away);
}

static pthread_key_t ending;

// The destructors of other keys access data too: the thread's own end comes in the last round.
static void ends(void *round)
{
	if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(ending, (void *)((uintptr_t)round + 1));
	else
		krd_end();
}

static void make_key(void) { pthread_key_create(&ending, ends); }

static void *runs(void *p)
{
	begun b = *(begun *)p;
	__libc_free(p);
	pthread_setspecific(ending, (void *)1);
	krd_number = b.number;
	krd_entry = b.run;
	krd_buffer();
	if (b.number == NOBODY)
		__tsan_tbb_enter();
	return b.run(b.arg);
}

// begins returns what runs is to have of a thread that is about to begin.
static begun *begins(void *(*run)(void *), void *arg)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	((int (*)(pthread_once_t *, void (*)(void)))krd_next("pthread_once"))(&once, make_key);
	begun *b = __libc_malloc(sizeof *b);
	if (!b)
		return NULL;
	*b = (begun){run, arg, krd_of_tbb(run) ? NOBODY : krd_another()};
	if (krd.sync && b->number != NOBODY)
		krd_starts(b->number);
	return b;
}

WEAK int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = krd_next("pthread_create");
	if (!krd.h)
		return next(t, a, run, arg);
	begun *b = begins(run, arg);
	int e = b ? next(t, a, runs, b) : EAGAIN;
	if (e)
		__libc_free(b);
	return e;
}

// What a thread of C returns is an int, which is in the same register.
WEAK int thrd_create(thrd_t *t, int (*run)(void *), void *arg)
{
	int (*next)(thrd_t *, int (*)(void *), void *) = krd_next("thrd_create");
	if (!krd.h)
		return next(t, run, arg);
	begun *b = begins((void *(*)(void *))run, arg);
	int e = b ? next(t, (int (*)(void *))runs, b) : thrd_nomem;
	if (e != thrd_success)
		__libc_free(b);
	return e;
}

// The process becomes another program, which is not recorded, unless that fails. After vfork the child
// is another process in the same memory.
#define EXEC(name, params, args, type) \
	WEAK int name params \
	{ \
		int(*next) type = krd_next(#name); \
		int own = krd.h && getpid() == krd.pid; \
		if (own) \
			krd.h->replaced = 1; \
		int r = next args; \
		if (own) \
			krd.h->replaced = 0; \
		return r; \
	}
EXEC(execve, (const char *f, char *const a[], char *const e[]), (f, a, e), (const char *, char *const[], char *const[]))
EXEC(execvpe, (const char *f, char *const a[], char *const e[]), (f, a, e), (const char *, char *const[], char *const[]))
EXEC(execv, (const char *f, char *const a[]), (f, a), (const char *, char *const[]))
EXEC(execvp, (const char *f, char *const a[]), (f, a), (const char *, char *const[]))

// Those whose arguments are listed, up to NULL, take an array of them that the others have.
#define LISTED(name, next, last, ...) \
	WEAK int name(const char *f, const char *first, ...) \
	{ \
		va_list list; \
		int n = 1; \
		va_start(list, first); \
		for (const char *a = first; a; a = va_arg(list, const char *)) \
			n++; \
		va_end(list); \
		char *args[n]; \
		va_start(list, first); \
		args[0] = (char *)first; \
		for (int i = 1; i < n; i++) \
			args[i] = va_arg(list, char *); \
		last; \
		va_end(list); \
		return next(f, args __VA_ARGS__); \
	}
LISTED(execl, execv, (void)0)
LISTED(execlp, execvp, (void)0)
LISTED(execle, execve, char *const *envp = va_arg(list, char *const *), , envp)
