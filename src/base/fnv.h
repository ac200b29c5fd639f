/* FNV-1a, 64 bit: the digest of activations, graphs and plans. */
#ifndef TN_BASE_FNV_H
#define TN_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define TN_FNV_INIT UINT64_C(0xcbf29ce484222325)

static inline uint64_t tn_fnv(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Eight bytes, least significant first, whatever the host's byte order. */
static inline uint64_t tn_fnv_u64(uint64_t hash, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		hash = (hash ^ ((value >> (8 * i)) & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

#endif
