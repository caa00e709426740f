// Searching, replacing, stripping and splitting over bytes. See text_range.h.
#include "interp/objects/text/text_range.h"

#include "interp/objects/containers/sequence.h"

// Tab to carriage return and the blank; str adds the separators 28 to 31.
const TextSet text_str_spaces = {{0x1F0003E00u}};
const TextSet text_bytes_spaces = {{0x100003E00u}};

// There is no memmem from the end. The first byte settles most places.
// Occurrences are looked for from the back, so the first one that is found is
// the last in the text.
static int64_t find_last(Ctx *ctx, const char *text, size_t from, size_t to,
                         TextRange part)
{
    // The caller has seen to it that the part fits.
    for (size_t at = to - part.length + 1; at-- > from;) {
        if ((part.length == 0 || text[at] == part.text[0]) &&
            memcmp(text + at, part.text, part.length) == 0) {
            return (int64_t)at;
        }
        // Each comparison may be long, too.
        if (!ctx_poll_at(ctx, part.length < 256 ? at : at << 10)) {
            return TEXT_FAILED;
        }
    }
    return TEXT_NONE;
}

// memmem takes time to get going: places are tried one by one at first. The
// part has two bytes at least, and fits.
// NULL with *from == end: there is none at all; NULL with *from before it: the
// tries ran out.
static const char *find_near(const char **from, const char *end, TextRange part)
{
    enum { TRIES = 16 };
    const char *at = *from, *last = end - part.length;
    for (int i = 0; i < TRIES && at <= last; i++, at++) {
        // From candidate to candidate; none of them can be behind `last`.
        at = memchr(at, part.text[0], (size_t)(last - at) + 1);
        if (at == NULL || memcmp(at, part.text, part.length) == 0) {
            *from = end;
            return at;
        }
    }
    // The caller goes on where the tries ended.
    *from = at;
    return NULL;
}

// The windows overlap by what a part needs to be found across two of them. The
// empty part is found at once, at `at`.
const char *text_search(Ctx *ctx, const char *at, const char *end,
                        TextRange part)
{
    // memmem cannot be interrupted: no call of it takes more than some
    // milliseconds.
    enum { WINDOW = 1 << 22 };
    size_t length = (size_t)(end - at);
    if (part.length > length || part.length == 0) {
        return part.length == 0 ? at : NULL;
    }
    if (part.length == 1) {
        return memchr(at, part.text[0], length);
    }
    // Much longer than the part, or the overlap would be most of the work.
    size_t window = part.length < WINDOW / 4 ? WINDOW : 4 * part.length;
    if (length <= window) {
        const char *near = find_near(&at, end, part);
        return near != NULL || (size_t)(end - at) < part.length
                   ? near
                   : memmem(at, (size_t)(end - at), part.text, part.length);
    }
    // Windows overlap by all but one byte of the part, so nothing between them
    // is missed.
    while (length > window) {
        const char *found = memmem(at, window, part.text, part.length);
        if (found != NULL || !ctx_poll(ctx)) {
            return found;
        }
        at += window - part.length + 1;
        length -= window - part.length + 1;
    }
    return memmem(at, length, part.text, part.length);
}

int64_t text_find(Ctx *ctx, const char *text, size_t from, size_t to,
                  TextRange part, bool last)
{
    // Unsigned, so the caller has from <= to.
    if (part.length > to - from) {
        return TEXT_NONE;
    }
    if (last) {
        return find_last(ctx, text, from, to, part);
    }
    const char *at = text_search(ctx, text + from, text + to, part);
    return at != NULL ? at - text : ctx_failed(ctx) ? TEXT_FAILED : TEXT_NONE;
}

// One byte is counted by the machine's vectors.
int64_t text_count(Ctx *ctx, const char *text, size_t from, size_t to,
                   TextRange part)
{
    int64_t total = 0, at;
    if (part.length == 1) {
        // No jumps: the compiler makes vector code of it.
        char byte = part.text[0];
        for (size_t i = from; i < to; i++) {
            total += text[i] == byte;
        }
        return total;
    }
    while ((at = text_find(ctx, text, from, to, part, false)) >= 0) {
        total++;
        if (!ctx_poll(ctx)) {
            return TEXT_FAILED;
        }
        // Occurrences do not overlap.
        from = (size_t)at + part.length;
    }
    return at == TEXT_FAILED ? at : total;
}

// `at` does not move until a place is found. A limit below 0 never comes to 0:
// all occurrences.
bool text_replace(StrBuf *out, TextRange text, TextRange from, TextRange to,
                  int64_t limit)
{
    const char *at = text.text, *end = at + text.length, *next;
    for (; limit != 0 && strbuf_ok(out) &&
           (next = text_search(out->ctx, at, end, from)) != NULL;
         limit--) {
        strbuf_add(out, at, (size_t)(next - at));
        strbuf_add(out, to.text, to.length);
        at = next + from.length;
    }
    // Nothing found, so the caller can give the text itself.
    if (at == text.text || ctx_failed(out->ctx)) {
        return false;
    }
    strbuf_add(out, at, (size_t)(end - at));
    return true;
}

bool text_strip(Ctx *ctx, TextRange *range, const TextSet *set, bool left,
                bool right)
{
    const char *start = range->text, *end = start + range->length;
    while (left && start < end && text_has(set, *start)) {
        start++;
        if (!ctx_poll_at(ctx, (size_t)(end - start))) {
            return false;
        }
    }
    while (right && start < end && text_has(set, end[-1])) {
        end--;
        if (!ctx_poll_at(ctx, (size_t)(end - start))) {
            return false;
        }
    }
    *range = (TextRange){start, (size_t)(end - start)};
    return true;
}

