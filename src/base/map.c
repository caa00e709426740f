// Open addressing with linear probing.
//
// Invariant: capacity is 0 or a power of two, and at least a quarter of the
// slots is empty, so that every probe ends; no empty slot stands between a
// key's first slot and the one it is in (map_remove closes the gap).
#include "base/map.h"

#include <string.h>

enum { MAP_FIRST_CAPACITY = 16 };

// `__extension__` quiets -Wpedantic: ISO C has no 128-bit integer.
__extension__ typedef unsigned __int128 Wide;

// Both halves of a product: each bit of the result depends on all of `a`.
static uint64_t fold(uint64_t a, uint64_t b)
{
    Wide product = (Wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// Fewer than eight bytes as one word, the first one lowest. Two reads that
// overlap, or three bytes of which some are the same, cost less than a copy of
// a length that the compiler does not know.
static uint64_t last_bytes(const unsigned char *bytes, size_t length)
{
    if (length >= 4) {
        uint32_t low, high;
        memcpy(&low, bytes, sizeof low);
        memcpy(&high, bytes + length - 4, sizeof high);
        return low | (uint64_t)high << (length - 4) * 8;
    }
    if (length == 0) {
        return 0;
    }
    size_t middle = length / 2, end = length - 1;
    return bytes[0] | (uint64_t)bytes[middle] << middle * 8 |
           (uint64_t)bytes[end] << end * 8;
}

// Eight bytes a step, read by memcpy since keys are not aligned. The length
// goes in first, so that zeros at the end make a difference. Never 0, so that
// 0 can stand for "none" in a field.
uint64_t map_hash(const void *bytes, size_t length)
{
    // Odd, with about as many ones as zeros; nothing else matters of them.
    const uint64_t step = 0x9E6C63D0876A9A35u;
    const uint64_t last = 0xC2B2AE3D27D4EB4Fu;
    const unsigned char *next = bytes;
    uint64_t hash = step ^ (length * last);
    uint64_t word;
    for (; length >= sizeof word; length -= sizeof word) {
        memcpy(&word, next, sizeof word);
        hash = fold(hash ^ word, step);
        next += sizeof word;
    }
    hash = fold(hash ^ last_bytes(next, length), last);
    return hash == 0 ? 1 : hash;
}

// Allocates nothing: an empty map costs no block.
void map_init(Map *map, Ctx *ctx)
{
    *map = (Map){.ctx = ctx};
}

// The values are the caller's business. The map is empty then and can be used
// again.
void map_free(Map *map)
{
    for (size_t i = 0; i < map->capacity; i++) {
        MapEntry *entry = &map->entries[i];
        if (entry->key != NULL) {
            ctx_free(map->ctx, entry->key, entry->length + 1);
        }
    }
    ctx_free(map->ctx, map->entries, map->capacity * sizeof *map->entries);
    *map = (Map){.ctx = map->ctx};
}

// The key's entry, or the empty slot where it would go. Needs capacity.
// The hash is compared first, so bytes are compared once for nearly every
// search.
static MapEntry *find(const Map *map, const char *key, size_t length,
                      uint64_t hash)
{
    size_t mask = map->capacity - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        MapEntry *entry = &map->entries[i];
        if (entry->key == NULL ||
            (entry->hash == hash && entry->length == length &&
             memcmp(entry->key, key, length) == 0)) {
            return entry;
        }
    }
}

uint64_t *map_get(const Map *map, const char *key, size_t length)
{
    if (map->capacity == 0) {
        return NULL;
    }
    MapEntry *entry = find(map, key, length, map_hash(key, length));
    return entry->key == NULL ? NULL : &entry->value;
}

// The keys move along and are not copied. If there is no memory, the map is as
// it was.
static bool grow(Map *map)
{
    Map larger = {.ctx = map->ctx, .count = map->count};
    larger.capacity =
        map->capacity == 0 ? MAP_FIRST_CAPACITY : 2 * map->capacity;
    larger.entries =
        ctx_alloc_zero(map->ctx, larger.capacity * sizeof *larger.entries);
    if (larger.entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        MapEntry *entry = &map->entries[i];
        if (entry->key != NULL) {
            *find(&larger, entry->key, entry->length, entry->hash) = *entry;
        }
    }
    ctx_free(map->ctx, map->entries, map->capacity * sizeof *map->entries);
    *map = larger;
    return true;
}

// Grows before the search, because growing moves the slots.
bool map_put(Map *map, const char *key, size_t length, uint64_t value)
{
    if (4 * (map->count + 1) > 3 * map->capacity && !grow(map)) {
        return false;
    }
    uint64_t hash = map_hash(key, length);
    MapEntry *entry = find(map, key, length, hash);
    if (entry->key == NULL) {
        char *copy = ctx_strndup(map->ctx, key, length);
        if (copy == NULL) {
            return false;
        }
        *entry = (MapEntry){.key = copy, .length = length, .hash = hash};
        map->count++;
    }
    entry->value = value;
    return true;
}

// No tombstones: they would have to be counted and swept. The gap is closed
// instead.
bool map_remove(Map *map, const char *key, size_t length)
{
    if (map->capacity == 0) {
        return false;
    }
    MapEntry *entry = find(map, key, length, map_hash(key, length));
    if (entry->key == NULL) {
        return false;
    }
    ctx_free(map->ctx, entry->key, entry->length + 1);
    map->count--;
    // Whoever stands behind the gap and could have stood in it moves there.
    size_t mask = map->capacity - 1;
    size_t gap = (size_t)(entry - map->entries);
    for (size_t i = (gap + 1) & mask; map->entries[i].key != NULL;
         i = (i + 1) & mask) {
        // Distances are taken modulo the capacity, as probes wrap around.
        size_t first = map->entries[i].hash & mask;
        if (((i - first) & mask) >= ((i - gap) & mask)) {
            map->entries[gap] = map->entries[i];
            gap = i;
        }
    }
    map->entries[gap] = (MapEntry){0};
    return true;
}
