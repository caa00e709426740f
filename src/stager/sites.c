// Handlers around nodes, and places that made many nodes.
//
// A node has a site: the instruction that made it, and those that called the
// code of that. What the embedded library does, it does for the innermost
// instruction of the program.
#include "stager/sites.h"

#include <string.h>

#include "graph/graph.h"
#include "interp/core/raise.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/iterators/obj_generator.h"
#include "interp/objects/text/obj_str.h"
#include "stager/content.h"
#include "stager/events.h"
#include "stager/tell.h"

// How many nodes of one op one instruction of the program has made, at one
// place of the library's where that made them.
typedef struct PlaceCount {
    const Code *code; // NULL: empty
    const Source *source;
    uint32_t word, start, op;
    uint32_t count;
    const GraphNode *node; // the first of them
} PlaceCount;

// A loop that was found to be unrolled.
typedef struct Unrolled {
    const Code *code;
    uint32_t line;
    uint32_t turns, nodes;
} Unrolled;

typedef struct Sites {
    const Trace *trace;
    const Graph *graph;
    size_t site_size;  // of the next two
    uint32_t *user;    // by site: the innermost of the program, 0: none
    uint32_t *guarded; // by site: the innermost of these that stands inside a
                       // `try`, 0: none
    bool any_guarded;
    PlaceCount *places;           // a hash table
    size_t place_count, capacity; // of it; the latter a power of two
    VEC(Unrolled) loops;
} Sites;

static const GraphSite *site_at(const Graph *graph, uint32_t site)
{
    return &graph->sites.items[site - 1];
}

static const Code *code_at(const Graph *graph, uint32_t site)
{
    return (const Code *)site_at(graph, site)->code;
}

static uint32_t line_at(const Code *code, uint32_t word)
{
    return source_place(code->source, code_span(code, word).start).line;
}

// --- handlers ---

// What ends the handling of an exception is no handler of the program's, nor is
// what leaves a `with`, but for what managers do (heeds_errors).
static bool is_handler(const Code *code, const Handler *handler, bool with)
{
    const Ins *target = code->words + handler->target;
    return INS_OP(target[0]) == OPCODE_PUSHEXC &&
           (INS_OP(target[1]) == OPCODE_WITHEXC) == with;
}

static bool is_around(const Handler *handler, uint32_t word)
{
    return word > handler->start && word <= handler->end;
}

// A `with` that was seen to have a manager which does something about errors.
static bool is_managed(const Trace *trace, const Handler *handler)
{
    for (size_t i = 0; i < trace->managed.count; i++) {
        if (trace->managed.items[i] == handler) {
            return true;
        }
    }
    return false;
}

// The `try` around an instruction, or the `with` of the trace that is one by
// its manager; NULL: none.
static const Handler *try_around(const Trace *trace, const Code *code,
                                 uint32_t word)
{
    for (uint32_t i = 0; i < code->handler_count; i++) {
        const Handler *handler = &code->handlers[i];
        if (is_around(handler, word) &&
            (is_handler(code, handler, false) ||
             (trace != NULL && is_managed(trace, handler)))) {
            return handler;
        }
    }
    return NULL;
}

bool sites_in_try(const Code *code, uint32_t word)
{
    return try_around(NULL, code, word) != NULL;
}

// Of contextlib's managers some drop errors, and one hands them to a generator,
// which need not be the program's, nor have a `try`.
static bool drops_errors(const Vm *vm, const Method *leave)
{
    Dict *marks = ((const Function *)value_object(leave->function))->dict;
    Dict *own = value_is_object(leave->self)
                    ? content_attributes(value_object(leave->self))
                    : NULL;
    Str *drops = str_interned(vm, "drops_errors", 12);
    Str *name = str_interned(vm, "gen", 3);
    if (marks == NULL || drops == NULL ||
        value_unbound(dict_get_name(marks, drops))) {
        return false;
    }
    Value gen =
        own != NULL && name != NULL ? dict_get_name(own, name) : VALUE_UNBOUND;
    const Code *code = value_is_kind(gen, KIND_GENERATOR)
                           ? ((Generator *)value_object(gen))->function->code
                           : NULL;
    return code == NULL || (!code->source->library && code->handler_count > 0);
}

// Whether what leaves a `with`, a bound __exit__, does something about an
// error, as the program's own may.
static bool heeds_errors(const Vm *vm, Value leave)
{
    if (!value_is_kind(leave, KIND_METHOD)) {
        return value_is_kind(leave, KIND_FUNCTION);
    }
    const Method *method = (const Method *)value_object(leave);
    return value_is_kind(method->function, KIND_FUNCTION) &&
           (!((const Function *)value_object(method->function))
                 ->code->source->library ||
            drops_errors(vm, method));
}

