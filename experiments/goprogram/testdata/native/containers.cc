// What headers of the library allocate for a program: containers AMOUNT.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, total = 0;
	std::vector<long> sized(n);
	std::vector<long> grown;
	std::map<long, long> tree;
	auto one = std::make_unique<long[]>(n);
	long *raw = new long[n];
	for (long i = 0; i < n; i++) {
		grown.push_back(i);
		tree[i] = i;
		sized[i] = one[i] = raw[i] = i;
		total += sized[i] + one[i] + raw[i] + grown[i];
	}
	delete[] raw;
	printf("%ld %zu\n", total, tree.size());
	return 0;
}
