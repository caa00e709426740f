# Digits of pi by a spigot of growing ints.
def pi(n):
    q, r, t, k, m, x = 1, 0, 1, 1, 3, 3
    out = []
    while len(out) < n:
        if 4 * q + r - t < m * t:
            out.append(m)
            q, r, m = 10 * q, 10 * (r - m * t), (10 * (3 * q + r)) // t - 10 * m
        else:
            m = (q * (7 * k + 2) + r * x) // (t * x)
            q, r, t, k, x = q * k, (2 * q + r) * x, t * x, k + 1, x + 2
    return out
d = pi(700); print(sum(d), d[-5:])