// The same of a `with` that the frame is in.
static bool is_heeded(const Vm *vm, const Frame *frame, const Handler *handler)
{
    const Code *code = frame->code;
    uint32_t reg = INS_B(code->words[handler->target + 1]);
    return is_handler(code, handler, true) &&
           heeds_errors(vm, frame->registers[reg]);
}

bool sites_enter(Vm *vm, Trace *trace, const Frame *frame, uint32_t word)
{
    const Code *code = frame->code;
    bool ok = true;
    for (uint32_t i = 0; ok && i < code->handler_count; i++) {
        const Handler *handler = &code->handlers[i];
        if (is_around(handler, word) && !is_managed(trace, handler) &&
            is_heeded(vm, frame, handler)) {
            ok = vec_push(&vm->ctx, &trace->managed, handler);
        }
    }
    return ok;
}

static void add_handler(Vm *vm, const Trace *trace, const Code *code,
                        const Handler *handler, EventKind kind,
                        const char *what)
{
    event_add_at(vm, trace->events,
                 (Event){.kind = kind,
                         .what = what,
                         .line = line_at(code, handler->target + 1),
                         .source = code->source,
                         .value = VALUE_NONE});
}

// Whether a number of the host's became a tensor in a trace under way: eager
// code has it still, and it takes the dtype of what it meets.
static bool has_numbers(const Trace *trace)
{
    for (; trace != NULL; trace = trace->outer) {
        const EventLog *log = trace->events;
        if (trace->weak) {
            return true;
        }
        for (size_t i = 0; log != NULL && i < log->events.count; i++) {
            EventKind kind = log->events.items[i].kind;
            if (kind == EVENT_NUMBER || kind == EVENT_INT) {
                return true;
            }
        }
    }
    return false;
}

bool sites_fatal(Vm *vm)
{
    static const ErrorKind fatal[] = {ERR_MEMORY,    ERR_RECURSION,
                                      ERR_SYNTAX,    ERR_SYSTEM,
                                      ERR_INTERRUPT, ERR_GENERATOR_EXIT};
    bool found = false;
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        found = found || raise_matches(vm, fatal[i]);
    }
    return found;
}

void sites_refuse(Vm *vm, Trace *trace)
{
    vm->exception = raise_take(vm);
    object_release_null(&vm->ctx, trace->refused);
    trace->refused = object_retain(value_object(vm->exception));
}

bool sites_refused(Vm *vm)
{
    static const ErrorKind own[] = {ERR_SYMBOLIC, ERR_LEAK, ERR_FROZEN,
                                    ERR_SIGNATURE};
    const Object *known = vm->trace->refused;
    bool refused = vm->trace->gave_up ||
                   (known != NULL && value_is_object(vm->exception) &&
                    value_object(vm->exception) == known) ||
                   (raise_matches(vm, ERR_DTYPE) && has_numbers(vm->trace));
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        refused = refused || raise_matches(vm, own[i]);
    }
    return refused;
}

void sites_caught(Vm *vm, const Frame *frame, const Handler *handler)
{
    const Code *code = frame->code;
    if (sites_refused(vm) && !code->source->library &&
        (is_handler(code, handler, false) || is_heeded(vm, frame, handler))) {
        add_handler(vm, vm->trace, code, handler, EVENT_HANDLER,
                    "an error of tracing alone came here");
    }
}

static bool may_fail(Vm *vm, const Graph *graph, const GraphNode *node);

static bool callee_may_fail(Vm *vm, const Graph *callee)
{
    bool fails = false;
    if (ctx_enter(&vm->ctx)) {
        for (size_t i = 0; !fails && i < callee->nodes.count; i++) {
            const GraphNode *node = callee->nodes.items[i];
            fails = node->block != NULL && may_fail(vm, callee, node);
        }
        ctx_leave(&vm->ctx);
    } else {
        raise_clear(vm); // nested too deep to look at
        fails = true;
    }
    return fails;
}

// When the graph runs. The nodes of blocks are asked themselves; effects but
// these cannot fail by themselves.
static bool may_fail(Vm *vm, const Graph *graph, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    if (op->payload == PAYLOAD_CALLEE) {
        return callee_may_fail(vm, node->callee);
    }
    return node->op == OP_ASSERT || node->op == OP_RAISE ||
           node->op == OP_HOST_CALL ||
           (op->block_count == 0 && !op_has_effect(op) &&
            !graph_is_total(graph, node));
}

static void tell_handler(Vm *vm, const Sites *sites, uint32_t site)
{
    const Code *code = code_at(sites->graph, site);
    add_handler(
        vm, sites->trace, code,
        try_around(sites->trace, code, site_at(sites->graph, site)->word),
        EVENT_PASSED, "an error at run time passes it");
}

