/* The kernels of the Go sources again, for valgrind's lackey to watch:
 * scimark KERNEL N ITERATIONS [NZ].
 *
 * Every element is volatile, so that it is loaded and stored where the source says so and as often,
 * and locals stay in registers (-O1). A row has a header of three words as in Go, of which the
 * pointer is read. Where C leaves the order open, statements have Go's: an expression is read from
 * left to right, and x[i] -= y reads y first. Arrays begin on lines of 64 bytes.
 *
 * It prints where its arrays are; the address of mark, which is written between the preparation
 * and the kernel, and behind the kernel; and the sum of the result.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef volatile double element;
typedef volatile int32_t number;
typedef struct { element *volatile p; volatile long len, cap; } row;

static volatile char mark;

static void *array(size_t bytes)
{
	char *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
	printf("array %lx %lx\n", (unsigned long)p, (unsigned long)(p + bytes));
	return p;
}

static uint64_t fill(element *v, long n, uint64_t state)
{
	for (long i = 0; i < n; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		v[i] = (double)(state >> 11) / (1ll << 53);
	}
	return state;
}

static double sum(element *v, long n)
{
	double t = 0;
	for (long i = 0; i < n; i++)
		t += v[i];
	return t;
}

static row *matrix(long n)
{
	row *a = array(n * sizeof *a);
	for (long i = 0; i < n; i++)
		a[i].p = array(n * sizeof(element));
	uint64_t state = 113;
	for (long i = 0; i < n; i++)
		state = fill(a[i].p, n, state);
	return a;
}

static void bitreverse(element *data, long n)
{
	for (long i = 0, j = 0; i < n - 1; i++) {
		long ii = 2 * i, jj = 2 * j, k = n / 2;
		if (i < j) {
			double re = data[ii], im = data[ii + 1];
			data[ii] = data[jj];
			data[ii + 1] = data[jj + 1];
			data[jj] = re;
			data[jj + 1] = im;
		}
		for (; k <= j; k /= 2)
			j -= k;
		j += k;
	}
}

static void butterfly(element *data, long i, long j, double wre, double wim)
{
	double zre = data[j], zim = data[j + 1];
	double dre = wre * zre - wim * zim, dim = wre * zim + wim * zre;
	data[j] = data[i] - dre;
	data[j + 1] = data[i + 1] - dim;
	data[i] += dre;
	data[i + 1] += dim;
}

static void transform(element *data, long n, double direction)
{
	bitreverse(data, n);
	for (long dual = 1; dual < n; dual *= 2) {
		double re = 1, im = 0, theta = direction * M_PI / dual;
		double s = sin(theta), t = sin(theta / 2), s2 = 2 * t * t;
		for (long a = 0; a < dual; a++) {
			if (a > 0) {
				double r = re - s * im - s2 * re;
				im = im + s * re - s2 * im;
				re = r;
			}
			for (long b = 0; b < n; b += 2 * dual)
				butterfly(data, 2 * (b + a), 2 * (b + a + dual), re, im);
		}
	}
}

static void factor(row *a, number *pivot, long n)
{
	for (long j = 0; j < n; j++) {
		long jp = j;
		double t = fabs(a[j].p[j]);
		for (long i = j + 1; i < n; i++) {
			double ab = fabs(a[i].p[j]);
			if (ab > t)
				jp = i, t = ab;
		}
		pivot[j] = jp;
		if (a[jp].p[j] == 0)
			exit(1);
		if (jp != j) {
			element *p = a[jp].p, *q = a[j].p;
			a[j].p = p;
			a[jp].p = q;
		}
		if (j == n - 1)
			break;
		double r = 1 / a[j].p[j];
		for (long k = j + 1; k < n; k++)
			a[k].p[j] *= r;
		for (long ii = j + 1; ii < n; ii++) {
			element *ai = a[ii].p, *aj = a[j].p;
			double aij = ai[j];
			for (long jj = j + 1; jj < n; jj++) {
				double f = aij * aj[jj];
				ai[jj] -= f;
			}
		}
	}
}

static void relax(row *g, long n, double omega, long iterations)
{
	double quarter = omega / 4, rest = 1 - omega;
	for (; iterations > 0; iterations--)
		for (long i = 1; i < n - 1; i++) {
			element *gi = g[i].p, *gim1 = g[i - 1].p, *gip1 = g[i + 1].p;
			for (long j = 1; j < n - 1; j++) {
				double t = gim1[j];
				t += gip1[j];
				t += gi[j - 1];
				t += gi[j + 1];
				t *= quarter;
				gi[j] = t + rest * gi[j];
			}
		}
}

static void multiply(element *y, element *val, number *row, number *col, element *x, long n)
{
	for (long r = 0; r < n; r++) {
		double t = 0;
		long from = row[r], to = row[r + 1];
		for (long i = from; i < to; i++) {
			double f = x[col[i]];
			t += f * val[i];
		}
		y[r] = t;
	}
}

int main(int argc, char **argv)
{
	const char *kernel = argv[1];
	long n = atol(argv[2]), iterations = atol(argv[3]);
	double result = 0;
	printf("mark %lx\n", (unsigned long)&mark);
	if (!strcmp(kernel, "fft")) {
		element *data = array(2 * n * sizeof *data);
		fill(data, 2 * n, 113);
		mark = 1;
		for (; iterations > 0; iterations--) {
			transform(data, n, -1);
			transform(data, n, 1);
			double norm = 1 / (double)n;
			for (long i = 0; i < 2 * n; i++)
				data[i] *= norm;
		}
		mark = 1;
		result = sum(data, 2 * n);
	} else if (!strcmp(kernel, "lu")) {
		row *a = matrix(n);
		number *pivot = array(n * sizeof *pivot);
		mark = 1;
		factor(a, pivot, n);
		mark = 1;
		for (long i = 0; i < n; i++)
			result += pivot[i] != i;
	} else if (!strcmp(kernel, "sor")) {
		row *g = matrix(n);
		mark = 1;
		relax(g, n, 1.25, iterations);
		mark = 1;
		for (long i = 1; i < n; i++)
			for (long j = 1; j < n; j++) {
				double d = g[i].p[j], above = g[i - 1].p[j], left = g[i].p[j - 1];
				result += (d - above) * (d - above) + (d - left) * (d - left);
			}
	} else {
		long each = atol(argv[4]) / n, nz = each * n;
		element *x = array(n * sizeof *x), *y = array(n * sizeof *y);
		element *val = array(nz * sizeof *val);
		number *col = array(nz * sizeof *col), *row = array((n + 1) * sizeof *row);
		fill(val, nz, fill(x, n, 113));
		row[0] = 0;
		for (long r = 0; r < n; r++) {
			row[r + 1] = row[r] + each;
			long step = r / each > 1 ? r / each : 1;
			for (long i = 0; i < each; i++)
				col[r * each + i] = i * step;
		}
		mark = 1;
		for (; iterations > 0; iterations--)
			multiply(y, val, row, col, x, n);
		mark = 1;
		result = sum(y, n);
	}
	printf("result %.15g\n", result);
	return 0;
}
