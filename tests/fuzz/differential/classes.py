"""Random classes: members drawn from a table, then probes of an instance."""

# Members, by what they define; a class gets some of them. `self.items` is a
# list and `self.number` a number that __init__ sets.
MEMBERS = {
    "__init__": """
def __init__(self, *args, **kwargs):
    self.number = <int>
    self.items = [1, 2, 3]
    show('init', NAME, args, kwargs)
""",
    "__new__": """
def __new__(cls, *args, **kwargs):
    show('new', cls.__name__, args)
    return super().__new__(cls<newargs>)
""",
    "__repr__": """
def __repr__(self):
    return <str>
""",
    "__str__": """
def __str__(self):
    return <str> if <bool> else <any>
""",
    "__len__": """
def __len__(self):
    return modest(<small>)
""",
    "__bool__": """
def __bool__(self):
    return <bool>
""",
    "__eq__": """
def __eq__(self, other):
    show('eq', NAME, type(other).__name__)
    return <answer>
""",
    "__ne__": """
def __ne__(self, other):
    return <answer>
""",
    "__lt__": """
def __lt__(self, other):
    show('lt', NAME)
    return <answer>
""",
    "__ge__": """
def __ge__(self, other):
    return <answer>
""",
    "__hash__": """
def __hash__(self):
    return <int>
""",
    "unhashable": """
__hash__ = None
""",
    "__getitem__": """
def __getitem__(self, key):
    show('getitem', key)
    return [5, 6, 7][key]
""",
    "__setitem__": """
def __setitem__(self, key, value):
    show('setitem', key, value)
""",
    "__delitem__": """
def __delitem__(self, key):
    show('delitem', key)
""",
    "__contains__": """
def __contains__(self, item):
    return <any>
""",
    "__iter__": """
def __iter__(self):
    return iter(<iterable>)
""",
    "generator": """
def __iter__(self):
    yield from <iterable>
    yield <any>
""",
    "__next__": """
def __next__(self):
    raise StopIteration(<any>)
""",
    "__reversed__": """
def __reversed__(self):
    return iter(<list>)
""",
    "__call__": """
def __call__(self, *args, k=<any>):
    return args, k
""",
    "__add__": """
def __add__(self, other):
    show('add', NAME)
    return <answer>
""",
    "__radd__": """
def __radd__(self, other):
    show('radd', NAME)
    return <answer>
""",
    "__iadd__": """
def __iadd__(self, other):
    show('iadd', NAME)
    return <answer>
""",
    "__sub__": """
def __sub__(self, other):
    return <answer>
""",
    "__rmul__": """
def __rmul__(self, other):
    return <answer>
""",
    "__matmul__": """
def __matmul__(self, other):
    return <any>
""",
    "__or__": """
def __or__(self, other):
    return <answer>
""",
    "__rpow__": """
def __rpow__(self, other, mod=None):
    return ('rpow', mod)
""",
    "__divmod__": """
def __divmod__(self, other):
    return <any>
""",
    "__neg__": """
def __neg__(self):
    return <any>
""",
    "__abs__": """
def __abs__(self):
    return <any>
""",
    "__int__": """
def __int__(self):
    return <num>
""",
    "__index__": """
def __index__(self):
    return <small>
""",
    "__float__": """
def __float__(self):
    return <float>
""",
    "__round__": """
def __round__(self, digits=None):
    return ('round', digits)
""",
    "__format__": """
def __format__(self, spec):
    return 'fmt:' + spec
""",
    "__getattr__": """
def __getattr__(self, name):
    if name.startswith('x'):
        return ('getattr', name)
    raise AttributeError(name)
""",
    "__getattribute__": """
def __getattribute__(self, name):
    if name == 'xq':
        return 'attribute'
    return super().__getattribute__(name)
""",
    "__setattr__": """
def __setattr__(self, name, value):
    show('setattr', name)
    super().__setattr__(name, value)
""",
    "__delattr__": """
def __delattr__(self, name):
    show('delattr', name)
""",
    "__dir__": """
def __dir__(self):
    return ['b', 'a']
""",
    "__init_subclass__": """
def __init_subclass__(cls, **kwargs):
    show('subclass', cls.__name__, kwargs)
    super().__init_subclass__()
""",
    "__class_getitem__": """
def __class_getitem__(cls, item):
    return (cls.__name__, item)
""",
    "__missing__": """
def __missing__(self, key):
    return ('missing', key)
""",
    "__del__": """
def __del__(self):
    print('del', NAME)
""",
    "__enter__": """
def __enter__(self):
    show('enter')
    return self
def __exit__(self, kind, error, trace):
    show('exit', kind is None)
    return <bool>
""",
    "__length_hint__": """
def __length_hint__(self):
    return modest(<small>)
""",
    "property": """
@property
def area(self):
    show('area')
    return <any>
@area.setter
def area(self, value):
    show('set area', value)
""",
    "classmethod": """
@classmethod
def build(cls, *args):
    return cls.__name__, args
""",
    "staticmethod": """
@staticmethod
def helper(value=<any>):
    return value
""",
    "method": """
def method(self, other=<any>):
    show('method', NAME)
    return super().method(other) if hasattr(super(), 'method') else other
""",
    "attribute": """
label = <any>
__private = <any>
def peek(self):
    return self.__private
""",
    "__slots__": """
__slots__ = 'number', 'items'
""",
    "__slots__ and __dict__": """
__slots__ = ('spare', '__dict__')
""",
    "annotation": """
field: int = <any>
other: 'text'
""",
}
# What __eq__ and the operators answer.
ANSWERS = ["NotImplemented", "<bool>", "<any>", "<int>", "self", "other",
           "(NAME, other.__class__.__name__)"]
