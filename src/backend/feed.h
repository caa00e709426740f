// Elements of datasets, made ahead of time on a thread of their own.
//
// A feed is a source and stages over it: the lines or records of files, the
// rows of tensors; batches, graphs. Its thread runs no host code and has a
// context of its own, so that no object is met by two threads. An element is a
// number of tensors, its leaves.
//
// The thread says nothing of what fails. It ends, the feed is broken, and
// whoever walks makes the elements from there on himself, with his own errors.
// So does a forked process, which has no such thread.
#ifndef DUET_BACKEND_FEED_H
#define DUET_BACKEND_FEED_H

#include "ops/tensor.h"

typedef struct Feed Feed;

// Most leaves of an element, and most elements that wait.
enum { FEED_LEAVES = 16, FEED_AHEAD_MOST = 1024 };

typedef enum FeedState {
    FEED_MADE,       // there is an element
    FEED_END,        // there is none
    FEED_BROKEN,     // the thread has failed: nobody knows
    FEED_INTERRUPTED // ERR_INTERRUPT is pending with who waits
} FeedState;

// A feed without a source, which is added first, then stages from below, and
// then it is started. Each is false if it cannot be had so, and the feed is of
// no use then. NULL: memory is short.
Feed *feed_new(void);
// Ends the thread, whatever it does. NULL is fine.
void feed_free(Feed *feed);

typedef enum FeedFile {
    FEED_LINES,  // without their ends
    FEED_WHOLE,  // lines with them
    FEED_RECORDS // of TFRecord files
} FeedFile;

// Of ordinary files; the names are copied.
MUST_CHECK bool feed_files(Feed *feed, FeedFile kind, const char *const *paths,
                           size_t count);
// The tensors, without strings, stay the caller's, who holds them until the
// feed is freed. `order`: int64, which rows; NULL: all of them.
MUST_CHECK bool feed_rows(Feed *feed, Tensor *const *tensors, uint32_t count,
                          Tensor *order);
MUST_CHECK bool feed_batch(Feed *feed, int64_t size, bool drop_remainder);
// The first graph of a file's bytes (graph_file.h), without effects, draws and
// Variables: its input i is leaf inputs[i] of an element, its output i becomes
// leaf outputs[i].
MUST_CHECK bool feed_map(Feed *feed, const char *bytes, size_t length,
                         const uint32_t *inputs, uint32_t input_count,
                         const uint32_t *outputs, uint32_t output_count);
// At most `ahead` times `width` elements wait; they come in groups of `width`,
// none of which is seen before it is whole.
MUST_CHECK bool feed_start(Feed *feed, uint32_t ahead, uint32_t width);

// The next element's leaves, owned by the caller; those in `leaves` belong to
// his context. Any state but FEED_MADE comes again and again.
FeedState feed_next(Feed *feed, Ctx *ctx, Tensor **leaves, uint32_t *count);

#endif
