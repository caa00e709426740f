// What the files of a feed share: its stages, and rows that go through them.
//
// All of this belongs to the feed's thread once that has begun.
#ifndef DUET_BACKEND_FEED_STAGE_H
#define DUET_BACKEND_FEED_STAGE_H

#include "backend/feed.h"

// An element, of the feed's context.
typedef struct FeedRow {
    Tensor *leaves[FEED_LEAVES]; // owned
    uint32_t count;
} FeedRow;

typedef struct FeedStage FeedStage;

// The source, or what makes elements of those of the stage below. The head of
// a struct of its own, which is of the feed's context.
struct FeedStage {
    // Fills the row, which is empty. FEED_BROKEN: an error is pending, or what
    // the stage cannot do.
    FeedState (*next)(Ctx *ctx, FeedStage *stage, FeedRow *row);
    void (*free)(Ctx *ctx, FeedStage *stage); // all that it owns, and itself
    FeedStage *below;                         // NULL: the source
};

// Puts a stage of so many bytes, cleared, on top. NULL: failed.
void *feed_push(Feed *feed, size_t size,
                FeedState (*next)(Ctx *ctx, FeedStage *stage, FeedRow *row),
                void (*free)(Ctx *ctx, FeedStage *stage));
Ctx *feed_ctx(Feed *feed);
// Nobody waits any more: what takes long asks now and then.
bool feed_stopped(const Ctx *ctx);
void feed_row_drop(Ctx *ctx, FeedRow *row); // it is empty then

#endif
