// The methods of bytes that str has, too, as rows of their table (an X-macro
// list): BYTES_METHOD(name, parameters behind self, doc). Each row is
// bytes_method_NAME in bytes_text.c or bytes_case.c.
BYTES_METHOD(find, "sub, start=0, end=None, /",
             "The first place of sub, or -1.")
BYTES_METHOD(rfind, "sub, start=0, end=None, /",
             "The last place of sub, or -1.")
BYTES_METHOD(index, "sub, start=0, end=None, /",
             "The first place of sub; ValueError if there is none.")
BYTES_METHOD(rindex, "sub, start=0, end=None, /",
             "The last place of sub; ValueError if there is none.")
BYTES_METHOD(count, "sub, start=0, end=None, /", "How often sub occurs.")
BYTES_METHOD(replace, "old, new, count=-1, /", "With new for old.")
BYTES_METHOD(strip, "bytes=None, /", "Without its ends.")
BYTES_METHOD(lstrip, "bytes=None, /", "Without its start.")
BYTES_METHOD(rstrip, "bytes=None, /", "Without its end.")
BYTES_METHOD(removeprefix, "prefix, /", "Without the prefix.")
BYTES_METHOD(removesuffix, "suffix, /", "Without the suffix.")
BYTES_METHOD(ljust, "width, fillchar=b' ', /", "Filled at the end.")
BYTES_METHOD(rjust, "width, fillchar=b' ', /", "Filled at the start.")
BYTES_METHOD(center, "width, fillchar=b' ', /", "Filled at both sides.")
BYTES_METHOD(zfill, "width, /", "Filled with zeros.")
BYTES_METHOD(expandtabs, "tabsize=8", "Tabs as spaces.")
BYTES_METHOD(split, "/, sep=None, maxsplit=-1", "The parts between separators.")
BYTES_METHOD(rsplit, "/, sep=None, maxsplit=-1",
             "The parts, split from the end.")
BYTES_METHOD(splitlines, "/, keepends=False", "Its lines.")
BYTES_METHOD(partition, "sep, /", "Before, sep and behind.")
BYTES_METHOD(rpartition, "sep, /", "Before, the last sep and behind.")
BYTES_METHOD(lower, "/", "In lower case.")
BYTES_METHOD(upper, "/", "In upper case.")
BYTES_METHOD(title, "/", "Each Word Like This.")
BYTES_METHOD(capitalize, "/", "First letter upper.")
BYTES_METHOD(swapcase, "/", "Upper and lower swapped.")
BYTES_METHOD(isalpha, "/", "All are letters.")
BYTES_METHOD(isdigit, "/", "All are digits.")
BYTES_METHOD(isalnum, "/", "All are letters or digits.")
BYTES_METHOD(isspace, "/", "All are white space.")
BYTES_METHOD(isupper, "/", "No letter is lower case.")
BYTES_METHOD(islower, "/", "No letter is upper case.")
BYTES_METHOD(istitle, "/", "Words Are Like This.")
