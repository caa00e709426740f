# Slices of lists, read and assigned.
def fannkuch(n):
    perm1 = list(range(n))
    count = [0] * n
    maxflips = checksum = 0
    r = n
    nperm = 0
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        perm = perm1[:]
        flips = 0
        k = perm[0]
        while k:
            perm[:k + 1] = perm[k::-1]
            flips += 1
            k = perm[0]
        maxflips = max(maxflips, flips)
        checksum += flips if nperm % 2 == 0 else -flips
        while True:
            if r == n:
                return checksum, maxflips
            p0 = perm1.pop(0)
            perm1.insert(r, p0)
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1
        nperm += 1
print(fannkuch(8))
