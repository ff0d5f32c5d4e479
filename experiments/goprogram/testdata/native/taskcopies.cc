// Tasks with a copy of an object that has a copy constructor and a destructor: so many on so many threads.
// Compiled by TestNativeTaskCopies.
#include <cstdio>
#include <cstdlib>
#include <vector>

static long made, copies, gone;
__attribute__((noinline, no_sanitize_thread)) static void plus(long *p)
{
	__asm__ volatile("lock incq %0" : "+m"(*p));
}

struct alignas(32) held {
	std::vector<long> v;
	const held *self;
	explicit held(int n) : v(n, 1), self(this) {}
	held(const held &h) : v(h.v), self(this) { plus(&copies); }
	~held() { plus(&gone); }
	long sum() const
	{
		long all = 0;
		for (long x : v)
			all += x;
		return self == this && (unsigned long)this % 32 == 0 ? all : -1;
	}
};

int main(int, char **argv)
{
	int n = atoi(argv[1]);
	long sums[64] = {}, all = 0;
#pragma omp parallel num_threads(atoi(argv[2]))
#pragma omp single
	for (int i = 0; i < n; i++) {
		held h(i);
#pragma omp task firstprivate(h) shared(sums)
		{
			plus(&made);
			sums[i] = h.sum();
			h.v.push_back(1);
		}
	}
	for (int i = 0; i < n; i++)
		all += sums[i];
	std::printf("%ld %ld %ld %ld\n", all, made, copies, gone);
	return 0;
}
