# A JSON-like tree: built, walked, counted, changed and serialised by hand.
def build(depth, width, seed):
    if depth == 0:
        return [seed, str(seed), None, seed % 2 == 0, seed / 4][seed % 5]
    if depth % 2:
        return {"k%d" % i: build(depth - 1, width, seed * 3 + i)
                for i in range(width)}
    return [build(depth - 1, width, seed * 5 + i) for i in range(width)]

def walk(node, path=()):
    if isinstance(node, dict):
        for key, value in node.items():
            yield from walk(value, path + (key,))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from walk(value, path + (i,))
    else:
        yield path, node

def dump(node):
    if node is None:
        return "null"
    if isinstance(node, bool):
        return "true" if node else "false"
    if isinstance(node, (int, float)):
        return repr(node)
    if isinstance(node, str):
        return '"' + node.replace('"', '\\"') + '"'
    if isinstance(node, list):
        return "[" + ", ".join(dump(v) for v in node) + "]"
    return "{" + ", ".join(f'"{k}": {dump(v)}' for k, v in node.items()) + "}"

def get(node, path):
    for step in path:
        node = node[step]
    return node

tree = build(6, 4, 1)
kinds = {}
for r in range(3):
    for path, leaf in walk(tree):
        kinds[type(leaf).__name__] = kinds.get(type(leaf).__name__, 0) + 1
        assert get(tree, path) == leaf
    text = dump(tree)
print(kinds, len(text))
