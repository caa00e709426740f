"""What may differ from CPython by design, each with its reason."""
import re

# (pattern of CPython's line, pattern of ours, reason)
RULES = [
]


def explained(ours, theirs):
    """Is the first difference one of the rules'?"""
    return any(re.search(other, theirs) and re.search(mine, ours)
               for other, mine, _ in RULES)