void sites_raised(Vm *vm, const Trace *trace, uint32_t site)
{
    const Sites sites = {.trace = trace, .graph = trace->graph};
    const Code *code = code_at(sites.graph, site);
    if (!code->source->library &&
        try_around(trace, code, site_at(sites.graph, site)->word) != NULL) {
        tell_handler(vm, &sites, site);
    }
}

// --- loops ---

// Over the golden ratio: each bit goes to the upper ones.
static size_t hash_place(const PlaceCount *place)
{
    uint64_t key = ((uintptr_t)place->code >> 4) +
                   ((uintptr_t)place->source << 20) +
                   ((uint64_t)place->word << 40) +
                   ((uint64_t)place->start << 8) + place->op;
    return (size_t)(key * 0x9E3779B97F4A7C15u >> 32);
}

static bool same_place(const PlaceCount *a, const PlaceCount *b)
{
    return a->code == b->code && a->source == b->source && a->word == b->word &&
           a->start == b->start && a->op == b->op;
}

// Where the place is, or belongs.
static PlaceCount *find_place(const Sites *sites, const PlaceCount *place)
{
    size_t at = hash_place(place) & (sites->capacity - 1);
    while (sites->places[at].code != NULL &&
           !same_place(&sites->places[at], place)) {
        at = (at + 1) & (sites->capacity - 1);
    }
    return &sites->places[at];
}

// Unrolled loops have few places, and long graphs without loops many.
static bool grow_places(Vm *vm, Sites *sites)
{
    PlaceCount *old = sites->places;
    size_t count = sites->capacity, size = count * sizeof *old;
    size_t capacity = count > 0 ? 4 * count : 64;
    sites->places = ctx_alloc_zero(&vm->ctx, capacity * sizeof *sites->places);
    if (sites->places == NULL) {
        sites->places = old;
        return false;
    }
    sites->capacity = capacity;
    for (size_t i = 0; i < count; i++) {
        if (old[i].code != NULL) {
            *find_place(sites, &old[i]) = old[i];
        }
    }
    ctx_free(&vm->ctx, old, size);
    return true;
}

static bool count_node(Vm *vm, Sites *sites, const GraphNode *node)
{
    uint32_t user = sites->user[node->place.site];
    if (user == 0) {
        return true;
    }
    if (2 * sites->place_count >= sites->capacity && !grow_places(vm, sites)) {
        return false;
    }
    const GraphSite *site = site_at(sites->graph, user);
    PlaceCount place = {.code = (const Code *)site->code,
                        .source = node->place.source,
                        .word = site->word,
                        .start = node->place.span.start,
                        .op = node->op,
                        .node = node};
    PlaceCount *found = find_place(sites, &place);
    if (found->code == NULL) {
        *found = place;
        sites->place_count++;
    }
    found->count++;
    return true;
}

// A loop of the graph's has made a node of each place once.
static bool is_staged(const GraphNode *node, const Code *code,
                      const BlockInfo *info)
{
    const GraphBlock *block = node->block;
    for (; block != NULL; block = block->parent) {
        const GraphNode *owner = block->owner;
        if (owner != NULL && owner->op == OP_WHILE &&
            owner->place.source == code->source &&
            owner->place.span.start >= info->span.start &&
            owner->place.span.end <= info->span.end) {
            return true;
        }
    }
    return false;
}

// The line of the innermost loop of the host's around an instruction, 0: none.
static uint32_t loop_around(const Code *code, uint32_t word,
                            const GraphNode *node)
{
    Span span = code_span(code, word), found = {0, UINT32_MAX};
    for (uint32_t i = 0; i < code->block_count; i++) {
        const BlockInfo *info = &code->blocks[i];
        if ((info->flags & BLOCK_IS_LOOP) && info->span.start <= span.start &&
            info->span.end >= span.end &&
            info->span.end - info->span.start < found.end - found.start &&
            !is_staged(node, code, info)) {
            found = info->span;
        }
    }
    bool comprehension = (code->flags & CODE_COMPREHENSION) != 0;
    if (found.end == UINT32_MAX && comprehension) {
        found = code->span;
    }
    return found.end == UINT32_MAX
               ? 0
               : source_place(code->source, found.start).line;
}

static bool add_loop(Vm *vm, Sites *sites, const Code *code, uint32_t line,
                     uint32_t turns, uint32_t nodes)
{
    for (size_t i = 0; i < sites->loops.count; i++) {
        Unrolled *loop = &sites->loops.items[i];
        if (loop->code->source == code->source && loop->line == line) {
            loop->turns = turns > loop->turns ? turns : loop->turns;
            loop->nodes += nodes;
            return true;
        }
    }
    Unrolled loop = {code, line, turns, nodes};
    return vec_push(&vm->ctx, &sites->loops, loop);
}

