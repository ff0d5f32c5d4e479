// Exceptions leave functions, and calls of std::call_once. Compiled by TestNativeLanguages.
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::once_flag once;
static int tries;

__attribute__((noinline)) static void fails(std::vector<long> &v, int n)
{
	if (n == 0)
		throw std::runtime_error("deep");
	v[n] += n;
	fails(v, n - 1);
	v[n]--;
}

__attribute__((noinline)) static int settled()
{
	static int *value = new int(5);
	return *value;
}

int main()
{
	std::vector<long> v(100);
	std::map<int, int> m;
	for (int i = 0; i < 3; i++)
		try {
			fails(v, 10);
		} catch (const std::exception &e) {
			m[i] = (int)v[10];
		}
	for (int i = 0; i < 2; i++)
		try {
			std::call_once(once, [] { if (tries++ == 0) throw 1; });
		} catch (int) {
		}
	int sum = 0;
	std::mutex lock;
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&] { std::lock_guard<std::mutex> g(lock); sum += settled(); });
	for (auto &t : threads)
		t.join();
	std::printf("%d %d %d\n", m[2], tries, sum);
	return 4;
}
