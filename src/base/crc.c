// Checksums. See crc.h.
#include "base/crc.h"

void crc_init(Crc *crc, CrcKind kind)
{
    // Their bits from the lowest on.
    uint32_t polynomial = kind == CRC_ISO ? 0xEDB88320 : 0x82F63B78;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t sum = i;
        for (int bit = 0; bit < 8; bit++) {
            sum = (sum >> 1) ^ ((sum & 1) != 0 ? polynomial : 0);
        }
        crc->table[i] = sum;
    }
}

uint32_t crc_add(const Crc *crc, uint32_t so_far, const void *bytes,
                 size_t length)
{
    const unsigned char *byte = bytes;
    uint32_t sum = ~so_far;
    for (size_t i = 0; i < length; i++) {
        sum = sum >> 8 ^ crc->table[(sum ^ byte[i]) & 0xff];
    }
    return ~sum;
}