// --- splitting ---

// Appends the bytes from start up to end as a part.
// The list takes the part over, also when appending fails.
static bool add_part(const TextSplit *split, const char *start, const char *end)
{
    Vm *vm = split->vm;
    if (!ctx_poll(&vm->ctx)) {
        return false;
    }
    Value part = split->part(vm, start, (size_t)(end - start));
    return !value_failed(part) && list_append_owned(vm, split->list, part);
}

// The first `byte` in [at, end), else `end`. Parts are short as a rule, and a
// call costs more than a few steps.
static inline const char *find_byte(const char *at, const char *end, char byte)
{
    enum { STEPS = 12 };
    for (int i = 0; i < STEPS; i++, at++) {
        if (at == end || *at == byte) {
            return at;
        }
    }
    const char *found = memchr(at, byte, (size_t)(end - at));
    return found == NULL ? end : found;
}

// What follows the last separator is a part even if it is empty. A negative
// limit never reaches 0.
// The separator is not empty: the methods refuse that first.
bool text_split_at(const TextSplit *split, TextRange text, TextRange sep)
{
    const char *at = text.text, *end = at + text.length;
    for (int64_t limit = split->limit; limit != 0; limit--) {
        const char *next = end;
        if (sep.length == 1) {
            next = find_byte(at, end, sep.text[0]);
        } else {
            next = text_search(&split->vm->ctx, at, end, sep);
            next = next == NULL ? end : next;
        }
        if (next == end) {
            break;
        }
        if (!add_part(split, at, next)) {
            return false;
        }
        at = next + sep.length;
    }
    return !ctx_failed(&split->vm->ctx) && add_part(split, at, end);
}

// The limit counts from the end, so the parts are found backwards.
// Byte by byte, for there is no memmem from the end; most places are settled by
// their first byte.
bool text_rsplit_at(const TextSplit *split, TextRange text, TextRange sep)
{
    const char *start = text.text, *end = start + text.length;
    Ctx *ctx = &split->vm->ctx;
    int64_t limit = split->limit;
    for (const char *at = end; limit != 0 && at > start;) {
        at--;
        if (!ctx_poll_at(ctx, (size_t)(at - start))) {
            return false;
        }
        // The separator must end before the last one that was found begins.
        if ((size_t)(end - at) >= sep.length && *at == sep.text[0] &&
            memcmp(at, sep.text, sep.length) == 0) {
            if (!add_part(split, at + sep.length, end)) {
                return false;
            }
            // An occurrence that overlaps this one is out of reach now.
            end = at;
            limit--;
        }
    }
    return add_part(split, start, end);
}

// Behind the run of white space (or of what is none) at `at`. NULL: Ctrl-C.
static inline const char *skip_run(const TextSplit *split, const char *at,
                                   const char *end, bool space)
{
    while (at < end && text_has(split->spaces, *at) == space) {
        at++;
        if (!ctx_poll_at(&split->vm->ctx, (size_t)(end - at))) {
            return NULL;
        }
    }
    return at;
}

// Runs of white space separate, so that no part is empty. What the limit leaves
// is one part, with the white space at its end.
// A text of white space alone has no parts at all.
bool text_split_words(const TextSplit *split, TextRange text)
{
    const char *at = text.text, *end = at + text.length;
    for (int64_t limit = split->limit;; limit--) {
        const char *start = skip_run(split, at, end, true);
        if (start == NULL || start == end) {
            return start != NULL;
        }
        // The last part takes all the rest.
        // A limit below 0 goes on to the end.
        at = limit == 0 ? end : skip_run(split, start, end, false);
        if (at == NULL || !add_part(split, start, at)) {
            return false;
        }
    }
}

// As skip_run, towards `start`.
static inline const char *skip_back(const TextSplit *split, const char *start,
                                    const char *end, bool space)
{
    while (end > start && text_has(split->spaces, end[-1]) == space) {
        end--;
        if (!ctx_poll_at(&split->vm->ctx, (size_t)(end - start))) {
            return NULL;
        }
    }
    return end;
}

// The same from the end: what is left keeps the white space at its start.
bool text_rsplit_words(const TextSplit *split, TextRange text)
{
    const char *start = text.text, *end = start + text.length;
    for (int64_t limit = split->limit;; limit--) {
        end = skip_back(split, start, end, true);
        if (end == NULL || end == start) {
            return end != NULL;
        }
        const char *word =
            limit == 0 ? start : skip_back(split, start, end, false);
        if (word == NULL || !add_part(split, word, end)) {
            return false;
        }
        end = word;
    }
}

// rsplit finds the last part first; programs want the order of the text.
static void turn(List *list)
{
    for (size_t i = 0; i < list->count / 2; i++) {
        Value item = list->items[i];
        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = item;
    }
}

// The parts are plain too, of a subclass as well. `fill` appends them in the
// order in which they are found.
Value text_split_method(Vm *vm, Value *args, bool from_end, TextSplitFill *fill)
{
    List *list = list_new(vm, 0);
    if (list == NULL) {
        return VALUE_FAIL;
    }
    if (!fill(vm, list, args, from_end)) {
        object_release(&vm->ctx, list);
        return VALUE_FAIL;
    }
    if (from_end) {
        turn(list);
    }
    return value_from_object(list);
}
