// A hash map from byte strings to 64-bit values, for the compiler, the
// parsers and the library's own tables. (Duet's dict:
// interp/objects/containers/obj_dict.h.)
#ifndef DUET_BASE_MAP_H
#define DUET_BASE_MAP_H

#include "base/ctx.h"

typedef struct MapEntry {
    char *key; // owned, NUL-terminated; NULL: an empty slot
    size_t length;
    uint64_t hash;
    uint64_t value;
} MapEntry;

typedef struct Map {
    Ctx *ctx;
    MapEntry *entries;
    size_t count, capacity; // capacity is a power of two, or 0
} Map;

void map_init(Map *map, Ctx *ctx);
// The entries are the caller's: only the table goes.
void map_free(Map *map);
// The value's place, NULL if the key is absent; valid until the next put.
uint64_t *map_get(const Map *map, const char *key, size_t length);
// Inserts or replaces. Copies the key.
MUST_CHECK bool map_put(Map *map, const char *key, size_t length,
                        uint64_t value);
// Whether the key was there. Places that map_get gave are no longer valid.
bool map_remove(Map *map, const char *key, size_t length);

// The hash of bytes that map, str and the graph share: 64 bits, never 0.
uint64_t map_hash(const void *bytes, size_t length);

#endif
