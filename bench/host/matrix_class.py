# A matrix class over lists of lists, with operators.
class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    @classmethod
    def identity(cls, n):
        return cls([[1 if i == j else 0 for j in range(n)] for i in range(n)])

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __getitem__(self, key):
        i, j = key
        return self.rows[i][j]

    def __add__(self, other):
        return Matrix([[a + b for a, b in zip(r, s)]
                       for r, s in zip(self.rows, other.rows)])

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return Matrix([[a * other for a in r] for r in self.rows])
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in columns]
                       for r in self.rows])

    def transpose(self):
        return Matrix(zip(*self.rows))

    def trace(self):
        n, m = self.shape
        return sum(self[i, i] for i in range(min(n, m)))

    def __eq__(self, other):
        return self.rows == other.rows

    def __str__(self):
        return "\n".join(" ".join(f"{x:4}" for x in r) for r in self.rows)

def power(m, e):
    result = Matrix.identity(m.shape[0])
    while e:
        if e & 1:
            result = result * m
        m = m * m
        e >>= 1
    return result

total = 0
for k in range(60):
    m = Matrix([[(i * j + k) % 5 - 2 for j in range(6)] for i in range(6)])
    p = power(m, 6)
    total += p.trace() + (m + m.transpose()).trace()
    total += len(str(p)) + (p == m * 3)
print(total)