BUILTIN = ["list", "dict", "int", "str", "float", "tuple", "set", "frozenset",
           "bytes", "Exception", "ValueError", "object", "KeyError"]
PROBES = """
OBJ + <any>
<any> + OBJ
OBJ + OBJ
OBJ - <int>
<int> * OBJ
2 ** OBJ
OBJ @ OBJ
OBJ | <any>
divmod(OBJ, <int>)
-OBJ
abs(OBJ)
int(OBJ)
float(OBJ)
round(OBJ)
round(OBJ, 2)
len(OBJ)
bool(OBJ)
OBJ == <any>
<any> == OBJ
OBJ != OBJ
OBJ < <any>
<any> < OBJ
OBJ >= OBJ
OBJ == OBJ
hash(OBJ) == hash(OBJ)
{OBJ: 1}[OBJ]
OBJ in [OBJ]
OBJ[<small>]
OBJ[<any>]
<any> in OBJ
list(OBJ)
list(OBJ)[:5]
list(reversed(OBJ))
sorted(OBJ)
[*OBJ]
OBJ(<any>)
OBJ(<any>, k=1)
str(OBJ)[:40]
repr(OBJ)[:3]
format(OBJ, <spec>)
f'{OBJ:>5}'
'%s' % OBJ
'%d' % OBJ
[1, 2, 3][OBJ]
'abc' * OBJ
OBJ.area
OBJ.xq
OBJ.nope
OBJ.label
OBJ.peek()
OBJ.method()
OBJ.method(<any>)
OBJ.build(<any>)
CLS.build()
OBJ.helper()
CLS.helper(<any>)
OBJ.number
OBJ.items
CLS[<any>]
CLS.__mro__
CLS.__name__, CLS.__qualname__, CLS.__module__
[b.__name__ for b in CLS.__bases__]
sorted(k for k in vars(CLS) if k[0] != '_' or k[1] != '_')
isinstance(OBJ, (CLS, int))
issubclass(CLS, <type>)
issubclass(CLS, BASE)
dir(OBJ)[-2:]
sorted(vars(OBJ))
OBJ.__dict__
CLS.__annotations__
hasattr(OBJ, 'xyz')
getattr(OBJ, 'nope', <any>)
CLS(<any>)
CLS(<any>, <any>)
CLS(k=<any>)
copy.copy(OBJ) == OBJ
copy.deepcopy(OBJ) is OBJ
type(OBJ + OBJ).__name__
type(OBJ * 2).__name__
type(OBJ[:1]).__name__
iter(OBJ) is OBJ
next(OBJ)
operator.length_hint(OBJ)
operator.index(OBJ)
callable(OBJ)
max(OBJ, OBJ) is OBJ
sum(OBJ)
','.join(OBJ)
dict(OBJ)
{**OBJ}
set(OBJ) == set()
OBJ.upper()
OBJ.append(<any>)
OBJ.get(<any>)
OBJ.args
OBJ.count(<any>)
json.dumps(OBJ)
super(CLS, OBJ).__repr__()[:3]
super(CLS, OBJ).__init__()
CLS.method(OBJ)
CLS.method
OBJ.__class__ is CLS
type(OBJ).__hash__ is None
OBJ.__eq__(<any>)
OBJ.__len__()
OBJ._CLS__private
bytes(OBJ)
range(OBJ)
OBJ.method == OBJ.method
OBJ.__init__ == OBJ.__init__
""".strip().split("\n")
# Statements as probes.
ACTIONS = """
OBJ.area = <any>
OBJ.fresh = <any>; show(OBJ.fresh)
del OBJ.number
del OBJ.area
OBJ[<small>] = <any>
del OBJ[<small>]
OBJ += <any>; show(OBJ)
OBJ *= 2; show(OBJ)
raise OBJ
with OBJ as q: show('in')
with OBJ: raise ValueError(1)
for q in OBJ: show(q); break
a, *b = OBJ; show(b)
CLS.label = <any>; show(OBJ.label)
CLS.__len__ = lambda self: 4; show(len(OBJ))
CLS.__add__ = lambda self, o: 'patched'; show(OBJ + 1)
del CLS.method; OBJ.method()
OBJ.__class__ = BASE; show(type(OBJ).__name__)
class Sub(CLS): pass; show(Sub)
OBJ.x, OBJ.y = <any>, <any>
x: int = OBJ
OBJ = None
assert OBJ, 'falsy'
import nope_module
""".strip().split("\n")


