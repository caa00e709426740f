"""Scenes of programs as people write them: arrays handed to staged functions,
and what of Python stands around tensors."""

WRITTEN = [
    ("arrays-given", """\
def a§():
    return np.array(<<[1.0, 2.0]|[[1.0, 2.0], [0.5, 4.0]]>>, \
<<np.float64|np.float32|np.int32|np.int64>>)
@stage
def g§(a, x):
    b = a
    <<pass|a += 1|b = a * 0.1|a = a / 3|b = a[0]|a = -a>>
    if <<sum(x) > 1.0|a.max() > 1.5|len(a) > 1>>:
        b = <<a.sum()|a.mean()|a.cumsum()|a * 2|a.astype('float32')|sum(a)|\
max(a[0], a[1])|float(a[0]) * 0.1>>
    for row in a:
        b = <<b|b + row|row * 2.0|b * a.shape[0]>>
    return b, <<a|tensor(a)|x|isinstance(a, np.ndarray)|[a]>>
call(g§, a§(), tensor(1.0))
call(g§, tensor(a§()), tensor(2.0))
c§ = a§()
call(g§, c§, tensor([1.0, <<2.0|-3.0>>]))
c§[0] = <<7|9>>
call(g§, c§, tensor([1.0, 2.0]))
"""),
    ("arrays-parts", """\
c§ = {'w': np.array([1.0, 2.0], np.float32), 'n': np.<<float64(0.5)|int32(3)|\
float32(2.0)>>}
@stage<<|(signature=[{'w': spec((None,), float32), 'n': spec((), float32)}, \
spec((), float32)])>>
def g§(c, x):
    w = c['w']
    <<pass|w *= 2.0|c['w'] = w + 1.0|w = np.ones(2, np.float32) * x>>
    y = w * <<2.0|x|c['n']>>
    while <<sum(y) < 6.0|sum(y) < x>>:
        y = y + <<w|1.0|c['n']>>
    return y, <<c['w']|c['n']|w|c['n'] * 0.1>>
call(g§, c§, tensor(1.0))
call(g§, <<c§|{'w': [1.0, 2.0], 'n': 3}|{'w': tensor([1.0, 2.0]), 'n': \
tensor(1.0)}>>, tensor(2.0))
call(g§, {'w': c§['w'] * 2, 'n': c§['n']}, <<tensor(2.0)|3.0>>)
"""),
    ("world", """\
text§ = io.StringIO('a,b')
table§ = csv.writer(text§)
work§ = queue.Queue()
_made§ = path('_made§')
with open(_made§, 'w') as file§:
    file§.write('one')
os.environ['S§'] = '1'
@stage
def g§(x, n=1):
    <<table§.writerow([n, 2])|work§.put(n)|os.environ['S§'] = str(n)|text§.write('w')|pass>>
    if <<x > 1.0|n > 1|os.path.exists(_made§)>>:
        x = x + <<len(os.environ['S§'])|os.path.getsize(_made§)|int(os.getenv('S§'))|work§.qsize()>>
        <<work§.put(2)|os.remove(_made§) if os.path.exists(_made§) else None|pass|work§.put(x)>>
    return x, <<text§.getvalue()|os.environ['S§']|len(os.listdir(path('.')))|work§.qsize()|text§.tell()>>
call(g§, tensor(1.0))
call(g§, tensor(2.0), <<1|12>>)
<<os.environ['S§'] = '345'|open(_made§, 'a').write('more')|work§.put(5)|text§.seek(0)|open(path('other§'), 'w')>>
call(g§, tensor(1.0))
show(text§.getvalue())
show(work§.qsize())
"""),
    ("optimiser", """\
class Adam§:
    def __init__(self, lr=<<0.1|0.5>>):
        self.lr, self.m, self.v, self.t = lr, <<{}|{'w': 0.0, 'b': 0.0}>>, {}, 0
    def update(self, params, grads):
        self.t += 1
        out = {}
        for k, g in grads.items():
            m = self.m.get(k, 0.0) * 0.9 + 0.1 * g
            self.m[k], self.v[k] = m, self.v.get(k, 0.0) * 0.5 + g * g
            out[k] = params[k] - self.lr * m / (sqrt(self.v[k]) + <<1.0|self.t>>)
        return out
@stage
def g§(w, b, steps):
    opt, p = Adam§(), {'w': w, 'b': b}
    while steps > 0:
        grads = {'w': 2.0 * p['w'] + p['b'], 'b': <<p['b'] + 1.0|sum(p['w'])>>}
        if <<opt.t > 1|sum(p['w']) > 2.0|steps > 1>>:
            p = opt.update(p, grads)
        <<steps -= 1|steps = steps - 1>>
        <<pass|opt.lr = opt.lr * 0.5|opt.m.clear()|if sum(w) > 9.0:\n            break>>
    return p, opt.t, <<opt.lr|list(opt.m)|len(opt.v)>>
call(g§, tensor([1.0, 2.0]), tensor(0.5), 3)
call(g§, tensor([1.0, 2.0]), tensor(0.5), tensor(<<3|0|1>>))
call(g§, tensor([9.0, 2.0]), tensor(-0.5), <<2|tensor(2)>>)
"""),
    ("account", """\
class Account§:
    rate = <<0.1|2>>
    def __init__(self, balance):
        self._b, self.log = balance, []
    @property
    def balance(self):
        return self._b * <<1.0|self.rate>>
    @balance.setter
    def balance(self, value):
        self._b = <<value|maximum(value, 0.0)|value + len(self.log)>>
    def __enter__(self):
        self.saved = self._b
        return self
    def __exit__(self, kind, value, trail):
        if kind is not None:
            self._b = self.saved
        return kind is <<ValueError|KeyError>>
    def draw(self, k):
        if k > self._b:
            <<raise ValueError('too much')|k = self._b|return>>
        self.balance -= k
        self.log.append(<<k|1|'draw'>>)
    def __iadd__(self, k):
        self._b = self._b + k
        return self
@stage
def g§(b, k):
    a = Account§(b)
    with a <<|as c>>:
        a.draw(k)
        <<a.draw(k)|a += k|pass|a.balance = a.balance * 2.0>>
    if <<b > 2.0|k > 2.0>>:
        <<a += 1.0|a.log.append(2)|a.rate = 3.0|a.draw(1.0)|pass>>
    return a.balance, <<len(a.log)|a.log|a.rate>>
call(g§, 10.0, 3.0)
call(g§, tensor(10.0), tensor(3.0))
call(g§, tensor(<<1.0|4.0>>), <<tensor(3.0)|3.0>>)
call(g§, tensor(3.0), tensor(1.0))
"""),
    ("tree", """\
class Tree§:
    def __init__(self, value, *children):
        self.value, self.children = value, list(children)
    def add(self, value):
        self.children.append(Tree§(value))
        return self.children[-1]
    def total(self, depth=0):
        <<self.value = self.value * 1.0|pass>>
        return self.value + sum([<<child.total(depth + 1)|child.total() * depth>> for child in self.children])
    def __iter__(self):
        yield self.value
        for child in self.children:
            yield from child
k§ = Tree§(2.0, Tree§(tensor(3.0)), Tree§(0.5, Tree§(4)))
@stage
def g§(x):
    t = Tree§(x, Tree§(1.0))
    a = t.add(<<x * 2.0|x|3.0>>)
    if <<x > 1.0|t.total() > 4.0>>:
        <<a.value = a.value + 10.0|t.add(x)|a.add(1.0)|t.children.pop()|t.value = 0.0>>
    else:
        <<pass|t.value = 1.0|a.value = x|k§.value = 7.0>>
    return t.total(), k§.total() * x, <<list(t)|[v for v in k§]|max(list(k§)[:1])|len(t.children)>>
call(g§, tensor(1.0))
call(g§, tensor(2.0))
k§.children[0].value = <<10.0|tensor(5.0)>>
call(g§, tensor(1.0))
<<k§.add(6.0)|k§.children.pop()|k§.value = tensor(1.0)>>
call(g§, tensor(3.0))
"""),
    ("texts", """\
vocabulary§ = <<{}|{'a': 3}|collections.Counter()>>
def words§(text):
    for word in text.lower().split():
        yield word.strip('.,')
@stage
def g§(x, text, n=1):
    found = []
    for at, word in enumerate(words§(text), <<0|1>>):
        <<found.append(vocabulary§.setdefault(word, len(vocabulary§)))|found.append(len(word))|\
vocabulary§[word] = vocabulary§.get(word, 0) + 1>>
        if <<x > at|n > at|len(found) > 2>>:
            <<break|continue|x = x + len(word)|return x, word>>
        found.append(<<at|ord(word[0])>>)
    else:
        x = -x
    match text.split():
        case [one]:
            x = x * <<len(one)|2.0>>
        case ['the', *rest] if <<rest|x > 1.0|n > 1>>:
            x = x + len(rest)
        case _:
            <<pass|return x>>
    return x, <<found|f'{n:03d} {text!r:>8}'|sorted(vocabulary§)|text[::-1]>>
call(g§, tensor(1.0), 'The cat, the dog.')
call(g§, tensor(2.0), 'The cat, the dog.')
call(g§, tensor(2.0), <<'bird'|'the'|'the bird'>>, <<2|tensor(2)>>)
call(g§, tensor(0.5), 'the cat')
"""),
    ("matrix", """\
@stage
def g§(a, b, n=2):
    rows = <<[concat([a[i], b[i:i + 1]]) for i in range(a.shape[0])]|[*a]|list(a)>>
    for i in range(len(rows)):
        for j, row in enumerate(rows):
            if <<j != i|row[0] > rows[i][0]|j > i>>:
                <<rows[j] = row - rows[i] * row[i]|rows[i], rows[j] = row, rows[i]|rows[i] = rows[i] + b[0]>>
    base, result = a, eye(a.shape[0])
    while n > 0:
        if n % 2 == 1:
            result = result @ base
        base, n = base @ base, n // 2
    best = max([sum(row) for row in rows], <<default=None|key=lambda v: 1.0>>) if <<False|n is None>> else sum(rows[0])
    (first, *rest), low, turn = rows, <<b[0]|0.0>>, 0
    while (low := low + <<1.0|sum(first)>>) < <<3.0|b[1]>>:
        if (turn := turn + 1) > 8:
            break
    return stack(rows), result, best, low, <<len(rest)|rest[-1]|{(i, j): a[i, j] for i in range(2) for j in range(2) if i <= j}>>
call(g§, tensor([[2.0, 1.0], [1.0, 3.0]]), tensor([3.0, 5.0]))
call(g§, tensor([[2.0, 1.0], [4.0, 3.0]]), tensor([1.0, 2.0]), <<3|tensor(3)>>)
call(g§, tensor([[0.5, -1.0], [1.0, 0.25]]), tensor([1.0, 0.0]), tensor(<<0|5>>))
"""),
    ("given-objects", """\
class Bag§:
    def __init__(self):
        self.seen, self.n, self.last = [], 0, None
    def __call__(self, x, key=lambda v: v, *rest, **named):
        self.n += 1
        self.seen.append(<<self.n|len(rest)|sorted(named)>>)
        self.last = <<x|None|self.n>>
        return key(x) * self.n + sum(list(rest))
    def __getattr__(self, name):
        if name.startswith('k_'):
            return float(name[2:])
        raise AttributeError(name)
    @functools.cached_property
    def slow(self):
        self.n += 10
        return <<3.0|self.n>>
b§ = Bag§()
def bump§(x, seen=[]):
    seen.append(1)
    return x * len(seen)
@stage
def g§(x, <<bag=b§|bag=None>>):
    bag = bag or <<b§|Bag§()>>
    f = functools.partial(bag, key=<<lambda v: v + 1.0|abs>>)
    y = functools.reduce(lambda a, e: a * 2.0 + e, [x, f(x), <<bag.slow|bag.k_3|bump§(x)>>])
    if <<x > 1.0|bag.n > 2>>:
        y = <<bag(y, abs, 1.0, 2.0)|bag(y, z=1)|y + bag.slow|bump§(y)|y>>
    return y, <<bag.n|len(bag.seen)|bag.last|list(itertools.accumulate([x, y, 1.0]))>>
call(g§, tensor(1.0))
call(g§, tensor(<<1.0|3.0>>))
<<b§.n = 0|b§.slow = 5.0|bump§(1)|b§.seen.clear()|Bag§.k_3 = 1.0>>
call(g§, tensor(2.0))
call(g§, tensor(0.5), <<b§|Bag§()>>)
show(b§.n)
"""),
    ("called-frozen", """\
k§, d§ = 2.0, {'w': [1.0, 2.0]}
class Base§:
    scale = 2.0
    def __init__(self):
        self.more = <<1.0|[1.0]>>
    @stage<<|(frozen='retrace')>>
    def run(self, x, n=1):
        return x * self.scale + <<len(d§)|d§['w'][0]|k§>> + (self.more if isinstance(self.more, float) else len(self.more))
class Child§(Base§):
    @stage<<|(frozen='retrace')>>
    def run(self, x, n=1):
        if <<x > 1.0|n > 1|True>>:
            x = <<super().run(x)|super().run(x, n)|Base§.run(self, -x)>>
        return x * <<1.0|k§>>
@stage
def g§(o, x):
    for i in range(<<2|tensor(2)>>):
        x = o.run(x)
    return x
o§ = Child§()
call(o§.run, tensor(1.5))
call(g§, o§, tensor(1.0))
<<k§ = 5.0|o§.more = 7.0|d§['w'][0] = 9.0|Base§.scale = 3.0|o§.scale = 4.0|d§['x'] = 1|o§.more = [1, 2]>>
call(o§.run, tensor(1.5))
call(g§, o§, tensor(1.0))
call(<<Base§().run|o§.run>>, tensor([1.5]) if False else tensor(2.0), <<1|2>>)
"""),
]