// The loop may stand in the code that made the nodes or in what called it.
static bool find_loop(Vm *vm, Sites *sites, const PlaceCount *place)
{
    uint32_t site = sites->user[place->node->place.site];
    while (site != 0) {
        const GraphSite *at = site_at(sites->graph, site);
        const Code *code = (const Code *)at->code;
        uint32_t line = loop_around(code, at->word, place->node);
        if (line > 0) {
            // Of numbers of the host one instruction may make several.
            bool number = node_desc(place->node)->payload == PAYLOAD_TENSOR;
            return add_loop(vm, sites, code, line, number ? 0 : place->count,
                            place->count);
        }
        site = sites->user[at->caller];
    }
    return true;
}

static bool count_loops(Vm *vm, Sites *sites)
{
    const Graph *graph = sites->graph;
    bool ok = true;
    for (size_t i = 0; ok && i < graph->nodes.count; i++) {
        const GraphNode *node = graph->nodes.items[i];
        if (node->block != NULL && node->place.site != 0) {
            ok = count_node(vm, sites, node);
        }
    }
    for (size_t i = 0; ok && i < sites->capacity; i++) {
        const PlaceCount *place = &sites->places[i];
        ok = place->count < SITES_TURNS || find_loop(vm, sites, place);
    }
    return ok;
}

// --- both ---

// Who calls comes before whom it calls.
static void mark_sites(Sites *sites)
{
    const Graph *graph = sites->graph;
    sites->user[0] = sites->guarded[0] = 0;
    for (uint32_t i = 1; i <= graph->sites.count; i++) {
        const GraphSite *site = site_at(graph, i);
        const Code *code = (const Code *)site->code;
        bool library = code->source->library;
        bool guarded = !library && code->handler_count > 0 &&
                       try_around(sites->trace, code, site->word) != NULL;
        sites->user[i] = library ? sites->user[site->caller] : i;
        sites->guarded[i] = guarded ? i : sites->guarded[site->caller];
        sites->any_guarded |= guarded;
    }
}

static bool open_sites(Vm *vm, const Trace *trace, Sites *sites)
{
    size_t count = trace->graph->sites.count + 1;
    *sites = (Sites){.trace = trace, .graph = trace->graph};
    sites->site_size = 2 * count * sizeof(uint32_t);
    sites->user = ctx_alloc(&vm->ctx, sites->site_size);
    if (sites->user != NULL) {
        sites->guarded = sites->user + count;
        mark_sites(sites);
    }
    return sites->user != NULL;
}

// What was not told for want of memory is only not told.
static void close_sites(Vm *vm, Sites *sites, bool ok)
{
    ctx_free(&vm->ctx, sites->user, sites->site_size);
    ctx_free(&vm->ctx, sites->places, sites->capacity * sizeof *sites->places);
    vec_free(&vm->ctx, &sites->loops);
    if (!ok) {
        raise_clear(vm);
    }
}

static void tell_handlers(Vm *vm, const Sites *sites)
{
    const Graph *graph = sites->graph;
    for (size_t i = 0; sites->any_guarded && i < graph->nodes.count; i++) {
        const GraphNode *node = graph->nodes.items[i];
        uint32_t site = sites->guarded[node->place.site];
        if (node->block != NULL && site != 0 && may_fail(vm, graph, node)) {
            tell_handler(vm, sites, site);
        }
    }
}

void sites_tell(Vm *vm, const Trace *trace)
{
    Sites sites;
    bool ok = open_sites(vm, trace, &sites);
    if (ok) {
        tell_handlers(vm, &sites);
        ok = trace->graph->nodes.count < SITES_TURNS || count_loops(vm, &sites);
    }
    for (size_t i = 0; i < sites.loops.count; i++) {
        const Unrolled *loop = &sites.loops.items[i];
        if (loop->turns == 0) {
            continue; // numbers alone
        }
        event_add_at(vm, trace->events,
                     (Event){.kind = EVENT_UNROLL,
                             .line = loop->line,
                             .source = loop->code->source,
                             .count = loop->turns,
                             .value = value_from_small(loop->nodes)});
    }
    trace->events->cut |= !ok;
    close_sites(vm, &sites, ok);
}

// Rarer and rarer, so that looking stays linear.
void sites_look(Vm *vm, Trace *trace)
{
    trace->look *= 2;
    if (!tell_is_heard(vm)) {
        return;
    }
    Sites sites;
    bool ok = open_sites(vm, trace, &sites) && count_loops(vm, &sites);
    for (size_t i = 0; i < sites.loops.count; i++) {
        const Unrolled *loop = &sites.loops.items[i];
        if (loop->turns >= SITES_LOOK) {
            tell_unrolling(vm, trace->request->name, loop->line, loop->turns);
        }
    }
    close_sites(vm, &sites, ok);
}

void sites_free(Vm *vm, Trace *trace)
{
    vec_free(&vm->ctx, &trace->sites);
    vec_free(&vm->ctx, &trace->managed);
}
