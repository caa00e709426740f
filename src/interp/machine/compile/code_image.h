// Code as bytes: the library is compiled when the program is built, and read
// back when a module is imported (tools/compile_library.c, import.c).
//
// An image is made and read by one and the same build, so that it has no
// version and is trusted: it holds words of opcode_list.h, and numbers in
// this machine's byte order. It begins with the texts that the code names, each
// once; codes follow, the outermost first.
#ifndef DUET_INTERP_MACHINE_COMPILE_CODE_IMAGE_H
#define DUET_INTERP_MACHINE_COMPILE_CODE_IMAGE_H

#include "interp/objects/code/code.h"

// Appends the image of `code` and of all code within it. False with an error
// pending: memory is short, or a constant has no form in an image.
MUST_CHECK bool code_image_write(Vm *vm, const Code *code, StrBuf *out);
// Owned; NULL: an error is pending. `source` is the text that the image was
// compiled from: spans point into it. The bytes are not needed afterwards.
MUST_CHECK Code *code_image_read(Vm *vm, Source *source, const char *image);

#endif
