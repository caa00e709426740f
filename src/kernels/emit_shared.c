// See emit_shared.h.
#include "kernels/emit_shared.h"

#include <string.h>

#include "kernels/code_arena.h"

enum { FIRST_ROWS = 64 };

// Rows of a hash table, a power of two of them, at least one for each entry.
typedef struct SharedTable {
    size_t rows, count;
    SharedCode *first[];
} SharedTable;

static size_t table_size(size_t rows)
{
    return sizeof(SharedTable) + rows * sizeof(SharedCode *);
}

static void add_bytes(SharedKey *key, const void *bytes, size_t size)
{
    memcpy(key->bytes + key->size, bytes, size);
    key->size += (uint32_t)size;
}

void shared_key(SharedKey *key, const LoopBuild *body, bool even)
{
    const uint16_t head[4] = {body->ins_count, body->const_count,
                              body->operand_count, even};
    key->size = 0;
    add_bytes(key, head, sizeof head);
    add_bytes(key, body->ins, body->ins_count * sizeof *body->ins);
    add_bytes(key, body->consts, body->const_count * sizeof *body->consts);
    for (uint32_t k = 0; k < body->operand_count; k++) {
        // Field by field: what is between them may be anything.
        const LoopOperand *o = &body->operands[k];
        const uint8_t small[] = {o->stored,  o->kind, o->writes, o->joins,
                                 o->streams, 0,       0,         0};
        add_bytes(key, small, sizeof small);
        add_bytes(key, &o->ahead, sizeof o->ahead);
    }
    uint64_t hash = key->size;
    for (uint32_t i = 0; i + 4 <= key->size; i += 4) {
        uint32_t word;
        memcpy(&word, key->bytes + i, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 32;
    }
    key->hash = hash;
}

static SharedCode **row_of(SharedTable *table, uint64_t hash)
{
    return &table->first[hash & (table->rows - 1)];
}

SharedCode *shared_find(Ctx *ctx, const SharedKey *key)
{
    SharedTable *table = ctx->kernels->shared;
    SharedCode *at = table == NULL ? NULL : *row_of(table, key->hash);
    while (at != NULL && (at->hash != key->hash || at->key_size != key->size ||
                          memcmp(at->key, key->bytes, key->size) != 0)) {
        at = at->next;
    }
    if (at != NULL) {
        at->users++;
    }
    return at;
}

// Room for one more.
static SharedTable *table_for_more(Ctx *ctx)
{
    SharedTable *old = ctx->kernels->shared;
    if (old != NULL && old->count < old->rows) {
        return old;
    }
    size_t rows = old == NULL ? FIRST_ROWS : 2 * old->rows;
    SharedTable *table = ctx_alloc_zero(ctx, table_size(rows));
    if (table == NULL) {
        return NULL;
    }
    table->rows = rows;
    for (size_t i = 0; old != NULL && i < old->rows; i++) {
        for (SharedCode *at = old->first[i], *next; at != NULL; at = next) {
            SharedCode **row = row_of(table, at->hash);
            next = at->next;
            at->next = *row;
            *row = at;
        }
    }
    if (old != NULL) {
        table->count = old->count;
        ctx_free(ctx, old, table_size(old->rows));
    }
    ctx->kernels->shared = table;
    return table;
}

SharedCode *shared_add(Ctx *ctx, const SharedKey *key, void *code,
                       uint32_t size, bool folds)
{
    SharedTable *table = table_for_more(ctx);
    SharedCode *made =
        table == NULL ? NULL : ctx_alloc(ctx, sizeof *made + key->size);
    if (made == NULL) {
        code_drop(ctx->kernels->code, code, size);
        return NULL;
    }
    SharedCode **row = row_of(table, key->hash);
    *made = (SharedCode){.next = *row,
                         .hash = key->hash,
                         .users = 1,
                         .key_size = key->size,
                         .size = size,
                         .folds = folds,
                         .code = code};
    memcpy(made->key, key->bytes, key->size);
    *row = made;
    table->count++;
    return made;
}

void shared_drop(Ctx *ctx, SharedCode *shared)
{
    SharedTable *table = ctx->kernels->shared;
    if (--shared->users > 0) {
        return;
    }
    SharedCode **at = row_of(table, shared->hash);
    while (*at != shared) {
        at = &(*at)->next;
    }
    *at = shared->next;
    table->count--;
    code_drop(ctx->kernels->code, shared->code, shared->size);
    ctx_free(ctx, shared, sizeof *shared + shared->key_size);
}

void shared_free(Ctx *ctx)
{
    SharedTable *table = ctx->kernels->shared;
    if (table != NULL) {
        ctx_free(ctx, table, table_size(table->rows));
    }
}
