"""More features for scenarios.py: the library's smaller modules, and protocols
of classes. Templates as scenarios.py describes them.
"""

DATES = """
$D = datetime.date(«2000, 2, 29¦1999, 12, 31¦2024, <small>, <small>¦2021, 3, 28»)
$T = datetime.datetime(«2000, 1, 31, 23, 59, 59, 999999¦2020, 2, 29¦1970, 1, 1, <small>, <small>, <small>»)
$L = datetime.timedelta(«<small>¦<small>, <int>¦days=<float>¦hours=<small>, minutes=-<small>¦weeks=<num>¦milliseconds=<int>»)
$Z = datetime.timezone(datetime.timedelta(«hours=<small>¦minutes=90¦hours=25¦seconds=<small>»)«¦, 'Z'»)
"""
DATE_PROBES = """
show($D «+¦-» $L)
show($T «+¦-» $L)
show($D - datetime.date(2001, <small>, 1), $T - datetime.datetime(2001, 1, 1))
show($L «+¦-¦*¦/¦//¦%» «$L¦<small>¦<num>¦datetime.timedelta(1)¦<any>»)
show(divmod($L, «datetime.timedelta(hours=5)¦<small>¦$L»))
show(-$L, abs($L), +$L, bool($L), str($L), $L.total_seconds())
show($L.days, $L.seconds, $L.microseconds)
show($D «<¦==¦>=» «$D¦datetime.date(2000, 3, 1)¦$T¦<any>»)
show($T «<¦==¦!=» «$T¦datetime.datetime(2000, 3, 1)¦$D¦<any>»)
show($D.isoformat(), $D.weekday(), $D.isoweekday(), $D.toordinal(), tuple($D.isocalendar()))
show($D.replace(«year=<small>¦month=<small>¦day=<small>¦day=31¦<any>»))
show($T.replace(«hour=<small>¦minute=61¦microsecond=<int>¦tzinfo=$Z¦fold=1»))
show($T.strftime(«'%Y-%m-%d %H:%M:%S.%f'¦'%y %B %A %j %U %W %p %I'¦'%a %b %d %%'¦'%G-W%V-%u'»))
show($D.strftime(«'%d/%m/%Y'¦'%c'¦'%x %X'¦''¦'é %Y'»))
show(datetime.datetime.strptime(«'2020-02-29 12:30:45', '%Y-%m-%d %H:%M:%S'¦'1 Jan 99', '%d %b %y'¦<str>, '%Y'¦'12:61', '%H:%M'»))
show(datetime.date.fromisoformat(«'2020-02-29'¦'20200229'¦'2021-W05-3'¦'2021-02-30'¦<str>»))
show(datetime.datetime.fromisoformat(«'2020-02-29T12:30'¦'2020-02-29 12:30:45.123+02:00'¦'2021-13-01'¦<str>»))
show($T.isoformat(«¦' '¦timespec='minutes'¦'T', 'milliseconds'¦timespec='x'»))
show($T.date(), $T.time(), $T.timetuple()[:6], $T.weekday())
show(datetime.datetime.combine($D, datetime.time(«<small>, 30¦12»)))
show(datetime.time(«<small>, <small>¦23, 59, 59, 1¦24»).isoformat())
show($Z, $T.replace(tzinfo=$Z), $T.replace(tzinfo=$Z).utcoffset())
show($T.replace(tzinfo=datetime.timezone.utc).astimezone($Z))
show(repr($D), repr($T), repr($L), hash($D) == hash($D))
show(sorted([$D, datetime.date(2000, 1, 1), $D.replace(year=1990)]))
show(datetime.date.fromordinal(«<int>¦730000¦<small>»))
show(datetime.timedelta(«<any>¦1, <any>¦seconds=<any>»))
"""

