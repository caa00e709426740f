// The compression functions of MD5, SHA-1, SHA-2 and SHA-3, a block at a time,
// after their public definitions (RFC 1321, FIPS 180-4, FIPS 202). Padding and
// the value at the beginning are the caller's (lib/python/hashlib.duet).
#ifndef DUET_BASE_DIGEST_H
#define DUET_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef enum DigestKind {
    DIGEST_MD5,
    DIGEST_SHA1,
    DIGEST_SHA256, // SHA-224 too
    DIGEST_SHA512, // SHA-384 too
    DIGEST_KECCAK  // SHA-3 and SHAKE
} DigestKind;

enum { DIGEST_STATE_MAX = 200 }; // bytes

// The size of a state, which is kept as bytes in the order that digests have:
// a digest is the beginning of the last state.
size_t digest_state_size(DigestKind kind);
// Takes one block into the state. `size` of a block: 64, of SHA-512 128, of
// Keccak its rate (a multiple of 8, below 200).
void digest_block(DigestKind kind, unsigned char *state,
                  const unsigned char *block, size_t size);

#endif
