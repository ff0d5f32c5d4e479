// Atomic operations: each is made here, in the strongest order unless a weaker one is asked for and
// costs less, and is recorded as one access; or, where krdlab asks what threads wait for, as one
// operation of that kind, and no access.
#include "krd.h"

// AS makes an operation, which is a load, a store or an update, by what it yields: r.
#define AS(op, p, expression) ({ \
		__typeof__(expression) r; \
		if (UNLIKELY(krd.sync)) { \
			krd_op o = krd_op_begin(p); \
			r = expression; \
			krd_op_end(&o, op, CALLER); \
		} else { \
			krd_access(p, CALLER); \
			r = expression; \
		} \
		r; \
	})

typedef unsigned __int128 u128;

#define ATOMICS(bits, T) \
	T __tsan_atomic##bits##_load(const volatile T *p, int order) \
	{ \
		return AS(OP_LOAD, p, __atomic_load_n(p, __ATOMIC_SEQ_CST)); \
	} \
	void __tsan_atomic##bits##_store(volatile T *p, T v, int order) \
	{ \
		AS(OP_STORE, p, ({ \
			if (order == __ATOMIC_SEQ_CST) \
				__atomic_store_n(p, v, __ATOMIC_SEQ_CST); \
			else \
				__atomic_store_n(p, v, __ATOMIC_RELEASE); \
			0; \
		})); \
	} \
	T __tsan_atomic##bits##_exchange(volatile T *p, T v, int order) \
	{ \
		return AS(OP_UPDATE, p, __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)); \
	} \
	FETCH(bits, T, add) FETCH(bits, T, sub) FETCH(bits, T, and) FETCH(bits, T, or) \
	FETCH(bits, T, xor) FETCH(bits, T, nand) \
	int __tsan_atomic##bits##_compare_exchange_strong(volatile T *p, T *old, T v, int order, int fail) \
	{ \
		return AS(r ? OP_UPDATE : OP_LOAD, p, \
		          __atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
	} \
	int __tsan_atomic##bits##_compare_exchange_weak(volatile T *p, T *old, T v, int order, int fail) \
	{ \
		return AS(r ? OP_UPDATE : OP_LOAD, p, \
		          __atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
	} \
	T __tsan_atomic##bits##_compare_exchange_val(volatile T *p, T old, T v, int order, int fail) \
	{ \
		AS(r ? OP_UPDATE : OP_LOAD, p, \
		   __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
		return old; \
	}

#define FETCH(bits, T, op) \
	T __tsan_atomic##bits##_fetch_##op(volatile T *p, T v, int order) \
	{ \
		return AS(OP_UPDATE, p, __atomic_fetch_##op(p, v, __ATOMIC_SEQ_CST)); \
	}

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

// Of 16 bytes there is one instruction, cmpxchg16b.
static u128 swap(volatile u128 *p, u128 old, u128 v) { return __sync_val_compare_and_swap(p, old, v); }

#define UPDATE128(name, result) \
	u128 __tsan_atomic128_##name(volatile u128 *p, u128 v, int order) \
	{ \
		return AS(OP_UPDATE, p, ({ \
			u128 old = swap(p, 0, 0); \
			for (u128 was; (was = swap(p, old, result)) != old; old = was) \
				; \
			old; \
		})); \
	}
UPDATE128(exchange, v)
UPDATE128(fetch_add, old + v)
UPDATE128(fetch_sub, old - v)
UPDATE128(fetch_and, old & v)
UPDATE128(fetch_or, old | v)
UPDATE128(fetch_xor, old ^ v)
UPDATE128(fetch_nand, ~(old & v))

u128 __tsan_atomic128_load(const volatile u128 *p, int order)
{
	return AS(OP_LOAD, p, swap((volatile u128 *)p, 0, 0));
}

void __tsan_atomic128_store(volatile u128 *p, u128 v, int order)
{
	AS(OP_STORE, p, ({
		u128 old = swap(p, 0, 0);
		for (u128 was; (was = swap(p, old, v)) != old; old = was)
			;
		old;
	}));
}

u128 __tsan_atomic128_compare_exchange_val(volatile u128 *p, u128 old, u128 v, int order, int fail)
{
	return AS(r == old ? OP_UPDATE : OP_LOAD, p, swap(p, old, v));
}

static int exchanged(volatile u128 *p, u128 *old, u128 v)
{
	u128 was = swap(p, *old, v);
	int same = was == *old;
	*old = was;
	return same;
}

int __tsan_atomic128_compare_exchange_strong(volatile u128 *p, u128 *old, u128 v, int order, int fail)
{
	return AS(r ? OP_UPDATE : OP_LOAD, p, exchanged(p, old, v));
}

int __tsan_atomic128_compare_exchange_weak(volatile u128 *p, u128 *old, u128 v, int order, int fail)
{
	return AS(r ? OP_UPDATE : OP_LOAD, p, exchanged(p, old, v));
}

void __tsan_atomic_thread_fence(int order) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int order) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
