// A shared library whose accesses are known, compiled by TestNativeLibraries with names for TABLE and SUM.
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline))
enum { ROWS = 100 };

static long TABLE[ROWS];
long shared[2 * ROWS];

__attribute__((constructor)) static void begin(void) { for (long i = 0; i < ROWS; i++) TABLE[i] = i; }

OWN long SUM(const long *p, long n) { long s = 0; for (long i = 0; i < n; i++) s = s * 3 + p[i]; return s; }
OWN static void fill(long *p, long n) { for (long i = 0; i < n; i++) p[i] = i * i; }
OWN static void copies(const long *p) { memcpy(shared, p, sizeof shared); }

long work(long n)
{
	long *p = malloc(n * sizeof *p);
	fill(p, n);
	copies(p);
	long s = SUM(p, n) + SUM(TABLE, ROWS) + SUM(shared, ROWS);
	free(p);
	return s;
}