RATIOS = """
$F = fractions.Fraction(«<small>, 7¦<int>, <int>¦<float>¦'3/4'¦' -1.25e2 '¦<str>¦1, 3»)
$G = fractions.Fraction(«2, 3¦-5, 4¦<small>»)
$D = decimal.Decimal(«'1.10'¦'-0'¦<int>¦'1e-7'¦<str>¦'123456789.987654321'¦'NaN'¦'Infinity'¦<float>»)
$E = decimal.Decimal(«'3'¦'0.5'¦'-2.50'¦'12E+1'»)
"""
RATIO_PROBES = """
show($F «+¦-¦*¦/¦//¦%» «$G¦<small>¦<float>¦<any>»)
show(«<small>¦<float>¦<any>» «+¦-¦*¦/¦//» $G)
show(abs($G) ** «2¦-2¦0.5¦modest(<small>)»)
show($F «<¦==¦>=» «$G¦<num>¦<any>»)
show($F.numerator, $F.denominator, $F.limit_denominator(«10¦<small>¦1000»))
show(round($F), round($F, 2), int($F), float($F), abs($F), -$F, bool($F))
show(math.floor($G), math.ceil($G), math.trunc($G), divmod($F, $G))
show(str($F), repr($F), hash($G) == hash(float($G)))
show(fractions.Fraction.from_float(<float>), fractions.Fraction(<float>) == <float>)
show($D «+¦-¦*¦/¦//¦%» «$E¦<small>¦<float>»)
show($E ** «2¦-1¦$E», $D «<¦==¦>=» «$E¦<num>¦<any>»)
show($D.quantize(decimal.Decimal(«'0.01'¦'1'¦'1e2'»)«¦, rounding=decimal.ROUND_HALF_UP¦, rounding=decimal.ROUND_DOWN»))
show(str($D), repr($D), $D.as_tuple(), $D.adjusted())
show(format($D, «'.2f'¦'e'¦'>12'¦',.3f'¦'g'¦'%'»))
show(round($E, «1¦0¦-1»), int($E), float($D), abs($D), -$D, bool($D))
show($E.sqrt(), $E.ln(), $E.exp())
show($D.is_nan(), $D.is_infinite(), $D.is_signed(), $D.is_zero(), $D.normalize())
show($D.to_integral_value(), $E.as_integer_ratio(), $D.copy_sign($E), $D.compare($E))
show(max($E, decimal.Decimal(1)), sum([$E, $E]), sorted([$E, decimal.Decimal(2)]))
with decimal.localcontext() as c:⏎    c.prec = «3¦28¦1»⏎    show($E / 7, +$D)
show(statistics.«mean¦median¦variance¦pstdev¦mode¦harmonic_mean¦geometric_mean¦median_low¦quantiles»(«[$F, $G, 2]¦<numbers>¦[1, 2, 2, <small>]¦[$E, $E + 1, 4]»))
show(statistics.«correlation¦covariance¦linear_regression»([1, 2, 3, <small>], [2, 4, <small>, 9]))
show(statistics.NormalDist(«0, 1¦<small>, <small>»).cdf(1))
show(sum([$F, $G, 1]), math.prod([$F, $G]), max($F, $G, 0.5))
"""

STREAMS = """
$S = io.StringIO(«¦<str>¦'a\\nb\\r\\nc\\rd'¦'one\\ntwo\\n', newline=«None¦''¦'\\r\\n'»»)
$B = io.BytesIO(«¦<bytes>¦b'a\\nb\\n\\nc'»)
"""
STREAM_PROBES = """
show($S.«read()¦readline()¦readlines()¦read(<small>)¦readline(<small>)¦read(<any>)»)
show($B.«read()¦readline()¦readlines()¦read(<small>)¦readline(<small>)¦read(<any>)»)
show($S.write(«<str>¦<any>¦'x\\ny'»), $S.tell(), $S.getvalue())
show($B.write(«<bytes>¦<any>¦b'xy'»), $B.tell(), $B.getvalue())
show($S.seek(«0¦<small>¦0, 2¦<small>, 1»), $S.tell())
show($B.seek(«0¦<small>¦-1, 2¦<small>, 1¦0, 9»), $B.tell())
show($S.truncate(«¦<small>¦<any>»), $S.getvalue())
show($B.truncate(«¦<small>»), $B.getvalue())
for x in $S: show(x)
show(list($B), next($S, 'end'))
show($S.writelines(<words>), $S.getvalue())
show($S.readable(), $S.writable(), $S.seekable(), $S.closed, $S.newlines, $S.isatty())
with $S as x: show(x is $S)⏎show($S.closed)⏎$S.read()
$S.close()⏎show($S.getvalue())
print(<any>, <any>, sep=<str>, end=<str>, file=$S)⏎show($S.getvalue())
with contextlib.redirect_stdout($S): print('kept', <int>)⏎show($S.getvalue())
show($B.getvalue(), $B.read1(<small>))
show(json.load(io.StringIO(«'[1, 2]'¦'{"a": null}'¦<str>»)))
json.dump(<any>, $S)⏎show($S.getvalue())
"""

