// tbb::task_group, parallel_invoke and parallel_for in programs of krdlab c++: oneTBB's, by which each call
// of the program's code is a task of the trace (c/tbb.c). Headers of their names include this first.
#pragma once
#pragma GCC system_header
#if __has_include_next(<oneapi/tbb/task_group.h>) && !TBB_PREVIEW_TASK_GROUP_EXTENSIONS
#define task_group krd_task_group
#define parallel_invoke krd_parallel_invoke
#define parallel_for krd_parallel_for
#include_next <oneapi/tbb/task_group.h>
#include_next <oneapi/tbb/parallel_invoke.h>
#include_next <oneapi/tbb/parallel_for.h>
#undef task_group
#undef parallel_invoke
#undef parallel_for

extern "C" {
int __tsan_tbb_enter(void);
void __tsan_tbb_leave(void);
unsigned long __tsan_tbb_group(void);
void *__tsan_tbb_make(unsigned long group, const void *entry);
void __tsan_tbb_begin(void *task);
void __tsan_tbb_end(void *task);
unsigned long __tsan_tbb_wait(unsigned long group);
void __tsan_tbb_waited(unsigned long group, unsigned long begin);
void *__tsan_tbb_loop(unsigned long group, const void *entry);
void *__tsan_tbb_begin_next(void *loop);
void __tsan_tbb_over(void *loop);
void __tsan_tbb_copied(const void *p, unsigned long bytes);
}

#define KRD_UNSEEN __attribute__((no_sanitize("thread")))

namespace krd {

// The thread is in oneTBB.
struct apart {
	int krd_is;
	KRD_UNSEEN apart() : krd_is(__tsan_tbb_enter()) {}
	KRD_UNSEEN ~apart() { krd_leave(); }
	KRD_UNSEEN void krd_leave()
	{
		if (krd_is)
			__tsan_tbb_leave();
		krd_is = 0;
	}
};

// The thread waits for a group.
struct waiting {
	unsigned long group, begin;
	KRD_UNSEEN explicit waiting(unsigned long g) : group(g), begin(__tsan_tbb_wait(g)) {}
	KRD_UNSEEN ~waiting() { __tsan_tbb_waited(group, begin); }
};

// The task runs.
struct running {
	void *task;
	KRD_UNSEEN explicit running(void *t) : task(t) { __tsan_tbb_begin(t); }
	KRD_UNSEEN running(void *t, int) : task(t) {} // it has begun
	KRD_UNSEEN ~running() { __tsan_tbb_end(task); }
};

template <typename F> void task(const F &f) { f(); }
template <typename F> KRD_UNSEEN const void *entry() { return (const void *)static_cast<void (*)(const F &)>(task<F>); }

// A functor that oneTBB has by reference.
template <typename F> struct lent {
	const F &f;
	mutable void *made;
	KRD_UNSEEN lent(unsigned long group, const F &f) : f(f), made(__tsan_tbb_make(group, entry<F>())) {}
	KRD_UNSEEN lent(lent &&o) : f(o.f), made(o.made) { o.made = nullptr; }
	KRD_UNSEEN ~lent()
	{
		if (made) // it was cancelled
			running r(made);
	}
	KRD_UNSEEN void operator()() const
	{
		running r(made);
		made = nullptr;
		task(f);
	}
};

// A functor that oneTBB would copy into memory that it uses again; it is gone before its task ends.
template <typename F> struct held {
	F f;
	template <typename G> explicit held(G &&g) : f(std::forward<G>(g)) {}
};
template <typename F> struct given {
	mutable held<F> *h;
	mutable void *made;
	KRD_UNSEEN given(unsigned long group, held<F> *h) : h(h), made(__tsan_tbb_make(group, entry<F>())) {}
	KRD_UNSEEN given(given &&o) : h(o.h), made(o.made) { o.h = nullptr; }
	KRD_UNSEEN ~given()
	{
		if (h) {
			running r(made);
			delete h;
		}
	}
	KRD_UNSEEN void operator()() const
	{
		running r(made);
		struct last {
			held<F> *h;
			KRD_UNSEEN ~last() { delete h; }
		} l = {h};
		h = nullptr;
		task(l.h->f);
	}
};

template <typename F>
KRD_UNSEEN lent<typename std::remove_cv<typename std::remove_reference<F>::type>::type> lend(unsigned long group, F &&f)
{
	return {group, f};
}
inline tbb::task_group_context &lend(unsigned long, tbb::task_group_context &c) { return c; }

template <typename... Fs> KRD_UNSEEN void invoke(unsigned long group, Fs &&...fs)
{
	waiting w(group);
	apart a;
	tbb::krd_parallel_invoke(std::forward<Fs>(fs)...);
}

// A loop, each of whose pieces is a task.
struct loop {
	unsigned long group;
	void *tasks;
	KRD_UNSEEN explicit loop(const void *entry) : group(__tsan_tbb_group()), tasks(__tsan_tbb_loop(group, entry)) {}
	KRD_UNSEEN ~loop() { __tsan_tbb_over(tasks); }
};

template <typename Body, typename Range> void piece(const Body &b, Range &r) { b(r); }

template <typename Body, typename Range> struct pieces {
	Body b;
	void *tasks;
	KRD_UNSEEN pieces(const Body &b, void *tasks) : b(b), tasks(tasks) {}
	KRD_UNSEEN pieces(const pieces &o) : b(o.b), tasks(o.tasks) { __tsan_tbb_copied(this, sizeof *this); }
	KRD_UNSEEN void operator()(Range &range) const
	{
		running r(__tsan_tbb_begin_next(tasks), 0);
		piece(b, range);
	}
};

template <typename Index, typename F> struct indices {
	const F &f;
	Index first, step;
	KRD_UNSEEN void operator()(const tbb::blocked_range<Index> &r) const
	{
		Index at = first + r.begin() * step;
		for (Index i = r.begin(); i < r.end(); ++i, at += step)
			f(at);
	}
};

// What may follow the body of a loop.
template <typename... T> struct follow : std::true_type {};
template <typename T, typename... More> struct follow<T, More...> {
	typedef typename std::decay<T>::type is;
	static constexpr bool value = follow<More...>::value &&
		(std::is_same<is, tbb::simple_partitioner>::value || std::is_same<is, tbb::auto_partitioner>::value ||
		 std::is_same<is, tbb::static_partitioner>::value || std::is_same<is, tbb::affinity_partitioner>::value ||
		 std::is_same<is, tbb::task_group_context>::value);
};

}

