// scopes.cc records by the classes of loi.h.
#include <loi.h>

int scopes(const char *path)
{
	int b = loi_partition("b", 16, 4096), k = loi_kernel("k", 2, b, LOI_IN, b, LOI_OUT);
	int r = loi_region("r", LOI_FUNCTION, LOI_NONE);
	if (int e = loi_open(path, 1, nullptr))
		return e;
	{
		loi::region in(r);
		loi::execution of(k, 1, 2);
	}
	loi_end(k, loi_begin(), 3, 4);
	return loi_close();
}
