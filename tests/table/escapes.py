"""unicode_escape and raw_unicode_escape both ways, with every handler."""


def show(call):
    try:
        print(repr(call()))
    except BaseException as error:
        print(type(error).__name__, error)


BROKEN = (
    rb'a\nb\x41\101\0\7\08\u20ac\U0001F600\N{EM DASH}\q\'\"', b'\\', b'a\\',
    rb'\x4', rb'\xzz', rb'\u12', rb'\U0011ffff', rb'\U00110000x', rb'\N{nope}',
    rb'\N', rb'\N{', rb'\N{ab', rb'\N{}', b'a\\\nb', b'\xe9\\', rb'\\u0041',
    rb'\\\u0041', rb'\ud83d\ude00', rb'\777', rb'\400', rb'\u12 4', b'\\u',
    'é'.encode(), rb'\a\b\f\v')

def rows(*encodings):
    for encoding in encodings:
        for text in ('ab\n\t\r\\\'"\x00\x1f\x7f\x80\xff\u20ac\U0001f600', '',
                     '\ud800', 'é\\u0041'):
            show(lambda: text.encode(encoding))
            show(lambda: text.encode(encoding).decode(encoding) == text)
        for data in BROKEN:
            for errors in ('strict', 'replace', 'ignore', 'backslashreplace'):
                show(lambda: data.decode(encoding, errors))
            try:
                data.decode(encoding)
            except UnicodeDecodeError as error:
                print(error.encoding, error.start, error.end, error.reason)
            except LookupError:
                pass