SEQUENCES = """
class $C:
    def __init__(self, *items): self.items = list(items)
    def __getitem__(self, key):
        if type(key) is int and key > 9: raise IndexError(key)
       ?show('get', key)
        return «self.items[key]¦self.items[key]¦<any>»
   ?def __len__(self): return modest(«len(self.items)¦<small>¦<any>»)
   ?def __iter__(self): return «iter(self.items)¦self¦<any>»
   ?def __next__(self): return self.items.pop()
   ?def __contains__(self, item): return «item in self.items¦<any>»
   ?def __reversed__(self): return «reversed(self.items)¦<any>»
   ?def __setitem__(self, key, value): self.items[key] = value
   ?def __delitem__(self, key): del self.items[key]
   ?def __index__(self): return «len(self.items)¦<any>»
   ?def __length_hint__(self): return modest(«<small>¦<any>»)
   ?def __bool__(self): return «<bool>¦<any>»
   ?def keys(self): return range(len(self.items))
   ?def index(self, *args): return args
$O = $C(«1, 2, 3¦*<list>¦<any>, <any>¦»)
"""
SEQUENCE_PROBES = """
show(list($O)[:9])
show([x for x, _ in zip($O, range(5))])
show($O[«<small>¦<small>:<small>¦::2¦<any>¦1, 2¦...¦:, 1¦-1»])
$O[«<small>¦:2¦<any>»] = <any>⏎show($O.items)
del $O[«<small>¦:1¦<any>»]⏎show($O.items)
show(<any> in $O, len($O), bool($O))
show(list(reversed($O))[:5])
a, *b = itertools.islice($O, 5)⏎show(a, b)
show(list(enumerate(itertools.islice($O, 4), <small>)))
show(sorted(itertools.islice($O, 5), key=repr), operator.length_hint($O, 7))
show([10, 20, 30, 40][$O], 'abc' * $O, range($O), [1, 2, 3][:$O])
show(bytes($O), hex($O))
show(dict($O), {**$O})
show(max(itertools.islice($O, 4)), sum(itertools.islice($O, 3)))
show(iter($O) is $O, iter($O) is iter($O), callable($O))
x = [0, 1, 2, 3, 4]⏎x[«1:3¦::2¦<slice>¦$O:¦5:¦-1:0»] = itertools.islice($O, «2¦3»)⏎show(x)
x = <list>⏎del x[«::2¦1:¦<slice>¦<small>»]⏎show(x)
x = <list>⏎x.«insert(<small>, <any>)¦extend(itertools.islice($O, 3))¦remove(<any>)¦reverse()¦pop(<small>)¦sort(key=str)¦clear()»⏎show(x)
x = <list>⏎x «+=¦*=» «<iterable>¦<small>¦<any>»⏎show(x)
show(list(iter(iter(<list>).__next__, <any>)))
show(list(map(lambda *q: q, itertools.islice($O, 3), <iterable>)))
show(',' .join(map(str, itertools.islice($O, 3))), any(itertools.islice($O, 3)))
show(operator.«indexOf¦countOf¦contains»([1, 2, $O, 1], <any>))
show(operator.getitem($O, <small>), operator.setitem(<list>, <small>, <any>))
"""

COPIES = """
class $C:
    def __init__(self, a=<any>, b=None): self.a, self.b = a, b
   ?def __copy__(self): return «type(self)(1)¦<any>¦self»
   ?def __deepcopy__(self, memo): return «type(self)(copy.deepcopy(self.a, memo))¦<any>¦self»
   ?def __eq__(self, other): return «self.a == other.a¦<bool>¦NotImplemented»
   ?def __reduce__(self): return $C, (2, <any>)
   ?def __getstate__(self): return {'a': <any>}
   ?def __setstate__(self, state): show('state', sorted(state))
   ?def __repr__(self): return f'$C({self.a!r})'
$O = $C(«[1, [2]]¦{1: [2]}¦<any>»)
$L = [«1¦[2]», «<any>¦[3]», $O]
?$L.append($L)
?$O.b = $O
"""
COPY_PROBES = """
x = copy.«copy¦deepcopy»($O)⏎show(x is $O, x.a == $O.a, x.a is $O.a, x.b is x, x.b is $O)
x = copy.«copy¦deepcopy»($L)⏎show(x is $L, x[0] is $L[0], x[2] is $L[2], x[-1] is x, len(x))
show(copy.deepcopy(<any>), copy.copy(<any>))
x = {1: <list>}⏎y = copy.deepcopy(x)⏎y[1].append(1)⏎show(x, y)
x = [[1]] * 2⏎y = copy.deepcopy(x)⏎show(y[0] is y[1])
x = ([],)⏎show(copy.deepcopy(x) is x, copy.copy(x) is x)⏎x = (1, 2)⏎show(copy.deepcopy(x) is x)
show($O == copy.copy($O), $O != copy.deepcopy($O))
show(sorted(vars(copy.copy($O))))
show(repr($L)[:60])
memo = {}⏎copy.deepcopy($L, memo)⏎show(len(memo) > 0)
show(copy.copy(len) is len, copy.deepcopy($C) is $C)
"""

