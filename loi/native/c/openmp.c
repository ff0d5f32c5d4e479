// OpenMP, as gcc compiles it: libgomp waits by system calls of its own. A team begins and ends by groups
// of its first thread. A task is to the trace a thread that ends by groups: of its siblings, for taskwait; of
// its taskgroup; of the team's next barrier.
#include "krd.h"

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void __libc_free(void *);

typedef struct {
	void (*run)(void *);
	void *arg;
	char begin[8], end[8], barrier[16];
	_Atomic int tasks; // it has made some
} team;

typedef struct taskgroup {
	uint64_t group;
	struct taskgroup *outer;
} taskgroup;

// A datum is what siblings depend on: they follow the last that wrote it, which ends by a group, and one that
// writes it those that have read it since.
typedef struct {
	uintptr_t at;
	uint64_t wrote, read;
} datum;

// A task runs on a thread. What a thread of a team runs beside tasks is one too.
typedef struct {
	team *in;
	taskgroup *open;          // in it
	uint64_t children, whole; // groups: of its children, of the taskgroup in which it was made
	uint64_t round;           // of barriers
	int final;
	datum *data; // that its children depend on, by address
	size_t used, room;
} task;

static __thread task first, *running;
INLINE task *current(void) { return running ? running : &first; }

// Groups have addresses that no memory has: Tasks in krdlab/loi/native.
#define GROUPS (1ull << 57)
static uint64_t another(void)
{
	static _Atomic uint64_t groups;
	return GROUPS + 8 * atomic_fetch_add(&groups, 1);
}

static void waits_for(uint64_t group) { krd_note(OP_WAIT, (void *)group, 0); }
static void is_done(uint64_t group) { krd_note(OP_DONE, (void *)group, 0); }
static const volatile void *barrier(const team *t, uint64_t round) { return t->barrier + 8 * (round & 1); }

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
	task own = {t}, *outer = running;
	krd_note(OP_WAIT, t->begin, 0);
	running = &own;
	t->run(t->arg);
	running = outer;
	__libc_free(own.data);
	krd_note(OP_DONE, t->end, 0);
}

#define NEXT(name, params) \
	static void(*real) params; \
	if (!real) \
		real = krd_next(#name)

#define TEAM(name, params, args) \
	WEAK void name params \
	{ \
		NEXT(name, params); \
		if (!krd.sync) { \
			real args; \
			return; \
		} \
		team t = {f, data}; \
		krd_meets(t.barrier, 0); \
		krd_note(OP_DONE, t.begin, 0); \
		f = joins; \
		data = &t; \
		real args; \
		krd_note(OP_WAIT, t.end, 0); \
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
		const volatile void *p = krd_comes(by->in->barrier, members()); \
		uint64_t begin = krd_waits_for(OP_WAIT, p, 0); \
		real(); \
		krd_waited(); \
		krd_sync(OP_WAIT, p, 0, begin, 0); \
	}
TEAM_MEETS(GOMP_barrier)
TEAM_MEETS(GOMP_loop_end)
TEAM_MEETS(GOMP_sections_end)

static char critical[8], atomic[8];
#define ENTERS(name, params, args, p) \
	WEAK void name params \
	{ \
		NEXT(name, params); \
		uint64_t begin = krd.sync ? krd_waits_for(OP_LOCK, p, 0) : 0; \
		real args; \
		if (krd.sync) { \
			krd_waited(); \
			krd_sync(OP_LOCK, p, 0, begin, 0); \
		} \
	}
#define LEAVES(name, params, args, p) \
	WEAK void name params \
	{ \
		NEXT(name, params); \
		if (krd.sync) \
			krd_note(OP_UNLOCK, p, 0); \
		real args; \
	}
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
	uint64_t number, siblings, whole, round;
	team *in;
	int loop, final, in_turn;
	struct depends *on;
} made;

// Groups that a task waits for when it begins come first, those that it ends by last.
typedef struct depends {
	size_t waits, ends, room;
	uint64_t groups[];
} depends;

// known returns what is known of a datum.
static datum *known(task *t, uintptr_t at)
{
	if (2 * t->used >= t->room) {
		task more = {.room = t->room ? 2 * t->room : 16};
		more.data = __libc_calloc(more.room, sizeof *more.data);
		for (size_t i = 0; i < t->room; i++)
			if (t->data[i].at)
				*known(&more, t->data[i].at) = t->data[i];
		__libc_free(t->data);
		t->data = more.data;
		t->room = more.room;
	}
	size_t i = at * 0x9e3779b97f4a7c15ull >> 32;
	while (t->data[i %= t->room].at && t->data[i].at != at)
		i++;
	if (!t->data[i].at)
		t->used++;
	t->data[i].at = at;
	return &t->data[i];
}

