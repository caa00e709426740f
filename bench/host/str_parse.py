# Parsing by string methods: CSV, INI, key=value, calculators, run lengths.
def parse_csv(line):
    fields, field, quoted = [], "", False
    for ch in line:
        if ch == '"':
            quoted = not quoted
        elif ch == "," and not quoted:
            fields.append(field)
            field = ""
        else:
            field += ch
    fields.append(field)
    return fields

def parse_ini(text):
    data, section = {}, None
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line[0] == "[" and line[-1] == "]":
            section = data.setdefault(line[1:-1], {})
        else:
            key, _, value = line.partition("=")
            section[key.strip()] = value.strip()
    return data

def rle(s):
    out, i = [], 0
    while i < len(s):
        j = i
        while j < len(s) and s[j] == s[i]:
            j += 1
        out.append(s[i] + str(j - i))
        i = j
    return "".join(out)

def calc(expr):
    tokens = expr.replace("(", " ( ").replace(")", " ) ").split()
    prec = {"+": 1, "-": 1, "*": 2, "/": 2}
    out, ops = [], []
    def apply():
        b, a, op = out.pop(), out.pop(), ops.pop()
        out.append(a + b if op == "+" else a - b if op == "-" else
                   a * b if op == "*" else a / b)
    for t in tokens:
        if t.isdigit():
            out.append(int(t))
        elif t == "(":
            ops.append(t)
        elif t == ")":
            while ops[-1] != "(":
                apply()
            ops.pop()
        else:
            while ops and ops[-1] != "(" and prec[ops[-1]] >= prec[t]:
                apply()
            ops.append(t)
    while ops:
        apply()
    return out[0]

def roman(n):
    s = ""
    for v, r in ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"),
                 (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
                 (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while n >= v:
            s += r
            n -= v
    return s

csv = [",".join([f"name{i}", f'"a, {i}"', str(i * i)]) for i in range(150)]
ini = "\n".join(f"[s{i}]\n# note\nkey{i} = v{i}\n other= {i * 2}\n"
                for i in range(120))
for k in range(4):
    table = [parse_csv(line) for line in csv]
    conf = parse_ini(ini)
    r = rle("aaabbbccd" * 60)
    v = sum(calc("( 1 + 2 ) * 3 - 4 * ( 5 - %d ) / 2" % i) for i in range(100))
    rom = "".join(roman(i) for i in range(1, 300))
print(table[7], conf["s3"], len(r), v, len(rom))
