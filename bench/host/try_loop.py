# Conversions that fail now and then; look-ups that miss.
data = ["12", "x7", "3.5", "", "99", "1e3", "abc", "0"] * 4000
d = {"a": 1, "b": 2}
class Missing(Exception):
    def __init__(self, key):
        super().__init__(key)
        self.key = key
def find(key):
    try:
        return d[key]
    except KeyError as e:
        raise Missing(key) from e
ints = floats = bad = miss = 0
for _ in range(2):
    for text in data:
        try:
            ints += int(text)
        except ValueError:
            try:
                floats += float(text)
            except ValueError:
                bad += 1
        finally:
            miss += 1
    for i in range(20000):
        try:
            find("abc"[i % 3])
        except Missing as m:
            if m.key == "c": bad += 1
        try:
            [1, 2, 3][i % 5]
        except IndexError: bad += 1
        try:
            d.nothing
        except AttributeError: bad += 1
print(ints, floats, bad, miss)
