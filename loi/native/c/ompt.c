// OpenMP, as clang compiles it: libomp calls its tool, which this is, by OMPT (OpenMP 5.1, chapter 4). What
// that does not tell is wrapped: where a task has its data, and critical sections, whose end it tells late.
#include "openmp.h"

#include <stdlib.h>

typedef struct {
	void *is;
} data;
typedef struct {
	data exit, enter;
	int exit_flags, enter_flags;
} frame;
typedef struct {
	void *at;
	int kind;
} dependence;

enum { PARALLEL_BEGIN = 3, PARALLEL_END, TASK_CREATE, TASK_SCHEDULE, IMPLICIT_TASK,
	SYNC_REGION_WAIT = 16, DEPENDENCES = 18, SYNC_REGION = 23 };
enum { BEGIN = 1, END_OF };
enum { INITIAL = 1, TASKWAIT = 1 << 4, UNDEFERRED = 1 << 27, IS_FINAL = 1 << 29 }; // tasks
enum { COMPLETE = 1, CANCEL = 3, DETACHED, EARLY, LATE, SWITCH, WAITED }; // how they go on
enum { REGION_TASKWAIT = 5, REGION_TASKGROUP, REGION_REDUCTION }; // others are barriers
enum { READS = 1 };

static int (*get_info)(int, int *, data **, frame **, data **, int *);

// A piece is a task with what it needs between two calls. The thread that runs it writes it.
typedef struct piece {
	task own; // first
	child c;
	krd_buf *on; // NULL: has not begun
	struct piece *under;
	const void *entry;
	uint64_t began, paused; // ticks; 0: it runs
	uint64_t waits;         // since, 0: it does not
	const volatile void *barrier;
	uintptr_t top; // of its stack, if that is known before it begins
	int awaited;
} piece;

// Of the task that the thread is about to make.
static __thread uintptr_t top;     // of its stack, if it begins at once
static __thread int awaited;       // by its maker
static __thread const void *entry; // what it runs
static __thread size_t bytes;      // of its data

// here returns what the thread runs.
static piece *here(void)
{
	if (!krd_running) {
		piece *p = __libc_calloc(1, sizeof *p);
		p->on = krd_buffer();
		krd_running = &p->own;
	}
	return (piece *)krd_running;
}

static void gone(piece *p)
{
	__libc_free(p->own.data);
	__libc_free(p);
}

static void parallel_begin(data *by, const frame *f, data *parallel, unsigned n, int flags, const void *pc)
{
	team *t = parallel->is = __libc_calloc(1, sizeof *t);
	t->groups = (char *)krd_groups(4);
	here();
	krd_note(OP_DONE, t->groups, 0);
}

// The end of a team is its last barrier.
static void parallel_end(data *parallel, data *by, int flags, const void *pc)
{
	team *t = parallel->is;
	for (int i = 0; t && i < 2; i++)
		krd_note(OP_WAIT, barrier(t, i), 0);
	__libc_free(t);
}

static void implicit_task(int scope, data *parallel, data *self, unsigned n, unsigned i, int flags)
{
	piece *p = self->is;
	if (scope == BEGIN) {
		p = self->is = __libc_calloc(1, sizeof *p);
		p->on = krd_buffer();
		p->under = (piece *)krd_running;
		p->own.size = n;
		if (!(flags & INITIAL) && (p->own.in = parallel->is))
			krd_note(OP_WAIT, p->own.in->groups, 0);
		krd_running = &p->own;
	} else if (p) { // of a thread that goes on with another team, late
		if (krd_running == &p->own)
			krd_running = p->under ? &p->under->own : NULL;
		self->is = NULL;
		gone(p);
	}
}

static void task_create(data *by, const frame *f, data *self, int flags, int depends, const void *pc)
{
	piece *p = self->is = __libc_calloc(1, sizeof *p), *from = here();
	if (flags & TASKWAIT)
		return;
	p->top = top;
	p->entry = entry;
	p->own.size = from->own.size;
	p->awaited = awaited || from->own.final || (flags & UNDEFERRED && from->own.size > 1);
	top = awaited = 0;
	krd_makes(&p->c, flags & IS_FINAL, p->awaited);
	krd_starts(p->c.number = krd_another());
}

static void dependences(data *self, const dependence *list, int n)
{
	piece *p = self->is;
	if (!p)
		return;
	p->c.on = krd_depends(n);
	for (int i = 0; i < n; i++)
		krd_depend(p->c.on, (uintptr_t)list[i].at, list[i].kind == READS);
}

