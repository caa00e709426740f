"""Templates of expressions, one kind of result a table, a template a line.

`<kind>` is a hole; a section sign stands for a variable of the template's own.
Modules are those that the prelude imports.
"""

INT = """
<int> + <int>
<int> - <int>
<int> * <int>
<int> // <int>
<int> % <int>
<int> ** whole(modest(<small>))
<int> & <int>
<int> | <int>
<int> ^ <int>
<int> << <small>
<int> << 61
<int> >> <small>
-<int>
+<int>
~<int>
abs(<int>)
<bool> + <bool>
<bool> & <int>
pow(<int>, <small>, <int>)
pow(<int>, <int>, <int>)
divmod(<int>, <int>)[<bool>]
int(<float>)
int(<str>)
int(<str>, <small>)
int(<int>)
int(<bytes>)
int(str(<int>), 10)
int(hex(<int>), 16)
int(bin(<int>), 0)
round(<float>)
round(<int>, -modest(<small>))
len(<sized>)
len(<loose>)
hash(fixed(<num>))
hash(<num>) == hash(<num>)
sum(<numbers>)
sum(<numbers>, <int>)
max(<numbers>, default=<int>)
min(<int>, <int>)
max(<int>, <num>)
ord(<str>[0])
<str>.find(<str>)
<str>.index(<str>)
<str>.rfind(<str>, <small>)
<str>.count(<str>)
<str>.count(<str>, <small>, <small>)
<bytes>.find(<bytes>)
<bytes>.count(<bytes>, <small>)
<bytes>[<small>]
<list>.index(<any>)
<list>.count(<any>)
<tuple>.count(<any>)
<tuple>.index(<any>, <small>)
<range>[<small>]
<range>.index(<int>)
<range>.count(<int>)
<range>.stop
<int>.bit_length()
<int>.bit_count()
<int>.real
<int>.imag
<int>.numerator
<int>.denominator
<int>.conjugate()
<int>.__index__()
<int>.__floor__()
<int>.as_integer_ratio()[0]
<float>.as_integer_ratio()[<bool>]
<float>.__trunc__()
int.from_bytes(<bytes>, 'big')
int.from_bytes(<bytes>, 'little', signed=<bool>)
math.floor(<float>)
math.ceil(<num>)
math.trunc(<num>)
math.gcd(<int>, <int>)
math.lcm(<int>, <int>, <int>)
math.factorial(modest(<small>))
math.comb(<int>, modest(<small>))
math.perm(modest(<small>), <small>)
math.isqrt(abs(<int>))
operator.index(<int>)
bisect.bisect_left(sorted(<numbers>), <int>)
bisect.bisect(sorted(<words>), <str>)
functools.reduce(<binary>, <numbers>, <int>)
<int> if <bool> else <int>
(§ := <int>) + §
[<int>, <int>][<bool>]
(lambda §: § + <int>)(<int>)
(lambda §, *, k=<int>: § - k)(<int>)
(lambda *a, **k: len(a) + len(k))(*<list>, **dict(q=<int>))
<int> or <int>
<int> and <int>
next(<iter>, <int>)
sum(§ for § in <numbers> if § > <int>)
eval(repr(<int>), {})
statistics.mode(<list>)
range.__len__(<range>)
operator.length_hint(<iterable>)
random.Random(<int>).randint(0, 1000)
random.Random(<str>).getrandbits(<small>)
"""

FLOAT = """
<float> + <float>
<float> - <num>
<num> * <float>
<float> / <float>
<int> / <int>
<num> / <num>
<float> // <float>
<float> % <float>
<int> % <float>
<float> ** whole(<small>)
abs(<float>) ** <float>
abs(<int>) ** <float>
<float> ** whole(<float>)
<int> ** -whole(modest(<small>))
-<float>
+<float>
abs(<float>)
float(<int>)
float(<str>)
float(repr(<float>))
float(<float>)
round(<float>, <small>)
round(<float>, -<small>)
divmod(<float>, <float>)[<bool>]
sum(<numbers>, 0.5)
max(<float>, <num>)
min(<num>, <num>, key=<unary>)
float.fromhex(<float>.hex())
float.fromhex(<str>)
<float>.real
<float>.conjugate()
<float> if <bool> else <num>
pow(abs(<float>), <num>)
abs(<num>)
math.sqrt(<num>)
math.fmod(<float>, <float>)
math.hypot(<num>, <num>)
math.copysign(<float>, <float>)
math.ldexp(<float>, <small>)
math.frexp(<float>)[0]
math.modf(<float>)[<bool>]
math.fsum(<numbers>)
math.prod(<numbers>)
math.dist(<numbers>, <numbers>)
math.remainder(<float>, <float>)
math.nextafter(<float>, <float>)
math.ulp(<float>)
math.floor(<float>) + 0.5
math.log2(2 ** modest(<small>))
math.log(<int>)
math.exp(<small>)
math.sin(<num>)
math.radians(<num>)
statistics.mean(<numbers>)
statistics.median(<numbers>)
statistics.fmean(<numbers>)
statistics.pstdev(<numbers>)
statistics.variance(<numbers>)
random.Random(<int>).random()
random.Random(<int>).uniform(<float>, <float>)
random.Random(<int>).gauss(0, 1)
"""

