// A sample is in bursts, as that of Go programs: krdlab writes into the header how the program goes on,
// and a thread looks there at each access, or once in a while if it records none. Accesses outside the
// sample are counted. Numbers and steps are those of krdlab/loi/front/build/_agent/sample.go, which has
// the reasons; packages loi/collect and experiments/goprogram read both alike.
#include "krd.h"

#define SMALL 4u                // of a word: its burst is small
#define MOST_DENSE (1 << 16)    // accesses of a thread that a burst has
#define FEW_DENSE (1 << 11)     // and that of a small one
#define SMALL_OWN 16            // one of so many bursts of a thread's own is large
#define LOOK_EVERY 256          // accesses, if none is recorded
#define LATE_TIMES 4            // so many times as many accesses as between other changes: krdlab is late,
#define LEAST_BETWEEN (1 << 14) // if they are not few
#define UNTOLD (1 << 10)        // accesses that are counted, while some are watched, until krdlab has the count
#define GRANULE 256             // bytes that are drawn together
#define LINE 64

INLINE uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
INLINE uint64_t chance(uint64_t below) { return (krd_ticks() * 0x9e3779b97f4a7c15ull >> 32) * below >> 32; }
INLINE uint64_t word(const krd_buf *b) { return __atomic_load_n((uint64_t *)b->word, __ATOMIC_RELAXED); }
INLINE void sooner(krd_buf *b, uint64_t n) { b->ahead -= least((b->ahead ? b->ahead : 1) - 1, n); }

// chosen reports that the granule of an address is drawn in a phase: package collect draws the same.
static int chosen(uint64_t a, uint64_t phase)
{
	uint64_t h = (a / (16 * GRANULE) + phase * 0xbf58476d1ce4e5b9ull) * 0x9e3779b97f4a7c15ull;
	h ^= h >> 32;
	return h * 0xd6e8feb86659fd93ull >> 60 == a / GRANULE % 16;
}

// tell records how the thread goes on, and how many accesses it has not recorded.
static void tell(krd_buf *b)
{
	uint64_t n = b->dropped, w = (b->seen & ~3ull) | b->mode;
	b->dropped = b->due = 0;
	sooner(b, n);
	if (b->left == MOST_DENSE)
		w &= ~(uint64_t)SMALL;
	else if (b->left == FEW_DENSE)
		w |= SMALL;
	krd_put(b, n, KIND(MODE) | w);
}

// draw sets when the next burst of the thread's own begins, by chance.
static void draw(krd_buf *b)
{
	uint64_t apart = ((uint64_t *)b->word)[1];
	b->ahead = b->dropped + 1 + apart / 2 + chance(apart);
}

// fill sets what the burst may have that begins with the so-manyeth access from here on.
static void fill(krd_buf *b, uint64_t at)
{
	b->left = MOST_DENSE;
	if (b->ahead <= at) {
		draw(b);
		if ((krd_ticks() * 0x9e3779b97f4a7c15ull >> 32) % SMALL_OWN)
			b->left = FEW_DENSE;
	} else if (b->seen & SMALL) {
		b->left = FEW_DENSE;
	}
}

// await begins the burst that is due, or sets when to look again.
static void await(krd_buf *b)
{
	if (!b->begins) {
		b->due = b->dropped + LOOK_EVERY;
	} else if (b->dropped + 1 >= b->begins) {
		fill(b, b->begins);
		b->begins = 0;
		b->mode = GLIMPSE;
		tell(b);
	} else {
		b->due = least(b->dropped + LOOK_EVERY, b->begins - 1);
	}
	if (b->counts & 1 || !b->counts)
		b->due = 0; // what it drops is counted the long way
}

// look goes on as krdlab has it.
static void look(krd_buf *b)
{
	uint64_t seen = word(b), was = b->mode;
	if (seen == b->seen) {
		if (was == OFF)
			await(b);
		return;
	}
	b->seen = seen;
	b->mode = seen & 3;
	if (!b->ahead)
		draw(b);
	if (was == OFF && b->mode == GLIMPSE) {
		b->mode = OFF;
		uint64_t most = least(b->dropped + (uint64_t)b->left, 1ull << 31);
		b->left = 0;
		b->whole = b->whole / 2 > (int64_t)most ? b->whole / 2 : (int64_t)most;
		uint64_t at = 1 + chance(most);
		if (b->begins > b->dropped)
			at = least(at, b->begins - b->dropped);
		tell(b);
		b->begins = least(at, b->ahead);
		await(b);
		return;
	}
	b->whole = b->begins = 0;
	fill(b, 0);
	tell(b);
	if (b->mode == OFF)
		b->left = 0;
}

// took counts accesses that a burst has, which may end with them.
static void took(krd_buf *b, uint64_t n)
{
	if (b->mode < GLIMPSE)
		return;
	b->due = MOST_DENSE;
	if ((b->left -= n) > 0)
		return;
	b->mode = OFF;
	b->left = 0;
	tell(b);
	b->begins = b->ahead;
	if (b->whole >= LEAST_BETWEEN) // if krdlab is late
		b->begins = least(b->begins, LATE_TIMES * (uint64_t)b->whole);
}

static void drop(krd_buf *b, uint32_t site)
{
	b->dropped++;
	krd_counted(b, 16ul * site + 8, 1);
}

int krd_drops(krd_buf *b, uint64_t a, uint32_t site)
{
	if (b->mode == OFF) {
		if (b->dropped >= b->due)
			look(b);
	} else if (word(b) != b->seen) {
		look(b);
	}
	switch (b->mode) {
	case OFF:
		drop(b, site);
		return 1;
	case WATCH:
		// A line is one of its object, and may begin in the granule before.
		if (!chosen(a, b->seen >> 3) && (a % GRANULE >= LINE || !chosen(a - LINE, b->seen >> 3))) {
			drop(b, site);
			if (b->dropped > UNTOLD)
				tell(b);
			return 1;
		}
		return 0;
	}
	took(b, 1);
	return 0;
}

void krd_took_stack(krd_buf *b)
{
	uint64_t most = b->seen & SMALL ? FEW_DENSE : MOST_DENSE;
	if (b->due >= most)
		return;
	if (++b->due == most) {
		b->left = 0;
		took(b, 1);
	}
}

void krd_passes(krd_buf *b, uint64_t n)
{
	if (b->mode == GLIMPSE) {
		took(b, 0);
		if (b->mode == GLIMPSE)
			b->left -= (int64_t)(n + 1) / 2;
	}
	if (b->mode != OFF)
		return;
	if (b->dropped + n >= b->due) {
		look(b);
		if (b->mode != OFF)
			return;
	}
	if (b->begins && b->dropped + n >= b->begins) {
		uint64_t at = b->begins - b->dropped;
		fill(b, b->begins);
		b->begins = 0;
		b->mode = GLIMPSE;
		tell(b);
		if (at > 1)
			krd_put(b, at - 1, KIND(MODE) | (b->seen & ~3ull) | INSIDE);
		return;
	}
	b->left += n;
	b->due -= least(b->due, n);
	sooner(b, n);
	if (b->begins)
		b->begins -= n; // which is less
}
