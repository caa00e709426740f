// Checksums: CRC-32 (ISO 3309) and CRC-32C (Castagnoli), a byte a step.
#ifndef DUET_BASE_CRC_H
#define DUET_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

// Which polynomial.
typedef enum CrcKind { CRC_ISO, CRC_CASTAGNOLI } CrcKind;

// What each byte adds; made once for many sums.
typedef struct Crc {
    uint32_t table[256];
} Crc;

void crc_init(Crc *crc, CrcKind kind);
// The checksum of what `so_far` is that of, 0 of nothing, and of the bytes.
uint32_t crc_add(const Crc *crc, uint32_t so_far, const void *bytes,
                 size_t length);

#endif
