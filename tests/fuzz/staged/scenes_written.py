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
]