def members(g, name, base):
    """The lines of a random class body."""
    picked = g.rng.sample(list(MEMBERS), g.rng.randint(0, 7))
    # When the locals of a function die that an error leaves, or that calls
    # eval() while it handles one, is a matter of CPython's frames, which
    # tracebacks and snapshots of names hold (docs/language.md).
    if g.in_function and "__del__" in picked:
        picked.remove("__del__")
    if g.rng.random() < 0.5 and "__init__" not in picked:
        picked.append("__init__")
    lines = []
    for member in picked:
        text = MEMBERS[member].strip("\n").replace("NAME", repr(name))
        text = text.replace("<newargs>", ", *args" if base in BUILTIN and
                            base != "object" else "")
        while "<answer>" in text:
            text = text.replace("<answer>", g.rng.choice(ANSWERS), 1)
        text = text.replace("NAME", repr(name))
        scope, g.scope = g.scope, {}
        lines += fill_lines(g, text)
        g.scope = scope
    return lines or ["pass"]


def fill_lines(g, text):
    from grammar import HOLE
    return HOLE.sub(lambda hole: g.expr(hole[1], 1), text).split("\n")


def write_class(g):
    """A class or a family of them, made and probed."""
    rng = g.rng
    lines, made = [], []
    for _ in range(rng.choice([1, 1, 2, 3, 4])):
        name = g.fresh("C")
        bases = rng.sample(made, min(len(made), rng.choice([0, 1, 1, 2])))
        if not bases and rng.random() < 0.4:
            bases = [rng.choice(BUILTIN)]
        words = ", ".join(bases + (["extra=1"] if rng.random() < 0.03 else []))
        body = members(g, name, bases[0] if bases else "object")
        doc = ["'''Text.'''"] if rng.random() < 0.1 else []
        text = [f"class {name}({words}):" if words else f"class {name}:"]
        text += ["    " + line for line in doc + body]
        lines += ["try:"] + ["    " + line for line in text]
        lines += ["except Exception as error:", "    oops(error)",
                  f"    {name} = object"]
        made.append(name)
    name = made[-1]
    sets = any("set)" in line or "set," in line for line in lines
               if "class " in line)
    arguments = rng.choice(["", "", "", "<any>", "<list>"])
    if sets:
        arguments = arguments and "firm(<iterable>)"
    arguments = "\n".join(fill_lines(g, arguments))
    obj = g.fresh("o")
    lines += ["try:", f"    {obj} = {name}({arguments})",
              "except Exception as error:", "    oops(error)",
              f"    {obj} = None"]
    for _ in range(rng.randint(3, 8)):
        action = rng.random() < 0.2
        text = rng.choice(ACTIONS if action else PROBES)
        text = text.replace("OBJ", obj).replace("_CLS", "_" + name)
        if sets:
            # The order of its items would be seen.
            text = text.replace("CLS(<any>)", "CLS(firm(<list>))")
        text = text.replace("CLS", name).replace("BASE", rng.choice(made))
        text = "\n".join(fill_lines(g, text))
        lines += ["try:", f"    {text}" if action else f"    show({text})",
                  "except Exception as error:", "    oops(error)"]
    return lines
