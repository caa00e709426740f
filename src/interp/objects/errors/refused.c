// What Duet leaves out of Python: said where such a name is missed, behind the
// message that any missing name has.
#include "interp/objects/errors/refused.h"

#include <string.h>

// Built-in names, and the feature that each stands for.
static const struct {
    const char *name, *feature;
} names[] = {{"BaseExceptionGroup", "exception groups"},
             {"ExceptionGroup", "exception groups"},
             {"aiter", "asynchronous iterators"},
             {"anext", "asynchronous iterators"},
             {"bytearray", "bytearray"},
             {"complex", "complex numbers"},
             {"memoryview", "memoryview"}};

// The modules of Python 3.11's library, each followed by a blank. Those that
// Duet has are never missed.
static const char modules[] =
    "abc aifc antigravity argparse array ast asynchat asyncio asyncore "
    "audioop base64 bdb binascii bisect builtins bz2 cProfile "
    "calendar cgi cgitb chunk cmath cmd code codecs codeop collections "
    "colorsys compileall concurrent configparser contextlib contextvars "
    "copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal "
    "difflib dis distutils doctest email encodings ensurepip enum errno "
    "faulthandler fcntl filecmp fileinput fnmatch fractions ftplib "
    "functools gc genericpath getopt getpass gettext glob graphlib grp gzip "
    "hashlib heapq hmac html http idlelib imaplib imghdr imp importlib "
    "inspect io ipaddress itertools json keyword lib2to3 linecache locale "
    "logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder "
    "msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path "
    "numbers opcode operator optparse os ossaudiodev pathlib pdb pickle "
    "pickletools pipes pkgutil platform plistlib poplib posix posixpath "
    "pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data "
    "pyexpat queue quopri random re readline reprlib resource rlcompleter "
    "runpy sched secrets select selectors shelve shlex shutil signal site "
    "smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile "
    "sre_constants sre_parse ssl stat statistics string stringprep struct "
    "subprocess sunau symtable sys sysconfig syslog tabnanny tarfile "
    "telnetlib tempfile termios textwrap this threading time timeit tkinter "
    "token tokenize tomllib trace traceback tracemalloc tty turtle "
    "turtledemo types typing unicodedata unittest urllib uu uuid venv "
    "warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml "
    "xmlrpc zipapp zipfile zipimport zlib zoneinfo ";

const char *refused_name_at(size_t index)
{
    return index < sizeof names / sizeof *names ? names[index].name : NULL;
}

const char *refused_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0) {
            return names[i].feature;
        }
    }
    return NULL;
}

bool refused_module(const char *name)
{
    size_t length = strlen(name);
    const char *at = modules;
    while (*at != '\0') {
        size_t size = strcspn(at, " ");
        if (size == length && memcmp(at, name, size) == 0) {
            return true;
        }
        at += size + 1;
    }
    return false;
}
