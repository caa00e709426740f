// stage.feed(): elements of datasets that a thread makes ahead of time, as an
// iterator (backend/feed.h). What a user calls is lib/data/_ahead.duet.
#ifndef DUET_STAGER_STAGE_FEED_H
#define DUET_STAGER_STAGE_FEED_H

#include "interp/core/type.h"

// A method of `stage`: a feed without a source.
Value stage_feed_method(Vm *vm, Value *args);

extern const TypeDef feed_type_def;

#endif
