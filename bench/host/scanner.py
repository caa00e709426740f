# A tokenizer that goes by index.
def tokens(s):
    i = 0
    n = len(s)
    out = []
    while i < n:
        c = s[i]
        if c == " " or c == "\n":
            i += 1
        elif c.isalpha() or c == "_":
            j = i + 1
            while j < n and (s[j].isalnum() or s[j] == "_"):
                j += 1
            out.append(("name", s[i:j])); i = j
        elif c.isdigit():
            j = i + 1
            while j < n and s[j].isdigit():
                j += 1
            out.append(("int", int(s[i:j]))); i = j
        else:
            out.append(("op", c)); i += 1
    return out
text = "foo = bar_1 + 42 * (baz - 7) / qux99;\n" * 400
total = 0
for _ in range(30):
    t = tokens(text)
    total += len(t)
print(total, t[-3:])