TOOLS = """
@functools.total_ordering
class $C:
    def __init__(self, n): self.n = n
    def __eq__(self, other): return self.n == other.n
    def __«lt¦gt¦le¦ge»__(self, other): return «self.n < other.n¦<bool>¦NotImplemented»
   ?def __hash__(self): return 1
   ?__call__ = lambda self, *a, k=1, **w: (self.n, a, k)
class $S:
    @functools.singledispatchmethod
    def look(self, x): return 'base'
    @look.register
    def _(self, x: int): return 'int', x
    @look.register(«list¦tuple¦str»)
    def _(self, x): return 'many', len(x)
   ?@functools.cached_property
    def once(self): show('computed'); return <any>
   ?def step(self, x, y=<small>, *z): return x, y, z
   ?half = functools.partialmethod(step, 1)
@functools.«lru_cache¦cache¦lru_cache(maxsize=2)¦lru_cache(maxsize=None, typed=True)»
def $F(*args, **words):
    show('ran', args)
    return «len(args)¦<any>¦args[0]»
$P = functools.partial(«$F, 1¦max, <small>¦int, base=2¦dict, a=1¦print¦<any>»)
"""
TOOL_PROBES = """
show($C(1) «<¦<=¦>¦>=¦==¦!=» $C(<small>))
show($C(1) < <any>)
show([c.n for c in sorted([$C(3), $C(1), $C(2)])])
show($S().look(<any>), $S().look(«1¦'a'¦[1, 2]¦(1,)¦True¦None»))
s = $S()⏎show(s.once, s.once, sorted(vars(s)))
show($S().half(«¦2¦2, 3¦x=1»))
show($F(«1¦1, 2¦1.0¦True¦¦<key>¦k=1¦<list>»), $F(1))
show($F.cache_info(), $F(3), $F.cache_info())⏎$F.cache_clear()
show($P(«¦<small>¦'101'¦<any>¦b=2»))
show($P.func is max, $P.args, $P.keywords)
show(functools.partial($P, <small>).args)
show(operator.«itemgetter(1)¦itemgetter(0, -1)¦itemgetter(slice(2))¦attrgetter('n')¦attrgetter('real', 'imag')¦methodcaller('upper')¦methodcaller('split', 'a')»(«<list>¦<str>¦$C(1)¦<int>¦<tuple>¦<any>»))
show(operator.«add¦sub¦mul¦truediv¦floordiv¦mod¦and_¦or_¦xor¦lshift¦concat¦eq¦lt¦is_»(<small>, «<small>¦<any>»))
x = <list>⏎show(operator.«iadd¦imul¦iconcat»(x, «<list>¦<small>¦<any>»), x)
show(operator.«neg¦pos¦inv¦not_¦truth¦index¦abs»(<any>))
show(list(itertools.«takewhile¦dropwhile¦filterfalse»(«<unary>¦None¦lambda q: q != 2», <iterable>)))
show(list(itertools.starmap(«<binary>¦max», «zip(<numbers>, <range>)¦<list>¦[(1, 2), (3,)]»)))
show([''.join(p) for p in itertools.«permutations¦combinations¦combinations_with_replacement»('abc', «1¦2¦3¦4¦0»)])
show(list(itertools.islice(itertools.count(«<num>¦<num>, <num>¦step=<num>¦<any>»), 3)))
show(list(itertools.accumulate(<iterable>«¦, <binary>¦, max¦, initial=<any>»)))
show(random.Random(<small>).«sample¦choices»(«<range>¦<list>¦<str>», «k=2¦k=<small>»))
x = list(range(8))⏎random.Random(<small>).shuffle(x)⏎show(x)
show(random.Random(<small>).«randrange(<small>, 20)¦triangular()¦expovariate(2)¦betavariate(1, 2)¦randbytes(3)¦normalvariate(0, 1)¦randrange(10, <small>)¦choice(<list>)»)
show(heapq.nsmallest(<small>, [$C(2), $C(1)])[0].n)
show(max([$C(1), $C(2)]).n, min($C(1), $C(0), key=lambda c: «c.n¦-c.n¦<any>»).n)
"""