BOOL = """
<int> < <int>
<int> <= <num>
<num> == <num>
<num> != <num>
<num> > <num>
<float> >= <num>
<str> < <str>
<str> == <str>
<bytes> < <bytes>
<bytes> == <str>
<list> == <list>
<list> < <list>
<tuple> <= <tuple>
<tuple> == <list>
<dict> == <dict>
<pset> == <fset>
<set> <= <set>
<set> < <set>
<set> > <set>
<any> == <any>
<any> != <any>
<any> < <any>
<any> >= <any>
<any> is None
<any> is not <none>
<range> == <range>
<slice> == <slice>
<int> < <int> < <num>
<num> <= <num> != <num>
<int> == <int> in <list>
<str> in <str>
<int> in <bytes>
<bytes> in <bytes>
<any> in <list>
<any> not in <tuple>
<key> in <dict>
<key> in <set>
<key> in <loose>
<loose> == <loose>
<loose> <= <loose>
<loose> < <set>
<loose>.isdisjoint(<iterable>)
<loose>.issubset(<iterable>)
<loose>.issuperset(<iterable>)
bool(<loose>)
<num> in <range>
<any> in <iterable>
(<any>, <any>) in <dict>.items()
<any> in <dict>.values()
<dict>.keys() == <dict>.keys()
<dict>.items() == <dict>.items()
<dict>.keys() <= <set>
<dict>.items() < <dict>.items()
<dict>.keys().isdisjoint(<iterable>)
not <any>
<bool> and <bool>
<bool> or <any>
<bool> ^ <bool>
bool(<any>)
all(<iterable>)
any(<iterable>)
all(§ < <int> for § in <numbers>)
isinstance(<any>, <type>)
isinstance(<any>, (<type>, <type>))
issubclass(<type>, <type>)
issubclass(type(<any>), <type>)
callable(<any>)
hasattr(<any>, <attr>)
<str>.isalpha()
<str>.isdigit()
<str>.isalnum()
<str>.isdecimal()
<str>.isnumeric()
<str>.isspace()
<str>.isupper()
<str>.islower()
<str>.istitle()
<str>.isidentifier()
<str>.isprintable()
<str>.isascii()
<bytes>.isalpha()
<bytes>.isdigit()
<bytes>.istitle()
<bytes>.isupper()
<bytes>.isspace()
<str>.startswith(<str>)
<str>.startswith((<str>, <str>), <small>)
<str>.endswith(<str>, <small>, <small>)
<bytes>.startswith(<bytes>)
<float>.is_integer()
<pset>.issubset(<iterable>)
<set>.issuperset(<iterable>)
<fset>.isdisjoint(<iterable>)
math.isnan(<num>)
math.isfinite(<num>)
math.isclose(<num>, <num>)
math.isclose(<num>, <num>, rel_tol=<float>, abs_tol=<float>)
operator.contains(<list>, <any>)
type(<any>) is type(<any>)
<any> is <any>.__class__
str(<any>) == repr(<any>)
"""

