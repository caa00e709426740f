# Recursion with a dict of pairs.
import sys
sys.setrecursionlimit(5000)
memo = {}
def lcs(a, b, i, j):
    k = (i, j)
    if k in memo: return memo[k]
    if i == len(a) or j == len(b): r = 0
    elif a[i] == b[j]: r = 1 + lcs(a, b, i + 1, j + 1)
    else: r = max(lcs(a, b, i + 1, j), lcs(a, b, i, j + 1))
    memo[k] = r
    return r
a = "ACGTTGCAAC" * 40; b = "TGCATGCCGA" * 40
print(lcs(a, b, 0, 0), len(memo))