WORDS = """
$T = string.Template(«'$a ${b}s $$ $'¦'$a-$b'¦'${a'¦'$1'¦<str>¦'$a$a ${é}'»)
$S = <str> «+ <str>¦* 3¦+ ' the quick brown fox-jumps over\\n\\n  a lazy dog'»
class $F(string.Formatter):
   ?def get_value(self, key, args, words): return «(key, args)¦super().get_value(key, args, words)¦<any>»
   ?def format_field(self, value, spec): return «super().format_field(value, spec)¦str(value) + '|' + spec»
   ?def convert_field(self, value, kind): return «super().convert_field(value, kind)¦value»
class $V:
   ?def __format__(self, spec): return «'<' + spec + '>'¦<any>»
   ?def __str__(self): return «'text'¦<any>»
   ?def __repr__(self): return 'shown'
    real = <any>
"""
WORD_PROBES = """
show($T.«substitute¦safe_substitute»(«a=1, b=2¦{'a': <any>}¦¦{'a': 1}, b=<any>»))
show($T.template, $T.«get_identifiers()¦is_valid()»)
show(textwrap.wrap($S, «<small>¦10¦20, initial_indent='* '¦12, break_long_words=False¦15, max_lines=2¦9, subsequent_indent='  '¦14, placeholder='~', max_lines=1»))
show(textwrap.fill($S, «10¦25, drop_whitespace=False¦30, break_on_hyphens=False¦12, expand_tabs=False¦20, replace_whitespace=False¦20, fix_sentence_endings=True»))
show(textwrap.shorten($S, «12¦20, placeholder='..'¦3¦<small>»))
show(textwrap.dedent(«'  a\\n   b\\n\\n  c'¦' \\ta\\n \\tb'¦$S»), textwrap.indent($S, «'> '¦'> ', lambda q: True»))
show($F().format(«'{} {a}', 1, a=2¦'{0!r:>5}', <any>¦'{0.real}', 1¦'{a[0]}', a=<any>¦'{}{1}', 1, 2¦<braces>, <any>, <any>, k=1»))
show(list(string.Formatter().parse(«<braces>¦'a{b!r:c}d{}'¦<str>»)))
show('{0:{1}}|{0!s:>{2}}'.format(<any>, <spec>, <small>))
show(f'{$V()}', f'{$V():x>3}', f'{$V()!r:>8}', '%s %r' % ($V(), $V()))
show('{0.real} {0!s}'.format($V()), str($V()), format($V(), <spec>))
show($S.«split()¦splitlines()¦partition(' ')¦rsplit(None, 2)¦title()¦swapcase()¦encode()[:9]¦expandtabs(<small>)¦casefold()»)
show($S.translate(«str.maketrans('aeiou', 'AEIOU')¦{ord('a'): None, 32: '_'}¦str.maketrans({'q': 'kw', 'z': <any>})»))
show([w.capitalize() for w in $S.split()], ' '.join(reversed($S.split())), len($S.encode('utf-16')))
show($S.«find¦rfind¦index¦count¦startswith¦endswith¦replace»(«'o'¦<str>¦'the', <small>¦'q', 1, <small>¦'a', 'b'¦'', '-'¦<any>»))
show($S.«center¦ljust¦rjust¦zfill»(«40¦<small>¦30, '*'¦5, <str>»))
show(string.capwords($S«¦, '-'»), string.ascii_letters[:5], string.digits, string.punctuation[:4])
show(collections.Counter($S.split()).most_common(2), sorted(set($S))[:5])
x, y = <int>, <float>⏎show(f'{x:«,¦_x¦+¦ ¦#b¦>20¦^+15d¦c¦e¦08.3f¦%»}', f'{y:«.3¦,.2f¦e¦g¦+.1%¦>12¦010¦z.1f¦n»}')
x, y = <any>, <str>⏎show(f'{x!«r¦s¦a»:«>10¦.3¦^12.4¦»}', f'{y:«>10¦.3¦*^12¦=5¦s¦d»}')
show('%«5d¦-8s|¦+.2f¦x¦#o¦c¦r¦08.3f¦s¦5.1s¦i¦e¦G¦%»' % «<any>¦(<int>,)¦<float>¦(<any>, <any>)¦{'a': 1}»)
show('%(a)«s¦d¦-5s|¦.2f» %(b)r' % {'a': <any>, 'b': <any>})
"""

