"""What heapq compares with what, and in which sequence."""
import heapq
import random

log = []


class Item:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        log.append((self.value, other.value))
        return self.value < other.value

    def __eq__(self, other):
        log.append((-1, self.value, other.value))
        return self.value == other.value

    def __repr__(self):
        return f"I{self.value}"


class Odd(Item):
    def __lt__(self, other):
        log.append((self.value, other.value))
        return (self.value * 7 + other.value * 13) % 5 < 2


def seen(what, values):
    text = hash(tuple(log)) % 10 ** 9
    order = hash(tuple(value.value for value in values)) % 10 ** 9
    print(what, len(log), text, order)
    log.clear()


def counting(item):
    log.append((item.value,))
    return item


def rows(cls):
    for n in [0, 1, 2, 3, 10, 50, 300, 2501, 4000]:
        rng = random.Random(n)
        items = [cls(rng.randint(0, 100)) for _ in range(n)]
        print(n, cls.__name__)
        heap = items[:]
        heapq.heapify(heap)
        seen("heapify", heap)
        for item in items[:30]:
            heapq.heappush(heap, item)
        seen("push", heap)
        seen("pop", [heapq.heappop(heap) for _ in range(min(n, 40))])
        if heap:
            seen("replace", [heapq.heapreplace(heap, i) for i in items[:20]])
            seen("pushpop", [heapq.heappushpop(heap, i) for i in items[:20]])
        for k in (-1, 0, 1, 2, 7, 400):
            for key in (None, counting):
                seen(k, heapq.nsmallest(k, items, key))
                seen(k, heapq.nlargest(k, iter(items), key=key))
        parts = [items[i::4] for i in range(4)]
        for reverse in (False, True):
            seen("merge", list(heapq.merge(*parts, reverse=reverse)))
            seen("merge", list(heapq.merge(*parts, key=counting,
                                           reverse=reverse)))
