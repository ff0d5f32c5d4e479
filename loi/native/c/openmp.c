// OpenMP, as gcc compiles it: libgomp waits by system calls of its own.
#include "openmp.h"

static unsigned members(void)
{
	static int (*real)(void);
	if (!real)
		real = krd_next("omp_get_num_threads");
	return real();
}

static void joins(void *p)
{
	team *t = p;
	task own = {t}, *outer = krd_running;
	krd_note(OP_WAIT, t->groups, 0);
	krd_running = &own;
	t->run(t->arg);
	krd_running = outer;
	__libc_free(own.data);
	krd_note(OP_DONE, t->groups + 8, 0);
}

#define TEAM(name, params, args) \
	WEAK void name params \
	{ \
		NEXT(name, params); \
		if (!krd.sync) { \
			real args; \
			return; \
		} \
		char groups[32]; \
		team t = {f, data, groups}; \
		krd_meets(barrier(&t, 0), 0); \
		krd_note(OP_DONE, t.groups, 0); \
		f = joins; \
		data = &t; \
		real args; \
		krd_note(OP_WAIT, t.groups + 8, 0); \
		for (int i = 0; i < 2 && t.tasks; i++) \
			krd_note(OP_WAIT, barrier(&t, i), 0); \
	}
#define TEAM_OF_LOOP(name) \
	TEAM(name, (void (*f)(void *), void *data, unsigned n, long a, long b, long step, long chunk, unsigned flags), \
	     (f, data, n, a, b, step, chunk, flags))
#define TEAM_OF_RUNTIME(name) \
	TEAM(name, (void (*f)(void *), void *data, unsigned n, long a, long b, long step, unsigned flags), \
	     (f, data, n, a, b, step, flags))
TEAM(GOMP_parallel, (void (*f)(void *), void *data, unsigned n, unsigned flags), (f, data, n, flags))
TEAM(GOMP_parallel_sections, (void (*f)(void *), void *data, unsigned n, unsigned count, unsigned flags),
     (f, data, n, count, flags))
TEAM_OF_LOOP(GOMP_parallel_loop_static)
TEAM_OF_LOOP(GOMP_parallel_loop_dynamic)
TEAM_OF_LOOP(GOMP_parallel_loop_guided)
TEAM_OF_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
TEAM_OF_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
TEAM_OF_RUNTIME(GOMP_parallel_loop_runtime)
TEAM_OF_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
TEAM_OF_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define TEAM_MEETS(name) \
	WEAK void name(void) \
	{ \
		NEXT(name, (void)); \
		task *by = current(); \
		if (!krd.sync || !by->in) { \
			real(); \
			return; \
		} \
		by->round++; \
		const volatile void *p = krd_comes(barrier(by->in, 0), members()); \
		uint64_t begin = krd_waits_for(OP_WAIT, p, 0); \
		real(); \
		krd_waited(); \
		krd_sync(OP_WAIT, p, 0, begin, 0); \
	}
TEAM_MEETS(GOMP_barrier)
TEAM_MEETS(GOMP_loop_end)
TEAM_MEETS(GOMP_sections_end)

static char critical[8], atomic[8];
ENTERS(GOMP_critical_start, (void), (), critical)
LEAVES(GOMP_critical_end, (void), (), critical)
ENTERS(GOMP_critical_name_start, (void **at), (at), at)
LEAVES(GOMP_critical_name_end, (void **at), (at), at)
ENTERS(GOMP_atomic_start, (void), (), atomic)
LEAVES(GOMP_atomic_end, (void), (), atomic)
ENTERS(omp_set_lock, (void *at), (at), at)
LEAVES(omp_unset_lock, (void *at), (at), at)

// What libgomp copies for a task: this, and behind it what the program has for the task.
typedef struct {
	uint64_t range[2]; // of a taskloop, which libgomp sets
	void *reductions;  // likewise
	void (*run)(void *);
	void (*copy)(void *, void *); // NULL: bytes are copied
	void *data;
	size_t bytes, head; // of data; from here to its copy
	int loop, in_turn;
	child c;
} made;

// depends_on reads a list as libgomp has it: how many there are, how many of these write, and their addresses;
// or 0, how many there are, write, exclude each other, read, and their addresses, those of objects last.
static depends *depends_on(void **list)
{
	uintptr_t *l = (uintptr_t *)list, n = l[0] ? l[0] : l[1];
	uintptr_t writes = l[0] ? l[1] : l[2] + l[3], named = l[0] ? n : writes + l[4];
	depends *d = krd_depends(n);
	l += l[0] ? 2 : 5;
	for (uintptr_t i = 0; i < n; i++) {
		uintptr_t *object = (uintptr_t *)l[i]; // address, kind
		krd_depend(d, i < named ? l[i] : object[0], i < named ? i >= writes : object[1] == 1);
	}
	return d;
}

