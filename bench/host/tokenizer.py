# A calculator: characters to tokens, a tree of classes, evaluated.
class Num:
    def __init__(self, v): self.v = v
    def eval(self, env): return self.v
class Var:
    def __init__(self, n): self.n = n
    def eval(self, env): return env[self.n]
class Bin:
    ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b,
           "*": lambda a, b: a * b}
    def __init__(self, op, l, r): self.op, self.l, self.r = op, l, r
    def eval(self, env):
        return self.ops[self.op](self.l.eval(env), self.r.eval(env))
def tokens(s):
    i = 0; out = []
    while i < len(s):
        c = s[i]
        if c.isspace(): i += 1
        elif c.isdigit():
            j = i
            while j < len(s) and s[j].isdigit(): j += 1
            out.append(("num", int(s[i:j]))); i = j
        elif c.isalpha():
            j = i
            while j < len(s) and (s[j].isalnum() or s[j] == "_"): j += 1
            out.append(("name", s[i:j])); i = j
        else: out.append(("op", c)); i += 1
    return out
class Parser:
    def __init__(self, toks): self.toks = toks; self.pos = 0
    def peek(self):
        more = self.pos < len(self.toks)
        return self.toks[self.pos] if more else ("end", None)
    def next(self):
        t = self.peek(); self.pos += 1; return t
    def expr(self):
        left = self.term()
        while self.peek()[1] in ("+", "-"):
            op = self.next()[1]; left = Bin(op, left, self.term())
        return left
    def term(self):
        left = self.atom()
        while self.peek() == ("op", "*"):
            self.next(); left = Bin("*", left, self.atom())
        return left
    def atom(self):
        kind, v = self.next()
        if kind == "num": return Num(v)
        if kind == "name": return Var(v)
        if v == "(":
            e = self.expr(); self.next(); return e
        raise SyntaxError(v)
total = 0
for i in range(1500):
    text = f"(a + {i}) * (bc - 17) + {i * 3} * (x1 - 4 * (a + 2))"
    tree = Parser(tokens(text)).expr()
    for k in range(5): total += tree.eval({"a": k, "bc": i, "x1": 7})
print(total)