STR = """
<str> + <str>
<str> * <small>
<small> * <str>
<str>[<small>]
<str>[<small>:]
<str>[:<small>]
<str>[<small>:<small>]
<str>[<small>:<small>:<small>]
<str>[::-1]
<str>[<slice>]
str(<any>)
repr(<any>)
ascii(<any>)
str(<bytes>, <encoding>, <errors>)
str(<bytes>, 'latin-1')
<bytes>.decode()
<bytes>.decode(<encoding>)
<bytes>.decode(<encoding>, <errors>)
<bytes>.hex()
<bytes>.hex(':', <small>)
<bytes>.hex(<str>)
<str>.upper()
<str>.lower()
<str>.title()
<str>.swapcase()
<str>.capitalize()
<str>.casefold()
<str>.strip()
<str>.strip(<str>)
<str>.lstrip(<str>)
<str>.rstrip()
<str>.center(<small>, <str>)
<str>.center(11)
<str>.ljust(<small>, '*')
<str>.rjust(12, <str>)
<str>.zfill(<small>)
<str>.replace(<str>, <str>)
<str>.replace(<str>, <str>, <small>)
<str>.join(<words>)
<str>.join(<iterable>)
<str>.join(str(§) for § in <iterable>)
<str>.expandtabs(<small>)
<str>.removeprefix(<str>)
<str>.removesuffix(<str>)
<str>.translate({97: <any>, 98: None, 'c': 'q'})
<str>.translate(str.maketrans(<str>, <str>))
<str>.translate(str.maketrans('ab', 'xy', <str>))
<str>.translate(<dict>)
<str>.partition(<str>)[<small>]
<str>.split(<str>)[0]
<str>.format(<any>, <any>, k=<any>)
<braces>.format(<any>, <any>, k=<any>)
<braces>.format(*<list>, **{'k': <any>})
<braces>.format_map({'k': <any>})
'{:{}}'.format(<num>, <spec>)
<percent> % <num>
<percent> % <any>
<percent> % (<any>,)
<percent> % (<any>, <any>)
<percent> % <tuple>
<str> % <any>
'%(k)s %(k)r' % {'k': <any>}
'%(k)5.1f|%(z)s' % <dict>
'%*d|%-*s' % (<small>, <int>, <small>, <str>)
'%.*f' % (<small>, <float>)
format(<num>, <spec>)
format(<str>, <spec>)
format(<int>, <spec>)
format(<float>, <spec>)
format(<any>, '')
format(<any>, <spec>)
(lambda §: f'{§}')(<int>)
(lambda §: f'{§!r}' f'{§!s:>9}')(<any>)
(lambda §, n: f'{§:.{n}f}')(<float>, <small>)
(lambda §, n: f'{§:>10.3}|{n:^9}')(<float>, <str>)
(lambda §: f'{§:+,d} {§:#x} {§:b} {§:e} {§:_}')(<int>)
(lambda §, n: f'{§!r:>12}{{}}{n}')(<str>, <any>)
(lambda §: f'{§:,.2f} {§:g} {§:%} {§=}')(<num>)
(lambda §, n: f'{§!a:{n}}')(<any>, <small>)
(lambda §, n: f'{§=:{n}}')(<num>, <spec>)
(lambda §: f'{[q for q in §]}' f'{§ and 1:03}')(<list>)
hex(<int>)
oct(<int>)
bin(<int>)
chr(abs(<int>))
chr(<small> + 95)
<float>.hex()
<str> if <bool> else <str>
<str> or <str>
<any>.__class__.__name__
type(<any>).__name__
max(<words>, key=<unary>)
min(<str>, <str>)
str(<iter>)[:5]
json.dumps(<any>)
json.dumps(<list>, indent=<small>)
json.dumps(<dict>, sort_keys=<bool>)
json.dumps(<any>, separators=(',', ':'), ensure_ascii=<bool>)
textwrap.fill(<str> * 5, <small> + 5)
textwrap.dedent(<str>)
textwrap.indent(<str>, <str>)
textwrap.shorten(<str> * 3, 9)
string.capwords(<str>)
string.Template('$a ${b} $$').safe_substitute(a=<any>)
''.join(sorted(<str>))
''.join(reversed(<str>))
''.join(map(<unary>, <str>))
eval(repr(<str>), {})
random.Random(<int>).choice(<seq>)
str(datetime.timedelta(<small>, <int>))
str(datetime.date(2000, 1, 31) + datetime.timedelta(days=<small>))
datetime.datetime(2001, 2, 3, 4, 5, 6).strftime('%Y-%m-%d %H:%M:%S %j %a %b %p')
"""