// depend adds a dependence of a child that is about to be made.
static void depend(task *t, depends *d, uintptr_t at, int reads)
{
	datum *x = known(t, at);
	if (x->wrote)
		d->groups[d->waits++] = x->wrote;
	if (!reads) {
		if (x->read)
			d->groups[d->waits++] = x->read;
		*x = (datum){at, another(), 0};
	} else if (!x->read)
		x->read = another();
	d->groups[d->room - ++d->ends] = reads ? x->read : x->wrote;
}

// depends_on reads a list as libgomp has it: how many there are, how many of these write, and their addresses;
// or 0, how many there are, write, exclude each other, read, and their addresses, those of objects last.
static depends *depends_on(void **list)
{
	uintptr_t *l = (uintptr_t *)list, n = l[0] ? l[0] : l[1];
	uintptr_t writes = l[0] ? l[1] : l[2] + l[3], named = l[0] ? n : writes + l[4];
	depends *d = __libc_malloc(sizeof *d + 3 * n * sizeof *d->groups);
	*d = (depends){0, 0, 3 * n};
	l += l[0] ? 2 : 5;
	for (uintptr_t i = 0; i < n; i++) {
		uintptr_t *object = (uintptr_t *)l[i]; // address, kind
		depend(current(), d, i < named ? l[i] : object[0], i < named ? i >= writes : object[1] == 1);
	}
	return d;
}

static void begun(depends *d)
{
	for (size_t i = 0; d && i < d->waits; i++)
		waits_for(d->groups[i]);
}

static void ended(depends *d)
{
	for (size_t i = 0; d && i < d->ends; i++)
		is_done(d->groups[d->room - 1 - i]);
	__libc_free(d);
}

// copies is called by the thread that makes the task, once for each.
static void copies(void *to, void *from)
{
	made *m = to;
	*m = *(made *)from;
	m->number = krd_another();
	char *data = (char *)to + m->head;
	if (m->copy)
		m->copy(data, m->data);
	else
		for (size_t i = 0; i < m->bytes; i++)
			((volatile char *)data)[i] = ((char *)m->data)[i];
	krd_starts(m->number);
}

__attribute__((noinline)) static void runs(void *p)
{
	made *m = p;
	task own = {.in = m->in, .whole = m->whole, .round = m->round, .final = m->final}, *outer = running;
	uint64_t *data = (uint64_t *)((char *)p + m->head), now = krd_ticks();
	krd_buf *was = krd_task(m->number, m->run, (uintptr_t)__builtin_frame_address(0));
	running = &own;
	if (m->loop) {
		data[0] = m->range[0];
		data[1] = m->range[1];
	}
	if (m->in_turn)
		waits_for(m->siblings);
	begun(m->on);
	m->run(data);
	ended(m->on);
	is_done(m->siblings);
	if (m->whole)
		is_done(m->whole);
	if (m->in)
		krd_note(OP_DONE, barrier(m->in, m->round), 0);
	running = outer;
	__libc_free(own.data);
	krd_task_ends(was, now);
}

#define FINAL 2u
#define DEPEND 8u
#define IF (1u << 10)
#define NO_GROUP (1u << 11)
#define REDUCTION (1u << 12)
#define DETACH (1u << 13)

// make readies what libgomp is to copy. A task that its maker waits for is alone in its group.
static void make(made *m, task *by, unsigned flags, int awaited)
{
	if (!by->children)
		by->children = another();
	m->siblings = awaited ? another() : by->children;
	m->whole = by->open ? by->open->group : by->whole;
	m->round = by->round;
	m->final = by->final || flags & FINAL;
	m->in_turn = awaited && m->loop;
	if ((m->in = by->in))
		m->in->tasks = 1;
}

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
	make(&m, by, flags, awaited);
	if (flags & DEPEND)
		m.on = depends_on(on);
	real(runs, &m, copies, m.head + bytes, align, deferred, flags, on, priority, detach);
	if (awaited)
		waits_for(m.siblings);
}

// A taskgroup that a task opens, and closes.
static void opens(void)
{
	taskgroup *g = __libc_malloc(sizeof *g);
	*g = (taskgroup){another(), current()->open};
	current()->open = g;
}

static void closes(uint64_t begin)
{
	taskgroup *g = current()->open;
	krd_sync(OP_WAIT, (void *)g->group, 0, begin, 0);
	current()->open = g->outer;
	__libc_free(g);
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
			opens(); \
		make(&m, by, flags, awaited); \
		uint64_t begin = krd_ticks(); \
		real(runs, &m, copies, m.head + bytes, align, flags, tasks, priority, from, to, step); \
		if (!(flags & NO_GROUP)) \
			closes(begin); \
		if (awaited) \
			waits_for(m.siblings); \
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
	begun(d);
	ended(d);
}

WEAK void GOMP_taskgroup_start(void)
{
	NEXT(GOMP_taskgroup_start, (void));
	if (krd.sync)
		opens();
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
	closes(begin);
}
