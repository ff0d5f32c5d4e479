// Cases of oneTBB, by the first argument; the second is a size, the third how many threads. Each prints its
// result and how many tasks it made. Compiled by TestNativeOneTBB.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <tbb/tbb.h>

#define OWN __attribute__((noinline))
static long shared, made, cells[64];

OWN static void add() { shared++; }
OWN static long touch(long i) { return ++cells[i]; }

// This is not recorded, and so orders nothing.
__attribute__((noinline, no_sanitize("thread"))) static void plus(long *p, long v)
{
	__asm__ volatile("lock addq %1, %0" : "+m"(*p) : "r"(v));
}
static void count() { plus(&made, 1); }

// A functor that can be moved only, or its copies have memory of their own.
struct mover {
	long *to, by;
	std::unique_ptr<long> own;
	mover(long *to, long by) : to(to), by(by), own(new long(by)) {}
	mover(mover &&) = default;
	void operator()() const
	{
		count();
		*to = ++*own;
	}
};

static long fib(int n)
{
	long x = 0, y = 0;
	if (n < 2)
		return n;
	tbb::task_group g;
	g.run([&x, n] {
		count();
		x = fib(n - 1);
	});
	g.run_and_wait([&] {
		count();
		y = fib(n - 2);
	});
	return x + y;
}

static long invoked(int n)
{
	long x = 0, y = 0, z = 0;
	if (n < 2)
		return n;
	oneapi::tbb::parallel_invoke(
	    [&] {
		    count();
		    x = invoked(n - 1);
	    },
	    [&] {
		    count();
		    y = invoked(n - 2);
	    },
	    [&] {
		    count();
		    z = 1;
	    });
	return x + y + z - 1;
}

static void chain(int n)
{
	tbb::task_group g;
	for (int i = 0; i < n; i++) {
		g.run([] {
			count();
			add();
		});
		g.wait();
	}
}

static void siblings(int n)
{
	tbb::task_group g;
	for (int i = 0; i < n; i++)
		g.run([] {
			count();
			add();
		});
	g.wait();
}

// The result is read before the wait.
static long early()
{
	static long x;
	tbb::task_group g;
	g.run([] {
		count();
		x = touch(0);
	});
	long read = *(volatile long *)&x & 0;
	g.wait();
	return read;
}

// Many tasks, of many sizes, whose memory oneTBB uses again.
static long many(int n)
{
	static long sums[8];
	for (int i = 0; i < n; i++) {
		tbb::task_group g;
		for (long k = 0; k < 8; k++) {
			std::string s(k * 20, 'x');
			if (k % 2)
				g.run([=] {
					count();
					sums[k] += s.size();
				});
			else
				g.run(mover(&sums[k], i));
		}
		g.wait();
	}
	long all = 0;
	for (long s : sums)
		all += s;
	return all;
}

static long loop(int n)
{
	static long v[1 << 10];
	tbb::parallel_for(tbb::blocked_range<int>(0, n, 1), [](const tbb::blocked_range<int> &r) {
		count();
		for (int i = r.begin(); i < r.end(); i++)
			v[i] += i;
	}, tbb::simple_partitioner());
	auto simple = tbb::simple_partitioner();
	tbb::parallel_for(0, n, 2, [](int i) { v[i]++; count(); }, simple);
	tbb::parallel_for<long>(0, n, [](long i) { v[i]++; count(); }, simple);
	long all = 0;
	for (int i = 0; i < n; i++)
		all += v[i];
	return all;
}

static void racing(int n)
{
	tbb::parallel_for(tbb::blocked_range<int>(0, n, 1), [](const tbb::blocked_range<int> &) {
		count();
		add();
	}, tbb::simple_partitioner());
}

// A task that throws, and one that is never begun.
static long thrown()
{
	long caught = 0;
	tbb::task_group g;
	try {
		g.run_and_wait([] {
			count();
			throw 7;
		});
	} catch (int) {
		caught = 1;
	}
	g.cancel();
	g.run([] { add(); }); // counts though it does nothing
	count();
	return caught + (g.wait() == tbb::canceled);
}

int main(int, char **argv)
{
	std::string what = argv[1];
	int n = atoi(argv[2]);
	tbb::global_control threads(tbb::global_control::max_allowed_parallelism, atoi(argv[3]));
	long result = 0;
	if (what == "fib") result = fib(n);
	if (what == "invoked") result = invoked(n);
	if (what == "chain") chain(n);
	if (what == "siblings") siblings(n);
	if (what == "early") result = early();
	if (what == "many") result = many(n);
	if (what == "loop") result = loop(n);
	if (what == "racing") racing(n);
	if (what == "reduce") // not followed
		result = tbb::parallel_reduce(tbb::blocked_range<int>(0, n), 0l,
		    [](const tbb::blocked_range<int> &r, long a) { return a + r.size(); }, std::plus<long>());
	if (what == "thrown") result = thrown();
	add();
	printf("%ld %ld\n", result, made);
	return 0;
}