BYTES = """
<bytes> + <bytes>
<bytes> * <small>
<bytes>[<small>:<small>]
<bytes>[<small>:<small>:<small>]
<bytes>[::-1]
<str>.encode()
<str>.encode(<encoding>)
<str>.encode(<encoding>, <errors>)
bytes(modest(<small>))
bytes(<numbers>)
bytes(<iterable>)
bytes(<str>, <encoding>)
bytes(modest(<any>))
bytes.fromhex(<str>)
bytes.fromhex(<bytes>.hex())
<int>.to_bytes(modest(<small>), 'big')
<int>.to_bytes(9, 'little', signed=<bool>)
<bytes>.upper()
<bytes>.swapcase()
<bytes>.title()
<bytes>.capitalize()
<bytes>.strip(<bytes>)
<bytes>.lstrip()
<bytes>.replace(<bytes>, <bytes>, <small>)
<bytes>.join([<bytes>, <bytes>])
<bytes>.join(<iterable>)
<bytes>.center(<small>, b'*')
<bytes>.zfill(<small>)
<bytes>.ljust(<small>, <bytes>)
<bytes>.expandtabs(<small>)
<bytes>.translate(bytes(range(256))[::-1])
<bytes>.translate(None, <bytes>)
<bytes>.translate(bytes.maketrans(<bytes>, <bytes>))
<bytes>.removeprefix(<bytes>)
<bytes>.removesuffix(<bytes>)
<percentbytes> % <num>
<percentbytes> % (<any>,)
<percentbytes> % <bytes>
b'%s|%a' % (<bytes>, <any>)
b'%(k)b' % {b'k': <bytes>}
<bytes> % <any>
"""

LIST = """
<list> + <list>
<list> * <small>
<list>[<small>:<small>]
<list>[<small>:<small>:<small>]
<list>[::-1]
<list>[<slice>]
list(<iterable>)
list(<dict>.items())
list(<dict>.values())
list(<dict>)
list(<range>)
[*<list>, <any>, *<iterable>]
[<any>, <any>]
[§ for § in <iterable>]
[§ for § in <list> if §]
[(§, <int>) for § in <range> if § % 2]
[<unary>(§) for § in <list>] if <bool> else []
[§ + <int> for § in <numbers>]
[[§, q] for § in <range> for q in <str>]
[q for § in <words> for q in § if q not in <str>]
[(lambda: §)() for § in <list>]
sorted(<numbers>)
sorted(<words>)
sorted(<list>)
sorted(<words>, key=<unary>, reverse=<bool>)
sorted(<list>, key=str)
sorted(<list>, key=repr, reverse=True)
sorted(<iterable>, key=<unary>)
sorted(<set>, key=repr)
sorted(<loose>, key=repr)
list(<set>)
<str>.split()
<str>.split(<str>)
<str>.split(<str>, <small>)
<str>.split(maxsplit=<small>)
<str>.rsplit(<str>, <small>)
<str>.rsplit(None, <small>)
<str>.splitlines()
<str>.splitlines(<bool>)
<bytes>.split(<bytes>)
<bytes>.rsplit(None, <small>)
<bytes>.splitlines(True)
list(map(<unary>, <iterable>))
list(map(<binary>, <iterable>, <iterable>))
list(filter(<unary>, <iterable>))
list(filter(None, <iterable>))
list(zip(<iterable>, <iterable>))
list(zip(<iterable>, <iterable>, strict=<bool>))
list(enumerate(<iterable>, <int>))
list(reversed(<seq>))
list(reversed(<dict>))
<list>.copy()
<list> or <list>
<list> if <bool> else <list>
list(itertools.chain(<iterable>, <iterable>))
list(itertools.accumulate(<numbers>))
list(itertools.accumulate(<iterable>, <binary>))
list(itertools.islice(<iterable>, <small>))
list(itertools.islice(<iterable>, <small>, <small>, <small>))
list(itertools.islice(itertools.count(<num>, <num>), 4))
list(itertools.islice(itertools.cycle(<iterable>), 7))
list(itertools.product(<str>, <range>))[:20]
list(itertools.product(<list>, repeat=2))[:20]
list(itertools.permutations(<list>, 2))[:20]
list(itertools.combinations(<iterable>, modest(<small>)))[:20]
list(itertools.combinations_with_replacement(<str>, 2))[:20]
list(itertools.zip_longest(<iterable>, <iterable>, fillvalue=<any>))
list(itertools.takewhile(<unary>, <list>))
list(itertools.dropwhile(<unary>, <list>))
list(itertools.filterfalse(<unary>, <list>))
list(itertools.starmap(<binary>, zip(<numbers>, <numbers>)))
list(itertools.compress(<iterable>, <list>))
list(itertools.pairwise(<iterable>))
list(itertools.repeat(<any>, <small>))
[(k, list(v)) for k, v in itertools.groupby(<iterable>, <unary>)]
heapq.nlargest(<small>, <numbers>)
heapq.nsmallest(<small>, <words>, key=<unary>)
list(heapq.merge(sorted(<numbers>), sorted(<numbers>)))
textwrap.wrap(<str> * 4, 10)
collections.Counter(<iterable>).most_common(<small>)
collections.Counter(<str>).most_common()
json.loads(json.dumps(<list>))
json.loads(<str>)
random.Random(<int>).sample(range(20), <small>)
random.Random(<int>).choices(<list>, k=<small>)
statistics.multimode(<str>)
dir(<any>)[<small>:<small>]
[*map(<unary>, <list>)]
list(<iter>)
eval(repr(<list>), {})
list(vars(<any>))
[a for a, *b in <list>]
"""

