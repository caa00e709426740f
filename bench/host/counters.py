# Counter and defaultdict over words and letters.
from collections import Counter, defaultdict, deque, namedtuple
text = ("the quick brown fox jumps over the lazy dog and runs away from "
        * 300).split()
index = defaultdict(list)
Pair = namedtuple("Pair", "word count")
for _ in range(10):
    c = Counter(text)
    letters = Counter()
    for w in text: letters.update(w)
    for i, w in enumerate(text): index[w].append(i)
    nested = defaultdict(lambda: defaultdict(int))
    for w in text: nested[len(w)][w[0]] += 1
    pairs = [Pair(w, n) for w, n in c.most_common(5)]
    q = deque(maxlen=100)
    for w in text: q.append(w)
    total = sum(p.count for p in pairs)
print(c.most_common(3), letters.most_common(2), len(index["fox"]),
      nested[5]["q"], pairs[0].word, total, q[0])