// copies is called by the thread that makes the task, once for each.
static void copies(void *to, void *from)
{
	made *m = to;
	*m = *(made *)from;
	m->c.number = krd_another();
	char *data = (char *)to + m->head;
	if (m->copy)
		m->copy(data, m->data);
	else
		for (size_t i = 0; i < m->bytes; i++)
			((volatile char *)data)[i] = ((char *)m->data)[i];
	krd_starts(m->c.number);
}

__attribute__((noinline)) static void runs(void *p)
{
	made *m = p;
	task own = krd_task_in(&m->c), *outer = krd_running;
	uint64_t *data = (uint64_t *)((char *)p + m->head), now = krd_ticks();
	krd_buf *was = krd_task(m->c.number, m->run, (uintptr_t)__builtin_frame_address(0));
	krd_running = &own;
	if (m->loop) {
		data[0] = m->range[0];
		data[1] = m->range[1];
	}
	if (m->in_turn)
		waits_for(m->c.siblings);
	krd_begun(m->c.on);
	m->run(data);
	krd_task_done(&m->c);
	krd_running = outer;
	__libc_free(own.data);
	krd_task_ends(was, now, 0);
}

#define FINAL 2u
#define DEPEND 8u
#define IF (1u << 10)
#define NO_GROUP (1u << 11)
#define REDUCTION (1u << 12)
#define DETACH (1u << 13)

#define HEAD(align) ((sizeof(made) + (align) - 1) & -(size_t)(align))
#define ALIGN(align) ((align) > 16 ? (align) : 16)

WEAK void GOMP_task(void (*f)(void *), void *data, void (*copy)(void *, void *), long bytes, long align, _Bool deferred,
                    unsigned flags, void **on, int priority, void *detach)
{
	NEXT(GOMP_task, (void (*)(void *), void *, void (*)(void *, void *), long, long, _Bool, unsigned, void **, int,
	                 void *));
	if (!krd.sync || flags & DETACH) {
		real(f, data, copy, bytes, align, deferred, flags, on, priority, detach);
		return;
	}
	task *by = current();
	int awaited = !deferred || by->final;
	align = ALIGN(align);
	made m = {.run = f, .copy = copy, .data = data, .bytes = bytes, .head = HEAD(align)};
	krd_makes(&m.c, flags & FINAL, awaited);
	if (flags & DEPEND)
		m.c.on = depends_on(on);
	real(runs, &m, copies, m.head + bytes, align, deferred, flags, on, priority, detach);
	if (awaited)
		waits_for(m.c.siblings);
}

#define TASKLOOP(name, number) \
	WEAK void name(void (*f)(void *), void *data, void (*copy)(void *, void *), long bytes, long align, unsigned flags, \
	               unsigned long tasks, int priority, number from, number to, number step) \
	{ \
		NEXT(name, (void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, unsigned long, int, number, \
		            number, number)); \
		if (!krd.sync) { \
			real(f, data, copy, bytes, align, flags, tasks, priority, from, to, step); \
			return; \
		} \
		task *by = current(); \
		int awaited = !(flags & IF) || by->final; \
		align = ALIGN(align); \
		made m = {.run = f, .copy = copy, .data = data, .bytes = bytes, .head = HEAD(align), .loop = 1}; \
		if (flags & REDUCTION) \
			m.reductions = ((void **)data)[2]; \
		if (!(flags & NO_GROUP)) \
			krd_opens(); \
		krd_makes(&m.c, flags & FINAL, awaited); \
		m.in_turn = awaited; \
		uint64_t begin = krd_ticks(); \
		real(runs, &m, copies, m.head + bytes, align, flags, tasks, priority, from, to, step); \
		if (!(flags & NO_GROUP)) \
			krd_closes(begin); \
		if (awaited) \
			waits_for(m.c.siblings); \
	}
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

WEAK void GOMP_taskwait(void)
{
	NEXT(GOMP_taskwait, (void));
	uint64_t group = current()->children;
	if (!group) {
		real();
		return;
	}
	uint64_t begin = krd_waits_for(OP_WAIT, (void *)group, 0);
	real();
	krd_waited();
	krd_sync(OP_WAIT, (void *)group, 0, begin, 0);
}

WEAK void GOMP_taskwait_depend(void **on)
{
	NEXT(GOMP_taskwait_depend, (void **));
	depends *d = krd.sync ? depends_on(on) : NULL;
	real(on);
	krd_begun(d);
	krd_ended(d);
}

WEAK void GOMP_taskgroup_start(void)
{
	NEXT(GOMP_taskgroup_start, (void));
	if (krd.sync)
		krd_opens();
	real();
}

WEAK void GOMP_taskgroup_end(void)
{
	NEXT(GOMP_taskgroup_end, (void));
	if (!krd.sync || !current()->open) {
		real();
		return;
	}
	uint64_t begin = krd_waits_for(OP_WAIT, (void *)current()->open->group, 0);
	real();
	krd_waited();
	krd_closes(begin);
}
