// What keys send: xterm's codes.
#include "keys.h"

#include <ctype.h>
#include <string.h>

// Keys with names of more than one letter, as a session writes them. Arrows,
// home and end stand as in the normal mode of the cursor keys.
static const struct {
    const char *name;
    const char *bytes;
} keys[] = {
    {"enter", "\r"},          {"tab", "\t"},
    {"escape", "\033"},       {"backspace", "\x7F"},
    {"space", " "},           {"up", "\033[A"},
    {"down", "\033[B"},       {"right", "\033[C"},
    {"left", "\033[D"},       {"home", "\033[H"},
    {"end", "\033[F"},        {"delete", "\033[3~"},
    {"insert", "\033[2~"},    {"pageup", "\033[5~"},
    {"pagedown", "\033[6~"},  {"C-left", "\033[1;5D"},
    {"C-right", "\033[1;5C"}, {"M-enter", "\033\r"},
    {"backtab", "\033[Z"},    {"C-_", "\x1F"},
    {"f1", "\033OP"},
};

// Names first, then `C-x` and `M-x` by rule, then a character that stands
// for itself.
bool key_bytes(const char *name, bool app_keys, char *out)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            strcpy(out, keys[i].bytes);
            // Arrows, home and end change with the terminal's mode.
            if (app_keys && strlen(out) == 3 && out[1] == '[' &&
                strchr("ABCDHF", out[2]) != NULL) {
                out[1] = 'O';
            }
            return true;
        }
    }
    if (strncmp(name, "M-", 2) == 0) {
        out[0] = '\033';
        return key_bytes(name + 2, false, out + 1);
    }
    if (strncmp(name, "C-", 2) == 0 && name[2] != '\0' && name[3] == '\0') {
        out[0] = (char)(name[2] & 0x1F);
        out[1] = '\0';
        return true;
    }
    if (name[0] != '\0' && name[1] == '\0') {
        strcpy(out, name);
        return true;
    }
    return false;
}

// The caller has checked isxdigit.
static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0'
                                     : tolower((unsigned char)c) - 'a' + 10;
}

// The byte for an escape at *at, which is moved behind it.
static char unescape(const char **at)
{
    static const char names[] = "rtne\\";
    static const char bytes[] = "\r\t\n\033\\";
    const char *name = **at == '\0' ? NULL : strchr(names, **at);
    if (**at == 'x' && isxdigit((unsigned char)(*at)[1]) &&
        isxdigit((unsigned char)(*at)[2])) {
        char byte = (char)(hex_digit((*at)[1]) * 16 + hex_digit((*at)[2]));
        *at += 3;
        return byte;
    }
    if (name == NULL) {
        return '\\'; // what follows stands for itself
    }
    (*at)++;
    return bytes[name - names];
}

// In place, since an escape is never shorter than its byte. The length is
// returned because "\x00" may stand in the middle.
size_t key_unescape(char *text)
{
    char *out = text;
    const char *at = text;
    while (*at != '\0') {
        char byte = *at++;
        *out++ = byte == '\\' ? unescape(&at) : byte;
    }
    *out = '\0';
    return (size_t)(out - text);
}