namespace tbb {
namespace detail {
namespace d1 {

template <typename... Fs> KRD_UNSEEN void parallel_invoke(Fs &&...fs)
{
	unsigned long group = __tsan_tbb_group();
	krd::invoke(group, krd::lend(group, std::forward<Fs>(fs))...);
}

template <typename Range, typename Body, typename... More>
KRD_UNSEEN typename std::enable_if<krd::follow<More...>::value>::type
parallel_for(const Range &range, const Body &body, More &&...more)
{
	void (*entry)(const Body &, Range &) = krd::piece<Body, Range>;
	krd::loop l((const void *)entry);
	krd::pieces<Body, Range> p(body, l.tasks);
	krd::waiting w(l.group);
	krd::apart a;
	tbb::krd_parallel_for(range, p, std::forward<More>(more)...);
}

template <typename Index, typename F, typename... More>
KRD_UNSEEN typename std::enable_if<krd::follow<More...>::value>::type
parallel_for(Index first, Index last, Index step, const F &f, More &&...more)
{
	if (step <= 0)
		throw_exception(exception_id::nonpositive_step);
	if (first < last)
		parallel_for(blocked_range<Index>(0, (last - first - Index(1)) / step + Index(1)),
			krd::indices<Index, F>{f, first, step}, std::forward<More>(more)...);
}

template <typename Index, typename F, typename... More>
KRD_UNSEEN typename std::enable_if<krd::follow<More...>::value && !krd::follow<F>::value>::type
parallel_for(Index first, Index last, const F &f, More &&...more)
{
	parallel_for(first, last, Index(1), f, std::forward<More>(more)...);
}

class task_group : krd::apart, public tbb::krd_task_group {
	typedef tbb::krd_task_group original;
	unsigned long krd_group = __tsan_tbb_group();
	template <typename F> KRD_UNSEEN krd::given<typename std::decay<F>::type> give(F &&f)
	{
		typedef krd::held<typename std::decay<F>::type> held;
		return {krd_group, new held(std::forward<F>(f))};
	}

public:
	KRD_UNSEEN task_group() { krd_leave(); }
	KRD_UNSEEN task_group(task_group_context &c) : original(c) { krd_leave(); }
	KRD_UNSEEN ~task_group() noexcept(false) { krd_is = __tsan_tbb_enter(); }

	template <typename F> KRD_UNSEEN void run(F &&f)
	{
		auto g = give(std::forward<F>(f));
		krd::apart a;
		original::run(std::move(g));
	}
	KRD_UNSEEN void run(d2::task_handle &&h)
	{
		krd::apart a;
		original::run(std::move(h));
	}
	template <typename F> KRD_UNSEEN d2::task_handle defer(F &&f)
	{
		auto g = give(std::forward<F>(f));
		krd::apart a;
		return original::defer(std::move(g));
	}
	KRD_UNSEEN task_group_status wait()
	{
		krd::waiting w(krd_group);
		krd::apart a;
		return original::wait();
	}
	template <typename F> KRD_UNSEEN task_group_status run_and_wait(const F &f)
	{
		krd::lent<F> l(krd_group, f);
		krd::waiting w(krd_group);
		krd::apart a;
		return original::run_and_wait(l);
	}
	KRD_UNSEEN task_group_status run_and_wait(d2::task_handle &&h)
	{
		krd::waiting w(krd_group);
		krd::apart a;
		return original::run_and_wait(std::move(h));
	}
};

}
}

inline namespace v1 {
using detail::d1::task_group;
using detail::d1::parallel_invoke;
using detail::d1::parallel_for;
}
}
#endif