TUPLE = """
<tuple> + <tuple>
<tuple> * <small>
<tuple>[<small>:<small>]
<tuple>[<small>]
tuple(<iterable>)
(<any>, <any>)
(*<iterable>, <any>)
<any>, *<list>
divmod(<num>, <num>)
<str>.partition(<str>)
<str>.rpartition(<str>)
<bytes>.partition(<bytes>)
<int>.as_integer_ratio()
<float>.as_integer_ratio()
<slice>.indices(<small>)
math.frexp(<float>)
math.modf(<num>)
tuple(sorted(<numbers>))
(lambda *§: §)(*<iterable>)
(lambda a, b=<any>, *c, d=<int>, **e: (a, b, c, d, e))(*<list>, d=<any>)
(lambda a, /, b, *, c=1: (a, b, c))(<any>, b=<any>)
tuple(§ for § in <iterable>)
max(<any>, <any>), min(<iterable>)
tuple(<dict>.items())
tuple(map(type, <list>))
"""

DICT = """
{**<dict>, <key>: <any>}
{<key>: <any>, <key>: <any>}
<dict> | <dict>
dict(<dict>)
dict(<dict>, k=<any>)
dict(zip(<str>, <range>))
dict(zip(<iterable>, <list>))
dict(<list>)
dict.fromkeys(<iterable>)
dict.fromkeys(<iterable>, <any>)
{§: <any> for § in <iterable>}
{§: § for § in <words> if §}
{k: v for v, k in <dict>.items()}
{k: <unary>(v) for k, v in <dict>.items()}
<dict>.copy()
dict(sorted(<dict>.items(), key=repr))
collections.Counter(<str>) + collections.Counter(<iterable>)
collections.Counter(<iterable>) - collections.Counter(<str>)
collections.OrderedDict(<dict>)
collections.defaultdict(int, <dict>)
collections.ChainMap(<dict>, <dict>)
dict(a=<any>, b=<any>)
json.loads(json.dumps(<dict>))
str.maketrans(<str>, <str>)
str.maketrans(<dict>)
"""

# Sets whose order may be seen: what they hold has a fixed hash (prelude.py).
PSET = """
{fixed(<key>), fixed(<key>)}
{*firm(<list>), fixed(<int>)}
{*firm(<numbers>), fixed(<int>)}
set(firm(<iterable>))
set(firm(<numbers>))
<pset> | <set>
<pset> & <set>
<pset> - <set>
<pset> ^ <set>
<pset>.union(firm(<iterable>), firm(<iterable>))
<pset>.union(firm(<numbers>), <range>)
<pset>.intersection(<iterable>)
<pset>.difference(<iterable>, <iterable>)
<pset>.symmetric_difference(firm(<iterable>))
<pset>.symmetric_difference(firm(<numbers>))
<pset>.copy()
{fixed(§) for § in <iterable>}
{fixed(§ % 5) for § in <numbers>}
<pset> - <dict>.keys()
"""

FSET = """
frozenset(firm(<iterable>))
frozenset(firm(<numbers>))
<fset> | <set>
<fset> & <set>
<fset> - <pset>
<fset> ^ <fset>
<fset>.union(firm(<iterable>))
<fset>.intersection(<set>, <iterable>)
<fset>.copy()
"""

