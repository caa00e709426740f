// The native half of hashlib: whole blocks into the state of a digest. States
// are bytes, so that nothing has to be freed or copied by hand.
#include <string.h>

#include "base/digest.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/importing/module.h"

// kind, state, data, size: the state after all of `data`, a whole number of
// blocks of `size` bytes. Only lib/python/hashlib.duet calls it, so a wrong
// argument is a plain ValueError.
static Value hashlib_absorb(Vm *vm, Value *args)
{
    int64_t kind, size;
    if (!value_to_index(vm, args[0], &kind) ||
        !value_to_index(vm, args[3], &size)) {
        return VALUE_FAIL;
    }
    if (kind < 0 || kind > DIGEST_KECCAK || size < 64 || size > 168 ||
        size % 8 != 0 || !value_is_kind(args[1], KIND_BYTES) ||
        !value_is_kind(args[2], KIND_BYTES) ||
        bytes_length(args[1]) != digest_state_size((DigestKind)kind) ||
        bytes_length(args[2]) % (size_t)size != 0) {
        return raise_error(vm, ERR_VALUE, "wrong state or data of a digest");
    }
    unsigned char state[DIGEST_STATE_MAX];
    size_t state_size = bytes_length(args[1]), length = bytes_length(args[2]);
    memcpy(state, bytes_text(args[1]), state_size);
    const unsigned char *data = (const unsigned char *)bytes_text(args[2]);
    for (size_t at = 0; at < length; at += (size_t)size) {
        digest_block((DigestKind)kind, state, data + at, (size_t)size);
        if ((at & 0xFFFF) < (size_t)size && !ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
    return bytes_value(vm, (const char *)state, state_size);
}

static const NativeDef hashlib_functions[] = {
    {"absorb", "kind, state, data, size, /", hashlib_absorb,
     "The state of a digest after more blocks."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef hashlib_module = {.name = "hashlib",
                                  .doc = "Blocks of digests.",
                                  .functions = hashlib_functions};
