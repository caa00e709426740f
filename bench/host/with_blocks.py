# Context managers: classes and generators, with and without exceptions.
from contextlib import contextmanager
class CM:
    def __init__(self, log): self.log = log
    def __enter__(self):
        self.log[0] += 1
        return self
    def __exit__(self, a, b, c):
        self.log[1] += 1
        return a is ValueError
@contextmanager
def cm(log):
    log[0] += 1
    try: yield log
    finally: log[1] += 1
log = [0, 0]
for i in range(40000):
    with CM(log) as c:
        if i % 5 == 0: raise ValueError
    if i % 4 == 0:
        with cm(log): pass
print(log)