SHAPES = """
class $P(typing.NamedTuple):
    x: int
    y: int = <any>
   ?def total(self): return self.x + self.y
   ?def __str__(self): return f'<{self.x}>'
class $A:
    def __init__(self, v): self.v = v
   ?def __init_subclass__(cls, tag=None, **words):
        super().__init_subclass__(**words)
        cls.tag = tag
   ?@staticmethod
    def make(v): return $A(v)
   ?@classmethod
    def build(cls, *args): return cls(*args)
   ?@property
    def area(self): return self.v * 2
   ?@area.setter
    def area(self, value): self.v = value
   ?__class_getitem__ = classmethod(lambda cls, item: (cls.__name__, item))
   ?def __getattr__(self, name): return name.upper()
   ?def __dir__(self): return ['z', 'a']
   ?def __del__(self): pass
class $B($A«¦, tag=<any>»):
   ?def __init__(self, v, more=<any>):
        super().__init__(v)
       ?self.more = more
   ?area = <any>
   ?def __enter__(self): return self
    def __exit__(self, *args): return <bool>
   ?def __call__(self, f): return lambda *a: (self.v, f(*a))
class $M($B, «dict¦$P¦Exception¦list¦object»«¦, tag=2»): pass
$O = $B(<any>)
"""
SHAPE_PROBES = """
show($P(«1¦1, 2¦x=1, y=<any>¦¦1, 2, 3¦z=1»))
show($P(1, 2)._replace(«x=5¦z=1»), $P._fields, $P._field_defaults, $P(1)._asdict())
x, y = $P(1, 2)⏎show(x, y, $P(1, 2) == (1, 2), $P(1, 2) < $P(1, 3), $P._make([3, 4]))
show($P(1, 2).total(), str($P(1, 2)), repr($P(1)), $P.__annotations__)
$P(1, 2).x = 3
show($O.«v¦area¦more¦tag¦other¦__class__.__name__»)
$O.area = <any>⏎show($O.v, $O.area)
$O.fresh = <any>⏎show($O.fresh)
del $O.«v¦area¦nope»⏎show($O.v)
show($B.«build(1).v¦make(2).v¦tag¦area¦__doc__¦__qualname__»)
show($B[«int¦1, 2¦<any>»])
show([c.__name__ for c in $M.__mro__], $M.__bases__[0] is $B)
m = $M(<any>)⏎show(m.v, isinstance(m, dict), len(m))
with $O as x: show(x is $O); raise ValueError(<any>)
@$O⏎def f(*a): return len(a)⏎show(f(1, 2))
show(sorted(k for k in vars($B) if k[:2] != '__'), hasattr($O, '__dict__'))
show(sorted(dir($O))[-2:], $O.__module__, $A.__subclasses__()[0].__name__)
x = type('$X', ($A,), {'k': <any>})⏎show(x.k, x.__name__, x(1).v, x.__mro__[1] is $A)
class $X($B): area = property(lambda s: super($X, s).area)⏎show($X(1).area)
show(super($B, $O).area, super($B, $O).__init__(3), $O.v)
def f(a: int, *b: 'str', c: $A = None) -> list: pass⏎show(f.__annotations__, f.__kwdefaults__)
x: int = <any>⏎show(x, __annotations__.get('x') is int)
show(isinstance($O, ($A, int)), issubclass($M, ($B, list)), isinstance(<any>, typing.Hashable))
show(typing.get_type_hints($P), typing.Optional[int], typing.Union[int, str, int], list[int], int | None)
show(callable($O), $O == $O, $O != $A(1), $O is $O, hash($O) == hash($O))
"""

SCENARIOS = [
    (DATES, DATE_PROBES), (RATIOS, RATIO_PROBES), (STREAMS, STREAM_PROBES),
    (SEQUENCES, SEQUENCE_PROBES), (COPIES, COPY_PROBES), (TOOLS, TOOL_PROBES),
    (WORDS, WORD_PROBES), (SHAPES, SHAPE_PROBES)]
