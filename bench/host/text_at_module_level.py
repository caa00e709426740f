# A text that grows under a global name.
s = ""
for i in range(20000): s += "line " + str(i) + "\n"
parts = []
for line in s.split("\n"):
    if line: parts.append(line.upper().rjust(12, "."))
t = ",".join(parts)
u = "".join([c for c in t if c not in "AEIOU"])
print(len(s), len(t), len(u), t.count("9"), u[:30])
