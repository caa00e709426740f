# n-queens with sets, sudoku by candidates, subset sums.
def queens(n):
    cols, d1, d2 = set(), set(), set()
    found = 0
    def place(r):
        nonlocal found
        if r == n:
            found += 1
            return
        for c in range(n):
            if c in cols or r + c in d1 or r - c in d2:
                continue
            cols.add(c); d1.add(r + c); d2.add(r - c)
            place(r + 1)
            cols.remove(c); d1.remove(r + c); d2.remove(r - c)
    place(0)
    return found

GRID = ("53..7....6..195....98....6.8...6...34..8.3..1"
        "7...2...6.6....28....419..5....8..79")

def candidates(board, r, c):
    used = {board[r][k] for k in range(9)} | {board[k][c] for k in range(9)}
    br, bc = 3 * (r // 3), 3 * (c // 3)
    used |= {board[i][j] for i in range(br, br + 3) for j in range(bc, bc + 3)}
    return [d for d in "123456789" if d not in used]

def solve(board):
    best = None
    for r in range(9):
        for c in range(9):
            if board[r][c] == ".":
                options = candidates(board, r, c)
                if best is None or len(options) < len(best[2]):
                    best = (r, c, options)
    if best is None:
        return True
    r, c, options = best
    for d in options:
        board[r][c] = d
        if solve(board):
            return True
        board[r][c] = "."
    return False

def subsets(items):
    if not items:
        return [[]]
    rest = subsets(items[1:])
    return rest + [[items[0]] + r for r in rest]

print(queens(7))
board = [list(GRID[i:i + 9]) for i in range(0, 81, 9)]
print(solve(board), "".join(board[8]))
print(sum(1 for s in subsets(list(range(12))) if sum(s) == 20))
