"""Digests in pieces, with keys, of any length."""
import hashlib
import hmac
import random



def rows(wanted):
    """Prints the digests of the algorithms whose names are wanted."""
    random.seed(5)
    for n in sorted(hashlib.algorithms_guaranteed - {'blake2b', 'blake2s'}):
        for size in (0, 1, 3, 55, 56, 57, 63, 64, 65, 111, 112, 113, 127, 128, 129,
                     135, 136, 137, 143, 144, 167, 168, 200, 1000, 5000):
            data = random.randbytes(size)
            h = hashlib.new(n)
            at = 0
            while at < size:
                k = random.randrange(1, 200)
                h.update(data[at:at + k])
                at += k
            a = (300,) if n[:5] == 'shake' else ()
            if not wanted(n):
                continue
            print(n, size, h.hexdigest(*a)[:80], h.copy().digest(*a) ==
                  h.digest(*a) == getattr(hashlib, n)(data).digest(*a))
            if not a:
                print(hmac.new(data[:70], data, n).hexdigest(),
                      hmac.digest(b'k' * 150, data, n).hex())
        if wanted(n):
            print(h.block_size, h.digest_size, h.name, type(h))
