// Keys by name, as a terminal sends them.
#ifndef DUET_TESTS_KEYS_H
#define DUET_TESTS_KEYS_H

#include <stdbool.h>
#include <stddef.h>

enum { KEY_MAX = 16 }; // bytes that a key sends, and the NUL

// "enter", "C-x", "M-b", "up" into `out`; false: there is no such key.
bool key_bytes(const char *name, bool app_keys, char *out);
// Replaces \r \t \n \e \\ and \xHH in place; the new length.
size_t key_unescape(char *text);

#endif