// runs begins or goes on with a task, on the stack below top unless that is known.
static void runs(piece *p, uintptr_t top)
{
	uint64_t paused = p->paused;
	if (p->top)
		top = p->top;
	p->under = here();
	p->began = krd_ticks();
	p->paused = 0;
	if (!p->on) {
		krd_task(p->c.number, p->entry, top);
		unsigned size = p->own.size;
		p->own = krd_task_in(&p->c);
		p->own.size = size;
		p->on = krd_me;
		krd_running = &p->own;
		krd_begun(p->c.on);
	} else {
		krd_task_goes_on(p->on, paused, top);
		krd_running = &p->own;
	}
	p->top = 0;
}

// ends lets what is under p go on, which is not always what libomp names.
static void ends(piece *p, int paused)
{
	piece *under = p->under;
	if (paused)
		p->paused = krd_ticks();
	else
		krd_task_done(&p->c);
	krd_running = &under->own;
	krd_task_ends(under->on, p->began, paused);
	if (!paused && p->awaited)
		waits_for(p->c.siblings);
}

// An untied task pauses where it waits: libomp is then told to call it again, by any thread. What it then names
// as the next is the task's parent, which may be on another thread, or gone; the current task is still the prior.
static void task_schedule(data *prior, int status, data *next)
{
	piece *p = prior->is;
	if (p && status == WAITED) {
		krd_begun(p->c.on);
		krd_ended(p->c.on);
	} else if (p && (status == COMPLETE || status == CANCEL || status == DETACHED)) {
		if (p == here())
			ends(p, 0);
	} else {
		data *self = NULL;
		frame *f = NULL;
		if (status == EARLY || status == LATE || !next || !get_info(0, NULL, &self, &f, NULL, NULL))
			return;
		piece *n = self == next ? next->is : NULL;
		if (n && (!n->on || n->paused))
			runs(n, f ? (uintptr_t)f->exit.is : 0);
		else if (self == prior && prior != next && p == here() && p->c.number)
			ends(p, 1);
		return;
	}
	prior->is = NULL;
	gone(p);
}

static void waits(piece *p, const volatile void *at) { p->waits = krd_waits_for(OP_WAIT, at, 0); }

static void sync_region(int kind, int scope, data *parallel, data *self, const void *pc)
{
	piece *p = here();
	task *own = &p->own;
	if (kind == REGION_TASKGROUP && scope == BEGIN) {
		krd_opens();
		return;
	}
	if (scope == BEGIN && kind == REGION_TASKWAIT) {
		if (own->children)
			waits(p, p->barrier = (void *)own->children);
	} else if (scope == BEGIN && own->in && kind != REGION_REDUCTION) {
		p->barrier = barrier(own->in, own->round++);
		krd_note(OP_DONE, p->barrier, 0);
		if (pc) // else the thread is free
			waits(p, p->barrier);
	} else if (scope == END_OF) {
		uint64_t begin = p->waits;
		p->waits = 0;
		if (begin)
			krd_waited();
		if (kind == REGION_TASKGROUP)
			krd_closes(begin ? begin : krd_ticks());
		else if (begin)
			krd_sync(OP_WAIT, p->barrier, 0, begin, 0);
	}
}

static void sync_region_wait(int kind, int scope, data *parallel, data *self, const void *pc)
{
	if (kind == REGION_TASKGROUP && scope == BEGIN && here()->own.open)
		waits(here(), (void *)here()->own.open->group);
}

// Of a taskloop with many tasks libomp makes some by tasks of its own, of which it does not tell, unless it is
// told not to by the environment, which it reads between the next two functions.
#define TASKLOOP "KMP_TASKLOOP_MIN_TASKS"
static int alone;

static int begins(void *(*find)(const char *), int device, data *tool)
{
	void (*set)(int, void *) = find("ompt_set_callback");
	get_info = find("ompt_get_task_info");
	set(PARALLEL_BEGIN, parallel_begin);
	set(PARALLEL_END, parallel_end);
	set(IMPLICIT_TASK, implicit_task);
	set(TASK_CREATE, task_create);
	set(TASK_SCHEDULE, task_schedule);
	set(SYNC_REGION, sync_region);
	set(SYNC_REGION_WAIT, sync_region_wait);
	set(DEPENDENCES, dependences);
	if (alone)
		unsetenv(TASKLOOP);
	return 1;
}

