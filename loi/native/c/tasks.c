// What the trace has of tasks of OpenMP: the groups by which they end and wait.
#include "openmp.h"

__thread task krd_first, *krd_running;

// Groups have addresses that no memory has: Tasks in krdlab/loi/native.
#define GROUPS (1ull << 57)
uint64_t krd_groups(unsigned n)
{
	static _Atomic uint64_t groups;
	return GROUPS + 8 * atomic_fetch_add(&groups, n);
}

void krd_makes(child *c, int final, int awaited)
{
	task *by = current();
	if (!by->children)
		by->children = krd_group();
	c->siblings = awaited ? krd_group() : by->children;
	c->whole = by->open ? by->open->group : by->whole;
	c->round = by->round;
	c->final = by->final || final;
	if ((c->in = by->in))
		c->in->tasks = 1;
}

task krd_task_in(const child *c)
{
	return (task){.in = c->in, .whole = c->whole, .round = c->round, .final = c->final};
}

void krd_task_done(const child *c)
{
	krd_ended(c->on);
	is_done(c->siblings);
	if (c->whole)
		is_done(c->whole);
	if (c->in)
		krd_note(OP_DONE, barrier(c->in, c->round), 0);
}

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

void krd_depend(depends *d, uintptr_t at, int reads)
{
	datum *x = known(current(), at);
	if (x->wrote)
		d->groups[d->waits++] = x->wrote;
	if (!reads) {
		if (x->read)
			d->groups[d->waits++] = x->read;
		*x = (datum){at, krd_group(), 0};
	} else if (!x->read)
		x->read = krd_group();
	d->groups[d->room - ++d->ends] = reads ? x->read : x->wrote;
}

depends *krd_depends(size_t n)
{
	depends *d = __libc_malloc(sizeof *d + 3 * n * sizeof *d->groups);
	*d = (depends){0, 0, 3 * n};
	return d;
}

void krd_begun(depends *d)
{
	for (size_t i = 0; d && i < d->waits; i++)
		waits_for(d->groups[i]);
}

void krd_ended(depends *d)
{
	for (size_t i = 0; d && i < d->ends; i++)
		is_done(d->groups[d->room - 1 - i]);
	__libc_free(d);
}

void krd_opens(void)
{
	taskgroup *g = __libc_malloc(sizeof *g);
	*g = (taskgroup){krd_group(), current()->open};
	current()->open = g;
}

void krd_closes(uint64_t begin)
{
	taskgroup *g = current()->open;
	krd_sync(OP_WAIT, (void *)g->group, 0, begin, 0);
	current()->open = g->outer;
	__libc_free(g);
}
