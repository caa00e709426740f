// Texts of errors with names that C's own strings would cut off: here a str is
// put in as it is, a NUL included.
#include "interp/objects/errors/raise_whole.h"

#include "interp/core/raise.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/text/obj_str.h"

// The error's text with a NUL in it, as an object: a pending text is a C
// string.
static Value raise_built(Vm *vm, ErrorKind kind, const char *format,
                         const char *first, const Str *second)
{
    const char *place = strstr(format, "%s"), *next = strstr(place + 2, "%s");
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    strbuf_add(&text, format, (size_t)(place - format));
    strbuf_puts(&text, first);
    strbuf_add(&text, place + 2, (size_t)(next - place - 2));
    strbuf_add(&text, second->text, second->length);
    strbuf_puts(&text, next + 2);
    Str *whole =
        strbuf_ok(&text) ? str_new(vm, strbuf_text(&text), text.length) : NULL;
    strbuf_free(&text);
    if (whole != NULL) {
        (void)raise_with(vm, kind, str_value(whole));
        object_release(&vm->ctx, whole);
    }
    return VALUE_FAIL;
}

// The plain way where nothing would be cut off, which is nearly always.
Value raise_whole(Vm *vm, ErrorKind kind, const char *format, const char *first,
                  const Str *second)
{
    return strlen(second->text) < second->length
               ? raise_built(vm, kind, format, first, second)
               : raise_error(vm, kind, format, first, second->text);
}
