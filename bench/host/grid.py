# A maze in a grid of characters, walked; flood fill; neighbours.
from collections import deque
W, H = 80, 60
grid = [["#" if (x * 7 + y * 13 + x * y) % 5 == 0 else "."
         for x in range(W)] for y in range(H)]
def neighbours(x, y):
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        nx, ny = x + dx, y + dy
        if 0 <= nx < W and 0 <= ny < H and grid[ny][nx] != "#":
            yield nx, ny
def walk(start):
    dist = {start: 0}; todo = deque([start])
    while todo:
        cur = todo.popleft()
        for nxt in neighbours(*cur):
            if nxt not in dist:
                dist[nxt] = dist[cur] + 1; todo.append(nxt)
    return dist
for i in range(12): d = walk((1, 1 + i % 3))
rows = ["".join(str(min(d.get((x, y), 9), 9)) for x in range(W))
        for y in range(H)]
print(len(d), max(d.values()), rows[5][:20])
