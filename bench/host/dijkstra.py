# Shortest ways by heapq, and a breadth-first search by deque.
import heapq
from collections import deque
n = 4000
graph = {i: [((i * 7 + 1) % n, i % 10 + 1), ((i * 3 + 2) % n, i % 7 + 2),
             ((i + 1) % n, 20)] for i in range(n)}
def dijkstra(start):
    dist = {start: 0}
    heap = [(0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]: continue
        for v, w in graph[u]:
            nd = d + w
            if v not in dist or nd < dist[v]:
                dist[v] = nd
                heapq.heappush(heap, (nd, v))
    return dist
def bfs(start):
    seen = {start}; q = deque([start]); order = []
    while q:
        u = q.popleft(); order.append(u)
        for v, _ in graph[u]:
            if v not in seen:
                seen.add(v); q.append(v)
    return order
for s in range(8):
    d = dijkstra(s); o = bfs(s)
print(sum(d.values()), len(o), o[100])