# Sets of anything: they stand only where their order cannot be seen.
LOOSE = """
set(<iterable>)
frozenset(<iterable>)
{<key>, <key>}
{*<list>, <int>}
{§ for § in <iterable>}
<loose> | <loose>
<loose> & <set>
<loose> - <loose>
<loose> ^ <loose>
<loose>.union(<iterable>, <iterable>)
<loose>.intersection(<iterable>)
<loose>.difference(<iterable>, <iterable>)
<loose>.symmetric_difference(<iterable>)
<loose>.copy()
<dict>.keys() & <iterable>
<dict>.keys() | <iterable>
<dict>.keys() - <iterable>
<dict>.keys() ^ <iterable>
<dict>.items() ^ <dict>.items()
<dict>.items() & <iterable>
<dict>.items() | <set>
<set> - <dict>.keys()
"""

RANGE = """
range(<small>)
range(<small>, <small>)
range(<small>, <small>, <small>)
range(<int>, <int>, <int>)[:9]
<range>[<small>:<small>]
<range>[::-1]
<range>[<slice>]
"""

SLICE = """
slice(<small>)
slice(<any>, <any>, <any>)
"""

NUMBERS = """
[§ * <small> for § in <numbers>]
list(<range>)
<numbers> + <numbers>
sorted(<numbers>, reverse=<bool>)
[len(§) for § in <words>]
list(<bytes>)
"""

WORDS = """
<str>.split()
list(<str>)
[§.upper() for § in <words>]
<words> + <words>
sorted(<words>)
[str(§) for § in <list>]
"""

ITER = """
iter(<list>)
iter(<iterable>)
map(<unary>, <iterable>)
filter(<unary>, <iterable>)
zip(<iterable>, <iterable>)
enumerate(<iterable>)
reversed(<list>)
(§ for § in <iterable>)
(§ for § in <numbers> if § > 1)
itertools.chain.from_iterable(<list>)
itertools.islice(<iterable>, <small>)
itertools.tee(<iterable>)[0]
iter([<int>, <int>, 0].pop, 0)
<dict>.values()
"""

ANY = """
<list>[<small>]
<tuple>[<small>]
<dict>[<key>]
<dict>.get(<key>)
<dict>.get(<key>, <any>)
next(<iter>)
next(<iter>, <any>)
max(<iterable>)
min(<iterable>, default=<any>)
max(<iterable>, key=<unary>)
sum(<iterable>)
sum(<list>, <any>)
<any> or <any>
<any> and <any>
<any> if <any> else <any>
<unary>(<any>)
<binary>(<any>, <any>)
<any> + <any>
<any> * <any>
<any> - <any>
<any> % <any>
<any> | <any>
<any>[<any>]
<any>[<small>]
-<any>
(lambda §: §)(<any>)
(lambda §=<any>: §)()
getattr(<any>, <data>, <any>)
callable(getattr(<any>, <attr>, <any>))
getattr(<any>, <attr>) is None
functools.reduce(<binary>, <iterable>)
functools.partial(<binary>, <any>)(<any>)
copy.copy(<any>)
copy.deepcopy(<any>)
operator.itemgetter(<small>)(<list>)
operator.add(<any>, <any>)
collections.deque(<iterable>, <small>)
collections.deque(<iterable>)
eval(repr(<any>), {})
(§ := <any>, §)[1]
<list>.pop(<small>)
<dict>.pop(<key>, <any>)
<list>.append(<any>)
<dict>.setdefault(<key>, <any>)
<dict>.update(<any>)
<list>.sort(key=<unary>)
<pset>.add(fixed(<any>))
<any>.__class__
remade(type(<any>), <any>)
type(<any>)()
remade(<type>, <any>)
round(<num>, <small>)
sorted(<any>)
list(<any>)
abs(<any>)
len(<any>)
hash(<any>) == hash(<any>)
int(<any>)
float(<any>)
"""

TEMPLATES = {
    "int": INT, "float": FLOAT, "bool": BOOL, "str": STR, "bytes": BYTES,
    "list": LIST, "tuple": TUPLE, "dict": DICT, "pset": PSET, "fset": FSET,
    "loose": LOOSE,
    "range": RANGE, "slice": SLICE, "numbers": NUMBERS, "words": WORDS,
    "iter": ITER, "anything": ANY,
}