static void over(data *tool) {}

WEAK void *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct {
		int (*begins)(void *(*)(const char *), int, data *);
		void (*over)(data *);
		data tool;
	} result = {begins, over};
	if (!krd.sync)
		return NULL;
	if ((alone = !getenv(TASKLOOP)))
		setenv(TASKLOOP, "2147483647", 1);
	return &result;
}

// A task's data lie in memory that libomp uses again.
typedef struct {
	void *shared;
} closure;

WEAK closure *__kmpc_omp_task_alloc(void *at, int thread, int flags, size_t own, size_t shared, void *run)
{
	static closure *(*real)(void *, int, int, size_t, size_t, void *);
	if (!real)
		real = krd_next("__kmpc_omp_task_alloc");
	closure *c = real(at, thread, flags, own, shared, run);
	entry = run;
	bytes = ((own + 7) & ~7ul) + shared;
	krd_made(c, bytes, CALLER);
	return c;
}

WEAK void __kmpc_omp_task_begin_if0(void *at, int thread, closure *c)
{
	NEXT(__kmpc_omp_task_begin_if0, (void *, int, closure *));
	top = (uintptr_t)__builtin_frame_address(0);
	awaited = 1;
	real(at, thread, c);
	top = awaited = 0;
}

// A taskloop copies the data of its first task.
static __thread struct loop {
	void (*copy)(closure *, closure *, int);
	size_t bytes;
	const void *entry, *caller;
	int awaited;
} loop;

static void copies(closure *to, closure *from, int last)
{
	krd_made(to, loop.bytes, loop.caller);
	if (loop.copy)
		loop.copy(to, from, last);
	entry = loop.entry;
	awaited = loop.awaited;
}

WEAK void __kmpc_taskloop(void *at, int thread, closure *c, int cond, uint64_t *from, uint64_t *to, long step,
                          int nogroup, int kind, uint64_t grains, void *copy)
{
	NEXT(__kmpc_taskloop, (void *, int, closure *, int, uint64_t *, uint64_t *, long, int, int, uint64_t, void *));
	struct loop outer = loop;
	loop = (struct loop){copy, bytes, entry, CALLER, !cond};
	real(at, thread, c, cond, from, to, step, nogroup, kind, grains, krd.h ? (void *)copies : copy);
	loop = outer;
}

ENTERS(__kmpc_critical, (void *at, int thread, void *lock), (at, thread, lock), lock)
ENTERS(__kmpc_critical_with_hint, (void *at, int thread, void *lock, unsigned hint), (at, thread, lock, hint), lock)
LEAVES(__kmpc_end_critical, (void *at, int thread, void *lock), (at, thread, lock), lock)

// Of a reduction the threads combine their parts while they are in its barrier, or one after the other, if the
// library has so decided: that is 1. Each takes the lock when its part is there, and when it combines two.
static __thread struct {
	void (*run)(void *, void *);
	void *lock;
	int held;
} reduction;

static void combines(void *to, void *from)
{
	krd_note(OP_LOCK, reduction.lock, 0);
	reduction.run(to, from);
	krd_note(OP_UNLOCK, reduction.lock, 0);
}

#define REDUCES(name, end) \
	WEAK int name(void *at, int thread, int n, size_t size, void *list, void (*run)(void *, void *), void *lock) \
	{ \
		static int (*real)(void *, int, int, size_t, void *, void (*)(void *, void *), void *); \
		if (!real) \
			real = krd_next(#name); \
		if (!krd.sync) \
			return real(at, thread, n, size, list, run, lock); \
		krd_note(OP_LOCK, lock, 0); \
		krd_note(OP_UNLOCK, lock, 0); \
		reduction.run = run; \
		reduction.lock = lock; \
		int how = real(at, thread, n, size, list, combines, lock); \
		if ((reduction.held = how == 1)) \
			krd_note(OP_LOCK, lock, 0); \
		return how; \
	} \
	WEAK void end(void *at, int thread, void *lock) \
	{ \
		NEXT(end, (void *, int, void *)); \
		if (reduction.held) \
			krd_note(OP_UNLOCK, lock, 0); \
		reduction.held = 0; \
		real(at, thread, lock); \
	}
REDUCES(__kmpc_reduce, __kmpc_end_reduce)
REDUCES(__kmpc_reduce_nowait, __kmpc_end_reduce_nowait)
