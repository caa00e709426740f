// Binding names at the start, choosing variants of libm's and libc's functions
// and building the types touch a third of all code once. The system maps
// sixteen pages for each that is touched, so that a prompt that only waits
// would hold 2 MB of code that it never runs again.
//
// Invariant: only parts that are mapped from a file and may not be written are
// dropped. What has been relocated is writable at first, so it is kept.
#include "repl/trim.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A debugger's breakpoints stand in the pages themselves and would be lost.
// If that cannot be told, nothing is dropped.
static bool is_traced(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    static const char name[] = "TracerPid:";
    bool traced = true;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, sizeof name - 1) == 0) {
            traced = atoi(line + sizeof name - 1) != 0;
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return traced;
}

// Text relocations would make code differ from its file.
static bool is_relocated(const struct dl_phdr_info *object)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_DYNAMIC) {
            continue;
        }
        const ElfW(Dyn) *entry =
            (const void *)(object->dlpi_addr + part->p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL) {
                return true;
            }
        }
    }
    return false;
}

// For one of the program's files, in the form that dl_iterate_phdr calls. The
// last page of a part may begin the next one, and stays.
static int drop_object(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    uintptr_t page = *(const uintptr_t *)data;
    if (is_relocated(object)) {
        return 0;
    }
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        uintptr_t end = (start + part->p_memsz) & ~(page - 1);
        start = (start + page - 1) & ~(page - 1);
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) == 0 &&
            start < end) {
            // Memory, not an object of C: the pages are nobody's.
            (void)madvise((void *)start, end - start, MADV_DONTNEED);
        }
    }
    return 0;
}

void trim_code(void)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (!is_traced()) {
        (void)dl_iterate_phdr(drop_object, &page);
    }
}
